#include "adapters/git/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace belay {
namespace {

using Kind = StatusEntry::Kind;

const std::string kNone(40, '0');
const std::string kBlobA(40, 'a');
const std::string kBlobB(40, 'b');
const std::string kBlobC(40, 'c');

std::string Lines(std::initializer_list<std::string> lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\0';
  return text;
}

StatusEntry One(const std::string& line) {
  const Result<GitStatus> status = ParseStatus(line + '\0');
  EXPECT_TRUE(status.ok()) << line;
  if (!status || status->entries.size() != 1) return StatusEntry{.kind = Kind::kIgnored};
  return status->entries[0];
}

bool IsDamaged(std::string_view output) {
  const Result<GitStatus> status = ParseStatus(output);
  return !status && status.error().code == ErrorCode::kDamaged;
}

TEST(ParseStatus, OfNothingIsNothing) {
  const Result<GitStatus> status = ParseStatus("");
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->head.IsNone());
  EXPECT_TRUE(status->entries.empty());
}

TEST(ParseStatus, ReadsHeadAndBranch) {
  const auto status = ParseStatus(Lines({"# branch.oid " + kBlobA, "# branch.head a b", "# stash 3",
                                         "# branch.upstream origin/x", "# branch.ab +1 -2"}));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->head.text(), kBlobA);
  EXPECT_EQ(status->branch, "a b");
}

TEST(ParseStatus, KnowsUnbornAndDetachedHeads) {
  const auto status = ParseStatus(Lines({"# branch.oid (initial)", "# branch.head (detached)"}));
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->head.IsNone());
  EXPECT_EQ(status->branch, "");
}

TEST(ParseStatus, ReadsAChange) {
  const StatusEntry entry = One("1 .M N... 100644 100644 100755 " + kBlobA + " " + kBlobB + " a b");
  EXPECT_EQ(entry.kind, Kind::kChanged);
  EXPECT_EQ(entry.path, "a b");
  EXPECT_EQ(entry.head.mode, kFileMode);
  EXPECT_EQ(entry.head.id.text(), kBlobA);
  EXPECT_EQ(entry.index.id.text(), kBlobB);
  EXPECT_EQ(entry.worktree_mode, kProgramMode);
  EXPECT_FALSE(entry.index_changed);
  EXPECT_TRUE(entry.worktree_changed);
  EXPECT_FALSE(entry.intent_to_add);
}

TEST(ParseStatus, ReadsDeletions) {
  const StatusEntry entry = One("1 D. N... 100644 000000 000000 " + kBlobA + " " + kNone + " a");
  EXPECT_TRUE(entry.index_changed);
  EXPECT_FALSE(entry.worktree_changed);
  EXPECT_FALSE(entry.index.IsThere());
  EXPECT_TRUE(entry.index.id.IsNone());
  EXPECT_EQ(entry.worktree_mode, kNoMode);
}

TEST(ParseStatus, ReadsIntentToAdd) {
  const StatusEntry entry = One("1 .A N... 000000 000000 100644 " + kNone + " " + kNone + " new");
  EXPECT_TRUE(entry.intent_to_add);
  EXPECT_FALSE(entry.index.IsThere());
  EXPECT_EQ(entry.worktree_mode, kFileMode);
}

TEST(ParseStatus, ReadsSubmodules) {
  const auto sub = [](const std::string& state) {
    return One("1 .M " + state + " 160000 160000 160000 " + kBlobA + " " + kBlobA + " sub");
  };
  EXPECT_TRUE(sub("SC..").submodule_moved);
  EXPECT_FALSE(sub("SC..").submodule_dirty);
  EXPECT_TRUE(sub("S.M.").submodule_dirty);
  EXPECT_TRUE(sub("S..U").submodule_dirty);
  EXPECT_FALSE(sub("S..U").submodule_moved);
  EXPECT_EQ(sub("SCMU").worktree_mode, kSubmoduleMode);
}

TEST(ParseStatus, ReadsUnmergedPaths) {
  const StatusEntry entry = One("u UU N... 100644 100755 120000 100644 " + kBlobA + " " + kBlobB +
                                " " + kBlobC + " both sides");
  EXPECT_EQ(entry.kind, Kind::kUnmerged);
  EXPECT_EQ(entry.path, "both sides");
  EXPECT_EQ(entry.stages[0], (GitEntry{kFileMode, *ObjectId::Parse(kBlobA)}));
  EXPECT_EQ(entry.stages[1], (GitEntry{kProgramMode, *ObjectId::Parse(kBlobB)}));
  EXPECT_EQ(entry.stages[2], (GitEntry{kLinkMode, *ObjectId::Parse(kBlobC)}));
  EXPECT_EQ(entry.worktree_mode, kFileMode);
  EXPECT_TRUE(entry.index_changed);
}

