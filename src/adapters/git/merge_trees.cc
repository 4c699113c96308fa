#include "adapters/git/merge_trees.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "adapters/git/fields.h"
#include "base/split.h"
#include "base/utf8.h"

namespace belay {
namespace {

constexpr std::string_view kConflict = "CONFLICT (";
// Advice that git prints behind everything else, as text, when a submodule is in conflict.
constexpr std::string_view kAdvice = "Recursive merging with submodules";

struct Message {
  std::vector<std::string> paths;
  std::string_view type;
  std::string_view text;
};

// "MODE ID STAGE\tPATH"
Result<void> ReadStage(Fields& fields, std::map<std::string, ConflictedFile>& files) {
  GitEntry entry;
  BELAY_TRY_ASSIGN(entry.mode, fields.ModeUntil(' '));
  BELAY_TRY_ASSIGN(entry.id, fields.IdUntil(' '));
  BELAY_TRY_ASSIGN(const std::string_view stage, fields.Until('\t'));
  BELAY_TRY_ASSIGN(const std::string_view path, fields.PathUntilNul());
  if (stage != "1" && stage != "2" && stage != "3") return fields.Damaged("no stage");
  ConflictedFile& file = files[std::string(path)];
  file.path = path;
  file.stages[static_cast<std::size_t>(stage[0] - '1')] = std::move(entry);
  return {};
}

// "COUNT", that many paths, the type, the text: each ends with a NUL.
Result<Message> ReadMessage(Fields& fields) {
  Message message;
  BELAY_TRY_ASSIGN(const std::string_view number, fields.Until('\0'));
  std::size_t count = 0;
  const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), count);
  if (problem != std::errc() || end != number.data() + number.size()) {
    return fields.Damaged("no number of paths");
  }
  for (std::size_t i = 0; i < count; ++i) {
    BELAY_TRY_ASSIGN(const std::string_view path, fields.PathUntilNul());
    message.paths.emplace_back(path);
  }
  BELAY_TRY_ASSIGN(message.type, fields.Until('\0'));
  BELAY_TRY_ASSIGN(message.text, fields.Until('\0'));
  while (message.text.ends_with('\n')) message.text.remove_suffix(1);
  return message;
}

void TakeMessage(const Message& message, bool clean, std::map<std::string, ConflictedFile>& files,
                 std::vector<std::string>& merged) {
  if (message.type == "Auto-merging") {
    merged.insert(merged.end(), message.paths.begin(), message.paths.end());
  }
  if (clean || !message.type.starts_with(kConflict)) return;
  std::string_view kind = message.type.substr(kConflict.size());
  kind = kind.substr(0, kind.find(')'));
  for (const std::string& path : message.paths) {
    ConflictedFile& file = files[path];
    file.path = path;
    if (!file.kind.empty()) continue;
    file.kind = kind;
    file.message = message.text;
  }
}

// Where one side has a folder and the other a file, or both have things of another kind, git puts
// one of them at "PATH~COMMIT", or "PATH~COMMIT_0". Without that.
std::string_view KnownPath(std::string_view path, const ObjectId& ours, const ObjectId& theirs) {
  for (const ObjectId* id : {&ours, &theirs}) {
    const std::size_t at = path.rfind("~" + id->text());
    if (at == std::string_view::npos) continue;
    const std::string_view rest = path.substr(at + 1 + id->text().size());
    const bool numbered =
        rest.starts_with('_') && rest.find_first_not_of("0123456789", 1) == std::string_view::npos;
    if (rest.empty() || numbered) return path.substr(0, at);
  }
  return path;
}

void NameByKnownPaths(MergeOutcome& outcome, const ObjectId& ours, const ObjectId& theirs) {
  std::map<std::string, ConflictedFile, std::less<>> files;
  for (ConflictedFile& file : outcome.files) {
    file.path = std::string(KnownPath(file.path, ours, theirs));
    const auto [known, is_new] = files.try_emplace(file.path, file);
    if (is_new) continue;
    for (std::size_t i = 0; i < file.stages.size(); ++i) {
      GitEntry& stage = known->second.stages[i];
      if (!stage.IsThere()) stage = file.stages[i];
    }
    if (!known->second.kind.empty()) continue;
    known->second.kind = file.kind;
    known->second.message = file.message;
  }
  outcome.files.clear();
  for (auto& [path, file] : files) outcome.files.push_back(std::move(file));
}

