#include "merge/undo_refused_move.h"

#include <fmt/core.h>

#include <algorithm>

#include "adapters/git/follow_checkout.h"
#include "adapters/git/local_programs.h"
#include "adapters/git/status.h"
#include "base/path.h"
#include "base/text.h"

namespace belay {
namespace {

constexpr std::size_t kMostFetched = std::size_t{1} << 20U;
constexpr std::string_view kMergeHead = "MERGE_HEAD";
constexpr std::string_view kMergeFiles[] = {"MERGE_MSG", "MERGE_MODE", "AUTO_MERGE"};

struct WayBack {
  std::string_view file;
  std::string_view command;
};
constexpr WayBack kWaysBack[] = {
    {"rebase-merge", "git rebase --abort"},
    {"rebase-apply", "git rebase --abort, or git am --abort,"},
    {"CHERRY_PICK_HEAD", "git cherry-pick --abort"},
    {"REVERT_HEAD", "git revert --abort"},
    {"MERGE_AUTOSTASH", "git reset --keep, then git stash apply $(cat .git/MERGE_AUTOSTASH),"},
};

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// Handles one checkout.
class CheckoutUndo {
 public:
  CheckoutUndo(const Git& git, FileSystem& files, const GitPlace& place, const ObjectId& commit)
      : git_(git.In(place.worktree)), files_(files), place_(place), commit_(commit) {}

  Result<std::string> Run(bool certain) {
    for (const WayBack& way : kWaysBack) {
      if (Has(way.file)) return fmt::format("{} restores the checkout", way.command);
    }
    BELAY_TRY(LookAtHead());
    if (head_ == commit_) return std::string();
    if (Has(kMergeHead)) return EndMerge();
    if (!certain) {
      BELAY_TRY_ASSIGN(const bool known, IsKnownElsewhere());
      if (!known) return std::string();
    }
    return Say(Follow());
  }

 private:
  bool Has(std::string_view name) const {
    return files_.Inspect(JoinPath(place_.git_folder, name)).ok();
  }
  Result<GitAnswer> Ask(std::vector<std::string> arguments, std::vector<int> exits = {0}) const {
    Environment::Variables variables = programs_;
    variables.insert_or_assign("GIT_DIR", place_.git_folder);
    variables.insert_or_assign("GIT_WORK_TREE", place_.worktree);
    return git_.Run({.arguments = std::move(arguments),
                     .environment = std::move(variables),
                     .good_exits = std::move(exits)});
  }

  Result<void> LookAtHead() {
    BELAY_TRY_ASSIGN(const GitAnswer head, Ask({"rev-parse", "--verify", "HEAD^{commit}"}));
    BELAY_TRY_ASSIGN(head_, ObjectId::Parse(FirstLine(head.out)));
    BELAY_TRY_ASSIGN(const GitAnswer branch, Ask({"symbolic-ref", "-q", "HEAD"}, {0, 1}));
    branch_ = branch.exit_code == 0 ? FirstLine(branch.out) : "refs/heads/";  // detached
    return {};
  }

  // An alias may stand for anything: then a commit that was made just now is the user's work.
  Result<bool> IsKnownElsewhere() const {
    const auto fetched = files_.Read(JoinPath(place_.git_folder, "FETCH_HEAD"), kMostFetched);
    if (fetched && fetched->find(commit_.text()) != std::string::npos) return true;
    BELAY_TRY_ASSIGN(const GitAnswer refs,
                     Ask({"for-each-ref", "--count=1", "--contains", commit_.text()}));
    return !refs.out.empty();
  }

  Followed Follow() const {
    const GitWorktree worktree{.folder = place_.worktree, .git_folder = place_.git_folder};
    return FollowCheckout(git_, files_, worktree, {branch_, commit_, head_});
  }

  std::string Say(const Followed& followed) const {
    switch (followed.end) {
      case Followed::End::kFollowed:
        return fmt::format("the checkout is back at {}", head_.Short());
      case Followed::End::kAlreadyThere:
        return {};
      case Followed::End::kLeft:
      case Followed::End::kLater:
      case Followed::End::kUnfinished:
        return fmt::format("belay left the checkout as it is: {}", followed.why);
    }
    __builtin_unreachable();
  }

