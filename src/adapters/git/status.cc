#include "adapters/git/status.h"

#include "adapters/git/fields.h"

namespace belay {
namespace {

// "N..." or "S<c><m><u>": whether it is a submodule, and what is new in it.
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

// "branch.oid ID", "branch.head NAME", and others that don't matter.
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
      return fields.Damaged("an unknown kind of line");
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

}  // namespace belay
