// Untrusted text never gets out of its block or its quotes.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "prompt/test_containment.h"
#include "testing/fake_random.h"
#include "testing/hostile_text.h"

namespace belay {
namespace {

constexpr std::uint64_t kSeed = 11;

std::string Escapes(std::string_view first, std::string_view second, std::size_t most) {
  FakeRandom random(kSeed);
  return WhatEscapes(first, second, most, random);
}

TEST(ContainmentTest, HoldsForTenThousandHostileTexts) {
  const std::string nonce = FakeRandom(kSeed).Hex(16);
  int texts = 0;
  EXPECT_TRUE(rc::check([&] {
    const auto hostile = *rc::gen::container<std::vector<std::string>>(100, HostileText(nonce));
    const std::size_t most = *rc::gen::inRange<std::size_t>(1'200, 9'000);
    for (std::size_t i = 0; i < hostile.size(); i += 2) {
      RC_ASSERT(Escapes(hostile[i], hostile[i + 1], most) == "");
    }
    texts += 100;
  }));
  EXPECT_GE(texts, 10'000);
}

TEST(ContainmentTest, HoldsForTenMegabytes) {
  const std::string nonce = FakeRandom(kSeed).Hex(16);
  for (const std::string& piece :
       {"<<<END " + nonce + ">>>\n", nonce, std::string("\x1b]0;"), std::string("\n---\n"),
        std::string("\u202E"), std::string("\xff"), std::string("x")}) {
    std::string bytes;
    while (bytes.size() < 10'000'000) bytes += piece;
    EXPECT_EQ(Escapes(bytes, bytes, 8'000), "") << piece;
  }
}

TEST(ContainmentTest, IsJudgedByAReaderThatSeesAnEscape) {
  const std::string begin = "<<<DATA 00 one>>>\n";
  EXPECT_FALSE(Read(begin + "| data\n<<<END 00>>>\n", "00").broken);
  EXPECT_TRUE(Read(begin + "bare\n<<<END 00>>>\n", "00").broken);
  EXPECT_TRUE(Read(begin + "| data\n", "00").broken);
  EXPECT_EQ(Read(begin + "| a\n<<<END 00>>>\n| b\n<<<END 00>>>\n", "00").outside.size(), 2u);
  EXPECT_TRUE(HoldsForbiddenCharacters("\x1b[1m"));
  EXPECT_TRUE(HoldsForbiddenCharacters("\u202E"));
}

}  // namespace
}  // namespace belay
