#include "merge/prune.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "adapters/git/refs.h"
#include "base/path.h"
#include "base/text.h"
#include "merge/merge_doors.h"

namespace belay {
namespace {

constexpr std::string_view kRefs = "refs/belay/merge/";
constexpr std::string_view kHeads = "refs/belay/merge/*/head";
constexpr std::string_view kLogEnd = ".log";

// "m7/head" and "m7-0123456789-test-1.log" belong to entry 7; a target may also be called "m7", and
// its logs then stay as long as the entry's.
std::optional<std::uint64_t> EntryIn(std::string_view name, char behind) {
  const std::size_t end = name.find(behind);
  if (!name.starts_with('m') || end == std::string_view::npos) return std::nullopt;
  return ParseMergeEntryId(name.substr(0, end));
}

bool IsOver(const MergeEntry& entry, WallTime before) {
  return IsFinished(entry.status) && entry.told && !entry.IsPending() && entry.changed_at < before;
}

// A numbered entry that isn't in the book was dropped from it after its end.
bool IsForgotten(const MergeBook& book, std::uint64_t number) {
  return number < book.NextNumber() && book.Find(number) == nullptr;
}

Result<std::vector<RefAndValue>> ReadHeads(const Git& git,
                                           const std::vector<std::string>& conditions) {
  std::vector<std::string> arguments = {"for-each-ref", "--format=%(objectname) %(refname)"};
  arguments.insert(arguments.end(), conditions.begin(), conditions.end());
  arguments.emplace_back(kHeads);
  BELAY_TRY_ASSIGN(const std::string output, git.Ask(std::move(arguments)));
  std::vector<RefAndValue> heads;
  for (const std::string_view line : Split(output, '\n')) {
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) continue;
    BELAY_TRY_ASSIGN(ObjectId commit, ObjectId::Parse(line.substr(0, space)));
    heads.push_back({std::string(line.substr(space + 1)), std::move(commit)});
  }
  return heads;
}

std::optional<std::uint64_t> EntryOf(const RefAndValue& head) {
  return EntryIn(std::string_view(head.name).substr(kRefs.size()), '/');
}

// The heads of forgotten entries whose exact commit a target has.
Result<std::set<std::string>> LandedHeads(const Git& git, const MergeBook& book) {
  std::set<std::string> landed;
  BELAY_TRY_ASSIGN(const std::string branches,
                   git.Ask({"for-each-ref", "--format=%(refname)", "refs/heads/"}));
  const std::string_view names = branches;
  for (const std::string_view name : Split(names, '\n')) {
    const bool target =
        name.starts_with("refs/heads/") &&
        book.targets().contains(name.substr(std::string_view("refs/heads/").size()));
    if (!target) continue;
    BELAY_TRY_ASSIGN(const std::vector<RefAndValue> heads,
                     ReadHeads(git, {"--merged=" + std::string(name)}));
    for (const RefAndValue& head : heads) landed.insert(head.name);
  }
  return landed;
}

Result<std::size_t> PruneHeads(const PrunePlace& place, const MergeBook& book, WallTime before) {
  BELAY_TRY_ASSIGN(const std::vector<RefAndValue> heads, ReadHeads(place.git, {}));
  std::vector<RefAndValue> gone;
  std::vector<RefAndValue> forgotten;
  for (const RefAndValue& head : heads) {
    const std::optional<std::uint64_t> number = EntryOf(head);
    const MergeEntry* entry = number ? book.Find(*number) : nullptr;
    if (entry != nullptr && IsOver(*entry, before)) gone.push_back(head);
    if (number && IsForgotten(book, *number)) forgotten.push_back(head);
  }
  if (!forgotten.empty()) {
    BELAY_TRY_ASSIGN(const std::set<std::string> landed, LandedHeads(place.git, book));
    for (const RefAndValue& head : forgotten) {
      if (landed.contains(head.name)) gone.push_back(head);
    }
  }
  if (!gone.empty()) BELAY_TRY(DeleteRefs(place.git, gone));
  return gone.size();
}

bool IsOlder(const FileInfo& file, WallTime than) {
  const auto at = std::chrono::duration_cast<std::chrono::nanoseconds>(than.time_since_epoch());
  return file.modified < at.count();
}

std::size_t PruneLogs(const PrunePlace& place, const MergeBook& book, WallTime before) {
  std::size_t gone = 0;
  const std::string folder = place.project.MergeLogFolder();
  const Result<std::vector<std::string>> names = place.files.List(folder);
  if (!names) return gone;
  for (const std::string& name : *names) {
    const std::optional<std::uint64_t> number = EntryIn(name, '-');
    const MergeEntry* entry = number ? book.Find(*number) : nullptr;
    const bool open = entry != nullptr && !IsFinished(entry->status);
    if (!name.ends_with(kLogEnd) || open) continue;
    const std::string path = JoinPath(folder, name);
    const Result<FileInfo> file = place.files.Inspect(path);
    const bool old = file && file->kind == FileKind::kFile && IsOlder(*file, before);
    if (old && place.files.RemoveFile(path)) ++gone;
  }
  return gone;
}

}  // namespace

Result<Pruned> PruneEnded(const PrunePlace& place, const MergeBook& book, WallTime now,
                          Duration keep) {
  const WallTime before = now - keep;
  Pruned pruned;
  pruned.logs = PruneLogs(place, book, before);
  BELAY_TRY_ASSIGN(pruned.heads, PruneHeads(place, book, before));
  return pruned;
}

}  // namespace belay
