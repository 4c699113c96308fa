// Finished work under a guardian: agents say that they are done, the queue goes by itself, and who
// doesn't fit is restarted to fix it.

#include <filesystem>

#include "guard_sandbox.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class GuardMergeTest : public GuardSandbox {
 protected:
  void SetUp() override {
    GuardSandbox::SetUp();
    folder_.Write("repo/shared.txt", "base\n");
    Git({"-C", folder_ / "repo", "add", "shared.txt"});
    Git({"-C", folder_ / "repo", "commit", "-q", "-m", "shared"});
  }
  void UseGate(const std::string& command) {
    folder_.Write("repo/.claude/belay.yml", "merge:\n  target: " + Branch() +
                                                "\n  gates:\n    - name: test\n      run: \"" +
                                                command + "\"\n");
  }
  std::string Branch() {
    std::string name = RunReal({"git", "-C", folder_ / "repo", "symbolic-ref", "--short", "HEAD"},
                               {.folder = folder_.path(), .environment = {}})
                           .out;
    while (name.ends_with('\n')) name.pop_back();
    return name;
  }
  // Commits, says that it is done, and ends.
  static std::string Does(const std::string& commands) {
    return commands + "\ngit add -A && git -c user.name=A -c user.email=a@b commit -q -m work\n" +
           BelayBinary() + " signal send MERGE_READY --to guardian >/dev/null\n";
  }
  static std::string Sends(const std::string& payload) {
    return BelayBinary() + " signal send MERGE_READY --to guardian --payload '" + payload +
           "' >/dev/null\n";
  }
  void SpawnIn(const std::string& name, const std::string& script) {
    Spawn(name, {AgentScript(name, script)}, {"--new-worktree", name});
  }
  Json Entry(const std::string& branch) {
    const Json queue = BelayJson({"merge-queue", "list", "--all"});
    for (const Json& entry : *queue.Find("entries")->AsArray()) {
      if (Text(entry, "branch") == branch) return entry;
    }
    return {};
  }
  // A guardian that tests work whose gate hangs; the next time it passes.
  ProcessIdentity StartWithGateThatHangsOnce() {
    const std::string once = folder_ / "once";
    UseGate("test -e " + once + " && exit 0; echo $$ > " + once + "; exec sleep 1000");
    guardian_ = &StartGuardian();
    SpawnIn("login", Does("echo new > new.txt"));
    EXPECT_TRUE(Await([&] { return folder_.Read("once").ends_with('\n'); }));
    const Result<ProcessIdentity> gate = IdentityOf(std::stoi(folder_.Read("once")));
    EXPECT_TRUE(gate.ok());
    return gate ? *gate : ProcessIdentity{};
  }
  bool AwaitEntry(const std::string& branch, const std::string& status) {
    return Await([&] { return Text(Entry(branch), "status") == status; });
  }

  Process* guardian_ = nullptr;
};

// The commit is what wakes the guardian: it comes long before its timer.
TEST_F(GuardMergeTest, WorkThatWaitsForACheckoutLandsWhenThePersonHasCommitted) {
  UseGate("true");
  folder_.Write("repo/other.txt", "base\n");
  Git({"-C", folder_ / "repo", "add", "other.txt"});
  Git({"-C", folder_ / "repo", "commit", "-q", "-m", "other"});
  folder_.Write("repo/new.txt", "mine\n");  // in the way of what lands
  StartGuardian();
  SpawnIn("login", Does("echo new > new.txt"));
  ASSERT_TRUE(AwaitEntry("login", "waiting_checkout"));
  EXPECT_EQ(folder_.Read("repo/new.txt"), "mine\n");
  std::filesystem::rename(folder_ / "repo/new.txt", folder_ / "repo/mine.txt");
  folder_.Write("repo/other.txt", "mine\n");
  Git({"-C", folder_ / "repo", "commit", "-q", "-a", "-m", "mine"});
  ASSERT_TRUE(AwaitEntry("login", "merged"));
  EXPECT_EQ(folder_.Read("repo/new.txt"), "new\n");
  EXPECT_EQ(folder_.Read("repo/mine.txt") + folder_.Read("repo/other.txt"), "mine\nmine\n");
}

