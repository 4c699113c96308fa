// Squashing and merging: one new commit, whatever the branch is made of.

#include <fmt/core.h>

#include "adapters/git/fields.h"
#include "adapters/git/replay_steps.h"

namespace belay {
namespace {

constexpr std::string_view kFormat = "--format=tformat:%an <%ae> %ad%x00%cn <%ce> %cd%x00%B%x00";

struct Words {
  std::string author;
  std::string committer;
  std::string message;
};

bool HasEncodings(const ReplayScene& scene) {
  for (const BranchCommit& commit : scene.history.commits) {
    if (!scene.commits.at(commit.id).Header("encoding").empty()) return true;
  }
  return false;
}

// In UTF-8, as git translates them.
Result<std::vector<Words>> Translate(const ReplayScene& scene) {
  std::string ids;
  for (const BranchCommit& commit : scene.history.commits) ids += commit.id.text() + "\n";
  BELAY_TRY_ASSIGN(
      const GitAnswer answer,
      scene.room.Run(
          {.arguments = {"log", "--no-walk=unsorted", "--stdin", "--encoding=UTF-8", "--date=raw",
                         "--no-patch", "--no-show-signature", "--no-notes", std::string(kFormat)},
           .input = InputOf(std::move(ids))}));
  std::vector<Words> all;
  Fields fields(answer.out, "log");
  while (!fields.AtEnd()) {
    Words words;
    BELAY_TRY_ASSIGN(words.author, fields.Until('\0'));
    BELAY_TRY_ASSIGN(words.committer, fields.Until('\0'));
    BELAY_TRY_ASSIGN(words.message, fields.Until('\0'));
    BELAY_TRY(fields.Until('\n'));
    all.push_back(std::move(words));
  }
  if (all.size() != scene.history.commits.size()) return fields.Damaged("other commits");
  return all;
}

// Of the branch's commits, the head last. Where no other encoding is named, byte for byte.
Result<std::vector<Words>> ReadWords(const ReplayScene& scene) {
  if (HasEncodings(scene)) return Translate(scene);
  std::vector<Words> all;
  for (const BranchCommit& commit : scene.history.commits) {
    const RawCommit& raw = scene.commits.at(commit.id);
    all.push_back({std::string(raw.Header("author")), std::string(raw.Header("committer")),
                   std::string(raw.message())});
  }
  return all;
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with('\n')) text.remove_prefix(1);
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

std::string SquashMessage(const std::string& branch, const std::vector<Words>& all) {
  if (all.size() == 1) return all[0].message;
  std::string message = fmt::format("Squash branch '{}' ({} commits)\n", branch, all.size());
  for (const Words& words : all) message += fmt::format("\n* {}\n", Trimmed(words.message));
  return message;
}

// The tree of both together; nothing: a conflict.
struct Joined {
  std::optional<ObjectId> tree;
  MergeOutcome merge = {};
};

Result<Joined> Join(const ReplayScene& scene) {
  if (scene.history.StandsOn(scene.room.target())) return Joined{scene.head().tree()};
  BELAY_TRY_ASSIGN(MergeOutcome merge,
                   MergeCommits(scene.room, scene.room.target(), scene.request.head));
  if (!merge.clean) return Joined{std::nullopt, std::move(merge)};
  return Joined{merge.tree};
}

Result<BuiltReplay> Finish(const ReplayScene& scene, LandingStrategy strategy,
                           const NewCommit& commit) {
  Replay replay{.end = Replay::End::kBuilt, .strategy = strategy};
  const std::string bytes = CommitBytes(commit);
  BELAY_TRY_ASSIGN(std::vector<ObjectId> ids, scene.room.WriteCommits({&bytes, 1}));
  replay.candidate = std::move(ids[0]);
  const bool squash = strategy == LandingStrategy::kSquash;
  for (const BranchCommit& old : scene.history.commits) {
    replay.commits.push_back({old.id, squash ? replay.candidate : old.id});
  }
  return BuiltReplay{std::move(replay), squash ? std::vector<CommitToSync>() : OwnCommits(scene)};
}

std::string CommitterOf(const ReplayScene& scene, const Words& words) {
  const auto& at = scene.request.committed_at;
  return at ? AtTime(words.committer, *at) : words.committer;
}

bool IsOneOnTop(const ReplayScene& scene) {
  const auto& commits = scene.history.commits;
  return commits.size() == 1 && commits[0].parents == std::vector{scene.room.target()};
}

}  // namespace

Result<BuiltReplay> SquashBranch(const ReplayScene& scene) {
  constexpr LandingStrategy kSquash = LandingStrategy::kSquash;
  const ObjectId& head = scene.request.head;
  if (IsOneOnTop(scene)) {
    return BuiltReplay{{Replay::End::kBuilt, kSquash, head, {{head, head}}}, OwnCommits(scene)};
  }
  BELAY_TRY_ASSIGN(Joined joined, Join(scene));
  if (!joined.tree) return ReportConflict(scene, kSquash, head, std::move(joined.merge));
  if (*joined.tree == scene.target().tree()) {
    return BuiltReplay{{Replay::End::kContained, kSquash}, {}};
  }
  BELAY_TRY_ASSIGN(const std::vector<Words> all, ReadWords(scene));
  return Finish(scene, kSquash,
                {*joined.tree,
                 {scene.room.target()},
                 all.back().author,
                 CommitterOf(scene, all.back()),
                 SquashMessage(scene.request.branch, all)});
}

Result<BuiltReplay> MergeBranch(const ReplayScene& scene) {
  constexpr LandingStrategy kMerge = LandingStrategy::kMerge;
  BELAY_TRY_ASSIGN(Joined joined, Join(scene));
  if (!joined.tree) {
    return ReportConflict(scene, kMerge, scene.request.head, std::move(joined.merge));
  }
  if (*joined.tree == scene.target().tree()) {
    return BuiltReplay{{Replay::End::kContained, kMerge}, {}};
  }
  BELAY_TRY_ASSIGN(const std::vector<Words> all, ReadWords(scene));
  return Finish(scene, kMerge,
                {*joined.tree,
                 {scene.room.target(), scene.request.head},
                 all.back().author,
                 CommitterOf(scene, all.back()),
                 fmt::format("Merge branch '{}'\n", scene.request.branch)});
}

}  // namespace belay
