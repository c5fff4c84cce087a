// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// crypto-*: bpf_crypto_encrypt() and bpf_crypto_decrypt(). One hit is one message of crypto-len
// bytes. Before anything is timed, what was encrypted must decrypt to the same, and ecb(aes) must
// give what FIPS 197 says. What makes a figure wrong: comparing lengths; a message costs much
// besides its bytes.
#include <bpf/bpf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "progs/crypto_bench.h"
#include "tools/bench/reports.h"
#include "tools/bench/test_run_bench.h"
#include "tools/lib/probe.h"

// After the header that defines its structs.
#include "crypto_bench.skel.h"

namespace
{

using namespace bench;
using Skel = crypto_bench;

// FIPS 197, appendix C.1: the key is 00 01 ... 0f, the message 00 11 ... ff.
constexpr size_t block = 16;
constexpr std::array<uint8_t, block> sealed_block{0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                                                  0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};

class Crypto : public TestRunBench {
public:
  Crypto(const Params &params, bool decrypt)
      : x_length(static_cast<uint32_t>(params.number("crypto-len"))), x_skel("crypto_bench")
  {
    probe::require(probe::kfunc_crypto);
    auto &progs = x_skel->progs;
    x_skel->rodata->length = x_length;
    x_skel.load();
    make_cipher(params.text("crypto-cipher"));
    for (size_t i = 0; i < CRYPTO_MOST_BYTES; i++)
      x_skel->bss->plain.bytes[i] = static_cast<uint8_t>(i % block * 0x11);
    use(progs.encrypt, progs.nothing, x_skel->bss->bench_slots, params.producers, 1);
    check(params.text("crypto-cipher") == "ecb(aes)");
    use(decrypt ? progs.decrypt : progs.encrypt, progs.nothing, x_skel->bss->bench_slots,
        params.producers, 1);
  }

private:
  void make_cipher(const std::string &cipher)
  {
    auto &request = x_skel->bss->request;
    strcpy(request.type, "skcipher");
    std::copy(cipher.begin(), cipher.end(), request.algo); // at most 32 of 128
    for (uint8_t i = 0; i < block; i++)
      request.key[i] = i;
    request.key_len = block;
    LIBBPF_OPTS(bpf_test_run_opts, options);
    bpf::check(bpf_prog_test_run_opts(bpf_program__fd(x_skel->progs.make_cipher), &options),
               "run BPF program", "make_cipher");
    int error = x_skel->bss->setup_error;
    if (error == -ENOENT || error == -EOPNOTSUPP) // of the type, of the cipher
      throw bpf::missing(fmt::format("this kernel has no cipher '{}' for BPF", cipher));
    bpf::check(error, "make cipher", cipher);
  }

  // Round the whole way once, by producer 0.
  void check(bool known)
  {
    auto *bss = x_skel->bss;
    Counts ignored;
    run_once(x_skel->progs.encrypt, 0, 1, 0, ignored);
    bss->sealed = bss->outputs[0];
    size_t blocks = x_length / block;
    for (size_t i = 0; known && i < blocks; i++)
      if (memcmp(bss->sealed.bytes + i * block, sealed_block.data(), block))
        throw std::runtime_error("AES gives something else than FIPS 197 says");
    bss->outputs[0] = {};
    run_once(x_skel->progs.decrypt, 0, 1, 0, ignored);
    if (memcmp(bss->outputs[0].bytes, bss->plain.bytes, x_length))
      throw std::runtime_error("what was encrypted decrypts to something else");
  }

  uint32_t x_length;
  bpf::Skeleton<Skel> x_skel;
};

Descriptor crypto(const char *name, const char *op, bool decrypt)
{
  return {.name = name,
          .op = op,
          .report = hits_drops_report(),
          .options = {number("crypto-len", 1, CRYPTO_MOST_BYTES, 16, "bytes of a message"),
                      text("crypto-cipher", 32, "ecb(aes)", "cipher, with a key of 16 bytes")},
          .ops_per_run = 1000,
          .load = [=](const Params &params) { return std::make_unique<Crypto>(params, decrypt); }};
}

const Register cryptos{
    crypto("crypto-encrypt", "one bpf_crypto_encrypt()", false),
    crypto("crypto-decrypt", "one bpf_crypto_decrypt()", true),
};

} // namespace
