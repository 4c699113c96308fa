#include <gtest/gtest.h>

#include "host/attach.h"

namespace belay {
namespace {

struct Outcome {
  std::string pass;
  bool detach;

  bool operator==(const Outcome&) const = default;
};

Outcome Type(const std::vector<std::string>& keys) {
  DetachKey key;
  Outcome outcome{};
  for (const std::string& one : keys) outcome.detach = key.Feed(one, outcome.pass);
  return outcome;
}

TEST(DetachKey, DetachesAtOnceOrInTwoReadsAndPassesWhatCameBefore) {
  EXPECT_EQ(Type({"ab\x1C"
                  "dcd"}),
            (Outcome{"ab", true}));
  EXPECT_EQ(Type({"ab\x1C", "d"}), (Outcome{"ab", true}));
}

TEST(DetachKey, OtherKeysAreTheAgents) {
  EXPECT_EQ(Type({"plain d"}), (Outcome{"plain d", false}));
  EXPECT_EQ(Type({"\x1Cx"}), (Outcome{"\x1Cx", false}));
  EXPECT_EQ(Type({"\x1C\x1C"
                  "d"}),
            (Outcome{"\x1C"
                     "d",
                     false}));
  EXPECT_EQ(Type({"\x1C"}), (Outcome{"", false}));
}

TEST(DetachKey, KnowsTheLongerFormsOfTheKey) {
  EXPECT_EQ(Type({"\x1B[92;5ud"}), (Outcome{"", true}));
  EXPECT_EQ(Type({"\x1B[27;5;92~", "d"}), (Outcome{"", true}));
  EXPECT_EQ(Type({"\x1B[92;5u\x1B[92;5ux"}), (Outcome{"\x1B[92;5ux", false}));
}

}  // namespace
}  // namespace belay
