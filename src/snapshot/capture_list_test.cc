#include "snapshot/capture_list.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

using Kind = StatusEntry::Kind;

const std::string kId(40, 'a');

GitEntry FileEntry() { return {kFileMode, *ObjectId::Parse(kId)}; }

CaptureList List(const std::vector<StatusEntry>& entries, const CaptureRules& rules = {},
                 const std::vector<CaptureItem>& also = {}) {
  return ListCaptures({.entries = entries}, ObjectFormat::kSha1, rules, also);
}

TEST(CaptureList, ReadsTrackedFilesFirstAndByPath) {
  const CaptureList list =
      List({{.kind = Kind::kUntracked, .path = "a"},
            {.kind = Kind::kChanged, .path = "z", .worktree_mode = kFileMode},
            {.kind = Kind::kChanged, .path = "b", .worktree_mode = kLinkMode}});
  EXPECT_EQ(list.to_read, (std::vector<CaptureItem>{{"b", true}, {"z", true}, {"a", false}}));
}

TEST(CaptureList, TakesTheIndexAsGitHasIt) {
  const CaptureList list = List({{.kind = Kind::kChanged,
                                  .path = "a",
                                  .index = FileEntry(),
                                  .index_changed = true,
                                  .worktree_mode = kFileMode},
                                 {.kind = Kind::kChanged, .path = "b", .index_changed = true}});
  EXPECT_EQ(list.index, (std::vector<KnownEntry>{{"a", FileEntry()}, {"b", {}}}));
  EXPECT_EQ(list.gone, std::vector<std::string>{"b"});
}

TEST(CaptureList, KeepsStagesAndIntentionsApart) {
  const CaptureList list = List(
      {{.kind = Kind::kUnmerged,
        .path = "a",
        .worktree_mode = kFileMode,
        .stages = {GitEntry(), FileEntry(), FileEntry()}},
       {.kind = Kind::kChanged, .path = "b", .intent_to_add = true, .worktree_mode = kFileMode}});
  ASSERT_EQ(list.rest.size(), 3U);
  EXPECT_EQ(list.rest[0], (KnownEntry{"stage2/a", FileEntry()}));
  EXPECT_EQ(list.rest[1], (KnownEntry{"stage3/a", FileEntry()}));
  EXPECT_EQ(list.rest[2].path, "intent-to-add/b");
  EXPECT_TRUE(list.index.empty());
}

TEST(CaptureList, PassesOverWhatBelongsToBelay) {
  EXPECT_EQ(
      List({{.kind = Kind::kUntracked, .path = ".claude/state/project.json"},
            {.kind = Kind::kUntracked, .path = ".claude/arc/a"},
            {.kind = Kind::kUntracked, .path = "tmp/work/a"},
            {.kind = Kind::kUntracked, .path = "tmp/.rune-x"},
            {.kind = Kind::kUntracked, .path = "workshop/sawdust/state/a"},
            {.kind = Kind::kChanged, .path = "tmp/work/tracked", .worktree_mode = kFileMode}}),
      CaptureList());
}

TEST(CaptureList, NamesWhatItLeavesOut) {
  const CaptureList list = List({{.kind = Kind::kUntracked, .path = "inner/"},
                                 {.kind = Kind::kUntracked, .path = "a/.env.local"},
                                 {.kind = Kind::kChanged,
                                  .path = "module",
                                  .worktree_mode = kSubmoduleMode,
                                  .submodule_dirty = true}});
  EXPECT_EQ(list.skipped, (std::vector<SkippedPath>{{"inner/", SkipReason::kRepository},
                                                    {"a/.env.local", SkipReason::kSecret},
                                                    {"module", SkipReason::kSubmodule}}));
  EXPECT_TRUE(list.to_read.empty());
}

TEST(CaptureList, LooksIntoInnerRepositoriesWhenItShall) {
  const CaptureList list = List({{.kind = Kind::kUntracked, .path = "inner/"}}, {.nested = true});
  EXPECT_EQ(list.inner_folders, std::vector<std::string>{"inner"});
  EXPECT_TRUE(list.skipped.empty());
}

TEST(CaptureList, AddsWhatMustBeReadAlthoughGitSeesNoChange) {
  const CaptureList list = List({{.kind = Kind::kChanged, .path = "a", .worktree_mode = kFileMode}},
                                {}, {{"a", true}, {"b", true}, {"ignored", false}, {".env", true}});
  EXPECT_EQ(list.to_read, (std::vector<CaptureItem>{{"a", true}, {"b", true}, {"ignored", false}}));
  EXPECT_EQ(list.skipped, (std::vector<SkippedPath>{{".env", SkipReason::kSecret}}));
}

TEST(CaptureList, NamesFoldersThatGitCouldNotOpen) {
  const CaptureList list = ListCaptures(
      {.warnings = "warning: could not open directory 'it's/': Permission denied\nhint: x\n"
                   "warning: in the working copy of 'b', LF will be replaced by CRLF\n"
                   "warning: unable to access '/home/me/.config/git/ignore': Permission denied\n"
                   "d/f: Permission denied\n"},
      ObjectFormat::kSha1, {}, {});
  EXPECT_EQ(list.skipped, (std::vector<SkippedPath>{{"it's/", SkipReason::kUnreadable},
                                                    {"d/f", SkipReason::kUnreadable}}));
}

TEST(CaptureList, HasAnotherDigestForAnotherState) {
  const GitStatus status;
  const CaptureList one = List({{.kind = Kind::kUntracked, .path = "ab"}});
  const CaptureList two =
      List({{.kind = Kind::kUntracked, .path = "a"}, {.kind = Kind::kUntracked, .path = "b"}});
  EXPECT_NE(DigestOf(status, one), DigestOf(status, two));
  EXPECT_NE(DigestOf({.branch = "x"}, one), DigestOf(status, one));
  EXPECT_EQ(DigestOf(status, one), DigestOf(status, one));
}

}  // namespace
}  // namespace belay
