#include "snapshot/restore_blobs.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "base/path.h"

namespace belay {
namespace {

constexpr std::size_t kMostHead = 200;
constexpr std::uint64_t kMostTarget = 4095;  // the kernel's limit

// "ID blob SIZE"
std::optional<std::uint64_t> SizeIn(std::string_view head, const ObjectId& id) {
  const std::string start = id.text() + " blob ";
  if (!head.starts_with(start)) return std::nullopt;
  const std::string_view digits = head.substr(start.size());
  std::uint64_t size = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  const bool whole = problem == std::errc() && end == digits.data() + digits.size();
  return whole ? std::optional(size) : std::nullopt;
}

}  // namespace

Error BlobWriter::Damaged(std::string_view why) const {
  return {ErrorCode::kDamaged,
          fmt::format("git cat-file {}: {}",
                      blobs_[std::min(next_, blobs_.size() - 1)].entry.id.text(), why),
          "git fsck shows what the repository has lost"};
}

Result<void> BlobWriter::ReadHead() {
  const BlobToWrite& blob = blobs_[next_];
  const std::optional<std::uint64_t> size = SizeIn(head_, blob.entry.id);
  if (!size) return Damaged("it is missing, or not a blob");
  head_.clear();
  left_ = *size;
  hasher_.emplace(blob.entry.id.format(), *size);
  part_ = *size == 0 ? Part::kEnd : Part::kContent;
  if (blob.entry.mode == kLinkMode) {
    if (*size == 0 || *size > kMostTarget) return Damaged("not a valid link target");
    return {};
  }
  const std::uint32_t usual = blob.entry.mode == kProgramMode ? 0777 : 0666;
  BELAY_TRY_ASSIGN(file_, files_.OpenForWriting(blob.path, usual));
  return {};
}

Result<void> BlobWriter::AddContent(std::string_view bytes) {
  hasher_->Add(bytes);
  left_ -= bytes.size();
  if (file_) return file_->Write(bytes);
  target_ += bytes;
  return {};
}

Result<void> BlobWriter::EndBlob() {
  const BlobToWrite& blob = blobs_[next_];
  if (hasher_->Hex() != blob.entry.id.text()) return Damaged("its content doesn't match its id");
  if (file_ && blob.permissions) BELAY_TRY(file_->SetMode(*blob.permissions & 0777U));
  if (!file_) {
    if (target_.find('\0') != std::string::npos) return Damaged("not a valid link target");
    BELAY_TRY(files_.MakeLink(target_, blob.path));
  }
  file_.reset();
  target_.clear();
  part_ = Part::kHead;
  ++next_;
  return {};
}

Result<void> BlobWriter::AddPart(std::string_view& piece) {
  switch (part_) {
    case Part::kHead: {
      const std::size_t end = piece.find('\n');
      head_ += piece.substr(0, end);
      if (head_.size() > kMostHead) return Damaged("unknown answer");
      const bool whole = end != std::string_view::npos;
      piece.remove_prefix(whole ? end + 1 : piece.size());
      return whole ? ReadHead() : Result<void>();
    }
    case Part::kContent: {
      const std::size_t count = std::min<std::uint64_t>(left_, piece.size());
      BELAY_TRY(AddContent(piece.substr(0, count)));
      piece.remove_prefix(count);
      if (left_ == 0) part_ = Part::kEnd;
      return {};
    }
    case Part::kEnd:
      if (piece[0] != '\n') return Damaged("it is longer than git announced");
      piece.remove_prefix(1);
      return EndBlob();
  }
  return {};
}

Result<void> BlobWriter::Add(std::string_view piece) {
  while (!piece.empty()) {
    if (next_ == blobs_.size()) return Damaged("more answers than requests");
    BELAY_TRY(AddPart(piece));
  }
  return {};
}

Result<void> BlobWriter::Finish() const {
  if (next_ < blobs_.size()) return Damaged("no answer");
  return {};
}

Result<void> WriteBlobs(const Git& git, FileSystem& files, const std::vector<BlobToWrite>& blobs) {
  if (blobs.empty()) return {};
  std::string questions;
  for (const BlobToWrite& blob : blobs) questions += blob.entry.id.text() + "\n";
  BlobWriter writer(files, blobs);
  BELAY_TRY(git.Run({.arguments = {"cat-file", "--batch"},
                     .input = InputOf(std::move(questions)),
                     .output = [&](std::string_view piece) { return writer.Add(piece); },
                     .limit = std::chrono::hours(2)}));
  return writer.Finish();
}

namespace {

constexpr std::uint32_t kExecutable = 0111;

// Clean, any number of conflicts that an exit code can express, or impossible to merge.
std::vector<int> MergeExits() {
  std::vector<int> exits(128);
  for (int i = 0; i < 128; ++i) exits[static_cast<std::size_t>(i)] = i;
  exits.push_back(255);
  return exits;
}

// Writes the output of a git call to a file. Returns the exit code.
Result<int> RunInto(const Worktree& worktree, const std::string& path, GitCall call,
                    std::uint32_t mode) {
  BELAY_TRY_ASSIGN(File file, worktree.files.OpenForWriting(path, 0666));
  call.output = [&](std::string_view piece) { return file.Write(piece); };
  BELAY_TRY_ASSIGN(const GitAnswer answer, worktree.git.Run(call));
  BELAY_TRY(file.SetMode(mode));
  return answer.exit_code;
}

// A change of the execute permission, on either side, wins over the base.
std::uint32_t MergedMode(const PathToRestore& path, const FileInfo& now) {
  const bool runs = now.IsExecutable();
  const bool base_runs = path.base.mode == kProgramMode;
  const bool target_runs = path.target.mode == kProgramMode;
  if (runs != base_runs || target_runs == base_runs) return now.mode & 0777U;
  if (!target_runs) return now.mode & 0777U & ~kExecutable;
  return (now.mode & 0777U) | ((now.mode & 0444U) >> 2U);  // for everyone who may read it
}

// False: not cleanly.
Result<bool> Merge(const Worktree& worktree, WorkFolder& staging, const PathToRestore& path,
                   const FileInfo& now, const std::string& to) {
  const std::string base = staging.NewPath();
  const std::string target = staging.NewPath();
  BELAY_TRY(RunInto(
      worktree, base,
      {.arguments = {"cat-file", "--filters", "--path=" + path.path, path.base.id.text()}}, 0600));
  BELAY_TRY(WriteBlobs(worktree.git, worktree.files, {{target, {kFileMode, path.target.id}}}));
  BELAY_TRY_ASSIGN(
      const int conflicts,
      RunInto(worktree, to,
              {.arguments = {"merge-file", "-p", JoinPath(worktree.place.worktree, path.path), base,
                             target},
               .good_exits = MergeExits()},
              MergedMode(path, now)));
  return conflicts == 0;
}

}  // namespace

Result<std::optional<std::vector<StagedFile>>> StageMerges(const Worktree& worktree,
                                                           WorkFolder& staging,
                                                           const RestorePlan& plan,
                                                           const Present& present) {
  using Staged = std::optional<std::vector<StagedFile>>;
  std::vector<StagedFile> staged;
  for (const PlannedConflict& conflict : plan.conflicts) {
    if (!conflict.in_file) continue;
    const auto path =
        std::find_if(present.paths.begin(), present.paths.end(),
                     [&](const PathToRestore& other) { return other.path == conflict.path; });
    const auto seen = present.seen.find(conflict.path);
    const bool can =
        conflict.can_merge && path != present.paths.end() && seen != present.seen.end();
    if (!can) return Staged();
    staged.push_back({staging.NewPath(), conflict.path});
    BELAY_TRY_ASSIGN(const bool clean,
                     Merge(worktree, staging, *path, seen->second.info, staged.back().staged));
    if (!clean) return Staged();
  }
  return Staged(std::move(staged));
}

}  // namespace belay
