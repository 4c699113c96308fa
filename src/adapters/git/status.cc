#include "adapters/git/status.h"

#include <fmt/core.h>

#include <algorithm>

#include "adapters/git/fields.h"

namespace belay {
namespace {

// "N..." or "S<c><m><u>": whether it is a submodule, and its changes.
Result<void> ReadSubmodule(Fields& fields, StatusEntry& entry) {
  BELAY_TRY_ASSIGN(const std::string_view field, fields.Until(' '));
  if (field.size() != 4) return fields.Damaged("no submodule state");
  entry.submodule_moved = field[1] == 'C';
  entry.submodule_dirty = field[2] == 'M' || field[3] == 'U';
  return {};
}

// "1 XY sub mH mI mW hH hI path"
Result<StatusEntry> ReadChanged(Fields& fields) {
  StatusEntry entry{.kind = StatusEntry::Kind::kChanged};
  BELAY_TRY_ASSIGN(const std::string_view states, fields.Until(' '));
  if (states.size() != 2) return fields.Damaged("no state");
  entry.index_changed = states[0] != '.';
  entry.worktree_changed = states[1] != '.';
  entry.intent_to_add = states[1] == 'A';
  BELAY_TRY(ReadSubmodule(fields, entry));
  BELAY_TRY_ASSIGN(entry.head.mode, fields.ModeUntil(' '));
  BELAY_TRY_ASSIGN(entry.index.mode, fields.ModeUntil(' '));
  BELAY_TRY_ASSIGN(entry.worktree_mode, fields.ModeUntil(' '));
  BELAY_TRY_ASSIGN(entry.head.id, fields.IdUntil(' '));
  BELAY_TRY_ASSIGN(entry.index.id, fields.IdUntil(' '));
  BELAY_TRY_ASSIGN(entry.path, fields.PathUntilNul());
  return entry;
}

// "u XY sub m1 m2 m3 mW h1 h2 h3 path"
Result<StatusEntry> ReadUnmerged(Fields& fields) {
  StatusEntry entry{.kind = StatusEntry::Kind::kUnmerged};
  entry.index_changed = entry.worktree_changed = true;
  BELAY_TRY(fields.Until(' '));
  BELAY_TRY(ReadSubmodule(fields, entry));
  for (GitEntry& stage : entry.stages) {
    BELAY_TRY_ASSIGN(stage.mode, fields.ModeUntil(' '));
  }
  BELAY_TRY_ASSIGN(entry.worktree_mode, fields.ModeUntil(' '));
  for (GitEntry& stage : entry.stages) {
    BELAY_TRY_ASSIGN(stage.id, fields.IdUntil(' '));
  }
  BELAY_TRY_ASSIGN(entry.path, fields.PathUntilNul());
  return entry;
}

Result<StatusEntry> ReadOther(Fields& fields, StatusEntry::Kind kind) {
  BELAY_TRY_ASSIGN(const std::string_view path, fields.PathUntilNul());
  return StatusEntry{.kind = kind, .path = std::string(path)};
}

// "branch.oid ID", "branch.head NAME", and others that are ignored.
Result<void> ReadHeader(Fields& fields, GitStatus& status) {
  BELAY_TRY_ASSIGN(const std::string_view header, fields.Until('\0'));
  constexpr std::string_view kCommit = "branch.oid ";
  constexpr std::string_view kBranch = "branch.head ";
  if (header.starts_with(kCommit) && header != "branch.oid (initial)") {
    BELAY_TRY_ASSIGN(status.head, ObjectId::Parse(header.substr(kCommit.size())));
  }
  if (header.starts_with(kBranch) && header != "branch.head (detached)") {
    status.branch = header.substr(kBranch.size());
  }
  return {};
}

Result<StatusEntry> ReadEntry(Fields& fields, char kind) {
  switch (kind) {
    case '1':
      return ReadChanged(fields);
    case 'u':
      return ReadUnmerged(fields);
    case '?':
      return ReadOther(fields, StatusEntry::Kind::kUntracked);
    case '!':
      return ReadOther(fields, StatusEntry::Kind::kIgnored);
    default:
      return fields.Damaged("unknown kind of line");
  }
}

}  // namespace

Result<GitStatus> ParseStatus(std::string_view output) {
  GitStatus status;
  Fields fields(output, "status");
  while (!fields.AtEnd()) {
    BELAY_TRY_ASSIGN(const char kind, fields.Next());
    BELAY_TRY_ASSIGN(const char space, fields.Next());
    if (space != ' ') return fields.Damaged("no space");
    if (kind == '#') {
      BELAY_TRY(ReadHeader(fields, status));
      continue;
    }
    BELAY_TRY_ASSIGN(StatusEntry entry, ReadEntry(fields, kind));
    status.entries.push_back(std::move(entry));
  }
  return status;
}

Result<GitStatus> ReadStatus(const Git& git, IgnoredFiles ignored, Submodules submodules) {
  GitCall call{.arguments = {"status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind",
                             "--untracked-files=all",
                             submodules == Submodules::kLookInto ? "--ignore-submodules=none"
                                                                 : "--ignore-submodules=all",
                             "--no-renames"}};
  if (ignored == IgnoredFiles::kName) call.arguments.emplace_back("--ignored=traditional");
  BELAY_TRY_ASSIGN(GitAnswer answer, git.Run(call));
  BELAY_TRY_ASSIGN(GitStatus status, ParseStatus(answer.out));
  status.warnings = std::move(answer.warnings);
  return status;
}

namespace {

constexpr std::size_t kHeader = 12;
constexpr std::size_t kStat = 40;  // git's stat data of a file
constexpr std::uint32_t kAssumeUnchanged = 0x8000;
constexpr std::uint32_t kExtended = 0x4000;
constexpr std::uint32_t kSkipWorktree = 0x4000;  // in the second flags

std::uint32_t Number(std::string_view bytes) {
  std::uint32_t number = 0;
  for (const char c : bytes) number = number << 8U | static_cast<unsigned char>(c);
  return number;
}

std::string Hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const char c : bytes) {
    hex += kDigits[static_cast<unsigned char>(c) >> 4U];
    hex += kDigits[static_cast<unsigned char>(c) & 15U];
  }
  return hex;
}