TEST_F(GuardMergeTest, WorkReportedAsDoneLandsAndItsHookShowsIt) {
  UseGate("test -e new.txt");
  StartGuardian();
  SpawnIn("login", Does("echo new > new.txt"));
  ASSERT_TRUE(AwaitEntry("login", "merged"));
  EXPECT_TRUE(Await([&] { return folder_.Read("repo/new.txt") == "new\n"; }));
  EXPECT_TRUE(Await([&] { return Text(Hook("login"), "status") == "merged"; }));
  EXPECT_THAT(Why("login"), HasSubstr("its work is queued as m1"));
  EXPECT_TRUE(Await([&] {
    const RunOutcome listed = Belay({"signal", "list", "orchestrator-login"});
    return listed.out.find("MERGE_COMPLETE") != std::string::npos;
  }));
}

TEST_F(GuardMergeTest, AConflictingAgentIsRestartedWithTheConflictAndLandsOnceFixed) {
  UseGate("true");
  StartGuardian();
  SpawnIn("first", Does("echo first > shared.txt"));
  ASSERT_TRUE(AwaitEntry("first", "merged"));
  // Made before the first has landed, as far as its branch is concerned.
  const std::string mends =
      "if grep -q 'could not land' \"$BELAY_RESUME_FILE\"; then\n"
      "  cp \"$BELAY_RESUME_FILE\" '" +
      (folder_ / "told") + "'\n  git reset -q --hard " + Branch() + "\n" +
      Does("echo second >> shared.txt") + "else\n  git reset -q --hard HEAD~1\n" +
      Does("echo second > shared.txt") + "fi\n";
  SpawnIn("second", mends);
  AwaitStatus("second", 2, AgentStatus::kTerminated);
  ASSERT_TRUE(AwaitEntry("second", "merged"));
  EXPECT_TRUE(Await([&] { return folder_.Read("repo/shared.txt") == "first\nsecond\n"; }));
  EXPECT_THAT(folder_.Read("told"), AllOf(HasSubstr("shared.txt"), HasSubstr("MERGE_READY")));
  EXPECT_EQ(*Entry("second").Find("attempts"), Json(1));
}

TEST_F(GuardMergeTest, AConflictReachesItsAgentWithTheFilesAndBothCommits) {
  UseGate("true");
  StartGuardian();
  SpawnIn("first", Does("echo first > shared.txt"));
  ASSERT_TRUE(AwaitEntry("first", "merged"));
  SpawnIn("second", "git reset -q --hard " + Branch() + "~1\n" + Does("echo second > shared.txt") +
                        std::string(kWaits));
  ASSERT_TRUE(AwaitEntry("second", "conflict"));
  const auto conflict = [&] {
    const Json list = BelayJson({"signal", "list", "orchestrator-second"});
    for (const Json& signal : *list.Find("signals")->AsArray()) {
      if (Text(signal, "type") == "MERGE_CONFLICT") return WriteJson(*signal.Find("payload"));
    }
    return std::string();
  };
  ASSERT_TRUE(Await([&] { return !conflict().empty(); }));
  const auto commit = [&](const std::string& name) {
    return RunReal({"git", "-C", folder_ / "repo", "rev-parse", name},
                   {.folder = folder_.path(), .environment = {}})
        .out.substr(0, 40);
  };
  EXPECT_THAT(conflict(), AllOf(HasSubstr(R"("files":["shared.txt"])"),
                                HasSubstr("\"ours\":[\"" + commit(Branch())),
                                HasSubstr("\"theirs\":[\"" + commit("second"))));
  EXPECT_EQ(Text(Hook("second"), "status"), "blocked");
}

