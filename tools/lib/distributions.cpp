// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/distributions.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>

namespace distributions
{

using boost::math::binomial;
using boost::math::cdf;
using boost::math::complement;
using boost::math::normal;
using boost::math::quantile;
using boost::math::students_t;

double normal_cdf(double z) { return cdf(normal(), z); }

double normal_upper_quantile(double p) { return quantile(complement(normal(), p)); }

double binomial_cdf(double n, double p, double k) { return cdf(binomial(n, p), k); }

double binomial_upper_tail(double n, double p, double k)
{
  return cdf(complement(binomial(n, p), k));
}

double binomial_lower_quantile(double n, double p, double probability)
{
  return quantile(binomial(n, p), probability);
}

double binomial_upper_quantile(double n, double p, double probability)
{
  return quantile(complement(binomial(n, p), probability));
}

double binomial_upper_bound(double trials, double hits, double error)
{
  return binomial::find_upper_bound_on_p(trials, hits, error);
}

double beta_quantile(double a, double b, double p) { return boost::math::ibeta_inv(a, b, p); }

double students_t_upper_tail(double freedom, double t)
{
  return cdf(complement(students_t(freedom), t));
}

double students_t_upper_quantile(double freedom, double p)
{
  return quantile(complement(students_t(freedom), p));
}

} // namespace distributions
