#include "prompt/own_words.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

TEST(OwnWordsTest, InsertValuesInTheirOrder) {
  const AgentId agent = *AgentId::Parse("orchestrator-fix-login#3");
  const OwnWords phase("implementing");
  EXPECT_EQ(OwnWords("You are {}, phase {}, attempt {} of {}.", agent, phase, 2, 5U).text(),
            "You are orchestrator-fix-login#3, phase implementing, attempt 2 of 5.");
  EXPECT_EQ(OwnWords("belay hook show {}", agent.identity()).text(),
            "belay hook show orchestrator-fix-login");
  EXPECT_EQ(OwnWords("Until {}.", WallTime{}).text(), "Until 1970-01-01T00:00:00Z.");
}

TEST(OwnWordsTest, LeaveBracesOfAValueAlone) {
  const QuotedLine line(ForeignText("{} {}"));
  EXPECT_EQ(OwnWords("{}, then {}.", line, 7).text(), "\"{} {}\", then 7.");
}

// Untrusted text has no way in but a quoted line, and a wrong literal doesn't compile.
static_assert(!Sayable<std::string>);
static_assert(!Sayable<std::string_view>);
static_assert(!Sayable<const char*>);
static_assert(!Sayable<char[6]>);
static_assert(!Sayable<ForeignText>);
static_assert(!std::is_constructible_v<OwnWords, std::string>);
static_assert(!std::is_constructible_v<OwnWords, ForeignText>);
static_assert(!std::is_constructible_v<OwnWords, QuotedLine>);
static_assert(Sayable<QuotedLine>);

}  // namespace
}  // namespace belay
