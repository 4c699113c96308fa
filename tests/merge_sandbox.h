// A repository with a merge queue: branches, gates, and the real belay to land them.

#ifndef BELAY_TESTS_MERGE_SANDBOX_H_
#define BELAY_TESTS_MERGE_SANDBOX_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codec/json.h"
#include "json_text.h"
#include "ledger/identity_ledger.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "os/process.h"
#include "testing/git_repository.h"
#include "testing/places.h"
#include "testing/real_process.h"

namespace belay {

using Files = std::map<std::string, std::string>;  // path and content

class MergeSandbox : public ::testing::Test {
 protected:
  // With a gate that always passes.
  MergeSandbox() {
    repo_.Write(".git/info/exclude", ".claude/\n");
    repo_.Git({"config", "core.fsync", "none"});  // belay's own git syncs nevertheless
    EXPECT_EQ(Belay({"init"}).exit_code, 0);
    Gate("true");
  }

  RunOutcome Belay(std::vector<std::string> arguments, RunOptions options = {}) {
    arguments.insert(arguments.begin(), BelayBinary());
    if (options.folder == "/") options.folder = repo_.path();
    for (const auto& [name, value] : GitRepository::Environment()) {
      options.environment.emplace(name, value);
    }
    return RunReal(arguments, options);
  }
  RunOutcome Queue(std::vector<std::string> arguments, RunOptions options = {}) {
    arguments.insert(arguments.begin(), "merge-queue");
    return Belay(std::move(arguments), std::move(options));
  }
  // What it says with --json.
  Json QueueJson(std::vector<std::string> arguments, int exit_code = 0) {
    arguments.emplace_back("--json");
    const RunOutcome outcome = Queue(arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.out << outcome.err;
    const Result<Json> record = ParseJson(outcome.out);
    EXPECT_TRUE(record.ok()) << outcome.out;
    return record ? *record : Json();
  }
  void ExpectRefused(const std::vector<std::string>& arguments, int exit_code,
                     const std::string& says, const std::string& hint) {
    const RunOutcome outcome = Queue(arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.err, ::testing::HasSubstr(says));
    EXPECT_THAT(outcome.err, ::testing::HasSubstr(hint));
  }

  // How to run as an agent that is on record, and works in the main worktree.
  RunOptions AsAgent() {
    RealFileCalls calls;
    FileSystem files(calls);
    const SystemClock clock;
    const Layout project(repo_.path(), repo_ / ".git");
    Identity agent{.id = *AgentId::Parse("orchestrator-x#1")};
    agent.status = AgentStatus::kAlive;
    agent.worktree_path = repo_.path();
    const auto lock = IdentityLedger::Lock(files, project);
    EXPECT_TRUE(lock && IdentityLedger(files, clock, project).Record(*lock, {"alive", "", agent}));
    return {.environment = {{"BELAY_AGENT_ID", agent.id.text()}}};
  }

  // The whole configuration: lines below `merge:`.
  void Settings(const std::string& lines) { repo_.Write(".claude/belay.yml", "merge:\n" + lines); }
  void Gate(const std::string& script, const std::string& more = {}) {
    const std::string run = WriteJson(Json(script));
    Settings("  gates:\n    - name: test\n      run: " + run + "\n" + more);
  }

  // Files are written on a new branch, one commit for each of the lists.
  void Branch(const std::string& name, const std::vector<Files>& commits,
              const std::string& from = "main") {
    repo_.Git({"checkout", "-q", "-b", name, from});
    for (const Files& files : commits) CommitFiles(files, "work on " + name);
    repo_.Git({"checkout", "-q", "main"});
  }
  void CommitFiles(const Files& files, const std::string& message) {
    for (const auto& [path, content] : files) repo_.Write(path, content);
    repo_.CommitAll(message);
  }
  // On a branch that is there, or on main.
  void MoreOn(const std::string& branch, const Files& files, const std::string& message = "more") {
    repo_.Git({"checkout", "-q", branch});
    CommitFiles(files, message);
    repo_.Git({"checkout", "-q", "main"});
  }
  // Its entry.
  std::string Add(const std::string& branch, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"add", branch});
    return TextOf(QueueJson(std::move(more)), "entry_id");
  }
  std::string AddBranch(const std::string& name, const Files& files) {
    Branch(name, {files});
    return Add(name);
  }
  // `process --all` that goes on beside the test. What it says goes to `errors`, or nowhere.
  Process StartProcessing(std::optional<int> errors = std::nullopt) {
    Environment::Variables variables = {{"PATH", getenv("PATH")}, {"HOME", repo_.path()}};
    for (const auto& [name, value] : GitRepository::Environment()) variables.emplace(name, value);
    auto process = Process::Spawn({.command = {BelayBinary(), "merge-queue", "process", "--all"},
                                   .folder = repo_.path(),
                                   .environment = variables,
                                   .errors = errors,
                                   .group = SpawnGroup::kNewSession});
    EXPECT_TRUE(process.has_value());
    return *std::move(process);
  }
  RunOutcome ProcessAll() { return Queue({"process", "--all"}); }
  // Everything lands.
  void Land() {
    const RunOutcome outcome = ProcessAll();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  }

