#include "adapters/git/objects.h"

#include <fmt/core.h>

#include <memory>

#include "adapters/git/fields.h"
#include "adapters/git/status.h"
#include "base/path.h"
#include "base/text.h"

namespace belay {
namespace {

// Measured: from about ten objects on, one sync of the whole disk is faster than one of each file
// and folder, also while other processes write.
constexpr std::size_t kMostObjects = 16;
// Each has its own tree, those above its files, and the files: about that many, without asking git
// for the exact list.
constexpr std::size_t kMostCommits = 2;

// Trees and blobs that a commit has and its parent lacks. Listing all objects unreachable from the
// target would make git read its whole tree.
Result<void> AddNewObjects(const MergeRoom& room, std::span<const CommitToSync> commits,
                           std::set<ObjectId>& objects) {
  std::string pairs;
  for (const CommitToSync& commit : commits) {
    pairs += commit.commit.text();
    if (!commit.parent.IsNone()) pairs += " " + commit.parent.text();
    pairs += '\n';
  }
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   room.Run({.arguments = {"diff-tree", "--stdin", "--root", "-r", "-t", "-z",
                                           "--no-renames", "--no-commit-id", "--raw"},
                             .input = InputOf(std::move(pairs))}));
  Fields fields(answer.out, "diff-tree");
  while (!fields.AtEnd()) {  // ":MODE MODE ID ID STATUS<nul>PATH<nul>"
    BELAY_TRY(fields.Until(' '));
    BELAY_TRY_ASSIGN(const std::uint32_t mode, fields.ModeUntil(' '));
    BELAY_TRY(fields.Until(' '));
    BELAY_TRY_ASSIGN(ObjectId id, fields.IdUntil(' '));
    BELAY_TRY(fields.Until('\0'));
    BELAY_TRY(fields.PathUntilNul());
    if (mode != kNoMode && mode != kSubmoduleMode) objects.insert(std::move(id));
  }
  return {};
}

}  // namespace

Result<void> SyncLooseObjects(FileSystem& files, const std::string& folder,
                              const std::set<ObjectId>& objects) {
  std::set<std::string> changed;
  for (const ObjectId& id : objects) {
    const std::string inner = JoinPath(folder, id.text().substr(0, 2));
    BELAY_TRY_ASSIGN(std::optional<File> file,
                     IfThere(files.OpenForReading(JoinPath(inner, id.text().substr(2)))));
    if (!file) continue;
    BELAY_TRY(file->Sync());
    changed.insert(inner);
  }
  for (const std::string& inner : changed) BELAY_TRY(files.SyncFolder(inner));
  return changed.empty() ? Result<void>() : files.SyncFolder(folder);
}

Result<void> SyncCommits(const MergeRoom& room, std::span<const CommitToSync> commits) {
  if (commits.empty()) return {};
  FileSystem& files = room.files();
  const std::string folder = JoinPath(room.common_folder(), "objects");
  if (commits.size() > kMostCommits) return files.SyncDisk(folder);
  std::set<ObjectId> objects;
  for (const CommitToSync& commit : commits) {
    objects.insert(commit.commit);
    objects.insert(commit.tree);
  }
  BELAY_TRY(AddNewObjects(room, commits, objects));
  if (objects.size() > kMostObjects) return files.SyncDisk(folder);
  return SyncLooseObjects(files, folder, objects);
}

