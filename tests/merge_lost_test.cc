// Objects and refs of entries that get lost: by git gc and git prune of another program, by a disk,
// by a person. What can be built again is; what can't is parked; the others land.

#include <sys/stat.h>

#include <csignal>
#include <filesystem>

#include "merge_sandbox.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

class MergeLostTest : public MergeSandbox {
 protected:
  MergeLostTest() { repo_.Git({"config", "gc.reflogExpire", "now"}); }

  // Wherever git has it. Packs are taken apart first; no process may use them then.
  void Lose(const std::string& object) {
    const std::string id = Commit(object);
    Script(
        "for p in .git/objects/pack/*.pack; do test -e $p || continue; "
        "mv ${p%.pack}.* ..; git unpack-objects -q < ../${p##*/}; rm ../${p##*/}; done; "
        "rm -f .git/objects/" +
        id.substr(0, 2) + "/" + id.substr(2));
    EXPECT_NE(repo_.TryGit({"cat-file", "-e", id}), 0);
  }
  // A gate that lets the test work while it runs, the first time only: it says that it has begun,
  // and waits for a sign.
  void GateThatWaitsOnce() {
    Script("mkfifo ../begun ../go");
    const std::string outside = repo_.outside().path();
    Gate("test -e " + outside + "/once && exit 0; touch " + outside + "/once; echo > " + outside +
         "/begun; cat " + outside + "/go");
  }
  void WaitForTheGate() { RunReal({"cat", repo_.outside() / "begun"}); }
  // belay is killed in the midst of the first gate, with the gate.
  void KillInTheGate() {
    GateThatWaitsOnce();
    Process belay = StartProcessing();
    WaitForTheGate();
    ASSERT_TRUE(belay.Signal(SIGKILL).ok());
    (void)belay.Wait();
  }
  // As often as git is started, before and after it, another one throws away what no ref holds;
  // also by collecting packs, when a new one has come.
  std::string PathWithPruningGit() {
    return PathWithGit(
        "words=\"$*\"\n"
        "prune() { (unset $(env | sed -n 's/^\\(GIT_[A-Z_0-9]*\\)=.*/\\1/p'); cd '" +
        repo_.path() +
        "'; git prune --expire=now; "
        "case \"$words\" in *index-pack*) git gc -q --prune=now ;; esac) "
        "</dev/null >/dev/null 2>&1; }\n"
        "prune\ngit \"$@\"\nstatus=$?\nprune\nexit $status\n");
  }
  // A `git` that does this, with the real one behind it in PATH.
  std::string PathWithGit(const std::string& lines) {
    repo_.outside().MakeFolder("bin");
    repo_.outside().Write("bin/git", "#!/bin/sh\nPATH=${PATH#*:}\n" + lines);
    EXPECT_EQ(chmod((repo_.outside() / "bin/git").c_str(), 0755), 0);
    return (repo_.outside() / "bin") + ":" + getenv("PATH");
  }
  void ExpectLanded(const std::string& id, const std::string& file) {
    EXPECT_EQ(Status(id), "merged") << ErrorOf(id);
    EXPECT_EQ(FileOf(file), "1\n");
  }
};

TEST_F(MergeLostTest, PrunesAtEveryStartOfGitTakeNothing) {
  const std::string gate = "  gates: [{name: test, run: 'true'}]\n";
  Branch("a", {{{"a", "1\n"}}, {{"tracked.txt", "first\na\n"}}, {{"a2", "1\n"}}});
  Branch("b", {{{"b", "1\n"}}});
  Branch("c", {{{"c", "1\n"}}, {{"c2", "1\n"}}});
  MoreOn("main", {{"more", "1\n"}, {"tracked.txt", "more\nfirst\n"}});
  const std::string path = PathWithPruningGit();
  for (const std::string branch : {"a", "b", "c"}) Add(branch);
  for (const std::string strategy : {"rebase", "squash", "merge"}) {
    Settings("  strategy: " + strategy + "\n" + gate);
    const RunOutcome outcome = Queue({"process", "--next"}, {.environment = {{"PATH", path}}});
    EXPECT_EQ(outcome.exit_code, 0) << strategy << outcome.err;
  }
  EXPECT_EQ(FileOf("a") + FileOf("a2") + FileOf("b") + FileOf("c2"), "1\n1\n1\n1\n");
  ExpectTidy();
}

