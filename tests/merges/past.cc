#include "merges/past.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "testing/real_process.h"

namespace belay {
namespace {

constexpr std::size_t kMostInABranch = 5;
constexpr std::size_t kFarthest = 64;  // commits that a branch is behind

RunOutcome RunGit(const std::string& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "git");
  return RunReal(arguments, {.folder = folder, .environment = GitRepository::Environment()});
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

bool IsBound(std::string_view header) {
  return header.starts_with("tree ") || header.starts_with("parent ") ||
         header.starts_with("gpgsig") || header.starts_with("mergetag ");
}

// The headers that don't depend on where the commit stands, and the message.
std::string Unbound(const std::string& commit) {
  const std::size_t end = commit.find("\n\n");
  BELAY_CHECK(end != std::string::npos);
  std::string text;
  bool bound = false;
  for (const std::string_view line : Split(std::string_view(commit).substr(0, end), '\n')) {
    if (!line.starts_with(' ')) bound = IsBound(line);
    if (!bound) text.append(line).append("\n");
  }
  return text + commit.substr(end + 1);
}

}  // namespace

std::string Past::WhyNot(const std::string& folder) {
  const RunOutcome count = RunGit(folder, {"rev-list", "--first-parent", "--count", "HEAD"});
  if (count.exit_code != 0) return "there is no git repository: " + FirstLine(count.err);
  if (RunGit(folder, {"rev-parse", "--is-shallow-repository"}).out == "true\n") {
    return "the clone is shallow; `git fetch --unshallow` gets the rest";
  }
  if (std::stoul(count.out) > kFewest) return {};
  return fmt::format("it takes {} commits, and there are {}", kFewest + 1, FirstLine(count.out));
}

Past::Past(const GitRepository& repository, const std::string& folder, std::size_t most_commits)
    : repository_(repository) {
  repository_.Git({"fetch", "-q", "--no-tags", folder, "HEAD"});
  const std::string list = repository_.Git({"rev-list", "--first-parent", "--reverse",
                                            fmt::format("-{}", most_commits + 1), "FETCH_HEAD"});
  for (const std::string_view line : Split(list, '\n')) {
    if (line.empty()) continue;
    const std::string commit(line);
    const bool is_first = commits_.empty();
    if (!is_first && TreeOf(commit) == TreeOf(tip())) continue;
    commits_.push_back(is_first ? commit : Put(commit, TreeOf(commit), tip()));
  }
  BELAY_CHECK(TreeOf(tip()) == TreeOf("FETCH_HEAD"));
  repository_.Git({"reset", "-q", "--hard", commits_.front()});
}

std::string Past::TreeOf(const std::string& commit) const {
  return FirstLine(repository_.Git({"rev-parse", commit + "^{tree}"}));
}

std::string Past::Put(const std::string& commit, const std::string& tree,
                      const std::string& parent) const {
  repository_.outside().Write(
      "commit", fmt::format("tree {}\nparent {}\n{}", tree, parent,
                            Unbound(repository_.Git({"cat-file", "commit", commit}))));
  return FirstLine(repository_.Git(
      {"hash-object", "-t", "commit", "-w", "--no-filters", repository_.outside() / "commit"}));
}

// Merged with a commit that stands beside it, on the same parent, and has the other tree.
std::optional<std::string> Past::Carry(const std::string& commit, const std::string& onto) const {
  const std::string there = TreeOf(onto);
  const std::string parent = FirstLine(repository_.Git({"rev-parse", commit + "^"}));
  const RunOutcome merge =
      RunGit(repository_.path(), {"merge-tree", "--write-tree", Put(onto, there, parent), commit});
  const std::string tree = FirstLine(merge.out);
  if (merge.exit_code != 0 || tree == there) return std::nullopt;
  return Put(commit, tree, onto);
}

std::optional<std::string> Past::Begin(std::size_t older, std::size_t first,
                                       std::size_t end) const {
  std::vector<std::string> branch = {commits_[older]};
  for (std::size_t i = first; i < end; ++i) {
    const std::optional<std::string> next = Carry(commits_[i], branch.back());
    if (!next) return std::nullopt;
    branch.push_back(*next);
  }
  for (std::size_t i = first; i < end; ++i) {
    if (Carry(branch[i - first + 1], commits_[i - 1]) != commits_[i]) return std::nullopt;
  }
  // A patch that was taken back since is one that the target has already.
  const std::string patches = repository_.Git({"cherry", commits_[first - 1], branch.back()});
  if (("\n" + patches).find("\n-") != std::string::npos) return std::nullopt;
  return branch.back();
}

std::vector<PastBranch> Past::Branches() const {
  std::vector<PastBranch> branches;
  std::size_t length = 0;
  for (std::size_t first = 1, end = 1; first < commits_.size(); first = end) {
    length = length % kMostInABranch + 1;
    end = std::min(first + length, commits_.size());
    std::optional<std::string> tip;
    for (std::size_t behind = kFarthest; behind > 0 && !tip; behind /= 2) {
      if (behind < first) tip = Begin(first - 1 - behind, first, end);
    }
    branches.push_back({tip.value_or(commits_[end - 1]), tip.has_value()});
  }
  return branches;
}

std::string Past::Account(const std::string& tip) const {
  return repository_.Git({"log", "--reverse", "--date=raw",
                          "--format=%T%n%an <%ae> %ad%n%cn <%ce> %cd%n%B",
                          commits_.front() + ".." + tip});
}

}  // namespace belay