TEST_F(GuardMergeTest, AnAgentThatKeepsConflictingIsRestartedAFewTimesThenAPersonIsAsked) {
  UseGate("true");
  StartGuardian();
  SpawnIn("first", Does("echo first > shared.txt"));
  ASSERT_TRUE(AwaitEntry("first", "merged"));
  // Each life stands on what was before the first one landed.
  SpawnIn("second", "git reset -q --hard " + Branch() + "~1\n" +
                        Does("echo \"second $BELAY_AGENT_ID\" > shared.txt"));
  EXPECT_TRUE(Await([&] {
    return Belay({"signal", "list", "person"}).out.find("3 attempts") != std::string::npos;
  }));
  AwaitStatus("second", 3, AgentStatus::kTerminated);
  AwaitATurn();
  EXPECT_TRUE(Is("second", 3, AgentStatus::kTerminated)) << Why("second");
  EXPECT_EQ(Text(Entry("second"), "status"), "conflict");
  EXPECT_EQ(*Entry("second").Find("attempts"), Json(3));
  const Json asked = BelayJson({"signal", "list", "person"});
  std::vector<std::string> escalations;
  for (const Json& signal : *asked.Find("signals")->AsArray()) {
    if (Text(signal, "type") == "ESCALATE") escalations.push_back(WriteJson(signal));
  }
  ASSERT_EQ(escalations.size(), 1U);
  EXPECT_THAT(escalations.front(), AllOf(HasSubstr("shared.txt"), HasSubstr("m2")));
  EXPECT_EQ(folder_.Read("repo/shared.txt"), "first\n");
}

TEST_F(GuardMergeTest, ABranchThatIsNamedIsWhatLands) {
  UseGate("true");
  StartGuardian();
  SpawnIn("login",
          "git checkout -q -b feat\necho new > new.txt\ngit add -A\n"
          "git -c user.name=A -c user.email=a@b commit -q -m work\ngit checkout -q login\n" +
              Sends(R"({"branch":"feat"})"));
  ASSERT_TRUE(AwaitEntry("feat", "merged"));
  EXPECT_EQ(Text(Entry("feat"), "identity_name"), "orchestrator-login");
}

TEST_F(GuardMergeTest, WithoutGatesTheQueueWaitsAndReportsWhy) {
  StartGuardian();
  SpawnIn("login", Does("echo new > new.txt"));
  ASSERT_TRUE(AwaitEntry("login", "queued"));
  EXPECT_TRUE(Await([&] {
    return folder_.Read("guardian.log").find("no gates are configured") != std::string::npos;
  }));
  EXPECT_THAT(folder_.Read("repo/new.txt"), "(missing)");
  // Tried again at once when a user acts on it.
  UseGate("true");
  EXPECT_EQ(Belay({"merge-queue", "pause"}).exit_code, 0);
  EXPECT_EQ(Belay({"merge-queue", "unpause"}).exit_code, 0);
  EXPECT_TRUE(AwaitEntry("login", "merged"));
}

TEST_F(GuardMergeTest, AnAgentLearnsThatItsWorkCannotBeQueued) {
  UseGate("true");
  StartGuardian();
  SpawnIn("login", BelayBinary() + " signal send MERGE_READY --to guardian >/dev/null\n" +
                       std::string(kWaits));
  ASSERT_TRUE(Await([&] {
    return Belay({"signal", "list", "orchestrator-login"}).out.find("MERGE_FAILED") !=
           std::string::npos;
  }));
  EXPECT_THAT(Why("login"), HasSubstr("nothing to land"));
  // Once, with its sender.
  const std::string said = GuardianSaid();
  const std::size_t first = said.find("MERGE_READY: nothing to land");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(said.find("MERGE_READY: nothing to land", first + 1), std::string::npos);
}

TEST_F(GuardMergeTest, AGuardianThatEndsTakesItsGateAlongAndTheNextOneContinues) {
  const ProcessIdentity gate = StartWithGateThatHangsOnce();
  EndGuardian(*guardian_);
  EXPECT_FALSE(IsAlive(gate));
  EXPECT_EQ(Text(Entry("login"), "status"), "testing");
  StartGuardian();
  EXPECT_TRUE(AwaitEntry("login", "merged"));
}

