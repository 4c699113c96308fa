#include "adapters/git/replay.h"

#include <fmt/core.h>

#include <algorithm>

#include "adapters/git/fields.h"
#include "base/text.h"

namespace belay {
namespace {

Result<BuiltReplay> Build(const ReplayScene& scene) {
  switch (scene.request.strategy) {
    case LandingStrategy::kRebase:
      return scene.history.HasMerges() && !scene.history.StandsOn(scene.room.target())
                 ? MergeBranch(scene)
                 : RebaseBranch(scene);
    case LandingStrategy::kSquash:
      return SquashBranch(scene);
    case LandingStrategy::kMerge:
      return MergeBranch(scene);
  }
  return Error{ErrorCode::kUsage, "replay: unknown strategy"};
}

Result<Replay> WithProof(const ReplayScene& scene, Replay replay) {
  const ReplayRequest& request = scene.request;
  BELAY_TRY_ASSIGN(replay.landing, ProveLanding(scene.room, request.head, request.start));
  replay.end = IsLanded(replay.landing) ? Replay::End::kContained : Replay::End::kEmpty;
  return replay;
}

// Copies it into the repository. The branch's own commits are there already, held by a ref.
Result<Replay> Publish(const ReplayScene& scene, BuiltReplay built) {
  const MergeRoom& room = scene.room;
  const ObjectId& head = scene.request.head;
  Replay& replay = built.replay;
  std::vector<ObjectId> known = {room.target()};
  if (!built.to_sync.empty()) {
    // Git has read their files only as far as the merge needed.
    BELAY_TRY(room.Run({.arguments = WholeCommitQuestion(head.text(), room.target().text())}));
    BELAY_TRY(SyncCommits(room, built.to_sync));
    known.push_back(head);
  }
  if (replay.candidate == head) return std::move(replay);
  BELAY_TRY_ASSIGN(replay.keep_file, PublishCommit(room, replay.candidate, known));
  return std::move(replay);
}

}  // namespace

bool HasChanges(const BranchHistory& history, const CommitMap& commits) {
  return std::any_of(history.commits.begin(), history.commits.end(), [&](const BranchCommit& one) {
    return std::none_of(one.parents.begin(), one.parents.end(), [&](const ObjectId& parent) {
      const auto found = commits.find(parent);
      return found != commits.end() && found->second.tree() == commits.at(one.id).tree();
    });
  });
}

std::vector<CommitToSync> OwnCommits(const ReplayScene& scene) {
  std::vector<CommitToSync> all;
  for (const BranchCommit& commit : scene.history.commits) {
    all.push_back({commit.id, commit.parents.empty() ? ObjectId() : commit.parents[0],
                   scene.commits.at(commit.id).tree()});
  }
  return all;
}

Result<Replay> ReplayBranch(MergeRoom& room, const ReplayRequest& request) {
  BELAY_TRY_ASSIGN(const BranchHistory history, ReadBranchHistory(room, request.head));
  BELAY_TRY_ASSIGN(const CommitMap commits, ReadHistoryCommits(room, history, request.head));
  const ReplayScene scene{room, request, history, commits};
  if (history.commits.empty() || request.head == request.start) {
    return WithProof(scene, {.end = Replay::End::kContained, .strategy = request.strategy});
  }
  if (!HasChanges(history, commits)) {
    return Replay{.end = Replay::End::kEmpty,
                  .strategy = request.strategy,
                  .landing = LandingProof::kNothingToLand};
  }
  BELAY_TRY_ASSIGN(BuiltReplay built, Build(scene));
  if (built.replay.end == Replay::End::kContained) return WithProof(scene, std::move(built.replay));
  if (built.replay.end == Replay::End::kBuilt) return Publish(scene, std::move(built));
  return std::move(built.replay);
}

namespace {

// Commits of `with` but not of `without` that touched one of the files, under the name of either
// side.
Result<std::vector<ObjectId>> Touching(const MergeRoom& room, const ObjectId& with,
                                       const ObjectId& without,
                                       const std::vector<ConflictedFile>& files) {
  GitCall call{.arguments = {"rev-list", fmt::format("--max-count={}", kMostNamedCommits),
                             "--topo-order", with.text(), "^" + without.text(), "--"}};
  for (std::size_t i = 0; i < files.size() && i < kMostRangedFiles; ++i) {
    call.arguments.push_back(files[i].path);
  }
  BELAY_TRY_ASSIGN(const GitAnswer answer, room.Run(call));
  std::vector<ObjectId> ids;
  for (const std::string_view line : Split(answer.out, '\n')) {
    if (line.empty()) continue;
    BELAY_TRY_ASSIGN(ObjectId id, ObjectId::Parse(line));
    ids.push_back(std::move(id));
  }
  return ids;
}

}  // namespace

Result<BuiltReplay> ReportConflict(const ReplayScene& scene, LandingStrategy strategy,
                                   const ObjectId& commit, MergeOutcome outcome) {
  BELAY_TRY(AddRanges(scene.room, outcome));
  ReplayConflict conflict{
      .commit = commit, .files = std::move(outcome.files), .in_target = {}, .in_branch = {commit}};
  const ObjectId& target = scene.room.target();
  const ObjectId& head = scene.request.head;
  BELAY_TRY_ASSIGN(conflict.in_target, Touching(scene.room, target, head, conflict.files));
  if (strategy != LandingStrategy::kRebase) {
    BELAY_TRY_ASSIGN(conflict.in_branch, Touching(scene.room, head, target, conflict.files));
  }
  return BuiltReplay{.replay = {.end = Replay::End::kConflict,
                                .strategy = strategy,
                                .conflict = std::move(conflict)},
                     .to_sync = {}};
}

// Squash and merge: one new commit, whatever the branch consists of.

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

// In UTF-8, as converted by git.
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

// Of the branch's commits, the head last. Byte for byte unless another encoding is named.
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

// The combined tree; nullopt: a conflict.
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

namespace {

constexpr std::string_view kBelayIdent = "belay <belay@localhost> 0 +0000";

// Puts commits on top of the target, one by one.
class Rebase {
 public:
  explicit Rebase(const ReplayScene& scene)
      : scene_(scene),
        tip_(scene.room.target()),
        tree_(scene.target().tree()),
        ours_(scene.room.target()) {}