  // Whether git produces exactly this merge commit without help.
  Result<bool> IsGitsOwnMerge(const std::string& other) {
    BELAY_TRY_ASSIGN(const GitAnswer commit,
                     Ask({"rev-parse", commit_.text() + "^{tree}", commit_.text() + "^@"}));
    const std::vector<std::string_view> lines = Split(commit.out, '\n');
    if (lines.size() < 3 || lines[1] != head_.text() || lines[2] != other) return false;
    BELAY_TRY_ASSIGN(const LocalPrograms programs, FindLocalPrograms(git_));
    programs_ = programs.off;
    BELAY_TRY_ASSIGN(const GitAnswer merged,
                     Ask({"merge-tree", "--write-tree", head_.text(), other}, {0, 1}));
    programs_.clear();
    return merged.exit_code == 0 && FirstLine(merged.out) == lines[0];
  }

  Result<std::string> EndMerge() {
    const std::string path = JoinPath(place_.git_folder, kMergeHead);
    BELAY_TRY_ASSIGN(const std::string text, files_.Read(path, kMostFetched));
    BELAY_TRY_ASSIGN(const bool own, IsGitsOwnMerge(FirstLine(text)));
    if (!own) return std::string("git merge --abort restores the checkout");
    const std::string aside = path + ".belay";
    BELAY_TRY(files_.Rename(path, aside));  // a checkout with a merge under way isn't touched
    const Followed followed = Follow();
    if (followed.end == Followed::End::kLeft) {
      BELAY_TRY(files_.Rename(aside, path));
      return fmt::format("git merge --abort restores the checkout; belay left it as it is: {}",
                         followed.why);
    }
    BELAY_TRY(files_.RemoveFile(aside));
    for (const std::string_view name : kMergeFiles) {
      BELAY_TRY(files_.RemoveTree(JoinPath(place_.git_folder, name)));
    }
    return fmt::format("the checkout is back at {}, and the merge was aborted", head_.Short());
  }

  Git git_;
  FileSystem& files_;
  const GitPlace& place_;
  const ObjectId& commit_;
  ObjectId head_ = {};
  std::string branch_ = {};
  Environment::Variables programs_ = {};
};

// Git changes the checkout before it asks for the move.
enum class Touches { kNothing, kCheckout, kPerhaps };

Touches TouchedBy(const RefusedGit& refused) {
  constexpr std::string_view kCheckout[] = {"merge",    "pull",   "reset",
                                            "checkout", "switch", "receive-pack"};
  constexpr std::string_view kAborted[] = {"rebase", "cherry-pick", "revert", "am"};
  constexpr std::string_view kNever[] = {"commit", "update-ref", "branch", "fetch"};
  if (IsIn(kCheckout, refused.subcommand)) return Touches::kCheckout;
  if (IsIn(kAborted, refused.subcommand)) return Touches::kPerhaps;
  if (IsIn(kNever, refused.subcommand)) return Touches::kNothing;
  const bool merges = refused.action.starts_with("merge") || refused.action.starts_with("pull");
  return merges ? Touches::kPerhaps : Touches::kNothing;
}

}  // namespace

Result<void> AbortRebase(const Git& git, const FileSystem& files, const GitPlace& place,
                         const ObjectId& commit) {
  const Git there = git.In(place.worktree);
  bool rebasing = false;
  for (const std::string_view name : {"rebase-merge", "rebase-apply"}) {
    rebasing = rebasing || files.Inspect(JoinPath(place.git_folder, name));
  }
  if (!rebasing) return {};
  BELAY_TRY_ASSIGN(const GitStatus status, ReadStatus(there));
  const bool touched = std::any_of(
      status.entries.begin(), status.entries.end(),
      [](const StatusEntry& entry) { return entry.kind != StatusEntry::Kind::kUntracked; });
  if (touched || !status.branch.empty() || status.head != commit) return {};
  BELAY_TRY(there.Run({.arguments = {"rebase", "--abort"}}));
  return {};
}

std::string UndoRefusedMove(const Git& git, FileSystem& files, const GitPlace& place,
                            const RefusedGit& refused, const ObjectId& commit) {
  const Touches touches = TouchedBy(refused);
  if (touches == Touches::kNothing || place.worktree.empty() || commit.IsNone()) return {};
  const Result<std::string> said =
      CheckoutUndo(git, files, place, commit).Run(touches == Touches::kCheckout);
  if (said) return *said;
  return fmt::format("belay left the checkout as it is: {}", said.error().message);
}

}  // namespace belay