namespace {

constexpr std::string_view kMark = "belay builds a candidate";
constexpr std::size_t kMostMark = 4096;
constexpr std::size_t kPiece = std::size_t{1} << 16U;

std::string PackFolder(const std::string& common_folder) {
  return JoinPath(common_folder, "objects/pack");
}

std::string FirstLine(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

// Without delta search: the next gc does that.
Result<std::string> PackInRoom(const MergeRoom& room, const ObjectId& commit,
                               std::span<const ObjectId> known) {
  std::string range = commit.text() + "\n";
  for (const ObjectId& id : known) range += "^" + id.text() + "\n";
  const std::string start = JoinPath(room.git_folder(), "built");
  BELAY_TRY_ASSIGN(
      const GitAnswer answer,
      room.Run({.arguments = {"pack-objects", "--revs", "--no-sparse", "--window=0", "-q", start},
                .input = InputOf(std::move(range))}));
  return fmt::format("{}-{}.pack", start, FirstLine(answer.out));
}

ProgramRequest::Input ContentOf(File file) {
  const auto shared = std::make_shared<File>(std::move(file));
  return [shared, offset = std::uint64_t{0}](std::string& piece) mutable -> Result<bool> {
    piece.resize(kPiece);
    BELAY_TRY_ASSIGN(const std::size_t count, shared->ReadAt(offset, piece.data(), piece.size()));
    piece.resize(count);
    offset += count;
    return count > 0;
  };
}

}  // namespace

Result<std::string> PublishCommit(const MergeRoom& room, const ObjectId& commit,
                                  std::span<const ObjectId> known) {
  BELAY_TRY_ASSIGN(const std::string pack, PackInRoom(room, commit, known));
  BELAY_TRY_ASSIGN(File content, room.files().OpenForReading(pack));
  BELAY_TRY_ASSIGN(
      const GitAnswer answer,
      room.RunInRepository({.arguments = {"index-pack", "--stdin", fmt::format("--keep={}", kMark)},
                            .input = ContentOf(std::move(content))}));
  // "keep", or "pack" if that file existed; a tab; the name.
  const std::string line = FirstLine(answer.out);
  const std::size_t tab = line.find('\t');
  const Result<ObjectId> name = ObjectId::Parse(tab == line.npos ? "" : line.substr(tab + 1));
  if (!name) return Error{ErrorCode::kFailed, "git index-pack: the output doesn't name the pack"};
  const std::string folder = PackFolder(room.common_folder());
  BELAY_TRY(room.files().SyncFolder(folder));
  return JoinPath(folder, fmt::format("pack-{}.keep", name->text()));
}

Result<void> ReleasePack(FileSystem& files, const std::string& keep_file) {
  const Result<std::string> text = files.Read(keep_file, kMostMark);
  if (!text || !text->starts_with(kMark)) return {};
  return EmptyIfMissing(files.RemoveFile(keep_file));
}

Result<void> ReleaseLeftPacks(FileSystem& files, const std::string& common_folder) {
  const std::string folder = PackFolder(common_folder);
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, EmptyIfMissing(files.List(folder)));
  for (const std::string& name : names) {
    if (name.ends_with(".keep")) BELAY_TRY(ReleasePack(files, JoinPath(folder, name)));
  }
  return {};
}

std::vector<std::string> WholeCommitQuestion(const std::string& commit, const std::string& known) {
  return {"rev-list", "--objects", "--quiet", commit, "^" + known, "--"};
}

namespace {

constexpr std::string_view kTree = "tree ";
constexpr std::string_view kParent = "parent ";
constexpr std::string_view kCommitter = "committer ";
constexpr std::string_view kBound[] = {"gpgsig", "gpgsig-sha256", "mergetag"};

std::string_view NameOf(std::string_view header) { return header.substr(0, header.find(' ')); }

// Including its newline; the last line may have none.
std::string_view TakeLine(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end == std::string_view::npos ? end : end + 1);
  rest.remove_prefix(line.size());
  return line;
}

