#include "adapters/git/merge_trees.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "adapters/git/fields.h"
#include "base/text.h"
#include "base/utf8.h"

namespace belay {
namespace {

std::size_t End(const LineRange& range) { return range.first + range.lines; }

// Git compares no files with more lines than 32 bits can count.
bool ReadNumber(std::string_view& text, std::size_t& number) {
  std::uint32_t small = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), small);
  if (problem != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  number = small;
  return true;
}

// "12,3" or "12", which is one line. "12,0" is the position after line 12.
std::optional<LineRange> ReadRange(std::string_view& text) {
  LineRange range{0, 1};
  if (!ReadNumber(text, range.first)) return std::nullopt;
  if (text.starts_with(',')) {
    text.remove_prefix(1);
    if (!ReadNumber(text, range.lines)) return std::nullopt;
  }
  if (range.lines == 0) ++range.first;
  return range;
}

// "@@ -1,2 +3 @@ ..."
std::optional<DiffHunk> ReadHeadline(std::string_view line) {
  constexpr std::string_view kStart = "@@ -";
  line.remove_prefix(kStart.size());
  const std::optional<LineRange> base = ReadRange(line);
  if (!base || !line.starts_with(" +")) return std::nullopt;
  line.remove_prefix(2);
  const std::optional<LineRange> now = ReadRange(line);
  if (!now || !line.starts_with(" @@")) return std::nullopt;
  return DiffHunk{*base, *now, {}};
}

// Unchanged lines separate two hunks, the same number on both sides.
bool Follows(const DiffHunk& hunk, const DiffHunk* before) {
  if (hunk.base.first == 0 || hunk.now.first == 0) return false;
  if (before == nullptr) return hunk.base.first == hunk.now.first;
  return hunk.base.first > End(before->base) && hunk.now.first > End(before->now) &&
         hunk.base.first - End(before->base) == hunk.now.first - End(before->now);
}

// A file without a final newline differs from one with it; the marker shows that.
bool IsContent(std::string_view line) { return line.starts_with('+') || line.starts_with('\\'); }

Result<std::vector<DiffHunk>> Diff(const MergeRoom& room, const ObjectId& base,
                                   const ObjectId& now) {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   room.Run({.arguments = {"diff", "-U0", "--histogram", "--no-ext-diff",
                                           "--no-textconv", "--no-color", "--no-indent-heuristic",
                                           "--inter-hunk-context=0", base.text(), now.text()}}));
  return ParseHunks(answer.out);
}

Result<ObjectId> EmptyBlob(const MergeRoom& room) {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   room.Run({.arguments = {"hash-object", "-w", "-t", "blob", "--stdin"},
                             .input = InputOf("")}));
  Fields fields(answer.out, "hash-object");
  return fields.IdUntil('\n');
}

// Hunks of one side that belong together, and the base lines that all sides of the group cover: as
// lines of this side.
LineRange InSide(std::span<const DiffHunk> hunks, std::size_t start, std::size_t end) {
  const DiffHunk& first = hunks.front();
  const DiffHunk& last = hunks.back();
  const std::size_t from = first.now.first - (first.base.first - start);
  return {from, End(last.now) + (end - End(last.base)) - from};
}

void DropTwins(std::vector<DiffHunk>& ours, std::vector<DiffHunk>& theirs) {
  const std::vector<DiffHunk> all = ours;
  const auto is_in = [](const std::vector<DiffHunk>& list, const DiffHunk& hunk) {
    return std::any_of(list.begin(), list.end(), [&](const DiffHunk& other) {
      return other.base == hunk.base && other.text == hunk.text;
    });
  };
  std::erase_if(ours, [&](const DiffHunk& hunk) { return is_in(theirs, hunk); });
  std::erase_if(theirs, [&](const DiffHunk& hunk) { return is_in(all, hunk); });
}

// Takes hunks from the front of a side while they touch the covered range.
std::size_t Extend(std::span<const DiffHunk> hunks, std::size_t taken, std::size_t& end) {
  while (taken < hunks.size() && hunks[taken].base.first <= end) {
    end = std::max(end, End(hunks[taken].base));
    ++taken;
  }
  return taken;
}

}  // namespace

Result<std::vector<DiffHunk>> ParseHunks(std::string_view diff) {
  std::vector<DiffHunk> hunks;
  for (const std::string_view line : Split(diff, '\n')) {
    if (line.starts_with("@@ -")) {
      std::optional<DiffHunk> hunk = ReadHeadline(line);
      if (!hunk || !Follows(*hunk, hunks.empty() ? nullptr : &hunks.back())) {
        return Fields(line, "diff").Damaged("not a valid hunk");
      }
      hunks.push_back(*std::move(hunk));
    } else if (!hunks.empty() && IsContent(line)) {
      hunks.back().text.append(line).append("\n");
    }
  }
  return hunks;
}

std::vector<ConflictRange> GroupHunks(std::span<const DiffHunk> ours,
                                      std::span<const DiffHunk> theirs) {
  std::vector<DiffHunk> a(ours.begin(), ours.end());
  std::vector<DiffHunk> b(theirs.begin(), theirs.end());
  DropTwins(a, b);
  std::span<const DiffHunk> rest_a(a);
  std::span<const DiffHunk> rest_b(b);
  std::vector<ConflictRange> ranges;
  while (!rest_a.empty() && !rest_b.empty()) {
    const std::size_t start = std::min(rest_a[0].base.first, rest_b[0].base.first);
    std::size_t end = start;
    std::size_t from_a = 0;
    std::size_t from_b = 0;
    for (std::size_t before = 1; before != from_a + from_b;) {
      before = from_a + from_b;
      from_a = Extend(rest_a, from_a, end);
      from_b = Extend(rest_b, from_b, end);
    }
    if (from_a > 0 && from_b > 0) {
      ranges.push_back(
          {InSide(rest_a.first(from_a), start, end), InSide(rest_b.first(from_b), start, end)});
    }
    rest_a = rest_a.subspan(from_a);
    rest_b = rest_b.subspan(from_b);
  }
  return ranges;
}

Result<std::vector<ConflictRange>> FindConflictRanges(const MergeRoom& room,
                                                      const ThreeBlobs& blobs) {
  ObjectId base = blobs.base;
  if (base.IsNone()) {
    BELAY_TRY_ASSIGN(base, EmptyBlob(room));
  }
  BELAY_TRY_ASSIGN(const std::vector<DiffHunk> ours, Diff(room, base, blobs.ours));
  BELAY_TRY_ASSIGN(const std::vector<DiffHunk> theirs, Diff(room, base, blobs.theirs));
  return GroupHunks(ours, theirs);
}

namespace {

constexpr std::string_view kConflict = "CONFLICT (";
// Advice that git prints last, as text, when a submodule is in conflict.
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
  const auto count = ParseNumber<std::size_t>(number);
  if (!count) return fields.Damaged("not a number of paths");
  for (std::size_t i = 0; i < *count; ++i) {
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

// In a conflict of a folder with a file, or of different types, git puts one of them at
// "PATH~COMMIT", or "PATH~COMMIT_0". Removes that suffix.
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

// Git 2.39 treats a commit's missing tree as empty: it complains, and then merges.
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
      error = {ErrorCode::kRefused,
               fmt::format("merge {} and {}: no common ancestor", ours.Short(), theirs.Short())};
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
  if (clean != outcome.files.empty())
    return fields.Damaged("the conflicts don't match the exit code");
  return outcome;
}

// Attributes only matter where contents are merged: most merges need none, and reading all of a
// large tree's attributes would take longer than the merge.
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
