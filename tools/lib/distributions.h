// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The probability distributions of Boost.Math that are used here. Compiled in one unit, since its
// headers cost seconds in each. Arguments outside the given ranges throw std::domain_error.
#pragma once

#include <cstdint>

namespace distributions
{

// Standard normal: P(Z <= z), and the z that is exceeded with probability p (0 < p < 1).
double normal_cdf(double z);
double normal_upper_quantile(double p);

// P(X <= k) and P(X > k) of X ~ Bin(n, p), 0 <= k <= n.
double binomial_cdf(double n, double p, double k);
double binomial_upper_tail(double n, double p, double k);
// The k below and above which X ~ Bin(n, p) falls with at most that probability.
double binomial_lower_quantile(double n, double p, double probability);
double binomial_upper_quantile(double n, double p, double probability);
// The exact upper bound (Clopper, Pearson 1934) of a share of which `hits` of `trials` were seen,
// at one minus `error`.
double binomial_upper_bound(double trials, double hits, double error);

// x with P(B <= x) = p for B ~ Beta(a, b): the inverse of the regularised incomplete beta function.
double beta_quantile(double a, double b, double p);

// Student's t: P(T > t), and the t that is exceeded with probability p.
double students_t_upper_tail(double freedom, double t);
double students_t_upper_quantile(double freedom, double p);

} // namespace distributions
