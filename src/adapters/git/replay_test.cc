#include "adapters/git/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/git/test_git.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(ReplayTest, RebasesEachCommit) {
  Diverge();
  const std::string refs = repo_.Git({"for-each-ref"});
  const Replay replay = Land();
  ASSERT_EQ(replay.end, Replay::End::kBuilt);
  EXPECT_EQ(replay.strategy, LandingStrategy::kRebase);
  EXPECT_EQ(Log(replay.candidate, "%s"), "write b\nwrite a\n");
  ASSERT_EQ(replay.commits.size(), 2u);
  EXPECT_EQ(replay.commits[0].original, Resolve("work^"));
  EXPECT_EQ(replay.commits[1].now, replay.candidate);
  EXPECT_EQ(HeadersAndMessage(Show(replay.candidate)), HeadersAndMessage(Show(Resolve("work"))));
  for (const char* file : {"a", "b", "c"}) EXPECT_NE(FileIn(replay.candidate, file), "");
  EXPECT_EQ(repo_.Git({"for-each-ref"}), refs);
  EXPECT_EQ(repo_.Git({"status", "--porcelain"}), "");
}

TEST_F(ReplayTest, GivesTheSameAsGitDoes) {
  Diverge();
  OnBranch("work");
  CommitFile("tracked.txt", "first\nsecond\n");
  repo_.Remove("a");
  Commit("remove");
  repo_.Git({"mv", "b", "B"});
  Commit("rename");
  OnBranch("main");
  CommitFile("b2", "2\n");
  const Replay replay = Land();
  repo_.Git({"checkout", "-q", "-b", "by-git", "work"});
  repo_.Git({"rebase", "-q", "main"});
  EXPECT_EQ(Resolve(replay.candidate.text() + "^{tree}"), Resolve("by-git^{tree}"));
  EXPECT_EQ(Log(replay.candidate, "%s %T %an %ad"), Log(Resolve("by-git"), "%s %T %an %ad"));
}

TEST_F(ReplayTest, BuiltTwiceIsTheSame) {
  Diverge();
  for (const auto strategy :
       {LandingStrategy::kRebase, LandingStrategy::kSquash, LandingStrategy::kMerge}) {
    const ObjectId first = Land(strategy).candidate;
    EXPECT_EQ(Land(strategy).candidate, first);
    EXPECT_FALSE(first.IsNone());
  }
}

