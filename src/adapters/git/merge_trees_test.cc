#include "adapters/git/merge_trees.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "adapters/git/objects.h"
#include "adapters/git/test_git.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using std::string_literals::operator""s;

const std::string kA(40, 'a');
const std::string kB(40, 'b');

TEST(ParseMerge, CutAnywhereIsAnError) {
  const std::string all = kA + "\0"s + "100644 " + kB + " 1\ta\nb\0"s + "\0"s +
                          "1\0a\nb\0CONFLICT (contents)\0CONFLICT (content): in a\n\0"s;
  const std::size_t messages = all.find("\0\0"s) + 2;
  for (std::size_t length = 0; length < all.size(); ++length) {
    EXPECT_EQ(ParseMerge(all.substr(0, length), false).ok(), length == messages) << length;
  }
  const auto merge = ParseMerge(all, false);
  ASSERT_TRUE(merge) << merge.error().message;
  ASSERT_EQ(merge->files.size(), 1u);
  EXPECT_EQ(merge->files[0].path, "a\nb");
  EXPECT_EQ(merge->files[0].kind, "contents");
  EXPECT_FALSE(ParseMerge(all, true));
}

class MergeTreesTest : public MergeTest {
 protected:
  // Merges main and the branch "theirs".
  MergeOutcome Merge(const Git* git = nullptr) {
    auto room = MergeRoom::Open(git != nullptr ? *git : git_, files_, Place(), Resolve("main"));
    EXPECT_TRUE(room.ok());
    auto outcome = MergeCommits(*room, Resolve("main"), Resolve("theirs"));
    EXPECT_TRUE(outcome.ok()) << (outcome ? "" : outcome.error().message);
    if (!outcome) return {};
    EXPECT_TRUE(AddRanges(*room, *outcome).ok());
    return *std::move(outcome);
  }
  std::vector<std::string> Conflicts() {
    std::vector<std::string> conflicts;
    for (const ConflictedFile& file : Merge().files) {
      conflicts.push_back(file.path + ": " + file.kind);
      EXPECT_FALSE(file.message.empty());
    }
    return conflicts;
  }
  void Both(const std::string& path, const std::string& base, const std::string& ours,
            const std::string& theirs) const {
    OnBranch("main");
    CommitFile(path, base);
    OnBranch("theirs");
    CommitFile(path, theirs);
    OnBranch("main");
    CommitFile(path, ours);
  }
};

TEST_F(MergeTreesTest, GivesATreeWhenNothingConflicts) {
  Both("f", Lines(9), "first\n" + Lines(9), Lines(9) + "last\n");
  const MergeOutcome outcome = Merge();
  EXPECT_TRUE(outcome.clean);
  EXPECT_THAT(outcome.files, IsEmpty());
  EXPECT_THAT(outcome.merged_files, ElementsAre("f"));
  EXPECT_EQ(FileIn(outcome.tree, "f"), "first\n" + Lines(9) + "last\n");
  EXPECT_EQ(repo_.Git({"status", "--porcelain"}), "");
}

TEST_F(MergeTreesTest, NamesContentConflictsWithTheirLines) {
  Both("dir/a\n\"b", Lines(4) + "base\n" + Lines(9, "x"), Lines(4) + "ours\n" + Lines(9, "x"),
       Lines(4) + "theirs\n" + Lines(9, "x"));
  const MergeOutcome outcome = Merge();
  EXPECT_FALSE(outcome.clean);
  ASSERT_EQ(outcome.files.size(), 1u);
  EXPECT_EQ(outcome.files[0].path, "dir/a\n\"b");
  EXPECT_EQ(outcome.files[0].kind, "contents");
  EXPECT_EQ(outcome.files[0].stages[1].id, Resolve("main:dir/a\n\"b"));
  EXPECT_EQ(outcome.files[0].stages[2].id, Resolve("theirs:dir/a\n\"b"));
  EXPECT_THAT(outcome.files[0].ranges, ElementsAre(ConflictRange{{5, 1}, {5, 1}}));
}

TEST_F(MergeTreesTest, NamesADeletedFile) {
  Both("f", Lines(9), Lines(8), Lines(7));
  repo_.Remove("f");
  Commit("remove");
  EXPECT_THAT(Conflicts(), ElementsAre("f: modify/delete"));
}

TEST_F(MergeTreesTest, NamesBinaryFiles) {
  Both("f", "a\0a"s, "a\0b"s, "a\0c"s);
  EXPECT_THAT(Conflicts(), ElementsAre("f: binary"));
}