// One entry: stat data, object id, flags, maybe more flags, the path, and one to eight NULs.
class IndexReader {
 public:
  IndexReader(std::string_view index, ObjectFormat format)
      : index_(index), id_(format == ObjectFormat::kSha256 ? 32 : 20) {}

  // False when it is invalid.
  bool Next(Overlooked& entry, bool& overlooked) {
    const std::size_t flags_at = at_ + kStat + id_;
    if (flags_at + 4 > index_.size()) return false;
    const std::uint32_t flags = Number(index_.substr(flags_at, 2));
    const bool extended = (flags & kExtended) != 0;
    const std::uint32_t more = extended ? Number(index_.substr(flags_at + 2, 2)) : 0;
    const std::size_t path_at = flags_at + (extended ? 4 : 2);
    const std::size_t end = index_.find('\0', path_at);
    if (end == std::string_view::npos || end == path_at) return false;
    entry.path = index_.substr(path_at, end - path_at);
    overlooked = (flags & kAssumeUnchanged) != 0 || (more & kSkipWorktree) != 0;
    if (overlooked) entry.id = *ObjectId::Parse(Hex(index_.substr(at_ + kStat, id_)));
    at_ += (end - at_ + 8) / 8 * 8;
    return true;
  }

  std::string_view rest() const { return index_.substr(std::min(at_, index_.size())); }

 private:
  std::string_view index_;
  std::size_t id_;
  std::size_t at_ = kHeader;
};

}  // namespace

std::optional<std::vector<Overlooked>> OverlookedInIndex(std::string_view index,
                                                         ObjectFormat format) {
  if (index.size() < kHeader || !index.starts_with("DIRC")) return std::nullopt;
  const std::uint32_t version = Number(index.substr(4, 4));
  if (version != 2 && version != 3) return std::nullopt;
  std::vector<Overlooked> paths;
  IndexReader reader(index, format);
  Overlooked entry;
  for (std::uint32_t count = Number(index.substr(8, 4)); count > 0; --count) {
    bool overlooked = false;
    if (!reader.Next(entry, overlooked)) return std::nullopt;
    if (overlooked) paths.push_back(entry);
  }
  // Extensions with lower-case letters must be understood; "link" names a file with the other
  // entries.
  const std::string_view extension = reader.rest().substr(0, 4);
  if (extension == "link" || extension == "sdir") return std::nullopt;
  return paths;
}

Result<std::vector<Overlooked>> FindOverlooked(const Git& git, std::string_view index,
                                               ObjectFormat format) {
  if (index.empty()) return std::vector<Overlooked>();
  if (auto paths = OverlookedInIndex(index, format)) return *std::move(paths);
  BELAY_TRY_ASSIGN(const std::string list, git.Ask({"ls-files", "-v", "--stage", "-z"}));
  std::vector<Overlooked> paths;
  Fields fields(list, "ls-files");
  while (!fields.AtEnd()) {  // "TAG MODE ID STAGE<tab>PATH<nul>"
    BELAY_TRY_ASSIGN(const std::string_view tag, fields.Until(' '));
    BELAY_TRY(fields.Until(' '));
    BELAY_TRY_ASSIGN(ObjectId id, fields.IdUntil(' '));
    BELAY_TRY(fields.Until('\t'));
    BELAY_TRY_ASSIGN(const std::string_view path, fields.Until('\0'));
    const bool assumed = !tag.empty() && tag[0] >= 'a' && tag[0] <= 'z';
    if (assumed || tag == "S") paths.push_back({std::string(path), std::move(id)});
  }
  return paths;
}

