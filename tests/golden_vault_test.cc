// Vaults as earlier versions of belay left them (tests/golden/vault/, made by
// tests/golden/make-vault): each opens, and says what it said then.

#include <gmock/gmock.h>

#include <filesystem>

#include "sandbox.h"
#include "store/vault.h"
#include "testing/golden.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class GoldenVaultTest : public Sandbox {
 protected:
  // In a repository with the same commits.
  GoldenVaultTest() {
    Commit("file.txt", "first");
    Git({"-C", "repo", "checkout", "-qb", "work"});
    Commit("more.txt", "more");
    Git({"-C", "repo", "checkout", "-q", "main"});
  }

  void Commit(const std::string& file, const std::string& text) {
    folder_.Write("repo/" + file, text + "\n");
    Git({"-C", "repo", "add", "."});
    const RunOutcome committed = RunReal(
        {"git", "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", text},
        {.folder = folder_ / "repo",
         .environment = {{"GIT_AUTHOR_DATE", "2026-03-01T10:00:00Z"},
                         {"GIT_COMMITTER_DATE", "2026-03-01T10:00:00Z"}}});
    EXPECT_EQ(committed.exit_code, 0) << committed.err;
  }

  void Open(const std::string& version) {
    namespace fs = std::filesystem;
    const fs::path vault = folder_ / "repo/.git/belay";
    fs::remove_all(vault);
    fs::remove_all(folder_ / "repo/.claude");
    fs::copy(SourceFile("tests/golden/vault/" + version), vault, fs::copy_options::recursive);
    RunReal({"chmod", "-R", "go-rwx", vault});
    folder_.Write("repo/.git/belay/root", folder_ / "repo\n");
  }

  std::string Shown(const std::vector<std::string>& words) {
    const RunOutcome outcome = Belay(words);
    EXPECT_EQ(outcome.exit_code, 0) << words[0] << ": " << outcome.err;
    for (const char* complaint : {"understood", "damaged", "newer belay", "unreadable"}) {
      EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr(complaint))) << words[0];
    }
    return outcome.out;
  }

  // What the vault of version 1 holds.
  void ExpectItsContent() {
    EXPECT_THAT(Shown({"agents", "--all"}),
                AllOf(HasSubstr("orchestrator-login#1"), HasSubstr("crashed"), HasSubstr("testing"),
                      HasSubstr("guardian-main#1"), HasSubstr("1 message not delivered")));
    EXPECT_THAT(Shown({"log"}),
                AllOf(HasSubstr("initialised"), HasSubstr("main/1"), HasSubstr("exit code 3"),
                      HasSubstr("use the new API"), HasSubstr("m1")));
    EXPECT_THAT(Shown({"why", "login"}), AllOf(HasSubstr("exit code 3"), HasSubstr(".env")));
    EXPECT_THAT(Shown({"why", "m1"}), HasSubstr("work"));
    EXPECT_THAT(Shown({"merge-queue", "list", "--all"}),
                AllOf(HasSubstr("m1"), HasSubstr("cancelled"), HasSubstr("m2")));
    EXPECT_THAT(Shown({"merge-queue", "status"}), HasSubstr("paused"));
    EXPECT_THAT(Shown({"hook", "show", "login"}), HasSubstr("the form works"));
    EXPECT_THAT(Shown({"taint", "status", "--agent", "login"}), HasSubstr(".env"));
    EXPECT_THAT(Shown({"signal", "list", "guardian"}), HasSubstr("NEEDS_REVIEW"));
    EXPECT_THAT(Shown({"signal", "list", "person"}), HasSubstr("AGENT_CRASHED"));
    EXPECT_THAT(Shown({"logs", "login"}), HasSubstr("hello"));
  }

  // Of the checks of belay's own state; what the machine lacks doesn't count.
  void ExpectDoctorReadsIt() {
    const RunOutcome doctor = Belay({"doctor"});
    for (const char* complaint :
         {"understood", "damaged", "newer belay", "unreadable", "of another"}) {
      EXPECT_THAT(doctor.out + doctor.err, Not(HasSubstr(complaint)));
    }
  }
};

TEST_F(GoldenVaultTest, EveryVersionOpensWithTheSameContent) {
  for (int version = 1; version <= kVaultVersion; ++version) {
    const std::string name = "v" + std::to_string(version);
    Open(name);
    EXPECT_EQ(folder_.Read("repo/.git/belay/format"), std::to_string(version) + "\n");
    ExpectItsContent();
    ExpectDoctorReadsIt();
  }
}

TEST_F(GoldenVaultTest, EveryVersionCanBeWrittenToAndRepaired) {
  for (int version = 1; version <= kVaultVersion; ++version) {
    Open("v" + std::to_string(version));
    Shown({"init", "--yes"});
    EXPECT_EQ(folder_.Read("repo/.git/belay/format"), VaultFormatText());
    EXPECT_THAT(Belay({"doctor", "--repair"}).out, Not(HasSubstr("damaged")));
    Shown({"hook", "note", "login", "written by the present belay"});
    EXPECT_THAT(folder_.Read("repo/.claude/state/hooks/orchestrator-login.json"),
                AllOf(HasSubstr("the form works"), HasSubstr("written by the present belay")));
    Shown({"merge-queue", "remove", "m2"});
    EXPECT_THAT(folder_.Read("repo/.claude/state/merge-queue.json"), HasSubstr("\"m1\""));
    Shown({"taint", "mark", "--source", "more.txt", "--agent", "login"});
    ExpectItsContent();
  }
}

}  // namespace
}  // namespace belay
