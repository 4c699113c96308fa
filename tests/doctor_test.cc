// Doctor says what is wrong, with the exit code of the command that would fail; and repairs the
// rest.

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents_sandbox.h"
#include "sandbox.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class DoctorTest : public Sandbox {
 protected:
  DoctorTest() { EXPECT_EQ(Belay({"init"}).exit_code, 0); }

  void InRepo(const std::string& script) {
    ASSERT_EQ(RunReal({"sh", "-ec", script}, {.folder = folder_ / "repo"}).exit_code, 0) << script;
  }
  // Both ways of asking end like this, and say so.
  void ExpectBroken(int exit_code, const std::string& said) {
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"doctor"}, {"doctor", "--repair"}}) {
      const RunOutcome outcome = Belay(command);
      EXPECT_EQ(outcome.exit_code, exit_code) << command.back() << outcome.out << outcome.err;
      EXPECT_THAT(outcome.out + outcome.err, HasSubstr(said)) << command.back();
    }
  }
  // As an ordinary user, for whom modes count.
  RunOutcome AsSomebody(std::vector<std::string> command) {
    command.insert(command.begin(), BelayBinary());
    if (geteuid() == 0) {
      EXPECT_EQ(RunReal({"chown", "-R", "65534:65534", folder_.path()}).exit_code, 0);
      command.insert(command.begin(),
                     {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"});
    }
    return RunReal(command, {.folder = folder_ / "repo"});
  }
};

TEST_F(DoctorTest, SeesALockOrARootFileThatIsNone) {
  const std::string lock = ".git/belay/locks/project.lock";
  for (const std::string& path : {lock, std::string(".git/belay/root")}) {
    for (const std::string make : {"mkfifo", "mkdir", "ln -s nowhere"}) {
      InRepo("rm -rf " + path + "; " + make + " " + path);
      ExpectBroken(5, path + " is not a file");
      EXPECT_EQ(Belay({"init"}).exit_code, 5);
      EXPECT_EQ(Belay({"log"}).exit_code, 0);
    }
    InRepo("rm -rf " + path);
    EXPECT_EQ(Belay({"init"}).exit_code, 0);
  }
}

TEST_F(DoctorTest, ReportsMissingPermissions) {
  for (const std::string script : {"chmod 0 .git/belay/locks/project.lock", "chmod 600 .git/belay",
                                   "chmod 0 .git/belay/journals"}) {
    InRepo(script);
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"doctor"}, {"doctor", "--repair"}, {"init"}}) {
      const RunOutcome outcome = AsSomebody(command);
      EXPECT_EQ(outcome.exit_code, 2) << script << command.back() << outcome.out << outcome.err;
      EXPECT_THAT(outcome.out + outcome.err, HasSubstr("chmod u+")) << script;
    }
    InRepo("chmod 700 .git/belay .git/belay/journals; chmod 600 .git/belay/locks/*");
  }
}

TEST_F(DoctorTest, AStateRootThatIsWrongIsAWrongRoot) {
  InRepo("rm -r .claude/state; echo x >.claude/state");
  ExpectBroken(2, ".claude/state is not a folder");
  InRepo("rm .claude/state; mkdir .claude/state; chmod 500 .claude/state");
  const RunOutcome outcome = AsSomebody({"doctor", "--repair"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr(".claude/state is not writable"));
}

TEST_F(DoctorTest, SomethingElseInThePlaceOfAStateFileIsNamedAndInitMovesItAway) {
  int kept = 0;
  for (const std::string make : {"mkfifo", "mkdir", "ln -s nowhere"}) {
    InRepo("rm -rf .claude/state/project.json; " + make + " .claude/state/project.json");
    EXPECT_THAT(Belay({"doctor"}).out, HasSubstr("project.json: unreadable"));
    EXPECT_EQ(Belay({"init"}).exit_code, 0);
    EXPECT_THAT(folder_.Read("repo/.claude/state/project.json"), HasSubstr("sha256"));
    InRepo("ls -d .git/belay/edited/project.json-" + std::to_string(++kept));
  }
}

TEST_F(DoctorTest, ARepositoryThatPointsNowhereIsBroken) {
  folder_.Write("lost/.git", "gitdir: /nowhere\n");
  const RunOutcome outcome = Belay({"doctor"}, {.folder = folder_ / "lost"});
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_THAT(outcome.out, HasSubstr("points to /nowhere"));
  EXPECT_EQ(Belay({"log"}, {.folder = folder_ / "lost"}).exit_code, 5);
}

TEST_F(DoctorTest, SeesJournalsThatOthersCanRead) {
  InRepo("chmod 644 .git/belay/journals/project.jsonl");
  EXPECT_THAT(Belay({"doctor"}).out, HasSubstr("chmod go= '"));
  InRepo("chmod 600 .git/belay/journals/project.jsonl; chmod 755 .git/belay/journals");
  EXPECT_THAT(Belay({"doctor"}).out, HasSubstr(".git/belay/journals: mode 0755"));
}

TEST_F(DoctorTest, DoesNotSayThatNothingIsRecordedWhenSomethingIs) {
  InRepo("git clean -qfdx");
  const std::string out = Belay({"doctor"}).out;
  EXPECT_THAT(out, AllOf(HasSubstr("lacking"), Not(HasSubstr("belay has recorded nothing yet"))));
  EXPECT_THAT(out, HasSubstr(".claude/state/project.json: missing"));
}

TEST_F(DoctorTest, DoesNotClaimThatNothingNeededRepairWhenChecksAreBroken) {
  EXPECT_THAT(Belay({"doctor", "--repair"}).out, HasSubstr("nothing needed repair"));
  folder_.Write("repo/.claude/belay.yml", "nonsense: true\n");
  const RunOutcome outcome = Belay({"doctor", "--repair"});
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, Not(HasSubstr("nothing needed repair")));
}