TEST_F(MergeTreesTest, NamesAllNamesOfAFileThatBothRenamed) {
  Both("File", Lines(9), Lines(9), Lines(9));
  repo_.Git({"mv", "File", "file"});
  Commit("rename");
  OnBranch("theirs");
  repo_.Git({"mv", "File", "FILE"});
  Commit("rename");
  EXPECT_THAT(Conflicts(),
              ElementsAre("FILE: rename/rename", "File: rename/rename", "file: rename/rename"));
}

TEST_F(MergeTreesTest, FollowsARenameThatOnlyChangesTheCase) {
  Both("File", Lines(9), Lines(9), Lines(9));
  repo_.Git({"mv", "File", "file"});
  Commit("rename");
  OnBranch("theirs");
  CommitFile("File", Lines(10));
  const MergeOutcome outcome = Merge();
  ASSERT_TRUE(outcome.clean);
  EXPECT_EQ(FileIn(outcome.tree, "file"), Lines(10));
}

TEST_F(MergeTreesTest, NamesSubmodules) {
  for (const char* branch : {"main", "theirs"}) {
    OnBranch(branch);
    const std::string id = branch == std::string("main") ? kA : kB;
    repo_.Git({"update-index", "--add", "--cacheinfo", "160000," + id + ",sub"});
    repo_.Git({"commit", "-q", "-m", "sub"});
    repo_.Git({"checkout", "-q", "-f", "main"});
    if (branch == std::string("main")) repo_.Git({"branch", "theirs", "HEAD^"});
  }
  const std::vector<std::string> conflicts = Conflicts();
  ASSERT_EQ(conflicts.size(), 1u);
  EXPECT_THAT(conflicts[0], ::testing::StartsWith("sub: "));
}

TEST_F(MergeTreesTest, NamesFilesThatBecameFoldersAndLinksThatBecameFiles) {
  Both("f", Lines(3), Lines(4), Lines(3));
  repo_.Remove("f");
  repo_.MakeLink("elsewhere", "f");
  Commit("link");
  OnBranch("theirs");
  CommitFile("f", Lines(5));
  EXPECT_THAT(Conflicts(), ElementsAre("f: distinct modes"));
}

TEST_F(MergeTreesTest, NamesAFileInWhosePlaceIsAFolderByItsPath) {
  OnBranch("theirs");
  CommitFile("d", "a file\n");
  OnBranch("main");
  CommitFile("d/inner", "x\n");
  EXPECT_THAT(Conflicts(), ElementsAre("d: file/directory"));
  EXPECT_TRUE(Merge().files[0].stages[2].IsThere());
}

TEST_F(MergeTreesTest, MergesModesOfBothSides) {
  Both("f", Lines(9), "first\n" + Lines(9), Lines(9) + "last\n");
  OnBranch("theirs");
  repo_.SetMode("f", 0755);
  Commit("program");
  const MergeOutcome outcome = Merge();
  ASSERT_TRUE(outcome.clean);
  EXPECT_THAT(Ask({"ls-tree", outcome.tree.text(), "f"}), ::testing::StartsWith("100755"));
}

// The target's attributes count; those in the worktree don't.
TEST_F(MergeTreesTest, GoesByTheAttributesOfTheTarget) {
  repo_.Write(".gitattributes", "*.log merge=union\n");
  repo_.Write("x/y/.gitattributes", "*.lock -merge\n");
  Both("x/a.log", "1\n", "1\n2\n", "1\n3\n");
  EXPECT_TRUE(Merge().clean);
  repo_.Write(".gitattributes", "");
  EXPECT_TRUE(Merge().clean);
  EXPECT_EQ(FileIn(Merge().tree, "x/a.log"), "1\n2\n3\n");
  repo_.Git({"checkout", "-q", "."});
  Both("x/y/a.lock", Lines(9), "first\n" + Lines(9), Lines(9) + "last\n");
  EXPECT_THAT(Conflicts(), ElementsAre("x/y/a.lock: binary"));
}

TEST_F(MergeTreesTest, GoesByNoAttributesThatAreInNoTree) {
  Both("f", "1\n", "1\n2\n", "1\n3\n");
  repo_.Write(".git/info/attributes", "* merge=union\n");
  EXPECT_THAT(Conflicts(), ElementsAre("f: contents"));
  repo_.Remove(".git/info/attributes");
  repo_.outside().Write("attributes", "* merge=union\n");
  repo_.Git({"config", "core.attributesFile", repo_.outside() / "attributes"});
  EXPECT_THAT(Conflicts(), ElementsAre("f: contents"));
}

