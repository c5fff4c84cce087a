// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/hash.h"

#include "tools/lib/unit_test.h"

using namespace unit_test;

// The values of FIPS 180, and what sha1sum and sha256sum say.
TEST(hashes_have_the_known_values)
{
  expect_eq(sha1_hex(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  expect_eq(sha1_hex("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  expect_eq(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect_eq(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  std::string million(1000000, 'a');
  expect_eq(sha1_hex(million), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
  expect_eq(sha256_hex(million),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(hash_hexadecimal_digits_are_two_a_byte)
{
  expect_eq(to_hex(std::string("\x00\x0f\xf0\xff", 4)), "000ff0ff");
  expect_eq(to_hex(""), "");
}
