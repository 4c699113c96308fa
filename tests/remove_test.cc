// Taking belay out: nothing is lost that says more than "belay was set up", nothing of a crash
// stays.

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

#include "guard_sandbox.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

class RemoveTest : public Sandbox {
 protected:
  RemoveTest() { EXPECT_EQ(Belay({"init"}).exit_code, 0); }

  std::string Everything(const std::string& name) {
    return RunReal({"find", folder_ / name, "-not", "-path", "*/objects*", "-printf", "%p %y %s\n"})
        .out;
  }
  std::string Temporaries() { return RunReal({"find", folder_.path(), "-name", ".*.tmp"}).out; }
  void WriteLeftovers() {
    for (const std::string place :
         {".git/belay/.format", ".git/belay/.root", ".git/belay/journals/.project.jsonl",
          ".git/belay/journals/.project.jsonl.damaged-1", ".claude/state/.project.json",
          ".claude/.belay.yml", ".git/info/.exclude"}) {
      folder_.Write("repo/" + place + ".0123456789abcdef.tmp", "half");
    }
  }
  pid_t Start(std::vector<std::string> command) {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    std::vector<char*> arguments;
    for (std::string& argument : command) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    if (chdir((folder_ / "repo").c_str()) != 0 || freopen("/dev/null", "w", stdout) == nullptr) {
      _exit(99);
    }
    if (freopen("/dev/null", "w", stderr) != nullptr) execvp(arguments[0], arguments.data());
    _exit(99);
  }
};

TEST_F(RemoveTest, ALinkToAnotherProjectIsRefusedAndNotFollowed) {
  Git({"init", "-q", folder_ / "second"});
  ASSERT_EQ(Belay({"init"}, {.folder = folder_ / "second"}).exit_code, 0);
  const std::string before = Everything("second");
  for (const std::string link : {".claude", ".claude/state"}) {
    ASSERT_EQ(RunReal({"rm", "-rf", folder_ / "repo/.claude"}).exit_code, 0);
    if (link != ".claude") folder_.MakeFolder("repo/.claude");
    ASSERT_EQ(symlink((folder_ / ("second/" + link)).c_str(), (folder_ / ("repo/" + link)).c_str()),
              0);
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"init"}, {"init", "--remove"}, {"doctor", "--repair"}}) {
      const RunOutcome outcome = Belay(command);
      EXPECT_EQ(outcome.exit_code, 2) << command.back();
      EXPECT_THAT(outcome.err, HasSubstr(link + " is a link")) << command.back();
    }
    EXPECT_EQ(Everything("second"), before);
  }
}

TEST_F(RemoveTest, NothingThatACrashLeftStays) {
  WriteLeftovers();
  const Json dry = BelayJson({"init", "--remove", "--dry-run"});
  EXPECT_EQ(*BelayJson({"init", "--remove"}).Find("changes"), *dry.Find("changes"));
  EXPECT_EQ(Temporaries(), "");
  EXPECT_EQ(RunReal({"ls", folder_ / "repo/.git/belay"}).out, "");
  EXPECT_EQ(RunReal({"ls", "-A", folder_ / "repo"}).out, ".git\n");
}

TEST_F(RemoveTest, SetupAndRepairRemoveWhatACrashLeft) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"init"}, {"doctor", "--repair"}}) {
    WriteLeftovers();
    folder_.Write("repo/.git/belay/edited/.project.json-1.0123456789abcdef.tmp", "half");
    EXPECT_EQ(Belay(command).exit_code, 0);
    EXPECT_EQ(Temporaries(), "") << command[0];
  }
}