TEST_F(GuardMergeTest, WhenItsProgramIsStoppedItReportsThatAndContinuesLater) {
  const ProcessIdentity gate = StartWithGateThatHangsOnce();
  const Result<pid_t> belay = ParentOf(gate.pid);
  ASSERT_TRUE(belay.ok());
  ASSERT_TRUE(Process::Open(*belay)->Signal(SIGTERM).ok());
  EXPECT_TRUE(Await([&] {
    return GuardianSaid().find("the merge queue waits: a signal interrupted it") !=
           std::string::npos;
  }));
  EXPECT_FALSE(IsAlive(gate));
  EXPECT_EQ(Text(Entry("login"), "status"), "testing");
  // Wakes it before its time.
  EXPECT_EQ(Belay({"merge-queue", "pause"}).exit_code, 0);
  EXPECT_EQ(Belay({"merge-queue", "unpause"}).exit_code, 0);
  EXPECT_TRUE(AwaitEntry("login", "merged"));
}

TEST_F(GuardMergeTest, NoWorkLandsOnTheBranchOfAnotherAgent) {
  UseGate("true");
  StartGuardian();
  SpawnIn("victim", std::string(kWaits));
  AwaitStatus("victim", 1, AgentStatus::kAlive);
  SpawnIn("login",
          "echo new > new.txt\ngit add -A\n"
          "git -c user.name=A -c user.email=a@b commit -q -m work\n" +
              Sends(R"({"target":"victim"})") + std::string(kWaits));
  ASSERT_TRUE(Await([&] {
    return Belay({"signal", "list", "orchestrator-login"}).out.find("MERGE_FAILED") !=
           std::string::npos;
  }));
  EXPECT_THAT(Why("login"), HasSubstr("only a person may land it on victim"));
  const RunOutcome person = Belay({"merge-queue", "add", "login", "--target", "victim"});
  EXPECT_EQ(person.exit_code, 4) << person.err;
  EXPECT_THAT(person.err, HasSubstr("victim is the branch that orchestrator-victim#1 works on"));
  EXPECT_EQ(Belay({"stop", "victim", "--now"}).exit_code, 0);
  EXPECT_EQ(Belay({"merge-queue", "add", "login", "--target", "victim"}).exit_code, 0);
}

TEST_F(GuardMergeTest, WhatWaitsForNothingIsNotLeftWaiting) {
  UseGate("true");
  EXPECT_EQ(Belay({"merge-queue", "pause"}).exit_code, 0);
  StartGuardian();
  for (const char* const name : {"a", "b"}) {
    const std::string branch = name;
    Git({"-C", folder_ / "repo", "branch", branch});
    Git({"-C", folder_ / "repo", "worktree", "add", "-q", folder_ / branch, branch});
    Git({"-C", folder_ / branch, "commit", "-q", "--allow-empty", "-m", branch});
  }
  EXPECT_EQ(Belay({"merge-queue", "add", "a"}).exit_code, 0);
  EXPECT_EQ(Belay({"merge-queue", "add", "b", "--after", "m1"}).exit_code, 0);
  EXPECT_EQ(Belay({"merge-queue", "remove", "m1"}).exit_code, 0);
  EXPECT_EQ(Belay({"merge-queue", "unpause"}).exit_code, 0);
  EXPECT_TRUE(AwaitEntry("b", "cancelled"));
}

TEST_F(GuardMergeTest, AGuardianThatIsKilledLosesNoWork) {
  UseGate("true");
  Process& first = StartGuardian();
  SpawnIn("login", Does("echo new > new.txt"));
  AwaitStatus("login", 1, AgentStatus::kTerminated);
  KillGuardian(first);
  StartGuardian();
  ASSERT_TRUE(AwaitEntry("login", "merged"));
  EXPECT_THAT(Belay({"merge-queue", "list", "--all"}).out, Not(HasSubstr("m2")));
}

}  // namespace
}  // namespace belay