TEST_F(ReplayTest, CommitsHaveTheCommitterDateThatIsAskedFor) {
  Diverge();
  const WallTime time{std::chrono::seconds(1'900'000'000)};
  for (const auto strategy :
       {LandingStrategy::kRebase, LandingStrategy::kSquash, LandingStrategy::kMerge}) {
    const auto replay = TryReplay(
        {.head = Resolve("work"), .branch = "work", .strategy = strategy, .committed_at = time});
    ASSERT_TRUE(replay && replay->end == Replay::End::kBuilt);
    const std::string format = "--format=%an %ae %at %cn %ce";
    EXPECT_EQ(repo_.Git({"log", "-1", format, replay->candidate.text()}),
              repo_.Git({"log", "-1", format, "work"}));
    const std::string written = Log(replay->candidate, "%ct %cd");
    EXPECT_THAT(written, ::testing::StartsWith("1900000000 ")) << written;
    if (strategy == LandingStrategy::kRebase) {
      EXPECT_THAT(written, HasSubstr("\n1900000000 ")) << written;
    }
  }
}

TEST_F(ReplayTest, LeavesABranchThatStandsOnTheTargetAsItIs) {
  OnBranch("work");
  CommitFile("a", "1\n");
  const ObjectId head =
      PutOnWork("\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END\n\n");
  const auto dated = TryReplay(
      {.head = head, .branch = "work", .committed_at = WallTime(std::chrono::seconds(1))});
  ASSERT_TRUE(dated);
  EXPECT_EQ(dated->candidate, head);
  const Replay replay = Land();
  EXPECT_EQ(replay.end, Replay::End::kBuilt);
  EXPECT_EQ(replay.candidate, head);
  EXPECT_THAT(replay.commits, ElementsAre(ReplayedCommit{head, head}));
  EXPECT_EQ(Land(LandingStrategy::kSquash).candidate, head);
}

TEST_F(ReplayTest, DropsSignaturesThatNoLongerHold) {
  Diverge();
  PutOnWork("\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END\n\n");
  const Replay replay = Land();
  ASSERT_EQ(replay.end, Replay::End::kBuilt);
  EXPECT_THAT(Show(replay.candidate), Not(HasSubstr("gpgsig")));
}

TEST_F(ReplayTest, KeepsOddAuthorsEncodingsAndMessages) {
  Diverge();
  PutOnWork("author t <t@example.org>", "author \xfc\"<<t\t<> ");
  PutOnWork("\n\nwrite b\n", "\nencoding ISO-8859-1\nodd header\n more\n\n\n\xfc  \n\n# x");
  const Replay replay = Land();
  ASSERT_EQ(replay.end, Replay::End::kBuilt);
  EXPECT_EQ(HeadersAndMessage(Show(replay.candidate)), HeadersAndMessage(Show(Resolve("work"))));
}

TEST_F(ReplayTest, KeepsCommitsThatWereEmptyAndDropsThoseThatBecomeSo) {
  OnBranch("work");
  CommitFile("a", "1\n");
  const ObjectId empty = Commit("empty");
  CommitFile("b", "2\n");
  OnBranch("main");
  repo_.Write("a", "1\n");
  repo_.Write("other", "x\n");
  Commit("the same and more");
  const Replay replay = Land();
  ASSERT_EQ(replay.end, Replay::End::kBuilt);
  EXPECT_EQ(Log(replay.candidate, "%s"), "write b\nempty\n");
  EXPECT_TRUE(replay.commits[0].now.IsNone());
  EXPECT_EQ(replay.commits[1].original, empty);
}

TEST_F(ReplayTest, DropsWhatWasPickedAlready) {
  Diverge();
  repo_.Git({"cherry-pick", "work^"});
  const Replay replay = Land();
  ASSERT_EQ(replay.end, Replay::End::kBuilt);
  EXPECT_EQ(Log(replay.candidate, "%s"), "write b\n");
}

// Whether the target edited or reverted it can't be determined: the user has to look.
TEST_F(ReplayTest, IsAConflictWhenWhatWasPickedHasChangedSince) {
  Diverge();
  repo_.Git({"cherry-pick", "work^"});
  CommitFile("a", "other\n");
  EXPECT_EQ(Land().end, Replay::End::kConflict);
}

TEST_F(ReplayTest, LandsAgainWhatWasPickedAndTakenBack) {
  Diverge();
  repo_.Git({"cherry-pick", "work^"});
  repo_.Git({"revert", "--no-edit", "HEAD"});
  for (const auto strategy :
       {LandingStrategy::kRebase, LandingStrategy::kSquash, LandingStrategy::kMerge}) {
    const Replay replay = Land(strategy);
    ASSERT_EQ(replay.end, Replay::End::kBuilt);
    EXPECT_EQ(FileIn(replay.candidate, "a"), "1\n");
    EXPECT_EQ(FileIn(replay.candidate, "b"), "2\n");
  }
  EXPECT_EQ(Log(Land().candidate, "%s"), "write b\nwrite a\n");
}

TEST_F(ReplayTest, LandsAgainWhenAllOfItWasTakenBack) {
  Diverge();
  repo_.Git({"cherry-pick", "work^", "work"});
  repo_.Git({"revert", "--no-edit", "HEAD", "HEAD^"});
  const Replay replay = Land();
  ASSERT_EQ(replay.end, Replay::End::kBuilt);
  EXPECT_EQ(Log(replay.candidate, "%s"), "write b\nwrite a\n");
}

// Git's patch ids ignore line numbers.
TEST_F(ReplayTest, DoesntTakeTheSamePatchElsewhereInTheFileForTheSame) {
  std::string same;
  for (int i = 0; i < 30; ++i) same += "same\n";
  CommitFile("f", same);
  OnBranch("work");
  CommitFile("f", std::string(same).insert(std::size_t{20} * 5, "new\n"));
  OnBranch("main");
  CommitFile("f", std::string(same).insert(std::size_t{5} * 5, "new\n"));
  const Replay replay = Land();
  ASSERT_EQ(replay.end, Replay::End::kBuilt);
  EXPECT_EQ(
      FileIn(replay.candidate, "f"),
      std::string(same).insert(std::size_t{20} * 5, "new\n").insert(std::size_t{5} * 5, "new\n"));
}

// Git's patch ids ignore blanks; languages don't.
TEST_F(ReplayTest, DoesntTakeOtherBlanksForTheSame) {
  CommitFile("f.py", Lines(9));
  OnBranch("work");
  CommitFile("f.py", Lines(9) + "if x:\n  y\nz\n");
  OnBranch("main");
  CommitFile("f.py", Lines(9) + "if x:\n  y\n  z\n");
  EXPECT_EQ(Land().end, Replay::End::kConflict);
}

TEST_F(ReplayTest, NamesTheCommitTheFilesAndBothSides) {
  CommitFile("f", Lines(9));
  OnBranch("work");
  CommitFile("a", "1\n");
  const ObjectId theirs = CommitFile("f", Lines(4) + "theirs\n");
  CommitFile("b", "1\n");
  OnBranch("main");
  const ObjectId ours = CommitFile("f", Lines(4) + "ours\n" + Lines(9));
  CommitFile("unrelated", "1\n");
  const Replay replay = Land();
  ASSERT_EQ(replay.end, Replay::End::kConflict);
  EXPECT_EQ(replay.conflict->commit, theirs);
  EXPECT_THAT(replay.conflict->in_target, ElementsAre(ours));
  EXPECT_THAT(replay.conflict->in_branch, ElementsAre(theirs));
  ASSERT_EQ(replay.conflict->files.size(), 1u);
  EXPECT_EQ(replay.conflict->files[0].path, "f");
  ASSERT_EQ(replay.conflict->files[0].ranges.size(), 1u);
  EXPECT_EQ(replay.conflict->files[0].ranges[0].theirs, (LineRange{5, 1}));
  for (const auto strategy : {LandingStrategy::kSquash, LandingStrategy::kMerge}) {
    const Replay joined = Land(strategy);
    ASSERT_EQ(joined.end, Replay::End::kConflict);
    EXPECT_EQ(joined.conflict->commit, Resolve("work"));
    EXPECT_THAT(joined.conflict->in_target, ElementsAre(ours));
    EXPECT_THAT(joined.conflict->in_branch, ElementsAre(theirs));
  }
}

TEST_F(ReplayTest, LandsABranchWithMergesByAMerge) {
  Diverge();
  OnBranch("work");
  repo_.Git({"merge", "-q", "--no-edit", "main"});
  EXPECT_EQ(Land().candidate, Resolve("work"));  // it is based on the target
  OnBranch("main");
  CommitFile("d", "4\n");
  const Replay replay = Land();
  ASSERT_EQ(replay.end, Replay::End::kBuilt);
  EXPECT_EQ(replay.strategy, LandingStrategy::kMerge);
  EXPECT_EQ(Resolve(replay.candidate.text() + "^1"), Resolve("main"));
  EXPECT_EQ(Resolve(replay.candidate.text() + "^2"), Resolve("work"));
  EXPECT_THAT(Show(replay.candidate), ::testing::EndsWith("\n\nMerge branch 'work'\n"));
}

TEST_F(ReplayTest, SquashesIntoOneCommit) {
  Diverge();
  const Replay replay = Land(LandingStrategy::kSquash);
  ASSERT_EQ(replay.end, Replay::End::kBuilt);
  EXPECT_EQ(Resolve(replay.candidate.text() + "^"), Resolve("main"));
  EXPECT_THAT(Show(replay.candidate),
              HasSubstr("\n\nSquash branch 'work' (2 commits)\n\n* write a\n\n* write b\n"));
  EXPECT_EQ(repo_.Git({"log", "-1", "--format=%an %ad %cn %cd", replay.candidate.text()}),
            repo_.Git({"log", "-1", "--format=%an %ad %cn %cd", "work"}));
}

TEST_F(ReplayTest, SquashesWhatIsInOtherEncodings) {
  Diverge();
  PutOnWork("\n\nwrite b", "\nencoding ISO-8859-1\n\n\xfc");
  const Replay replay = Land(LandingStrategy::kSquash);
  ASSERT_EQ(replay.end, Replay::End::kBuilt);
  EXPECT_THAT(Show(replay.candidate), HasSubstr("* ü\n"));
  EXPECT_THAT(Show(replay.candidate), HasSubstr("author t <t@example.org> "));
}

TEST_F(ReplayTest, WorksInASha256Repository) {
  const std::string folder = repo_.outside() / "long";
  const auto git = [&](std::vector<std::string> words) { return repo_.GitIn(folder, words); };
  repo_.GitIn(repo_.outside().path(),
              {"init", "-q", "-b", "main", "--object-format=sha256", folder});
  const auto commit = [&](const std::string& name) {
    repo_.outside().Write("long/" + name, "x");
    git({"add", "-A"});
    git({"commit", "-q", "-m", name});
    return *ObjectId::Parse(git({"rev-parse", "HEAD"}).substr(0, 64));
  };
  commit("base");
  git({"checkout", "-q", "-b", "work"});
  commit("w1");
  const ObjectId head = commit("w2");
  git({"checkout", "-q", "main"});
  auto room = MergeRoom::Open(git_.In(folder), files_, {folder + "/.git", repo_.outside() / "room"},
                              commit("m"));
  ASSERT_TRUE(room);
  const auto replay = ReplayBranch(*room, {.head = head, .branch = "work"});
  ASSERT_TRUE(replay) << replay.error().message;
  ASSERT_EQ(replay->end, Replay::End::kBuilt);
  EXPECT_EQ(git({"log", "--format=%s", "main.." + replay->candidate.text()}), "w2\nw1\n");
  EXPECT_EQ(git({"ls-tree", "--name-only", replay->candidate.text()}), "base\nm\nw1\nw2\n");
}

TEST_F(ReplayTest, CarriesModesLinksSubmodulesBinariesAndOddNames) {
  using std::string_literals::operator""s;
  OnBranch("work");
  repo_.Write("run", "x");
  repo_.SetMode("run", 0755);
  repo_.MakeLink("to", "link");
  repo_.Write("bin", "\0\1"s);
  repo_.Write("new\n\"line", "x");
  repo_.Git({"add", "-A"});
  repo_.Git({"update-index", "--add", "--cacheinfo", "160000," + std::string(40, 'a') + ",sub"});
  repo_.Git({"commit", "-q", "-m", "all kinds"});
  repo_.Git({"checkout", "-q", "-f", "main"});
  CommitFile("c", "3\n");
  const Replay replay = Land();
  ASSERT_EQ(replay.end, Replay::End::kBuilt);
  EXPECT_EQ(repo_.Git({"diff-tree", "-r", "-z", "main", replay.candidate.text()}),
            repo_.Git({"diff-tree", "-r", "-z", "work^", "work"}));
}

// With a commit graph, git walks history differently.
TEST_F(ReplayTest, ACommitGraphChangesNothing) {
  repo_.Git({"branch", "old"});
  Diverge();
  // The target has work that is older than the branch.
  repo_.Git({"checkout", "-q", "old"});
  CommitFile("older", "1\n");
  repo_.Git({"checkout", "-q", "main"});
  repo_.Git({"merge", "-q", "--no-edit", "old"});
  const Replay plain = Land();
  repo_.Git({"commit-graph", "write", "--reachable"});
  const Replay graph = Land();
  EXPECT_EQ(plain.end, Replay::End::kBuilt);
  EXPECT_EQ(graph.candidate, plain.candidate);
}

}  // namespace
}  // namespace belay
