// Untrusted text, even if its author knows the nonce that is drawn first, stays inside its block
// and its quotes, and the prompt within its size.

#include <cstdint>
#include <string>

#include "base/check.h"
#include "prompt/test_containment.h"
#include "testing/fake_random.h"

namespace {

// The bytes with "$" replaced by the nonce, which the fuzzer can't guess.
std::string WithNonce(std::string_view bytes, const std::string& nonce) {
  std::string text;
  for (const char c : bytes) text += c == '$' ? nonce : std::string(1, c);
  return text;
}

}  // namespace

// One byte for the size, then two texts with a zero byte between them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t middle = std::min(bytes.find('\0'), bytes.size());
  const std::string nonce = belay::FakeRandom(data[0]).Hex(16);
  belay::FakeRandom random(data[0]);
  const std::string wrong =
      belay::WhatEscapes(WithNonce(bytes.substr(0, middle), nonce),
                         WithNonce(bytes.substr(middle), nonce), 1'200U + 8U * data[0], random);
  BELAY_CHECK(wrong.empty());
  return 0;
}