// Git 2.39 takes the tree of a commit for empty if it is missing: it complains, and then merges.
Result<void> CheckComplaints(std::string_view errors) {
  for (const std::string_view line : Split(errors, '\n')) {
    if (!line.starts_with("error: ")) continue;
    return Error{ErrorCode::kFailed, fmt::format("git merge-tree: {}", ReplaceInvalidUtf8(line))};
  }
  return {};
}

Result<MergeOutcome> MergeOnce(const MergeRoom& room, const ObjectId& ours,
                               const ObjectId& theirs) {
  const auto answer = room.Run(
      {.arguments = {"merge-tree", "--write-tree", "-z", "--messages", ours.text(), theirs.text()},
       .good_exits = {0, 1}});
  if (!answer) {
    Error error = answer.error();
    if (error.message.find("unrelated histories") != std::string::npos) {
      error = {ErrorCode::kRefused, fmt::format("merge {} and {}: they have no common ancestor",
                                                ours.Short(), theirs.Short())};
    }
    return error;
  }
  BELAY_TRY(CheckComplaints(answer->warnings));
  BELAY_TRY_ASSIGN(MergeOutcome outcome, ParseMerge(answer->out, answer->exit_code == 0));
  NameByKnownPaths(outcome, ours, theirs);
  return outcome;
}

bool IsFile(const GitEntry& entry) { return entry.mode == kFileMode || entry.mode == kProgramMode; }

}  // namespace

Result<MergeOutcome> ParseMerge(std::string_view output, bool clean) {
  MergeOutcome outcome{.tree = {}, .clean = clean, .files = {}};
  Fields fields(output, "merge-tree");
  BELAY_TRY_ASSIGN(outcome.tree, fields.IdUntil('\0'));
  std::map<std::string, ConflictedFile> files;
  while (!fields.rest().starts_with('\0')) BELAY_TRY(ReadStage(fields, files));
  BELAY_TRY(fields.Next());
  while (!fields.AtEnd() && !fields.rest().starts_with(kAdvice)) {
    BELAY_TRY_ASSIGN(const Message message, ReadMessage(fields));
    TakeMessage(message, clean, files, outcome.merged_files);
  }
  for (auto& [path, file] : files) outcome.files.push_back(std::move(file));
  if (clean != outcome.files.empty()) return fields.Damaged("other conflicts than it said");
  return outcome;
}

// Attributes only matter where contents are merged: most merges need none, and reading all of a
// large tree's would take longer than the merge.
Result<MergeOutcome> MergeCommits(MergeRoom& room, const ObjectId& ours, const ObjectId& theirs) {
  BELAY_TRY_ASSIGN(MergeOutcome outcome, MergeOnce(room, ours, theirs));
  std::set<std::string> paths(outcome.merged_files.begin(), outcome.merged_files.end());
  for (const ConflictedFile& file : outcome.files) paths.insert(file.path);
  if (paths.empty()) return outcome;
  BELAY_TRY_ASSIGN(const bool fetched, room.FetchAttributes(paths));
  return fetched ? MergeOnce(room, ours, theirs) : outcome;
}

Result<void> AddRanges(const MergeRoom& room, MergeOutcome& outcome) {
  std::size_t left = kMostRangedFiles;
  for (ConflictedFile& file : outcome.files) {
    const auto& [base, ours, theirs] = file.stages;
    if (!IsFile(ours) || !IsFile(theirs) || (base.IsThere() && !IsFile(base))) continue;
    if (left-- == 0) break;
    BELAY_TRY_ASSIGN(file.ranges, FindConflictRanges(room, {base.id, ours.id, theirs.id}));
  }
  return {};
}

}  // namespace belay
