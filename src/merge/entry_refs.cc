#include "merge/entry_refs.h"

#include <fmt/core.h>

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "adapters/git/refs.h"
#include "base/path.h"
#include "base/text.h"
#include "merge/failure_cause.h"

namespace belay {
namespace {

// By default git leaves syncing of refs to the file system.
const std::vector<std::string> kDurable = {"core.fsync=reference", "core.fsyncMethod=fsync"};

using Refs = std::map<std::string, BranchValue, std::less<>>;

// By full name; missing refs are left out.
Result<Refs> ReadRefs(const RefEnv& env, const std::vector<std::string>& names) {
  Refs refs;
  std::vector<std::string> arguments = {"for-each-ref",
                                        "--format=%(objectname) %(refname) %(symref)"};
  const std::size_t words = arguments.size();
  for (const std::string& name : names) {
    if (auto id = ReadLooseRef(env.files, env.common_folder, name)) {
      refs.insert_or_assign(name, BranchValue{*std::move(id)});
    } else {
      arguments.push_back(name);
    }
  }
  if (arguments.size() == words) return refs;
  BELAY_TRY_ASSIGN(const std::string output, env.git.Ask(std::move(arguments)));
  for (const std::string_view line : Split(output, '\n')) {
    const std::vector<std::string_view> fields = Split(line, ' ');
    if (fields.size() != 3) continue;
    BranchValue value{.stands_for = std::string(fields[2])};
    if (value.stands_for.empty()) {
      BELAY_TRY_ASSIGN(value.commit, ObjectId::Parse(fields[0]));
    }
    refs.insert_or_assign(std::string(fields[1]), std::move(value));
  }
  return refs;
}

// A pattern also matches names below it, so the exact name is looked up.
BranchValue ValueIn(const Refs& refs, std::string_view branch) {
  const auto found = refs.find(BranchRef(branch));
  return found != refs.end() ? found->second : BranchValue();
}

Result<ObjectId> CommitOf(const BranchValue& value, std::string_view branch) {
  if (value.stands_for.empty()) return value.commit;
  return Error{ErrorCode::kRefused,
               fmt::format("{} is a symbolic ref to {}, not a branch", branch, value.stands_for),
               "use that branch instead"};
}

// A killed git leaves its lock. Only belay writes these refs, and it never takes so long.
void RemoveOldLock(const MergeEnv& env, const std::string& ref) {
  constexpr auto kOld = std::chrono::seconds(10);
  const std::string path = JoinPath(env.common_folder, ref + ".lock");
  const Result<FileInfo> info = env.files.Inspect(path);
  if (!info || info->kind != FileKind::kFile) return;
  const WallTime written{std::chrono::nanoseconds(info->modified)};
  if (env.clock.Wall() - written > kOld) (void)env.files.RemoveTree(path);
}

Result<void> Write(const MergeEnv& env, const std::string& ref,
                   std::vector<std::string> arguments) {
  RemoveOldLock(env, ref);
  const GitCall call{.arguments = std::move(arguments), .settings = kDurable};
  Result<GitAnswer> written = env.git.Run(call);
  // After a power cut the file of a ref may hold garbage, and git neither writes nor deletes it.
  if (!written && written.error().message.find("reference broken") != std::string::npos) {
    BELAY_TRY(env.files.RemoveFile(JoinPath(env.common_folder, ref)));
    written = env.git.Run(call);
  }
  return written ? Result<void>() : written.error();
}

// Whether the target has it. A candidate that isn't in the repository can't be in the target's
// complete history either.
Result<bool> HasLanded(const MergeEnv& env, const MergeEntry& entry, const std::string& tip) {
  Result<bool> landed = IsInHistory(env.git, entry.candidate, tip);
  if (landed || IsTemporary(env, landed.error())) return landed;
  const bool there = env.git.Ask({"cat-file", "-e", entry.candidate + "^{commit}"}).ok();
  return there ? landed : false;
}

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
  return IsFinished(entry.status) && entry.reported && !entry.IsPending() &&
         entry.changed_at < before;
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

Result<BranchValue> ReadBranch(const RefEnv& env, std::string_view branch) {
  BELAY_TRY_ASSIGN(const Refs refs, ReadRefs(env, {BranchRef(branch)}));
  return ValueIn(refs, branch);
}

Result<ObjectId> BranchTip(const RefEnv& env, std::string_view branch) {
  BELAY_TRY_ASSIGN(const BranchValue value, ReadBranch(env, branch));
  return CommitOf(value, branch);
}

Result<bool> IsInHistory(const Git& git, std::string_view commit, std::string_view tip) {
  if (commit == tip) return true;
  BELAY_TRY_ASSIGN(
      const GitAnswer answer,
      git.Run({.arguments = {"merge-base", "--is-ancestor", std::string(commit), std::string(tip)},
               .good_exits = {0, 1}}));
  return answer.exit_code == 0;
}

Result<LandingFacts> ReadLandingFacts(const MergeEnv& env, const MergeEntry& entry,
                                      CandidateCheck check) {
  BELAY_TRY_ASSIGN(const Refs refs,
                   ReadRefs(env, {BranchRef(entry.branch), BranchRef(entry.target)}));
  const BranchValue branch = ValueIn(refs, entry.branch);
  BELAY_TRY_ASSIGN(const ObjectId target, CommitOf(ValueIn(refs, entry.target), entry.target));
  LandingFacts facts{.branch_tip = branch.commit.text(),
                     .target_tip = target.text(),
                     .branch_stands_for = branch.stands_for};
  const bool may_have_landed = entry.status == MergeStatus::kMerging && !facts.target_tip.empty() &&
                               facts.target_tip != entry.base;
  if (may_have_landed) {
    BELAY_TRY_ASSIGN(facts.candidate_landed, HasLanded(env, entry, facts.target_tip));
  }
  const bool built = entry.status == MergeStatus::kTesting || entry.status == MergeStatus::kMerging;
  const bool read = check == CandidateCheck::kRead && facts.target_tip == entry.base;
  if (built && read) {
    BELAY_TRY_ASSIGN(const std::string missing, MissingOf(env, entry.candidate, entry.base));
    facts.candidate_lost = !missing.empty();
  }
  return facts;
}

Result<void> KeepCommit(const MergeEnv& env, const std::string& ref, std::string_view commit) {
  const auto kept = ReadLooseRef(env.files, env.common_folder, ref);
  if (kept && kept->text() == commit) return {};
  return Write(env, ref, {"update-ref", "--no-deref", ref, std::string(commit)});
}

Result<void> DropRef(const MergeEnv& env, const std::string& ref) {
  return Write(env, ref, {"update-ref", "--no-deref", "-d", ref});
}

Result<void> DropLeftCandidates(const MergeEnv& env, const MergeBook& book) {
  BELAY_TRY_ASSIGN(const std::string output, env.git.Ask({"for-each-ref", "--format=%(refname)",
                                                          "refs/belay/merge/*/candidate"}));
  const std::string_view names = output;
  for (const std::string_view name : Split(names, '\n')) {
    if (name.empty()) continue;
    const std::size_t id = std::string_view("refs/belay/merge/").size();
    const auto number = ParseMergeEntryId(name.substr(id, name.find('/', id) - id));
    const MergeEntry* entry = number ? book.Find(*number) : nullptr;
    if (entry == nullptr || IsInQueue(entry->status)) continue;
    const Result<void> dropped = DropRef(env, std::string(name));
    if (!dropped) env.say(fmt::format("{}: {}", entry->id(), dropped.error().message));
  }
  return {};
}

Result<Pruned> PruneEnded(const PrunePlace& place, const MergeBook& book, WallTime now,
                          Duration keep) {
  const WallTime before = now - keep;
  Pruned pruned;
  pruned.logs = PruneLogs(place, book, before);
  BELAY_TRY_ASSIGN(pruned.heads, PruneHeads(place, book, before));
  return pruned;
}

}  // namespace belay
