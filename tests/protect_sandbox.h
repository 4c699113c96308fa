// A repository whose main is protected: with `login`, one commit ahead of main, and `side`, which
// left main one commit ago.

#ifndef BELAY_TESTS_PROTECT_SANDBOX_H_
#define BELAY_TESTS_PROTECT_SANDBOX_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ledger/identity_ledger.h"
#include "os/process_identity.h"
#include "testing/git_repository.h"
#include "testing/places.h"
#include "testing/real_process.h"

namespace belay {

class ProtectSandbox : public ::testing::Test {
 protected:
  ProtectSandbox() {
    repo_.Write(".git/info/exclude", ".claude/\n");
    repo_.Git({"config", "core.fsync", "none"});  // belay's own git syncs nevertheless
    Commit("side", "side.txt", "main");
    repo_.Git({"checkout", "-q", "main"});
    repo_.Write("second.txt", "second\n");
    repo_.CommitAll("second");
    Commit("login", "login.txt", "main");
    repo_.Git({"checkout", "-q", "main"});
    EXPECT_EQ(Belay({"init"}).exit_code, 0);
    EXPECT_EQ(Belay({"merge-queue", "protect"}).exit_code, 0);
    tip_ = Tip("main");
    files_ = repo_.Files();
    index_ = repo_.Index();
  }

  // From here on, what this test starts is in the process tree of an agent.
  void MakeMeAnAgent() {
    RealFileCalls calls;
    FileSystem files(calls);
    const SystemClock clock;
    const Layout project(repo_.path(), repo_ / ".git");
    Identity agent{.id = *AgentId::Parse("worker-a#1")};
    agent.status = AgentStatus::kAlive;
    const ProcessIdentity self = *IdentityOf(getpid());
    agent.process = ProcessMark{self.pid, self.start_time};
    agent.boot_id = self.boot_id;
    IdentityLedger identities(files, clock, project);
    ASSERT_TRUE(
        identities.Record(*IdentityLedger::Lock(files, project), {"alive", "", agent}).ok());
  }

  void Commit(const std::string& branch, const std::string& file, const std::string& from) {
    repo_.Git({"checkout", "-q", "-b", branch, from});
    repo_.Write(file, branch + "\n");
    repo_.CommitAll("work on " + branch);
  }

  using Variables = std::map<std::string, std::string>;
  RunOutcome Run(const std::vector<std::string>& command, const Variables& variables = {},
                 const std::string& folder = {}) const {
    RunOptions options{.folder = folder.empty() ? repo_.path() : folder,
                       .environment = GitRepository::Environment()};
    for (const auto& [name, value] : variables) options.environment.insert_or_assign(name, value);
    return RunReal(command, options);
  }
  RunOutcome Belay(std::vector<std::string> arguments, const Variables& variables = {}) const {
    arguments.insert(arguments.begin(), BelayBinary());
    return Run(arguments, variables);
  }
  RunOutcome Git(std::vector<std::string> arguments, const Variables& variables = {},
                 const std::string& folder = {}) const {
    arguments.insert(arguments.begin(), "git");
    return Run(arguments, variables, folder);
  }
  void ExpectWorks(const std::vector<std::string>& arguments, const std::string& folder = {}) {
    const RunOutcome outcome = Git(arguments, {}, folder);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, ::testing::Not(::testing::HasSubstr("belay")));
  }
  // And what stays as it was is said.
  void ExpectRefused(const std::vector<std::string>& arguments, const std::string& says = {}) {
    const RunOutcome outcome = Git(arguments);
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_THAT(outcome.err, ::testing::HasSubstr("main is protected"));
    EXPECT_THAT(outcome.err, ::testing::HasSubstr("belay merge-queue add BRANCH"));
    EXPECT_THAT(outcome.err, ::testing::HasSubstr(says));
    EXPECT_EQ(Tip("main"), tip_);
  }
  void ExpectAsFound() {
    EXPECT_EQ(repo_.Files(), files_);
    EXPECT_EQ(repo_.Index(), index_);
    EXPECT_EQ(repo_.Git({"status", "--porcelain"}), "");
    EXPECT_EQ(repo_.Git({"symbolic-ref", "HEAD"}), "refs/heads/main\n");
    for (const char* name : {"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE",
                             "MERGE_HEAD.belay", "belay-follow", "index.lock"}) {
      EXPECT_EQ(repo_.Read(std::string(".git/") + name), "(missing)") << name;
    }
  }

  std::string Tip(const std::string& ref) const {
    std::string id = Git({"rev-parse", "-q", "--verify", ref}).out;
    return id.substr(0, id.find('\n'));
  }
  std::string Hook() const { return repo_.Read(kHook); }

  static constexpr const char* kHook = ".git/hooks/reference-transaction";
  static constexpr const char* kAside = ".git/hooks/reference-transaction.before-belay";
  GitRepository repo_;
  std::string tip_;                        // of main
  std::map<std::string, SeenFile> files_;  // of its checkout
  std::string index_;
};

}  // namespace belay

#endif  // BELAY_TESTS_PROTECT_SANDBOX_H_