TEST_F(MergeTreesTest, WritesObjectsThatSharingUsersCanRead) {
  repo_.Git({"config", "core.sharedRepository", "0600"});
  MergeRoom room = OpenRoom(Resolve("main"));
  const std::string commit = Show(Resolve("main")) + "another\n";
  const auto ids = room.WriteCommits({&commit, 1});
  ASSERT_TRUE(ids) << ids.error().message;
  const ObjectId known[] = {Resolve("main")};
  const auto keep_file = PublishCommit(room, ids->front(), known);
  ASSERT_TRUE(keep_file) << keep_file.error().message;
  namespace fs = std::filesystem;
  const fs::path pack = fs::path(*keep_file).replace_extension(".pack");
  EXPECT_EQ(fs::status(pack).permissions(), fs::perms::owner_read);
}

// Git would merge as if that commit had no files.
TEST_F(MergeTreesTest, NeverTakesAMissingTreeForAnEmptyOne) {
  Both("f", Lines(9), "first\n" + Lines(9), Lines(9) + "last\n");
  const ObjectId ours = Resolve("main");
  const ObjectId theirs = Resolve("theirs");
  const std::string base = repo_.Git({"merge-base", "main", "theirs"}).substr(0, 40);
  for (const std::string& commit : {ours.text(), theirs.text(), base}) {
    const std::string tree = Resolve(commit + "^{tree}").text();
    const std::string file = ".git/objects/" + tree.substr(0, 2) + "/" + tree.substr(2);
    const std::string bytes = repo_.Read(file);
    repo_.Remove(file);
    MergeRoom room = OpenRoom(ours);
    EXPECT_FALSE(MergeCommits(room, ours, theirs).ok()) << commit;
    repo_.Write(file, bytes);
  }
}

TEST_F(MergeTreesTest, RunsNoDriverOfTheRepository) {
  repo_.Write(".gitattributes", "* merge=evil\n");
  Both("f", Lines(9), "first\n" + Lines(9), Lines(9) + "last\n");
  Both("g", "1\n", "2\n", "3\n");
  const std::string mark = repo_.outside() / "mark";
  repo_.Git({"config", "merge.evil.driver", "touch '" + mark + "'; exit 0"});
  repo_.Git({"config", "merge.evil.name", "evil"});
  const MergeOutcome outcome = Merge();
  EXPECT_EQ(repo_.outside().Read("mark"), "(missing)");
  ASSERT_EQ(outcome.files.size(), 1u);
  EXPECT_EQ(outcome.files[0].path, "g");
  EXPECT_EQ(FileIn(outcome.tree, "f"), "first\n" + Lines(9) + "last\n");
  repo_.outside().Write("config", "[merge \"evil\"]\ndriver = touch '" + mark + "'\n");
  const Git user = GitWith({{"GIT_CONFIG_GLOBAL", repo_.outside() / "config"}});
  EXPECT_TRUE(Merge(&user).clean);
  EXPECT_EQ(repo_.outside().Read("mark"), "");  // the user's own program is run
}

TEST_F(MergeTreesTest, ComesOutTheSameWhateverTheRepositoryHasConfigured) {
  Both("old", Lines(30), Lines(30), Lines(30) + "more\n");
  repo_.Git({"mv", "old", "new"});
  Commit("rename");
  const MergeOutcome before = Merge();
  EXPECT_TRUE(before.clean);
  for (const char* setting : {"merge.renames", "diff.renames", "merge.default"}) {
    repo_.Git({"config", setting, "false"});
  }
  repo_.Git({"config", "merge.renormalize", "true"});
  EXPECT_EQ(Merge().tree, before.tree);
}

TEST_F(MergeTreesTest, RefusesUnrelatedHistories) {
  repo_.Git({"checkout", "-q", "--orphan", "theirs"});
  Commit("root");
  MergeRoom room = OpenRoom(Resolve("main"));
  const auto outcome = MergeCommits(room, Resolve("main"), Resolve("theirs"));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kRefused) << outcome.error().message;
}

TEST_F(MergeTreesTest, OfACommitThatIsMissingIsAnError) {
  MergeRoom room = OpenRoom(Resolve("main"));
  EXPECT_FALSE(MergeCommits(room, Resolve("main"), *ObjectId::Parse(kA)));
}

}  // namespace
}  // namespace belay