// As a prune does that comes between the making of that file and its renaming.
TEST_F(MergeLostTest, APackWhoseTemporaryFileIsPrunedIsWrittenAgain) {
  AddBranch("b", {{"b", "1\n"}});
  MoreOn("main", {{"more", "1\n"}});
  const std::string path = PathWithGit(
      "case \"$*\" in *index-pack*) if mkdir '" + (repo_.outside() / "pruned") +
      "' 2>/dev/null; then cat >/dev/null; echo 'fatal: unable to write tmp_pack' >&2; exit 128; "
      "fi ;; esac\nexec git \"$@\"\n");
  const RunOutcome outcome = Queue({"process", "--next"}, {.environment = {{"PATH", path}}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(repo_.outside() / "pruned"));
  ExpectLanded("m1", "b");
}

TEST_F(MergeLostTest, ALoopOfPrunesAndCollectionsBesideTheQueueTakesNothing) {
  for (int i = 0; i < 5; ++i) {
    const std::string name = "b" + std::to_string(i);
    Branch(name, {{{name, "1\n"}}, {{name + "x", "1\n"}}});
    Add(name);
  }
  MoreOn("main", {{"more", "1\n"}});
  const RunOutcome outcome =
      RunReal({"sh", "-c",
               "while test ! -e ../stop; do git prune --expire=now; git gc -q --prune=now; done & "
               "\"$0\" merge-queue process --all; s=$?; touch ../stop; wait; exit $s",
               BelayBinary()},
              {.folder = repo_.path(), .environment = GitRepository::Environment()});
  // A gc packs refs, and may hold a lock of theirs just then: the next run goes on.
  EXPECT_THAT(outcome.exit_code, AnyOf(0, 75)) << outcome.err;
  Land();
  for (int i = 0; i < 5; ++i) ExpectLanded("m" + std::to_string(i + 1), "b" + std::to_string(i));
  ExpectTidy();
}

// What only the candidate has: its commits, its tree, and a file that both sides changed.
class MergeLostObjectTest : public MergeLostTest,
                            public ::testing::WithParamInterface<std::string> {
 protected:
  MergeLostObjectTest() {
    const std::string lines = "1\n2\n3\n4\n5\n";
    MoreOn("main", {{"f", lines}});
    Branch("a", {{{"a", "1\n"}}, {{"f", lines + "branch\n"}}});
    MoreOn("main", {{"f", "main\n" + lines}});
    Add("a");
    AddBranch("b", {{"b", "1\n"}});
  }
  void LoseIt() { Lose("refs/belay/merge/m1/candidate" + GetParam()); }
  void ExpectBothLand(const std::string& candidate) {
    const RunOutcome outcome = ProcessAll();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("m1: objects of the candidate are lost"));
    EXPECT_EQ(TextOf(Entry("m1"), "merged_as"), candidate);
    EXPECT_EQ(FileOf("f"), "main\n1\n2\n3\n4\n5\nbranch\n");
    ExpectLanded("m1", "a");
    ExpectLanded("m2", "b");
    ExpectTidy();
  }
};

TEST_P(MergeLostObjectTest, IsBuiltAgainAsTheSameAfterAKillInTheGate) {
  KillInTheGate();
  const std::string candidate = TextOf(Entry("m1"), "candidate");
  LoseIt();
  ExpectBothLand(candidate);
}

TEST_P(MergeLostObjectTest, IsBuiltAgainWhileTheGatesRun) {
  GateThatWaitsOnce();
  Process belay = StartProcessing();
  WaitForTheGate();
  const std::string candidate = TextOf(Entry("m1"), "candidate");
  LoseIt();
  Script("echo > ../go");
  (void)belay.Wait();
  EXPECT_EQ(TextOf(Entry("m1"), "merged_as"), candidate);
  ExpectLanded("m1", "a");
  ExpectLanded("m2", "b");
  ExpectTidy();
}

// The move of the target is announced, and couldn't be made.
TEST_P(MergeLostObjectTest, IsBuiltAgainWhenItWasAboutToLand) {
  repo_.Write(".git/refs/heads/main.lock", "");
  EXPECT_EQ(ProcessAll().exit_code, 75);
  EXPECT_EQ(Status("m1"), "merging");
  const std::string candidate = TextOf(Entry("m1"), "candidate");
  LoseIt();
  repo_.Remove(".git/refs/heads/main.lock");
  ExpectBothLand(candidate);
}

INSTANTIATE_TEST_SUITE_P(, MergeLostObjectTest, ::testing::Values("", "~1", "^{tree}", ":f"),
                         [](const auto& one) {
                           if (one.param.empty()) return std::string("ItsCommit");
                           if (one.param == "~1") return std::string("TheCommitBefore");
                           return std::string(one.param == ":f" ? "AFile" : "ItsTree");
                         });

