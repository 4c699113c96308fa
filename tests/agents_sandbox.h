// A project with agents in it that are only records: what commands say about them, and what they
// let do what, needs no process.

#ifndef BELAY_TESTS_AGENTS_SANDBOX_H_
#define BELAY_TESTS_AGENTS_SANDBOX_H_

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "json_text.h"
#include "ledger/hook_ledger.h"
#include "ledger/identity_ledger.h"
#include "ledger/taint_ledger.h"
#include "os/process_identity.h"
#include "sandbox.h"

namespace belay {

class AgentsSandbox : public Sandbox {
 protected:
  AgentsSandbox() {
    EXPECT_EQ(Belay({"init", "--yes"}).exit_code, 0);
    Git({"-C", "repo", "add", "."});
    Git({"-C", "repo", "commit", "-qm", "first"});
  }

  // A running agent in the main worktree, with a hook and a clean record.
  Identity Spawn(const std::string& agent_id, bool clean = true) {
    Identity agent{.id = *AgentId::Parse(agent_id)};
    agent.status = AgentStatus::kAlive;
    agent.worktree_path = folder_ / "repo";
    agent.created_at = clock_.Wall();
    Save(agent);
    HookLedger hooks(files_, clock_, project_);
    const Hook hook{.identity = agent.id.identity(), .incarnation = agent.id.incarnation()};
    EXPECT_TRUE(hooks.Record(*HookLedger::Lock(files_, project_), "spawn", "", hook).ok());
    TaintLedger taint(files_, clock_, project_);
    if (clean) {
      EXPECT_TRUE(taint.Begin(*TaintLedger::Lock(files_, project_), agent_id, std::nullopt).ok());
    }
    return agent;
  }
  void Save(const Identity& agent) {
    IdentityLedger identities(files_, clock_, project_);
    const auto lock = IdentityLedger::Lock(files_, project_);
    ASSERT_TRUE(lock.ok());
    ASSERT_TRUE(identities.Record(*lock, {"alive", "", agent}).ok());
  }
  Identity Present(const std::string& name) {
    IdentityLedger identities(files_, clock_, project_);
    EXPECT_TRUE(identities.CatchUp().ok());
    return *identities.book().Find(*IdentityName::Parse(name));
  }
  // From here on, what this test starts is in the process tree of that agent.
  void BecomeTreeOf(Identity agent) {
    const ProcessIdentity self = *IdentityOf(getpid());
    agent.process = ProcessMark{self.pid, self.start_time};
    agent.boot_id = self.boot_id;
    Save(agent);
  }

  RunOutcome As(const std::string& agent_id, const std::vector<std::string>& command) {
    return Belay(command, {.environment = {{"BELAY_AGENT_ID", agent_id}}});
  }
  void ExpectError(const std::vector<std::string>& command, int exit_code, const std::string& says,
                   const std::string& agent_id = "") {
    RunOptions options;
    if (!agent_id.empty()) options.environment = {{"BELAY_AGENT_ID", agent_id}};
    const RunOutcome outcome = Belay(command, options);
    EXPECT_EQ(outcome.exit_code, exit_code) << command[1] << outcome.out << outcome.err;
    EXPECT_EQ(outcome.out, "") << command[1];
    EXPECT_THAT(outcome.err, ::testing::HasSubstr(says)) << command[1];
  }
  std::string Log() { return Belay({"log"}).out; }

  RealFileCalls calls_;
  FileSystem files_{calls_};
  SystemClock clock_;
  Layout project_{folder_ / "repo", folder_ / "repo/.git"};
};

}  // namespace belay

#endif  // BELAY_TESTS_AGENTS_SANDBOX_H_