TEST_F(DoctorTest, ReportsWhatItDidWhenNoLineWasDamaged) {
  folder_.Write("repo/.claude/state/project.json", "mine");
  ASSERT_EQ(Belay({"doctor", "--repair"}).exit_code, 0);
  InRepo("sed -i 2d .git/belay/journals/project.jsonl");
  const RunOutcome outcome = Belay({"doctor", "--repair"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("a record was missing"), Not(HasSubstr("0 damaged"))));
}

TEST_F(DoctorTest, AStateFileTooLargeToBeReadIsMovedAside) {
  InRepo("truncate -s 65M .claude/state/project.json");
  EXPECT_EQ(Belay({"doctor", "--repair"}).exit_code, 0);
  struct stat info {};
  ASSERT_EQ(stat((folder_ / "repo/.git/belay/edited/project.json-1").c_str(), &info), 0);
  EXPECT_EQ(info.st_size, 65 << 20);
  EXPECT_THAT(folder_.Read("repo/.claude/state/project.json"), HasSubstr("\"edits\": 1"));
}

class DoctorAgentsTest : public AgentsSandbox {
 protected:
  std::string Found() {
    const Json report = BelayJson({"doctor"});
    for (const Json& check : *report.Find("checks")->AsArray()) {
      if (TextOf(check, "name") == "state files") return TextOf(check, "detail");
    }
    return "no such check";
  }
  std::string Repaired() { return Belay({"doctor", "--repair"}).out; }
};

TEST_F(DoctorAgentsTest, RepairsLostOrEditedFilesOfAgents) {
  EXPECT_EQ(Found(), "match the journals");
  Spawn("worker-a#1");  // which renders nothing
  EXPECT_THAT(Found(),
              AllOf(HasSubstr("identities/worker-a.json: missing"),
                    HasSubstr("hooks/worker-a.json: missing"), HasSubstr("taint.json: missing")));
  EXPECT_THAT(Repaired(), HasSubstr("repaired .claude/state/hooks/worker-a.json: rewritten\n"));
  EXPECT_EQ(Found(), "match the journals");
  folder_.Write("repo/.claude/state/identities/worker-a.json", "{\"mine\":1}\n");
  EXPECT_EQ(Found(), ".claude/state/identities/worker-a.json: edited by hand");
  EXPECT_THAT(Repaired(), HasSubstr("the edited file is in .git/belay/edited"));
  EXPECT_THAT(folder_.Read("repo/.git/belay/edited/worker-a.json-1"), HasSubstr("mine"));
  EXPECT_EQ(Found(), "match the journals");
}

TEST_F(DoctorTest, AnEmptyVaultShowsNothing) {
  InRepo("rm -r .git/belay/journals .claude/state");
  EXPECT_EQ(Belay({"doctor", "--repair"}).exit_code, 0);
  EXPECT_EQ(folder_.Read("repo/.claude/state/project.json"), "(missing)");
}

}  // namespace
}  // namespace belay