// The target has moved since, so that git would be asked whether it has the candidate.
TEST_F(MergeLostTest, ACandidateThatIsLostWhenTheTargetMovedBlocksNoEntry) {
  Branch("a", {{{"a", "1\n"}}});
  MoreOn("main", {{"more", "1\n"}});
  Add("a");
  repo_.Write(".git/refs/heads/main.lock", "");
  EXPECT_EQ(ProcessAll().exit_code, 75);
  repo_.Remove(".git/refs/heads/main.lock");
  Lose("refs/belay/merge/m1/candidate");
  MoreOn("main", {{"even", "1\n"}}, "even");
  AddBranch("b", {{"b", "1\n"}});
  Land();
  ExpectLanded("m1", "a");
  ExpectLanded("m2", "b");
  EXPECT_EQ(History(), "first\nmore\neven\nwork on a\nwork on b\n");
}

TEST_F(MergeLostTest, DamageOfAnyKindParksItsEntryOrIsRepairedAndTheOthersLand) {
  const std::vector<std::string> names = {"fine",   "commit",  "tree",    "file",  "history",
                                          "badref", "lostref", "badcand", "lostc", "last"};
  for (const std::string& name : names)
    Branch(name, {{{name + "/0", name}}, {{name + "/f", "1\n"}}});
  MoreOn("main", {{"more", "1\n"}});
  for (const std::string& name : names) Add(name);
  const std::string nowhere(40, 'a');
  for (const std::string object : {"commit", "tree^{tree}", "file:file/0", "history~1"})
    Lose(object);
  repo_.Write(".git/refs/belay/merge/m6/head", "garbage\n");
  repo_.Write(".git/refs/belay/merge/m7/head", nowhere + "\n");
  repo_.Write(".git/refs/belay/merge/m8/candidate", "");
  repo_.Write(".git/refs/belay/merge/m9/candidate", nowhere + "\n");
  const RunOutcome outcome = ProcessAll();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  for (const int entry : {1, 6, 7, 8, 9, 10}) {
    ExpectLanded("m" + std::to_string(entry), names[static_cast<std::size_t>(entry) - 1] + "/f");
  }
  for (const int entry : {2, 3, 4, 5}) {
    const std::string id = "m" + std::to_string(entry);
    const std::string& name = names[static_cast<std::size_t>(entry) - 1];
    EXPECT_EQ(Status(id), "gate_unrunnable");
    EXPECT_THAT(ErrorOf(id), HasSubstr("objects of " + name + " at "));
    EXPECT_THAT(ErrorOf(id), HasSubstr("belay merge-queue add '" + name + "'"));
  }
  // Nothing is left to do, and nothing is in the way.
  EXPECT_EQ(ProcessAll().exit_code, 0);
}

TEST_F(MergeLostTest, WorkWhoseHeadWasLostLandsOnceItIsCommittedAgain) {
  AddBranch("a", {{"a", "1\n"}});
  Lose("a");
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_EQ(Status("m1"), "gate_unrunnable");
  Script("rm .git/refs/heads/a");
  Branch("a", {{{"a", "1\n"}}});
  Add("a");
  Land();
  ExpectLanded("m1", "a");
}

TEST_F(MergeLostTest, ADamagedTargetStaysAnErrorAndParksNoEntry) {
  MoreOn("main", {{"deep/f", "1\n"}});
  AddBranch("a", {{"deep/a", "1\n"}});
  AddBranch("b", {{"deep/b", "1\n"}});
  MoreOn("main", {{"deep/more", "1\n"}});
  const std::string tree = Commit("main:deep");
  repo_.Remove(".git/objects/" + tree.substr(0, 2) + "/" + tree.substr(2));
  EXPECT_EQ(ProcessAll().exit_code, 1);
  for (const std::string id : {"m1", "m2"}) {
    EXPECT_THAT(Status(id), AnyOf("queued", "rebasing")) << ErrorOf(id);
  }
}

// Git would merge as if main had no files at all.
TEST_F(MergeLostTest, ATargetWithoutItsTreeIsNeverBuiltUpon) {
  AddBranch("a", {{"a", "1\n"}});
  MoreOn("main", {{"more", "1\n"}});
  const std::string before = Commit("main");
  const std::string tree = Commit("main^{tree}");
  repo_.Remove(".git/objects/" + tree.substr(0, 2) + "/" + tree.substr(2));
  EXPECT_EQ(Queue({"process", "--all", "--no-gates"}).exit_code, 1);
  EXPECT_EQ(Status("m1"), "rebasing");
  EXPECT_EQ(Commit("main"), before);
}