TEST_F(RemoveTest, AJournalWithATornOrDamagedEndIsKept) {
  const std::string journal = "repo/.git/belay/journals/project.jsonl";
  const std::string whole = folder_.Read(journal);
  std::string damaged = whole;
  damaged[damaged.find("initialised")] = 'X';
  for (const std::string& text : {whole + "{\"seq\":2,\"kind\":\"precio", damaged}) {
    folder_.Write(journal, text);
    const RunOutcome outcome = Belay({"init", "--remove"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("belay's records"));
    EXPECT_EQ(folder_.Read(journal), text);
  }
}

TEST_F(RemoveTest, WhatIsLeftOfALostVaultGoesToo) {
  ASSERT_EQ(RunReal({"rm", "-rf", folder_ / "repo/.git/belay"}).exit_code, 0);
  const RunOutcome outcome = Belay({"init", "--remove"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, Not(HasSubstr(".git/belay")));
  EXPECT_THAT(folder_.Read("repo/.git/info/exclude"), Not(HasSubstr("belay")));
  EXPECT_EQ(RunReal({"ls", "-A", folder_ / "repo"}).out, ".git\n");
}

TEST_F(RemoveTest, ALinkInThePlaceOfGitsInfoFolderIsRefusedByBoth) {
  ASSERT_EQ(rename((folder_ / "repo/.git/info").c_str(), (folder_ / "info").c_str()), 0);
  ASSERT_EQ(symlink((folder_ / "info").c_str(), (folder_ / "repo/.git/info").c_str()), 0);
  EXPECT_EQ(Belay({"init"}).exit_code, 2);
  EXPECT_EQ(Belay({"init", "--remove"}).exit_code, 2);
}

// Several that make and unmake the same things: each does its work, or says that others are at it.
TEST_F(RemoveTest, ConcurrentRunsSucceedOrAreBusy) {
  for (int round = 0; round < 40; ++round) {
    std::map<pid_t, std::string> running;
    for (const std::string words : {"init", "init --remove", "doctor --repair", "init"}) {
      std::vector<std::string> command = {"sh", "-c", "exec \"$0\" " + words, BelayBinary()};
      running[Start(command)] = words;
    }
    running[Start({"rm", "-rf", ".claude"})] = "rm";
    for (const auto& [pid, words] : running) {
      int status = 0;
      ASSERT_EQ(waitpid(pid, &status, 0), pid);
      if (words == "rm") continue;
      ASSERT_TRUE(WIFEXITED(status));
      const bool may_be_missing = words == "doctor --repair";
      EXPECT_THAT(WEXITSTATUS(status), AnyOf(0, 75, may_be_missing ? 3 : 0)) << words;
    }
    ASSERT_EQ(Belay({"init"}).exit_code, 0);
    ASSERT_EQ(Belay({"doctor"}).exit_code, 0);
  }
}

// Their hooks and settings would go while they work.
class RemoveBesideAgentsTest : public GuardSandbox {};

TEST_F(RemoveBesideAgentsTest, IsRefusedWhileAgentsRunAndNamesTheCommandsThatStopThem) {
  SuperviseWithoutBackoff();
  Spawn("a", {AgentScript("a", kWaits)});
  Spawn("b", {AgentScript("b", kWaits)});
  const std::string exclude = folder_.Read("repo/.git/info/exclude");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"init", "--remove"}, {"init", "--remove", "--dry-run"}}) {
    const RunOutcome refused = Belay(command);
    EXPECT_EQ(refused.exit_code, 4) << refused.out;
    EXPECT_THAT(refused.err,
                AllOf(HasSubstr("orchestrator-a#1, orchestrator-b#1"),
                      HasSubstr("belay stop orchestrator-a; belay stop orchestrator-b"),
                      HasSubstr("--force")));
  }
  EXPECT_EQ(folder_.Read("repo/.git/info/exclude"), exclude);
  EXPECT_EQ(Belay({"init", "--agent", "claude", "--remove"}).exit_code, 0) << "no agent has hooks";
  // One that crashed will be restarted.
  Kill(Present("b"));
  EXPECT_EQ(Belay({"stop", "a", "--now"}).exit_code, 0);
  const RunOutcome waits = Belay({"init", "--remove"});
  EXPECT_EQ(waits.exit_code, 4);
  EXPECT_THAT(waits.err, AllOf(HasSubstr("orchestrator-b#1"), Not(HasSubstr("orchestrator-a#1"))));
  EXPECT_EQ(Belay({"stop", "b"}).exit_code, 0);
  EXPECT_EQ(Belay({"init", "--remove"}).exit_code, 0);
}

TEST_F(RemoveBesideAgentsTest, ForceOverridesTheRefusal) {
  Spawn("a", {AgentScript("a", kWaits)});
  EXPECT_EQ(Belay({"init", "--force"}).exit_code, 2);
  ASSERT_EQ(Belay({"init", "--remove", "--force"}).exit_code, 0);
  EXPECT_EQ(Belay({"stop", "a", "--now"}).exit_code, 0) << "the records are kept";
}

}  // namespace
}  // namespace belay