  Result<BuiltReplay> Run();

 private:
  bool WasEmpty(const BranchCommit& commit) const {
    return scene_.commits.at(commit.id).tree() == scene_.commits.at(commit.parents[0]).tree();
  }
  bool NeedsMerge(std::size_t number) const {
    if (number >= scene_.history.commits.size()) return false;
    return !WasEmpty(scene_.history.commits[number]);
  }
  Result<void> Advance(std::size_t number, const ObjectId& tree);

  const ReplayScene& scene_;
  ObjectId tip_;   // of the commits built so far
  ObjectId tree_;  // of `tip_`
  ObjectId ours_;  // merged with the next commit: its tree is that of `tip_`
  std::vector<ReplayedCommit> done_;
  bool has_changes_ = false;  // one of the written commits changes something
};

// Writes the rebuilt commit `number`, unless it is left out. Git merges by common ancestors, but
// the next commit has to be compared with its parent: so a helper commit is written with the
// current tree and that parent. Nothing ever refers to it.
Result<void> Rebase::Advance(std::size_t number, const ObjectId& tree) {
  const BranchCommit& commit = scene_.history.commits[number];
  const bool left_out = tree == tree_ && !WasEmpty(commit);
  std::vector<std::string> bytes;
  if (!left_out) {
    bytes.push_back(
        scene_.commits.at(commit.id).Elsewhere(tree, {&tip_, 1}, scene_.request.committed_at));
  }
  if (NeedsMerge(number + 1)) {
    bytes.push_back(CommitBytes({tree,
                                 {commit.id},
                                 std::string(kBelayIdent),
                                 std::string(kBelayIdent),
                                 "a step of a rebase\n"}));
  }
  std::vector<ObjectId> ids;
  if (!bytes.empty()) {
    BELAY_TRY_ASSIGN(ids, scene_.room.WriteCommits(bytes));
  }
  done_.push_back({commit.id, left_out ? ObjectId() : ids[0]});
  if (!left_out) tip_ = ids[0];
  if (tree != tree_) has_changes_ = true;
  if (NeedsMerge(number + 1)) ours_ = ids.back();
  tree_ = tree;
  return {};
}

Result<BuiltReplay> Rebase::Run() {
  for (std::size_t i = 0; i < scene_.history.commits.size(); ++i) {
    ObjectId tree = tree_;
    if (NeedsMerge(i)) {
      const ObjectId& commit = scene_.history.commits[i].id;
      BELAY_TRY_ASSIGN(MergeOutcome merge, MergeCommits(scene_.room, ours_, commit));
      if (!merge.clean) {
        return ReportConflict(scene_, LandingStrategy::kRebase, commit, std::move(merge));
      }
      tree = merge.tree;
    }
    BELAY_TRY(Advance(i, tree));
  }
  return BuiltReplay{.replay = {.end = has_changes_ ? Replay::End::kBuilt : Replay::End::kContained,
                                .strategy = LandingStrategy::kRebase,
                                .candidate = has_changes_ ? tip_ : ObjectId(),
                                .commits = std::move(done_)},
                     .to_sync = {}};
}

BuiltReplay AsItIs(const ReplayScene& scene) {
  Replay replay{.end = Replay::End::kBuilt,
                .strategy = LandingStrategy::kRebase,
                .candidate = scene.request.head};
  for (const BranchCommit& commit : scene.history.commits) {
    replay.commits.push_back({commit.id, commit.id});
  }
  return {std::move(replay), OwnCommits(scene)};
}

}  // namespace

// The first commit's parent is its only common ancestor with the target: there git picks the right
// base by itself.
Result<BuiltReplay> RebaseBranch(const ReplayScene& scene) {
  if (scene.history.StandsOn(scene.room.target())) return AsItIs(scene);
  return Rebase(scene).Run();
}

}  // namespace belay