  Json Entry(const std::string& id) { return QueueJson({"status", id}); }
  std::string Status(const std::string& id) { return TextOf(Entry(id), "status"); }
  std::string ErrorOf(const std::string& id) { return TextOf(Entry(id), "last_error"); }
  std::string Script(const std::string& script) {
    const RunOutcome outcome =
        RunReal({"sh", "-ec", script},
                {.folder = repo_.path(), .environment = GitRepository::Environment()});
    EXPECT_EQ(outcome.exit_code, 0) << script << "\n" << outcome.err;
    return outcome.out;
  }
  std::string Commit(const std::string& name) {
    const std::string out = repo_.Git({"rev-parse", "--verify", name});
    return out.substr(0, out.find('\n'));
  }
  bool HasBranch(const std::string& name) {
    return repo_.TryGit({"show-ref", "--verify", "-q", "refs/heads/" + name}) == 0;
  }
  // The subjects, the first one first, each with a line break.
  std::string History(const std::string& branch = "main") {
    return repo_.Git({"log", "--reverse", "--topo-order", "--format=%s", branch, "--"});
  }
  std::string FileOf(const std::string& path, const std::string& branch = "main") {
    return repo_.Git({"show", branch + ":" + path});
  }
  std::string MainChanges() { return repo_.Git({"status", "--porcelain"}); }

  // Nothing is left but what is meant to stay: no locks, no candidates, one scratch worktree.
  void ExpectTidy() {
    namespace fs = std::filesystem;
    const std::string refs = repo_.Git({"for-each-ref", "--format=%(refname)", "refs/belay"});
    EXPECT_THAT(refs, ::testing::Not(::testing::HasSubstr("/candidate")));
    for (const auto& file : fs::recursive_directory_iterator(repo_ / ".git")) {
      const std::string path = file.path();
      const bool ours = path.find("/belay/locks/") != std::string::npos;
      EXPECT_TRUE(file.path().extension() != ".lock" || ours) << path;
      EXPECT_NE(file.path().filename(), "belay-follow") << path;
      EXPECT_NE(file.path().extension(), ".keep") << path;
    }
    const std::string worktrees = repo_.Git({"worktree", "list", "--porcelain"});
    const std::string scratch = "worktree " + (repo_ / ".git/belay/merge/scratch") + "\n";
    const std::size_t first = worktrees.find(scratch);
    EXPECT_EQ(worktrees.find(scratch, first + 1), std::string::npos) << worktrees;
    EXPECT_EQ(worktrees.find("prunable"), std::string::npos) << worktrees;
    repo_.Git({"fsck", "--strict", "--no-dangling"});
  }

  GitRepository repo_;
};

}  // namespace belay

#endif  // BELAY_TESTS_MERGE_SANDBOX_H_