TEST(ParseStatus, ReadsUntrackedAndIgnoredFiles) {
  EXPECT_EQ(One("? a\nb").kind, Kind::kUntracked);
  EXPECT_EQ(One("? a\nb").path, "a\nb");
  EXPECT_EQ(One("? nested/").path, "nested/");
  EXPECT_EQ(One("! build/").kind, Kind::kIgnored);
}

TEST(ParseStatus, TakesNamesThatLookLikeLines) {
  for (const std::string& name : {std::string("? x"), "# branch.oid " + kBlobA,
                                  std::string("1 .M N..."), std::string("\n? y")}) {
    EXPECT_EQ(One("? " + name).path, name);
    EXPECT_EQ(One("1 M. N... 100644 100644 100644 " + kBlobA + " " + kBlobB + " " + name).path,
              name);
  }
}

TEST(ParseStatus, RefusesWhatItDoesntKnow) {
  for (const std::string& wrong :
       {std::string("2 R. N... 100644 100644 100644 " + kBlobA + " " + kBlobB + " R100 new"),
        std::string("x"), std::string("1"), std::string("? "), std::string("! "), std::string("?x"),
        std::string("3 x"), "1 .M N... 100644 100644 100644 " + kBlobA + " " + kBlobB,
        "1 .M N... 100644 100644 100644 " + kBlobA + " " + kBlobB + " ",
        "1 .MM N... 100644 100644 100644 " + kBlobA + " " + kBlobB + " a",
        "1 .M N.. 100644 100644 100644 " + kBlobA + " " + kBlobB + " a",
        "1 .M N... 100648 100644 100644 " + kBlobA + " " + kBlobB + " a",
        "1 .M N... 100644 100644 100644 " + kBlobA + "0 " + kBlobB + " a",
        "1 .M N... 100644 100644 100644 " + kBlobA + " HEAD a",
        "u UU N... 100644 100644 100644 100644 " + kBlobA + " " + kBlobB + " a",
        "u UU N... 100644 100644 100644 100644 " + kBlobA + " " + kBlobB + " " + kBlobC + " ",
        std::string("# branch.oid x"), std::string("")}) {
    EXPECT_TRUE(IsDamaged(wrong + '\0')) << wrong;
  }
}

const std::string kAll = Lines(
    {"# branch.oid " + kBlobA, "# branch.head main",
     "1 .M N... 100644 100644 100755 " + kBlobA + " " + kBlobB + " a b",
     "1 .A N... 000000 000000 100644 " + kNone + " " + kNone + " new",
     "1 .M SCMU 160000 160000 160000 " + kBlobA + " " + kBlobA + " sub",
     "u UU N... 100644 100755 120000 100644 " + kBlobA + " " + kBlobB + " " + kBlobC + " both",
     "? un\ntracked", "? nested/", "! ignored"});

TEST(ParseStatus, CutAnywhereIsAnErrorOrABeginning) {
  const GitStatus whole = *ParseStatus(kAll);
  for (std::size_t length = 0; length < kAll.size(); ++length) {
    const Result<GitStatus> status = ParseStatus(kAll.substr(0, length));
    const bool at_end_of_line = length == 0 || kAll[length - 1] == '\0';
    ASSERT_EQ(status.ok(), at_end_of_line) << length;
    if (!status) continue;
    ASSERT_LE(status->entries.size(), whole.entries.size());
    for (std::size_t i = 0; i < status->entries.size(); ++i) {
      EXPECT_EQ(status->entries[i].path, whole.entries[i].path);
    }
  }
}

TEST(ParseStatus, OfSpoiltBytesNeverCrashes) {
  EXPECT_TRUE(rc::check([](std::vector<std::pair<std::uint16_t, char>> edits) {
    std::string spoilt = kAll;
    for (const auto& [at, byte] : edits) spoilt[at % spoilt.size()] = byte;
    const Result<GitStatus> status = ParseStatus(spoilt);
    RC_ASSERT(status.ok() || status.error().code == ErrorCode::kDamaged);
    if (!status) return;
    for (const StatusEntry& entry : status->entries) RC_ASSERT(!entry.path.empty());
  }));
}

}  // namespace
}  // namespace belay
