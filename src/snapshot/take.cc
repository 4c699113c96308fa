#include "snapshot/take.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "adapters/git/objects.h"
#include "adapters/git/refs.h"
#include "base/path.h"
#include "base/text.h"
#include "codec/hash.h"
#include "os/this_process.h"
#include "snapshot/capture_stream.h"
#include "snapshot/worktree_scan.h"

namespace belay {
namespace {

constexpr int kMostTakes = 3;
constexpr int kMostNumbers = 1000;
constexpr auto kLongLimit = std::chrono::hours(2);  // for any amount of work

CaptureStream StreamOf(const Worktree& worktree, const TakeRequest& request,
                       const WorktreeScan& scan) {
  return {worktree.files,    worktree.clock, worktree.place.worktree,
          scan.list.to_read, request.rules,  scan.format};
}

// "SCENE:CONTENT": the first part changes when git sees a difference, the second one when a file's
// bytes change.
std::string StateOf(const WorktreeScan& scan, const CaptureStream& stream) {
  std::string text;
  for (const CapturedFile& file : stream.captured()) {
    text += fmt::format("{} {:o} {:o} {}\n", file.entry.id.text(), file.entry.mode,
                        file.permissions, file.item.tracked);
  }
  for (const auto& [path, id] : scan.odd) text += fmt::format("odd {}\n", path);
  for (const CaptureItem& item : stream.gone()) text += fmt::format("gone {}\n", item.path);
  for (const SkippedPath& path : stream.skipped()) text += fmt::format("left {}\n", path.path);
  return fmt::format("{}:{}", scan.digest, Sha256Hex(text));
}

// Whether the last snapshot already has the state of the worktree.
Result<bool> IsCaptured(const Worktree& worktree, const TakeRequest& request,
                        const WorktreeScan& scan, const std::optional<SavedSnapshot>& last) {
  if (!last || !last->record.state.starts_with(scan.digest + ":")) return false;
  CaptureStream stream = StreamOf(worktree, request, scan);
  std::string piece;
  while (true) {
    BELAY_TRY_ASSIGN(const bool more, stream.Next(piece));
    if (!more) break;
  }
  return last->record.state == StateOf(scan, stream);
}

SnapshotRecord Describe(const Worktree& worktree, const TakeRequest& request,
                        const WorktreeScan& scan, const CaptureStream& stream) {
  SnapshotRecord record{.message = request.message,
                        .at = worktree.clock.Wall(),
                        .agent_id = request.agent_id,
                        .worktree = worktree.place.worktree,
                        .branch = scan.status.branch,
                        .has_base = !scan.status.head.IsNone(),
                        .state = StateOf(scan, stream),
                        .skipped = scan.list.skipped,
                        .unsteady = stream.unsteady(),
                        .converts = scan.converts};
  record.skipped.insert(record.skipped.end(), stream.skipped().begin(), stream.skipped().end());
  record.files = stream.captured().size() + scan.list.gone.size() + scan.modules.size();
  // The restoring user has one of these umasks; permissions that only a stricter one gives are
  // recorded.
  const std::uint32_t mask = FileCreationMask(worktree.files) == 002 ? 002 : 022;
  for (const CapturedFile& file : stream.captured()) {
    const auto odd = scan.odd.find(file.item.path);
    if (odd != scan.odd.end() && odd->second == file.entry.id) {
      record.raw.push_back(file.item.path);
      --record.files;
    }
    record.bytes += file.bytes;
    if (file.entry.mode == kLinkMode) continue;
    const std::uint32_t usual = (file.entry.mode == kProgramMode ? 0777U : 0666U) & ~mask;
    if (file.permissions != usual) record.modes.emplace(file.item.path, file.permissions);
  }
  for (const CaptureItem& item : stream.gone()) record.files += item.tracked ? 1 : 0;
  return record;
}

std::vector<std::string> UncommittedIn(const GitStatus& status) {
  std::vector<std::string> paths;
  for (const StatusEntry& entry : status.entries) {
    const bool work = entry.kind != StatusEntry::Kind::kIgnored && !IsOwnPath(entry.path);
    if (work) paths.push_back(entry.path);
  }
  std::ranges::sort(paths);
  return paths;
}

struct Built {
  SnapshotCommits commits;
  SnapshotRecord record;
};

Result<Built> Build(const Worktree& worktree, const TakeRequest& request, const WorktreeScan& scan,
                    const ScratchRepository& scratch) {
  CaptureStream stream = StreamOf(worktree, request, scan);
  SnapshotRecord record;
  std::optional<CommitBuilder> builder;
  const auto input = [&](std::string& piece) -> Result<bool> {
    if (builder) return false;
    BELAY_TRY_ASSIGN(const bool more, stream.Next(piece));
    if (more) return true;
    record = Describe(worktree, request, scan, stream);
    builder.emplace(stream.marks(), record, scan);
    piece = builder->Build(stream);
    return true;
  };
  BELAY_TRY_ASSIGN(
      const GitAnswer answer,
      scratch.Run(worktree.git,
                  {.arguments = {"fast-import", "--quiet"}, .input = input, .limit = kLongLimit}));
  if (!builder) return Error{ErrorCode::kFailed, "git fast-import: it exited too early"};
  BELAY_TRY_ASSIGN(SnapshotCommits commits, builder->Read(answer.out));
  return Built{std::move(commits), std::move(record)};
}

// Two processes may choose the same number; git gives it to only one of them.
Result<SnapshotId> Publish(const Worktree& worktree, const KeepName& keep,
                           const std::optional<SavedSnapshot>& last, const ObjectId& commit) {
  SnapshotId id{keep, last ? last->id.number + 1 : 1};
  for (int tries = 0; tries < kMostNumbers; ++tries) {
    BELAY_TRY_ASSIGN(const bool created, CreateRef(worktree.git, id.Ref(), commit));
    if (created) return id;
    BELAY_TRY_ASSIGN(const std::optional<CommitRef> highest, LastRef(worktree.git, keep.Refs()));
    const Result<SnapshotId> there =
        highest ? SnapshotId::Parse(highest->name) : Result<SnapshotId>(id);
    id.number = std::max(id.number, there ? there->number : 0) + 1;
  }
  return Error{ErrorCode::kBusy,
               fmt::format("create {}: other processes keep taking the next number", id.Ref())};
}

Result<Taken> Capture(const Worktree& worktree, const TakeRequest& request,
                      const WorktreeScan& scan, const std::optional<SavedSnapshot>& last) {
  const std::string& common = worktree.place.common_folder;
  BELAY_TRY_ASSIGN(ScratchRepository scratch,
                   ScratchRepository::Create(worktree.files, common, scan.format));
  BELAY_TRY_ASSIGN(Built built, Build(worktree, request, scan, scratch));
  BELAY_TRY(scratch.MoveOut(worktree.git, built.commits.commit, scan.status.head));
  BELAY_TRY(SyncBase(worktree, scan.status.head, last ? last->base : ObjectId()));
  BELAY_TRY_ASSIGN(const SnapshotId id,
                   Publish(worktree, request.keep, last, built.commits.commit));
  BELAY_TRY(SyncRefFolders(worktree.files, common, id.Ref()));
  return Taken{{.id = id,
                .commit = std::move(built.commits.commit),
                .base = std::move(built.commits.base),
                .index = std::move(built.commits.index),
                .untracked = std::move(built.commits.untracked),
                .rest = std::move(built.commits.rest),
                .record = std::move(built.record)},
               true,
               UncommittedIn(scan.status)};
}

std::vector<CaptureItem> Also(const TakeRequest& request) {
  std::vector<CaptureItem> also;
  for (const std::string& path : request.also) also.push_back({path, true});
  for (const std::string& path : request.also_untracked) also.push_back({path, false});
  return also;
}

// Where git converts nothing, the search for odd files waits until something has changed.
Result<Taken> TakeOnce(const Worktree& worktree, const TakeRequest& request) {
  BELAY_TRY_ASSIGN(WorktreeScan scan, ScanWorktree(worktree, request.rules, Also(request)));
  ScratchRepository::Sweep(worktree.files, worktree.place.common_folder);
  BELAY_TRY_ASSIGN(std::optional<SavedSnapshot> last, LastSnapshot(worktree.git, request.keep));
  const bool look_at_once = last && last->record.converts;
  if (look_at_once) BELAY_TRY(AddOddFiles(worktree, request.rules, scan));
  BELAY_TRY_ASSIGN(const bool captured, IsCaptured(worktree, request, scan, last));
  if (captured) return Taken{*std::move(last), false, UncommittedIn(scan.status)};
  if (!look_at_once) BELAY_TRY(AddOddFiles(worktree, request.rules, scan));
  return Capture(worktree, request, scan, last);
}

}  // namespace

// An object that git finds in a pack may be garbage-collected before it is copied: then it is
// missing the next time, and is read from the worktree.
Result<Taken> TakeSnapshot(const Worktree& worktree, const TakeRequest& request) {
  Result<Taken> taken = TakeOnce(worktree, request);
  for (int tries = 1; !taken && tries < kMostTakes; ++tries) {
    if (taken.error().message.find("git pack-objects") == std::string::npos) break;
    taken = TakeOnce(worktree, request);
  }
  return taken;
}

namespace {

constexpr std::size_t kMostObjects = 2000;

}  // namespace

Result<void> SyncBase(const Worktree& worktree, const ObjectId& base, const ObjectId& synced) {
  if (base.IsNone() || base == synced) return {};
  const std::string& common = worktree.place.common_folder;
  if (synced.IsNone()) return worktree.files.SyncDisk(common);
  const Result<std::string> news = worktree.git.Ask(
      {"rev-list", "--objects", "--no-object-names", base.text(), "^" + synced.text()});
  if (!news || news->size() > kMostObjects * (base.text().size() + 1)) {
    return worktree.files.SyncDisk(common);
  }
  std::set<ObjectId> objects;
  for (const std::string_view line : Split(*news, '\n')) {
    if (Result<ObjectId> id = ObjectId::Parse(line)) objects.insert(*std::move(id));
  }
  return SyncLooseObjects(worktree.files, JoinPath(common, "objects/"), objects);
}

}  // namespace belay
