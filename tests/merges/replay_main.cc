// Lands a project's own past again, through the merge queue, and looks whether it comes to the
// same.
//
//   history_replay --belay PATH --repository FOLDER [--commits N]
//   history_replay --repository FOLDER --why-not
//
// The latest N commits are made into branches (past.h) in a repository of its own, all of which are
// queued in their order, before the first one lands. Then main must have the same commits, each
// with its tree, author, dates and message: so the queue is asked to keep committer dates. The
// repository in FOLDER is only read. With --why-not it says why FOLDER can't be used, and the exit
// code is 1, or nothing.

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "codec/json.h"
#include "merges/past.h"
#include "merges/queue.h"
#include "testing/real_process.h"

namespace belay {
namespace {

// Quick, and green only if the worktree is the candidate and nothing else.
constexpr const char* kGate = "test -f CMakeLists.txt && test -z \"$(git status --porcelain)\"";

struct Options {
  std::string belay;
  std::string folder;
  std::size_t commits = 200;
  bool why_not = false;
};

std::optional<Options> ParseOptions(std::vector<std::string> words) {
  Options options;
  if (!words.empty() && words.back() == "--why-not") {
    options.why_not = true;
    words.pop_back();
  }
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::string& value = words[i + 1];
    if (words[i] == "--belay") {
      options.belay = value;
    } else if (words[i] == "--repository") {
      options.folder = std::filesystem::absolute(value);
    } else if (words[i] == "--commits") {
      const auto [stop, status] =
          std::from_chars(value.data(), value.data() + value.size(), options.commits);
      if (status != std::errc() || stop != value.data() + value.size()) return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  const bool whole = words.size() % 2 == 0 && !options.folder.empty() && options.commits > 0;
  return whole && (options.why_not || !options.belay.empty()) ? std::optional(options)
                                                              : std::nullopt;
}

std::string NotMerged(const std::string& list) {
  std::string problems;
  const Result<Json> json = ParseJson(list);
  for (const Json& entry : *json->Find("entries")->AsArray()) {
    const std::string status = *entry.Find("status")->AsString();
    if (status == "merged") continue;
    problems += fmt::format("{} is {}: {}\n", *entry.Find("branch")->AsString(), status,
                            WriteJson(*entry.Find("last_error")));
  }
  return problems;
}

// Where two texts part, with what stands there.
std::string FirstDifference(const std::string& wanted, const std::string& got) {
  if (wanted == got) return {};
  const auto at = static_cast<std::size_t>(
      std::mismatch(wanted.begin(), wanted.end(), got.begin(), got.end()).first - wanted.begin());
  const std::size_t line = at == 0 ? 0 : wanted.rfind('\n', at - 1) + 1;
  constexpr std::size_t kShown = 400;
  return fmt::format("main has\n{}\ninstead of\n{}\n", got.substr(line, kShown),
                     wanted.substr(line, kShown));
}

class Replay {
 public:
  explicit Replay(const Options& options)
      : belay_(options.belay), past_(repository_, options.folder, options.commits) {
    repository_.Write(".git/info/exclude", ".claude/\n");
    repository_.Git({"config", "core.fsync", "none"});  // belay's own git syncs nevertheless
    repository_.Git({"config", "gc.auto", "0"});
    Belay({"init"});
    repository_.Write(".claude/belay.yml",
                      fmt::format("merge: {{committer: keep, gates: [{{name: same, run: {}}}]}}",
                                  WriteJson(Json(std::string(kGate)))));
  }

  std::size_t commits() const { return past_.size(); }
  std::size_t branches() const { return branches_; }

  void QueueAll() {
    std::size_t behind = 0;
    for (const PastBranch& branch : past_.Branches()) {
      const std::string name = fmt::format("b{}", ++branches_);
      repository_.Git({"branch", name, branch.tip});
      Belay({"merge-queue", "add", name});
      if (branch.is_behind) ++behind;
    }
    fmt::print("{} of {} branches begin at an older commit\n", behind, branches_);
  }

  // Whatever isn't as it was.
  std::string LandAll() const {
    const RunOutcome outcome =
        RunReal({belay_, "merge-queue", "process", "--all"},
                {.folder = repository_.path(), .environment = GitRepository::Environment()});
    std::string problems = NotMerged(Belay({"merge-queue", "list", "--all", "--json"}));
    if (outcome.exit_code != 0) {
      problems += fmt::format("exit code {}: {}\n", outcome.exit_code, outcome.err);
    }
    problems += FirstDifference(past_.Account(past_.tip()), past_.Account("main"));
    const std::string changes = repository_.Git({"status", "--porcelain"});
    if (!changes.empty()) problems += "main's checkout didn't follow:\n" + changes;
    if (repository_.TryGit({"fsck", "--strict", "--no-dangling"}) != 0) problems += "fsck fails\n";
    return problems;
  }

 private:
  std::string Belay(std::vector<std::string> arguments) const {
    return RunBelay(belay_, repository_, std::move(arguments));
  }

  GitRepository repository_{GitRepository::Start::kNoCommit};
  std::string belay_;
  Past past_;
  std::size_t branches_ = 0;
};

int Run(const Options& options) {
  const std::string why_not = Past::WhyNot(options.folder);
  if (!why_not.empty() || options.why_not) {
    fmt::print("{}\n", why_not);
    return why_not.empty() ? 0 : 1;
  }
  Replay replay(options);
  replay.QueueAll();
  const std::string problems = replay.LandAll();
  fmt::print("{}history replay: {} commits in {} branches: {}\n", problems, replay.commits(),
             replay.branches(), problems.empty() ? "same final tree" : "wrong");
  return problems.empty() ? 0 : 1;
}

}  // namespace
}  // namespace belay

int main(int argc, char** argv) {
  const std::optional<belay::Options> options = belay::ParseOptions({argv + 1, argv + argc});
  if (options) return belay::Run(*options);
  fmt::print(stderr,
             "usage: history_replay --belay PATH --repository FOLDER [--commits N]\n"
             "       history_replay --repository FOLDER --why-not\n");
  return 2;
}
