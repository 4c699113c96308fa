#include "merge/target_branch.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"
#include "engine/merge/merge_text.h"

namespace belay {
namespace {

constexpr std::string_view kBranches = "refs/heads/";
constexpr std::string_view kOrigins = "refs/remotes/origin/";

struct Branches {
  std::vector<std::string> names = {};  // the local ones
  std::string checked_out = {};         // it may have no commit yet
  std::string of_origin = {};           // that origin's HEAD names

  bool Has(std::string_view name) const {
    return name == checked_out || std::ranges::find(names, name) != names.end();
  }
};

std::string Below(std::string_view prefix, std::string_view ref) {
  return ref.starts_with(prefix) ? std::string(ref.substr(prefix.size())) : std::string();
}

Result<Branches> ListBranches(const Git& git) {
  Branches found;
  BELAY_TRY_ASSIGN(const GitAnswer head,
                   git.Run({.arguments = {"symbolic-ref", "-q", "HEAD"}, .good_exits = {0, 1}}));
  found.checked_out = Below(kBranches, Split(head.out, '\n').front());
  BELAY_TRY_ASSIGN(const std::string refs, git.Ask({"for-each-ref", "--format=%(refname) %(symref)",
                                                    "refs/heads/", "refs/remotes/origin/HEAD"}));
  for (const std::string_view line : Split(refs, '\n')) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string name = Below(kBranches, line.substr(0, blank));
    if (!name.empty()) found.names.push_back(name);
    if (name.empty() && blank < line.size())
      found.of_origin = Below(kOrigins, line.substr(blank + 1));
  }
  return found;
}

std::string LikelyOf(const Branches& found) {
  for (const std::string& name : {found.of_origin, std::string("main"), std::string("master")}) {
    if (!name.empty() && found.Has(name)) return name;
  }
  if (found.names.empty()) return found.checked_out;
  return found.names.size() == 1 ? found.names.front() : std::string();
}

}  // namespace

Result<TargetBranch> InspectTargetBranch(const Git& git, const std::string& target) {
  BELAY_TRY_ASSIGN(const Branches branches, ListBranches(git));
  TargetBranch found{.exists = branches.Has(target)};
  if (found.exists) return found;
  found.likely = LikelyOf(branches);
  // It becomes a part of belay.yml, which is UTF-8.
  if (ReplaceInvalidUtf8(found.likely) != found.likely) found.likely.clear();
  return found;
}

std::string TargetHint(const TargetBranch& found) {
  if (found.likely.empty()) {
    return "set merge.target in .claude/belay.yml to the branch that work lands on";
  }
  return fmt::format("set merge.target in .claude/belay.yml to {}, or use --target {}",
                     Quote(found.likely), ShellWord(found.likely));
}

Error NoTarget(const Git& git, const std::string& target, bool configured) {
  const Result<TargetBranch> found = InspectTargetBranch(git, target);
  if (found && found->exists) {
    return {ErrorCode::kNotFound, fmt::format("{} has no commit yet", Quote(target)),
            "make its first commit, then try again"};
  }
  if (!configured) {
    return {ErrorCode::kNotFound, fmt::format("no branch {}", Quote(target)),
            "--target must be a local branch, as shown by git branch"};
  }
  return {ErrorCode::kNotFound, fmt::format("no branch {}, which is merge.target", Quote(target)),
          TargetHint(found ? *found : TargetBranch{.exists = false})};
}

}  // namespace belay