std::string_view WithoutNewline(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::string AtTime(std::string_view person, WallTime time) {
  const std::size_t end = person.rfind('>');
  if (end == std::string_view::npos) return std::string(person);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
  return fmt::format("{} {} +0000", person.substr(0, end + 1), seconds);
}

Result<RawCommit> RawCommit::Parse(std::string_view bytes) {
  RawCommit commit;
  bool in_parents = true;  // they follow the tree; after them "parent" is an ordinary header
  if (!bytes.starts_with(kTree)) return Fields(bytes, "cat-file").Damaged("no tree");
  BELAY_TRY_ASSIGN(commit.tree_,
                   ObjectId::Parse(WithoutNewline(TakeLine(bytes)).substr(kTree.size())));
  while (!bytes.empty()) {
    const std::string_view line = TakeLine(bytes);
    if (line == "\n") {
      commit.has_end_ = true;
      break;
    }
    in_parents = in_parents && line.starts_with(kParent);
    if (in_parents) {
      BELAY_TRY_ASSIGN(ObjectId parent,
                       ObjectId::Parse(WithoutNewline(line).substr(kParent.size())));
      commit.parents_.push_back(std::move(parent));
    } else if (line.starts_with(' ') && !commit.headers_.empty()) {
      commit.headers_.back() += line;
    } else {
      commit.headers_.emplace_back(line);
    }
  }
  commit.message_ = bytes;
  return commit;
}

std::string_view RawCommit::Header(std::string_view name) const {
  for (const std::string_view header : headers_) {
    if (NameOf(header) != name || header.size() <= name.size()) continue;
    return WithoutNewline(header.substr(name.size() + 1));
  }
  return {};
}

std::string RawCommit::Elsewhere(const ObjectId& tree, std::span<const ObjectId> parents,
                                 std::optional<WallTime> committed_at) const {
  std::string bytes = fmt::format("tree {}\n", tree.text());
  for (const ObjectId& parent : parents) bytes += fmt::format("parent {}\n", parent.text());
  bool behind_parents = true;
  bool dated = !committed_at;
  for (const std::string& header : headers_) {
    if (IsIn(kBound, NameOf(header))) continue;
    // After a signature it was no parent, and without the signature it must not become one.
    if (behind_parents && header.starts_with(kParent)) continue;
    behind_parents = false;
    if (!dated && header.starts_with(kCommitter)) {
      dated = true;
      bytes += AtTime(WithoutNewline(header), *committed_at);
      if (header.ends_with('\n')) bytes += '\n';
      continue;
    }
    bytes += header;
  }
  if (has_end_) bytes += '\n';
  return bytes + message_;
}

Result<CommitMap> ReadRawCommits(const MergeRoom& room, std::span<const ObjectId> ids) {
  std::string questions;
  for (const ObjectId& id : ids) questions += id.text() + "\n";
  BELAY_TRY_ASSIGN(const GitAnswer answer, room.Run({.arguments = {"cat-file", "--batch"},
                                                     .input = InputOf(std::move(questions))}));
  CommitMap commits;
  Fields fields(answer.out, "cat-file");
  for (const ObjectId& id : ids) {
    BELAY_TRY_ASSIGN(const std::string_view headline, fields.Until('\n'));
    const std::vector<std::string_view> words = Split(headline, ' ');
    if (words.size() != 3 || words[0] != id.text()) {
      return Error{ErrorCode::kNotFound, fmt::format("commit {} is missing", id.Short())};
    }
    BELAY_TRY_ASSIGN(const std::string_view bytes, fields.Bytes(words[2]));
    BELAY_TRY(fields.Until('\n'));
    if (words[1] != "commit") {
      return Error{ErrorCode::kRefused,
                   fmt::format("{} is a {}, not a commit", id.Short(), words[1])};
    }
    Result<RawCommit> commit = RawCommit::Parse(bytes);
    if (!commit) return std::move(commit).error().In("commit " + id.Short());
    commits.insert_or_assign(id, *std::move(commit));
  }
  return commits;
}

std::string CommitBytes(const NewCommit& commit) {
  std::string bytes = fmt::format("tree {}\n", commit.tree.text());
  for (const ObjectId& parent : commit.parents) bytes += fmt::format("parent {}\n", parent.text());
  bytes += "author " + commit.author + "\ncommitter " + commit.committer + "\n\n";
  return bytes + commit.message;
}

}  // namespace belay
