#include "merge/entry_refs.h"

#include <fmt/core.h>

#include <map>

#include "adapters/git/refs.h"
#include "base/path.h"
#include "base/text.h"
#include "merge/blame.h"

namespace belay {
namespace {

// By default git leaves syncing of refs to the file system.
const std::vector<std::string> kDurable = {"core.fsync=reference", "core.fsyncMethod=fsync"};

using Refs = std::map<std::string, BranchValue, std::less<>>;

// By full name; missing refs are left out.
Result<Refs> ReadRefs(const RefDoors& doors, const std::vector<std::string>& names) {
  Refs refs;
  std::vector<std::string> arguments = {"for-each-ref",
                                        "--format=%(objectname) %(refname) %(symref)"};
  const std::size_t words = arguments.size();
  for (const std::string& name : names) {
    if (auto id = ReadLooseRef(doors.files, doors.common_folder, name)) {
      refs.insert_or_assign(name, BranchValue{*std::move(id)});
    } else {
      arguments.push_back(name);
    }
  }
  if (arguments.size() == words) return refs;
  BELAY_TRY_ASSIGN(const std::string output, doors.git.Ask(std::move(arguments)));
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
  return Error{
      ErrorCode::kRefused,
      fmt::format("{} is a symbolic ref to {}, not a branch of its own", branch, value.stands_for),
      "name that branch instead"};
}

// A killed git leaves its lock. Only belay writes these refs, and it never takes so long.
void RemoveOldLock(const MergeDoors& doors, const std::string& ref) {
  constexpr auto kOld = std::chrono::seconds(10);
  const std::string path = JoinPath(doors.common_folder, ref + ".lock");
  const Result<FileInfo> info = doors.files.Inspect(path);
  if (!info || info->kind != FileKind::kFile) return;
  const WallTime written{std::chrono::nanoseconds(info->modified)};
  if (doors.clock.Wall() - written > kOld) (void)doors.files.RemoveTree(path);
}

Result<void> Write(const MergeDoors& doors, const std::string& ref,
                   std::vector<std::string> arguments) {
  RemoveOldLock(doors, ref);
  const GitCall call{.arguments = std::move(arguments), .settings = kDurable};
  Result<GitAnswer> written = doors.git.Run(call);
  // After a power cut the file of a ref may hold garbage, and git neither writes nor deletes it.
  if (!written && written.error().message.find("reference broken") != std::string::npos) {
    BELAY_TRY(doors.files.RemoveFile(JoinPath(doors.common_folder, ref)));
    written = doors.git.Run(call);
  }
  return written ? Result<void>() : written.error();
}

// Whether the target has it. A candidate that isn't in the repository can't be in the target's
// complete history either.
Result<bool> HasLanded(const MergeDoors& doors, const MergeEntry& entry, const std::string& tip) {
  Result<bool> landed = IsInHistory(doors.git, entry.candidate, tip);
  if (landed || MayPass(doors, landed.error())) return landed;
  const bool there = doors.git.Ask({"cat-file", "-e", entry.candidate + "^{commit}"}).ok();
  return there ? landed : false;
}

}  // namespace

Result<BranchValue> ReadBranch(const RefDoors& doors, std::string_view branch) {
  BELAY_TRY_ASSIGN(const Refs refs, ReadRefs(doors, {BranchRef(branch)}));
  return ValueIn(refs, branch);
}

Result<ObjectId> BranchTip(const RefDoors& doors, std::string_view branch) {
  BELAY_TRY_ASSIGN(const BranchValue value, ReadBranch(doors, branch));
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

Result<LandingFacts> AskGitAbout(const MergeDoors& doors, const MergeEntry& entry,
                                 CandidateCheck check) {
  BELAY_TRY_ASSIGN(const Refs refs,
                   ReadRefs(doors, {BranchRef(entry.branch), BranchRef(entry.target)}));
  const BranchValue branch = ValueIn(refs, entry.branch);
  BELAY_TRY_ASSIGN(const ObjectId target, CommitOf(ValueIn(refs, entry.target), entry.target));
  LandingFacts facts{.branch_tip = branch.commit.text(),
                     .target_tip = target.text(),
                     .branch_stands_for = branch.stands_for};
  const bool may_have_landed = entry.status == MergeStatus::kMerging && !facts.target_tip.empty() &&
                               facts.target_tip != entry.base;
  if (may_have_landed) {
    BELAY_TRY_ASSIGN(facts.candidate_landed, HasLanded(doors, entry, facts.target_tip));
  }
  const bool built = entry.status == MergeStatus::kTesting || entry.status == MergeStatus::kMerging;
  const bool read = check == CandidateCheck::kRead && facts.target_tip == entry.base;
  if (built && read) {
    BELAY_TRY_ASSIGN(const std::string missing, MissingOf(doors, entry.candidate, entry.base));
    facts.candidate_lost = !missing.empty();
  }
  return facts;
}

Result<void> KeepCommit(const MergeDoors& doors, const std::string& ref, std::string_view commit) {
  const auto kept = ReadLooseRef(doors.files, doors.common_folder, ref);
  if (kept && kept->text() == commit) return {};
  return Write(doors, ref, {"update-ref", "--no-deref", ref, std::string(commit)});
}

Result<void> DropRef(const MergeDoors& doors, const std::string& ref) {
  return Write(doors, ref, {"update-ref", "--no-deref", "-d", ref});
}

Result<void> DropLeftCandidates(const MergeDoors& doors, const MergeBook& book) {
  BELAY_TRY_ASSIGN(const std::string output, doors.git.Ask({"for-each-ref", "--format=%(refname)",
                                                            "refs/belay/merge/*/candidate"}));
  const std::string_view names = output;
  for (const std::string_view name : Split(names, '\n')) {
    if (name.empty()) continue;
    const std::size_t id = std::string_view("refs/belay/merge/").size();
    const auto number = ParseMergeEntryId(name.substr(id, name.find('/', id) - id));
    const MergeEntry* entry = number ? book.Find(*number) : nullptr;
    if (entry == nullptr || IsInLine(entry->status)) continue;
    const Result<void> dropped = DropRef(doors, std::string(name));
    if (!dropped) doors.say(fmt::format("{}: {}", entry->id(), dropped.error().message));
  }
  return {};
}

}  // namespace belay