namespace {

constexpr std::string_view kCommand = "diff-tree";
// Git knows these without storing them.
constexpr std::string_view kEmptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
constexpr std::string_view kLongEmptyTree =
    "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";

// "old-mode new-mode old-id new-id status NUL path NUL", after its colon
Result<TreeChange> ReadChange(Fields& fields) {
  TreeChange change;
  BELAY_TRY_ASSIGN(change.before.mode, fields.ModeUntil(' '));
  BELAY_TRY_ASSIGN(change.after.mode, fields.ModeUntil(' '));
  BELAY_TRY_ASSIGN(change.before.id, fields.IdUntil(' '));
  BELAY_TRY_ASSIGN(change.after.id, fields.IdUntil(' '));
  BELAY_TRY(fields.Until('\0'));
  BELAY_TRY_ASSIGN(change.path, fields.PathUntilNul());
  return change;
}

Result<std::vector<ObjectId>> ReadTrees(const Git& git, const std::vector<std::string>& commits) {
  std::string input;
  for (const std::string& commit : commits) input += commit + "^{tree}\n";
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   git.Run({.arguments = {"cat-file", "--batch-check=%(objectname)"},
                            .input = InputOf(std::move(input))}));
  std::vector<ObjectId> trees;
  Fields fields(answer.out, "cat-file");
  for (const std::string& commit : commits) {
    BELAY_TRY_ASSIGN(const std::string_view line, fields.Until('\n'));
    Result<ObjectId> tree = ObjectId::Parse(line);
    if (!tree) return Error{ErrorCode::kFailed, fmt::format("commit {} is missing", commit)};
    trees.push_back(*std::move(tree));
  }
  return trees;
}

// Trees, since git would compare a commit with its parents: those of the object, or those that an
// earlier line named. One line for each pair.
Result<std::vector<std::string>> PairLines(const Git& git, std::span<const TreePair> pairs) {
  std::vector<std::string> commits;
  for (const TreePair& pair : pairs) {
    if (!pair.before.IsNone()) commits.push_back(pair.before.text());
    commits.push_back(pair.after.text());
  }
  BELAY_TRY_ASSIGN(const std::vector<ObjectId> trees, ReadTrees(git, commits));
  std::vector<std::string> lines;
  auto next = trees.begin();
  for (const TreePair& pair : pairs) {
    const bool sha1 = pair.after.format() == ObjectFormat::kSha1;
    std::string line(sha1 ? kEmptyTree : kLongEmptyTree);
    if (!pair.before.IsNone()) line = (next++)->text();
    lines.push_back(line + " " + (next++)->text());
  }
  return lines;
}

// The line of each pair precedes its changes.
Result<std::vector<std::vector<TreeChange>>> ReadPairs(std::string_view output,
                                                       const std::vector<std::string>& lines) {
  std::vector<std::vector<TreeChange>> all(lines.size());
  std::size_t next = 0;
  Fields fields(output, kCommand);
  while (!fields.AtEnd()) {
    if (!fields.rest().starts_with(':')) {
      BELAY_TRY_ASSIGN(const std::string_view line, fields.Until('\n'));
      if (next == lines.size() || line != lines[next]) {
        return fields.Damaged("not the requested trees");
      }
      ++next;
      continue;
    }
    if (next == 0) return fields.Damaged("no trees");
    BELAY_TRY(fields.Next());
    BELAY_TRY_ASSIGN(TreeChange change, ReadChange(fields));
    all[next - 1].push_back(std::move(change));
  }
  if (next != lines.size()) return fields.Damaged("a pair is missing");
  return all;
}

}  // namespace

Result<std::vector<TreeChange>> ParseTreeChanges(std::string_view output) {
  std::vector<TreeChange> changes;
  Fields fields(output, kCommand);
  while (!fields.AtEnd()) {
    BELAY_TRY_ASSIGN(const char first, fields.Next());
    if (first != ':') return fields.Damaged("no change");
    BELAY_TRY_ASSIGN(TreeChange change, ReadChange(fields));
    changes.push_back(std::move(change));
  }
  return changes;
}

Result<std::vector<std::vector<TreeChange>>> CompareCommits(const Git& git,
                                                            std::span<const TreePair> pairs) {
  BELAY_TRY_ASSIGN(const std::vector<std::string> lines, PairLines(git, pairs));
  std::string input;
  for (const std::string& line : lines) input += line + "\n";
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   git.Run({.arguments = {"diff-tree", "--stdin", "-r", "-z", "--no-renames",
                                          "--ignore-submodules=none"},
                            .input = InputOf(std::move(input))}));
  return ReadPairs(answer.out, lines);
}

}  // namespace belay
