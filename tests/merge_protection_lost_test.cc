// A protection whose hook is lost is said by doctor, and goes with belay when that is taken out.

#include <sys/stat.h>

#include "codec/json.h"
#include "protect_sandbox.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ProtectionLostTest : public ProtectSandbox {
 protected:
  // The state of doctor's check, and what it found; "(none)" when there is no such check.
  std::string Doctor() {
    const Result<Json> record = ParseJson(Belay({"doctor", "--json"}).out);
    if (!record) return "(no record)";
    for (const Json& check : *record->Find("checks")->AsArray()) {
      if (*check.Find("name")->AsString() != "protection") continue;
      return *check.Find("state")->AsString() + ": " + *check.Find("detail")->AsString();
    }
    return "(none)";
  }
  void ExpectLost(const std::string& what) {
    EXPECT_THAT(Doctor(), AllOf(HasSubstr("lacking: main is protected, but "), HasSubstr(what)));
    EXPECT_THAT(Belay({"doctor"}).out, HasSubstr("belay merge-queue protect --target 'main'"));
    EXPECT_EQ(Belay({"merge-queue", "protect"}).exit_code, 0);
    EXPECT_EQ(Doctor(), "fine: main");
  }
};

TEST_F(ProtectionLostTest, DoctorIsSilentWithoutProtection) {
  EXPECT_EQ(Doctor(), "fine: main");
  EXPECT_EQ(Belay({"merge-queue", "unprotect"}).exit_code, 0);
  EXPECT_EQ(Doctor(), "(none)");
}

TEST_F(ProtectionLostTest, DoctorReportsAMissingHook) {
  ASSERT_EQ(unlink((repo_ / kHook).c_str()), 0);
  ExpectLost("isn't in " + (repo_ / ".git/hooks"));
}

TEST_F(ProtectionLostTest, DoctorReportsAHookThatCannotBeRun) {
  ASSERT_EQ(chmod((repo_ / kHook).c_str(), 0644), 0);
  ExpectLost("isn't in " + (repo_ / ".git/hooks"));
}

TEST_F(ProtectionLostTest, DoctorReportsAnotherHookInItsPlace) {
  repo_.Write(kHook, "#!/bin/sh\nexit 0\n");
  ExpectLost("isn't in " + (repo_ / ".git/hooks"));
}

TEST_F(ProtectionLostTest, DoctorReportsThatGitLooksForHooksElsewhere) {
  repo_.Git({"config", "core.hooksPath", repo_.outside() / "hooks"});
  ExpectLost("isn't in " + (repo_.outside() / "hooks"));
}

TEST_F(ProtectionLostTest, DoctorReportsThatTheHookDoesNotListTheTarget) {
  repo_.Write(".git/belay/merge/guarded-refs", "refs/heads/other\n");
  ExpectLost("its hook doesn't list the target");
  // Without the list the journal is asked.
  ASSERT_EQ(unlink((repo_ / ".git/belay/merge/guarded-refs").c_str()), 0);
  EXPECT_EQ(Doctor(), "fine: main");
}

TEST_F(ProtectionLostTest, RemovingBelayRemovesTheHook) {
  const RunOutcome would = Belay({"init", "--remove", "--dry-run"});
  EXPECT_THAT(would.out, HasSubstr(kHook));
  EXPECT_NE(Hook(), "(missing)");
  const RunOutcome removed = Belay({"init", "--remove"});
  EXPECT_EQ(removed.exit_code, 0) << removed.err;
  EXPECT_THAT(removed.out, HasSubstr(kHook));
  EXPECT_EQ(Hook(), "(missing)");
  ExpectWorks({"merge", "-q", "login"});
  EXPECT_EQ(Doctor(), "(none)");
}

TEST_F(ProtectionLostTest, RemovingBelayPutsBackTheHookThatWasThere) {
  EXPECT_EQ(Belay({"merge-queue", "unprotect"}).exit_code, 0);
  const std::string theirs = "#!/bin/sh\nexit 0\n";
  repo_.Write(kHook, theirs);
  ASSERT_EQ(chmod((repo_ / kHook).c_str(), 0755), 0);
  EXPECT_EQ(Belay({"merge-queue", "protect"}).exit_code, 0);
  EXPECT_THAT(Belay({"init", "--remove"}).out, HasSubstr("the previous hook is restored"));
  EXPECT_EQ(Hook(), theirs);
  EXPECT_EQ(repo_.Read(kAside), "(missing)");
}

TEST_F(ProtectionLostTest, RemovingBelayReportsAHookThatIsNotOursAnyMore) {
  repo_.Write(kAside, "#!/bin/sh\n");
  repo_.Write(kHook, "#!/bin/sh\nexit 0\n");
  EXPECT_THAT(Belay({"init", "--remove"}).out,
              AllOf(HasSubstr(kHook), HasSubstr("or it was replaced")));
  EXPECT_EQ(Hook(), "#!/bin/sh\nexit 0\n");
}

TEST_F(ProtectionLostTest, AnAgentDoesNotRemoveIt) {
  MakeMeAnAgent();
  const RunOutcome outcome = Belay({"init", "--remove"});
  EXPECT_EQ(outcome.exit_code, 4) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("run it yourself"));
  EXPECT_NE(Hook(), "(missing)");
  ExpectRefused({"merge", "login"});
}

// Taking out the hooks of one agent program is no more than that.
TEST_F(ProtectionLostTest, RemovingOnlyTheHooksOfClaudeLeavesIt) {
  EXPECT_THAT(Belay({"init", "--agent", "claude", "--remove"}).out, Not(HasSubstr(kHook)));
  EXPECT_NE(Hook(), "(missing)");
}

}  // namespace
}  // namespace belay
