#include "merges/queue.h"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>

#include "base/check.h"
#include "codec/json.h"
#include "testing/real_process.h"

namespace belay {
namespace {

namespace fs = std::filesystem;

std::string LeftBehind(const GitRepository& repository) {
  std::string problems;
  for (const auto& file : fs::recursive_directory_iterator(repository / ".git")) {
    const std::string path = file.path();
    const bool lock =
        file.path().extension() == ".lock" && path.find("/belay/locks/") == std::string::npos;
    const bool note = file.path().filename() == "belay-follow";
    if (lock || note) problems += fmt::format("{} is left\n", path);
  }
  const std::string refs = repository.Git(
      {"for-each-ref", "--format=%(refname) is left", "refs/belay/merge/*/candidate"});
  return problems + refs;
}

}  // namespace

std::string RunBelay(const std::string& belay, const GitRepository& repository,
                     std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), belay);
  const RunOutcome outcome = RunReal(
      arguments, {.folder = repository.path(), .environment = GitRepository::Environment()});
  if (outcome.exit_code != 0) fmt::print(stderr, "{}\n", outcome.err);
  BELAY_CHECK(outcome.exit_code == 0);
  return outcome.out;
}

WorkQueue::WorkQueue(std::string belay, const Work& work) : belay_(std::move(belay)), work_(work) {
  repository_.Write(".git/info/exclude", ".claude/\n");
  repository_.Git({"config", "core.fsync", "none"});  // belay's own git syncs nevertheless
  DoWork(repository_, work);
  (void)RunBelay(belay_, repository_, {"init"});
  repository_.Write(".claude/belay.yml", fmt::format("merge: {{gates: [{{name: test, run: {}}}]}}",
                                                     WriteJson(Json(std::string(kWorkGate)))));
  for (const BranchWork& branch : work.branches)
    (void)RunBelay(belay_, repository_, {"merge-queue", "add", branch.name});
}

Environment::Variables WorkQueue::Variables() {
  Environment::Variables variables = {{"PATH", std::getenv("PATH")}, {"HOME", "/"}};
  for (const auto& [name, value] : GitRepository::Environment()) variables.emplace(name, value);
  return variables;
}

std::vector<std::string> WorkQueue::ProcessCommand() const {
  return {belay_, "merge-queue", "process", "--all"};
}

Landed WorkQueue::Reference() const {
  return LandByHand(repository_, work_, repository_.outside() / "by-hand");
}

bool WorkQueue::ProcessToTheEnd() const {
  const RunOutcome outcome =
      RunReal(ProcessCommand(),
              {.folder = repository_.path(), .environment = GitRepository::Environment()});
  if (outcome.exit_code == 0 || outcome.exit_code == 1) return true;
  fmt::print("exit code {}: {}\n", outcome.exit_code, outcome.err);
  return false;
}

Landed WorkQueue::Outcome() const {
  Landed landed;
  const Result<Json> list =
      ParseJson(RunBelay(belay_, repository_, {"merge-queue", "list", "--all", "--json"}));
  for (const Json& entry : *list->Find("entries")->AsArray()) {
    landed.outcome[*entry.Find("branch")->AsString()] = *entry.Find("status")->AsString();
  }
  landed.tree = repository_.Git({"rev-parse", "main^{tree}"});
  landed.history =
      repository_.Git({"log", "--reverse", "--topo-order", "--format=%s", "main", "--"});
  return landed;
}

std::string WorkQueue::Problems() const {
  std::string problems = LeftBehind(repository_);
  if (repository_.TryGit({"fsck", "--strict", "--no-dangling"}) != 0) problems += "fsck fails\n";
  const std::string changes = repository_.Git({"status", "--porcelain"});
  if (!changes.empty()) problems += "main's checkout didn't follow:\n" + changes;
  const Result<Json> list =
      ParseJson(RunBelay(belay_, repository_, {"merge-queue", "list", "--all", "--json"}));
  for (const Json& entry : *list->Find("entries")->AsArray()) {
    const std::string branch = *entry.Find("branch")->AsString();
    const bool merged = *entry.Find("status")->AsString() == "merged";
    const bool there =
        repository_.TryGit({"show-ref", "--verify", "-q", "refs/heads/" + branch}) == 0;
    if (merged == there) problems += fmt::format("{} is {}\n", branch, there ? "left" : "lost");
    if (!*entry.Find("told")->AsBool()) problems += fmt::format("nobody heard of {}\n", branch);
  }
  return problems;
}

std::string Difference(const Landed& wanted, const Landed& got) {
  std::string text;
  for (const auto& [branch, outcome] : wanted.outcome) {
    const auto found = got.outcome.find(branch);
    const std::string now = found == got.outcome.end() ? "missing" : found->second;
    if (now != outcome) text += fmt::format("{} is {}, not {}\n", branch, now, outcome);
  }
  if (wanted.history != got.history) {
    text += fmt::format("the history is\n{}instead of\n{}", got.history, wanted.history);
  }
  if (wanted.tree != got.tree) text += "another tree\n";
  return text;
}

}  // namespace belay
