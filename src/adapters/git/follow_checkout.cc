#include "adapters/git/follow_checkout.h"

#include <fmt/core.h>

#include "adapters/git/follow_look.h"
#include "base/path.h"

namespace belay {
namespace {

constexpr std::size_t kMostNote = 1000;

std::string NotePath(const GitWorktree& worktree) {
  return JoinPath(worktree.git_folder, "belay-follow");
}

std::string NoteText(const FollowRequest& request) {
  return fmt::format("{} {}\n", request.from.text(), request.to.text());
}

Result<void> WriteNote(const Checkout& checkout, const FollowRequest& request) {
  BELAY_TRY_ASSIGN(File file, checkout.files.OpenForWriting(NotePath(checkout.worktree), 0600));
  BELAY_TRY(file.Truncate(0));
  return file.Write(NoteText(request));
}

// What was begun before a kill gets its new entries and files first; then it stands in nobody's
// way.
Result<void> Redo(const Checkout& checkout, const std::vector<TreeChange>& done,
                  const FollowRequest& request) {
  if (done.empty()) return {};
  const std::string none(request.to.text().size(), '0');
  std::string entries;
  std::string paths;
  for (const TreeChange& change : done) {
    const bool stays = change.after.IsThere();
    entries += fmt::format("{:o} {}\t", change.after.mode, stays ? change.after.id.text() : none);
    entries += change.path + '\0';
    if (stays) paths += change.path + '\0';
  }
  BELAY_TRY(checkout.Run(
      {.arguments = {"update-index", "-z", "--index-info"}, .input = InputOf(std::move(entries))}));
  if (paths.empty()) return {};
  BELAY_TRY(checkout.Run({.arguments = {"checkout-index", "-f", "-u", "-q", "-z", "--stdin"},
                          .input = InputOf(std::move(paths))}));
  return {};
}

// A file that was touched but not changed stands in git's way until it has looked at it.
Result<void> ReadTrees(const Checkout& checkout, const FollowRequest& request) {
  const GitCall call{
      .arguments = {"read-tree", "-m", "-u", request.from.text(), request.to.text()}};
  const auto first = checkout.Run(call);
  if (first) return {};
  if (first.error().message.find("not uptodate") == std::string::npos) return first.error();
  BELAY_TRY(checkout.Run({.arguments = {"update-index", "-q", "--refresh"}}));
  BELAY_TRY(checkout.Run(call));
  return {};
}

// Git looks at everything before it changes anything.
bool ChangedNothing(const Error& error) {
  for (const char* const sign :
       {"would be overwritten", "would be removed", "would lose", "not uptodate"}) {
    if (error.message.find(sign) != std::string::npos) return true;
  }
  return error.code == ErrorCode::kBusy;
}

Result<void> Move(const Checkout& checkout, const FollowPlan& plan, const FollowRequest& request) {
  BELAY_TRY(WriteNote(checkout, request));
  BELAY_TRY(Redo(checkout, plan.done, request));
  Result<void> moved = ReadTrees(checkout, request);
  const bool ended = moved || (plan.done.empty() && ChangedNothing(moved.error()));
  if (ended) BELAY_TRY(checkout.files.RemoveTree(NotePath(checkout.worktree)));
  return moved;
}

Result<Followed> Follow(const Git& git, FileSystem& files, const GitWorktree& worktree,
                        const FollowRequest& request) {
  const auto note = files.Read(NotePath(worktree), kMostNote);
  const Git there = git.In(worktree.folder);
  Checkout checkout{
      .git = there,
      .files = files,
      .worktree = worktree,
      .environment = {{"GIT_DIR", worktree.git_folder}, {"GIT_WORK_TREE", worktree.folder}},
      .unfinished = note && *note == NoteText(request)};
  BELAY_TRY_ASSIGN(const LocalPrograms programs, FindLocalPrograms(there, checkout.environment));
  for (const auto& [name, value] : programs.off) checkout.environment.emplace(name, value);
  BELAY_TRY_ASSIGN(const FollowPlan plan, PlanFollowing(checkout, request, programs));
  if (plan.index_is_new && plan.done.empty()) {
    if (note) BELAY_TRY(files.RemoveTree(NotePath(worktree)));
    return Followed{Followed::End::kAlreadyThere};
  }
  BELAY_TRY(Move(checkout, plan, request));
  return Followed{Followed::End::kFollowed};
}

// What is half done can only be finished as it was begun. A refusal is about somebody's work.
Followed::End EndBy(const Error& error, const FileSystem& files, const GitWorktree& worktree,
                    const FollowRequest& request) {
  if (error.code == ErrorCode::kRefused) return Followed::End::kLeft;
  const auto note = files.Read(NotePath(worktree), kMostNote);
  const bool begun = note && *note == NoteText(request);
  return begun ? Followed::End::kUnfinished : Followed::End::kLater;
}

std::string OneLine(std::string text) {
  for (char& letter : text) {
    if (letter == '\n') letter = ' ';
  }
  return text;
}

}  // namespace

Followed FollowCheckout(const Git& git, FileSystem& files, const GitWorktree& worktree,
                        const FollowRequest& request) {
  if (worktree.is_bare) return {Followed::End::kLeft, "it has no files"};
  if (worktree.is_prunable || worktree.git_folder.empty()) {
    return {Followed::End::kLeft, "its folder is gone"};
  }
  Result<Followed> followed = Follow(git, files, worktree, request);
  if (followed) return *std::move(followed);
  const Followed::End end = EndBy(followed.error(), files, worktree, request);
  return {end, OneLine(std::move(followed.error().message))};
}

}  // namespace belay