TEST_F(MergeLostTest, APackThatAKillLeftProtectedIsReleasedByTheNextRun) {
  repo_.Write(".git/objects/pack/pack-x.keep", "belay builds a candidate\n");
  repo_.Write(".git/objects/pack/pack-y.keep", "of a person\n");
  AddBranch("a", {{"a", "1\n"}});
  Land();
  EXPECT_EQ(repo_.Read(".git/objects/pack/pack-x.keep"), "(missing)");
  EXPECT_EQ(repo_.Read(".git/objects/pack/pack-y.keep"), "of a person\n");
}

// doctor

class DoctorRefsTest : public MergeLostTest {
 protected:
  bool GcWorks() { return repo_.TryGit({"gc", "-q", "--prune=now"}) == 0; }
  std::string Journal() { return repo_.Read(".git/belay/journals/project.jsonl"); }
};

TEST_F(DoctorRefsTest, NamesRefsOfOursThatAreBrokenAndRepairsThem) {
  AddBranch("a", {{"a", "1\n"}});
  AddBranch("b", {{"b", "1\n"}});
  const std::string head = Commit("a");
  const std::string nowhere(40, 'a');
  EXPECT_THAT(Belay({"doctor"}).out, HasSubstr("2 below refs/belay/"));
  repo_.Write(".git/refs/belay/merge/m1/candidate", nowhere + "\n");
  repo_.Write(".git/refs/belay/merge/m1/head", "garbage\n");
  repo_.Write(".git/refs/belay/keep/main/7", nowhere + "\n");
  EXPECT_FALSE(GcWorks());
  const RunOutcome found = Belay({"doctor"});
  EXPECT_THAT(found.out, HasSubstr("refs/belay/"));
  EXPECT_THAT(found.out, HasSubstr("and 2 more"));
  EXPECT_THAT(found.out, HasSubstr("belay doctor --repair"));
  EXPECT_FALSE(GcWorks());  // looking changes nothing
  const RunOutcome repaired = Belay({"doctor", "--repair"});
  EXPECT_THAT(repaired.out, HasSubstr("m1/candidate: its commit aaaaaaaaaa is lost; dropped: the "
                                      "queue builds it again"));
  EXPECT_THAT(repaired.out, HasSubstr("reset to " + head.substr(0, 10)));
  EXPECT_THAT(repaired.out, HasSubstr("that snapshot is lost"));
  EXPECT_EQ(Commit("refs/belay/merge/m1/head"), head);
  EXPECT_TRUE(GcWorks());
  EXPECT_THAT(Journal(), HasSubstr(R"("ref":"refs/belay/keep/main/7","said":")" + nowhere));
  EXPECT_THAT(Journal(), HasSubstr(R"("ref":"refs/belay/merge/m1/head","said":"garbage)"));
  EXPECT_THAT(Belay({"doctor"}).out, HasSubstr("2 below refs/belay/"));
  Land();
  EXPECT_EQ(FileOf("a") + FileOf("b"), "1\n1\n");
}

TEST_F(DoctorRefsTest, NeverDropsOneWhoseObjectIsThere) {
  AddBranch("a", {{"a", "1\n"}});
  repo_.Write("untracked", "x\n");
  EXPECT_EQ(Belay({"snapshot", "take"}).exit_code, 0);
  const std::string before = repo_.Git({"for-each-ref", "refs/belay"});
  repo_.Git({"branch", "-D", "-q", "a"});
  Lose("refs/belay/merge/m1/head:a");
  const RunOutcome repaired = Belay({"doctor", "--repair"});
  EXPECT_EQ(repo_.Git({"for-each-ref", "refs/belay"}), before);
  EXPECT_THAT(repaired.out, HasSubstr("refs/belay/merge/m1/head: some of its objects are lost"));
  EXPECT_THAT(repaired.out, HasSubstr("git fsck"));
}

TEST_F(DoctorRefsTest, PackedOnesAreRepairedToo) {
  AddBranch("a", {{"a", "1\n"}});
  MoreOn("main", {{"more", "1\n"}});
  repo_.Write(".git/refs/heads/main.lock", "");
  EXPECT_EQ(ProcessAll().exit_code, 75);
  repo_.Remove(".git/refs/heads/main.lock");
  repo_.Git({"pack-refs", "--all"});
  Lose("refs/belay/merge/m1/candidate");
  EXPECT_EQ(Belay({"doctor", "--repair"}).exit_code, 0);
  EXPECT_TRUE(GcWorks());
  Land();
  ExpectLanded("m1", "a");
}

}  // namespace
}  // namespace belay
