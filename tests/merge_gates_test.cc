// Gates that misbehave, and people who interfere: the queue stays in charge.

#include "merge_sandbox.h"
#include "os/process_identity.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

class MergeGatesTest : public MergeSandbox {
 protected:
  MergeGatesTest() { Script("mkfifo ../started ../go"); }

  // A gate that says that it runs, and goes on at a sign.
  void GateThatWaits(const std::string& then = "true") {
    Gate("echo $$ > " + started_ + "; read word < " + go_ + "; " + then);
  }
  pid_t WaitForGate() { return std::stoi(RunReal({"cat", started_}).out); }
  void LetGo() { Script("echo go > ../go"); }
  void ExpectParked(const std::string& status, const std::string& error) {
    EXPECT_EQ(ProcessAll().exit_code, 1);
    EXPECT_EQ(Status("m1"), status);
    EXPECT_THAT(ErrorOf("m1"), HasSubstr(error));
    EXPECT_EQ(History(), "first\n");
    ExpectTidy();
  }
  std::string LogOfGate() {
    return TextOf(Entry("m1").Find("gate_results")->AsArray()->front(), "log");
  }

  const std::string started_ = repo_.outside() / "started";
  const std::string go_ = repo_.outside() / "go";
};

TEST_F(MergeGatesTest, OneThatHangsIsEnded) {
  Gate("test -e a || exit 0; sleep 1000", "      timeout: 1s\n");
  AddBranch("a", {{"a", "1\n"}});
  ExpectParked("gate_failed", "not finished after 1s; main passes it");
}

TEST_F(MergeGatesTest, OneWithAQualityGateIsNotedInTheResumptionDocument) {
  Gate("true", "      quality_gate: QG-2\n");
  AddBranch("a", {{"a", "1\n"}});
  Script("echo 'a: 1' > ORCHESTRATION.yaml");
  Land();
  const std::string document = Script("cat ORCHESTRATION.yaml");
  EXPECT_THAT(document, HasSubstr("gates_completed: [\"QG-2\"]"));
  EXPECT_THAT(document, HasSubstr("QG-2: [1]"));
}

TEST_F(MergeGatesTest, AQualityGateThatFailsIsAnIterationToo) {
  Gate("false", "      quality_gate: QG-2\n      retries: 0\n");
  AddBranch("a", {{"a", "1\n"}});
  Script("echo 'a: 1' > ORCHESTRATION.yaml");
  EXPECT_EQ(Belay({"merge-queue", "process"}).exit_code, 1);
  const std::string document = Script("cat ORCHESTRATION.yaml");
  EXPECT_THAT(document, HasSubstr("gates_remaining: [\"QG-2\"]"));
  EXPECT_THAT(document, HasSubstr("current_gate: \"QG-2\""));
  EXPECT_THAT(document, HasSubstr("QG-2: [0]"));
}

TEST_F(MergeGatesTest, OneThatCannotRunIsNeverAPass) {
  Gate("no-such-program-anywhere");
  AddBranch("a", {{"a", "1\n"}});
  ExpectParked("gate_unrunnable", "exit code 127: a program couldn't be run");
  EXPECT_EQ(*Entry("m1").Find("attempts")->AsInteger(), 0);  // nothing is known of the work
}

TEST_F(MergeGatesTest, OneThatMayNotRunIsNeverAPass) {
  Gate("./tracked.txt");
  AddBranch("a", {{"a", "1\n"}});
  ExpectParked("gate_unrunnable", "exit code 126");
}

TEST_F(MergeGatesTest, WhatItLeavesRunningIsEndedAndNamed) {
  const std::string pid = repo_.outside() / "pid";
  Gate("setsid sleep 1000 >/dev/null 2>&1 & echo $! > " + pid);
  AddBranch("a", {{"a", "1\n"}});
  Land();
  EXPECT_THAT(TextOf(Entry("m1").Find("gate_results")->AsArray()->front(), "detail"),
              HasSubstr("left 1 process behind: "));
  const Result<ProcessIdentity> left = IdentityOf(std::stoi(RunReal({"cat", pid}).out));
  EXPECT_FALSE(left && IsAlive(*left));
}

TEST_F(MergeGatesTest, WhatItWritesIntoItsTreeDoesNotLandNorReachTheNextOne) {
  Gate(
      "test ! -e junk && test $(cat tracked.txt) = first && test -z \"$(git status --short)\" || "
      "exit 1; echo x > junk; echo y > tracked.txt; mkdir sub; git init -q sub; git add junk "
      "tracked.txt");
  AddBranch("a", {{"a", "1\n"}});
  AddBranch("b", {{"b", "1\n"}});
  Land();
  EXPECT_EQ(repo_.Git({"ls-tree", "--name-only", "main"}), "a\nb\ntracked.txt\n");
  EXPECT_EQ(MainChanges(), "");
}

TEST_F(MergeGatesTest, AGateThatDeletesItsTreeDoesNoHarm) {
  Gate("test -e tracked.txt || exit 1; rm -rf \"$PWD\"");
  AddBranch("a", {{"a", "1\n"}});
  AddBranch("b", {{"b", "1\n"}});
  Land();
  EXPECT_EQ(History(), "first\nwork on a\nwork on b\n");
  ExpectTidy();
}

TEST_F(MergeGatesTest, OneThatCommitsInItsTreeLandsNothingOfIt) {
  Gate("git -c user.name=x -c user.email=x@example.org commit -q --allow-empty -m sly");
  AddBranch("a", {{"a", "1\n"}});
  Land();
  EXPECT_EQ(History(), "first\nwork on a\n");
}

TEST_F(MergeGatesTest, MuchOutputIsKeptInItsBeginningAndEnd) {
  Gate("echo the beginning; head -c 200000000 /dev/zero | tr '\\0' x; echo; echo the end");
  AddBranch("a", {{"a", "1\n"}});
  Land();
  const std::string log = LogOfGate();
  EXPECT_LT(std::filesystem::file_size(log), 20'000'000U);
  EXPECT_EQ(RunReal({"head", "-n1", log}).out, "the beginning\n");
  EXPECT_EQ(RunReal({"tail", "-n1", log}).out, "the end\n");
}

TEST_F(MergeGatesTest, ItSeesNothingOfTheUsersGitNorOfBelay) {
  Gate("env > " + (repo_.outside() / "env"));
  AddBranch("a", {{"a", "1\n"}});
  Land();
  const std::string names = Script("sed 's/=.*//' ../env | grep -E '^(GIT|BELAY)_' || true");
  EXPECT_EQ(names, "BELAY_GATE\n");
}

TEST_F(MergeGatesTest, ASecondProcessIsRefusedAndNamesTheFirst) {
  GateThatWaits();
  AddBranch("a", {{"a", "1\n"}});
  class Process first = StartProcessing();
  WaitForGate();
  ExpectRefused({"process", "--all"}, 75, "process " + std::to_string(first.pid()) + " holds it",
                "belay merge-queue status");
  EXPECT_EQ(TextOf(QueueJson({"status"}).Find("targets")->AsArray()->front(), "current"), "m1");
  EXPECT_EQ(Status("m1"), "testing");
  EXPECT_THAT(repo_.Read(".claude/state/merge-queue.json"), HasSubstr(R"("status": "testing")"));
  LetGo();
  EXPECT_EQ(first.Wait().code(), 0);
  EXPECT_EQ(History(), "first\nwork on a\n");
}

TEST_F(MergeGatesTest, RemovingEndsTheGateAtOnce) {
  GateThatWaits();
  AddBranch("a", {{"a", "1\n"}});
  class Process first = StartProcessing();
  const Result<ProcessIdentity> gate = IdentityOf(WaitForGate());
  EXPECT_EQ(Queue({"remove", "m1"}).exit_code, 0);
  EXPECT_EQ(first.Wait().code(), 1);  // without a sign for the gate
  EXPECT_FALSE(gate && IsAlive(*gate));
  EXPECT_EQ(Status("m1"), "cancelled");
  EXPECT_EQ(History(), "first\n");
  EXPECT_TRUE(HasBranch("a"));
  ExpectTidy();
}

TEST_F(MergeGatesTest, WhoComesWhileAGateRunsIsDealtWithToo) {
  Gate("test -e b && exit; echo $$ > " + started_ + "; read word < " + go_);
  AddBranch("a", {{"a", "1\n"}});
  class Process first = StartProcessing();
  WaitForGate();
  AddBranch("b", {{"b", "1\n"}});
  LetGo();
  EXPECT_EQ(first.Wait().code(), 0);
  EXPECT_EQ(History(), "first\nwork on a\nwork on b\n");
}

TEST_F(MergeGatesTest, PausingLetsTheGateEndAndNothingLand) {
  GateThatWaits();
  AddBranch("a", {{"a", "1\n"}});
  AddBranch("b", {{"b", "1\n"}});
  class Process first = StartProcessing();
  WaitForGate();
  EXPECT_EQ(Queue({"pause"}).exit_code, 0);
  LetGo();
  EXPECT_EQ(first.Wait().code(), 0);
  EXPECT_EQ(History(), "first\n");
  EXPECT_EQ(Status("m2"), "queued");
  EXPECT_EQ(Queue({"unpause"}).exit_code, 0);
  Gate("true");
  Land();
  EXPECT_EQ(History(), "first\nwork on a\nwork on b\n");
}

// On a disk of its own, in a namespace of its own.
TEST_F(MergeGatesTest, AFullDiskLosesNothing) {
  AddBranch("a", {{"a", std::string(300'000, 'a') + "\n"}});
  const std::string small = repo_.outside() / "small";
  repo_.outside().MakeFolder("small");
  // Again and again, with a little more room each time.
  const std::string script =
      "mount -t tmpfs -o size=6m none " + small + " 2>/dev/null || exit 99\n" + "cp -a " +
      repo_.path() + " " + small + "/repo; cd " + small + "/repo; rm -rf .git/belay\n" +
      "belay=" + BelayBinary() + "\n{ $belay init; $belay mq add a; } > ../log 2>&1\n" +
      "failed=0; for room in 0 4 8 16 32 64 128 256; do\n" +
      "  dd if=/dev/zero of=../fill bs=4k 2>/dev/null || true; truncate -s -${room}k ../fill\n" +
      "  $belay mq process --all >/dev/null || failed=$((failed + 1)); rm ../fill\n" +
      "done; test $failed -gt 2; $belay mq process --all >/dev/null\n" +
      "git log --format=%s main; git fsck --strict --no-dangling; git status --porcelain; git "
      "for-each-ref refs/belay\n";
  const RunOutcome outcome =
      RunReal({"unshare", "-rm", "sh", "-e", "-c", script},
              {.folder = repo_.path(), .environment = GitRepository::Environment()});
  if (outcome.exit_code == 99) GTEST_SKIP() << "no file system can be mounted here";
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, ::testing::MatchesRegex(
                               "work on a\nfirst\n[0-9a-f]+ commit\trefs/belay/merge/m1/head\n"))
      << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("No space left"));
}

}  // namespace
}  // namespace belay
