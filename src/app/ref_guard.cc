#include "app/ref_guard.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "app/authority.h"
#include "base/text.h"
#include "ledger/identity_ledger.h"
#include "ledger/merge_ledger.h"
#include "merge/ref_policy.h"
#include "merge/undo_refused_move.h"
#include "os/process.h"
#include "os/process_identity.h"
#include "store/vault.h"

namespace belay {
namespace {

constexpr std::size_t kMostRefs = std::size_t{1} << 20U;
constexpr std::size_t kMostCommandLine = 4096;
constexpr std::chrono::minutes kLongestEnd{10};
constexpr std::string_view kBranches = "refs/heads/";
constexpr std::string_view kOverride = "BELAY_OVERRIDE";

std::vector<RefUpdate> MovesOfBranches(std::string_view input) {
  std::vector<RefUpdate> moves = ParseRefUpdates(input);
  std::erase_if(moves, [](const RefUpdate& move) {
    return !move.name.starts_with(kBranches) || ChangesNothing(move);
  });
  return moves;
}

// The names of the guarded refs, one per line: from their file, or without it from the journal.
Result<std::string> GuardedRefs(Env& env, const Layout& project) {
  const FileSystem& files = env.files;
  Result<std::string> names = files.Read(project.GuardedRefs(), kMostRefs);
  if (names || !IsMissing(names)) return names;
  if (!files.Inspect(project.JournalFile(MergeFamily::kJournal))) return std::string();
  MergeLedger ledger(env.files, env.clock, project);
  BELAY_TRY(ledger.CatchUp());
  std::string text;
  for (const auto& [branch, target] : ledger.book().targets()) {
    if (target.guarded) text += fmt::format("{}{}\n", kBranches, branch);
  }
  return text;
}

// Keeps only the moves of guarded refs. `git branch -M OLD NEW` deletes OLD before it asks whether
// it may replace NEW, and a refusal then would lose OLD: so the deletion is treated as a move of
// NEW.
void LeaveGuarded(std::string_view guarded, pid_t git, std::vector<RefUpdate>& moves) {
  const std::vector<std::string_view> names = Split(guarded, '\n');
  const auto find = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name);
  };
  std::string command;
  for (RefUpdate& move : moves) {
    if (!IsAllZeros(move.to) || find(move.name) != names.end()) continue;
    if (command.empty()) command = ReadProcFile(git, "cmdline", kMostCommandLine);
    const auto replaced = find(std::string(kBranches) += RenamedTo(command));
    if (replaced != names.end()) move = {.from = move.to, .to = move.from, .name = *replaced};
  }
  std::erase_if(moves, [&](const RefUpdate& move) { return find(move.name) == names.end(); });
}

// Whether a person overrides the guard. kRefused: the caller is an agent, or can't be identified.
Result<bool> IsOverridden(const Env& env, const Layout& project) {
  if (env.environment.Get(kOverride) != "1") return false;
  IdentityLedger identities(env.files, env.clock, project);
  BELAY_TRY(identities.CatchUp());
  BELAY_TRY(CheckAuthority(Operation::kMergeOverride, CallerOf(env, project, identities.book())));
  return true;
}

struct Refused {
  Error error;
  ObjectId commit;  // the new value of the target; none: it would be deleted
};

Result<std::optional<Refused>> Judge(Env& env, const Layout& project,
                                     const std::string& common_folder,
                                     const std::vector<RefUpdate>& moves) {
  MergeLedger ledger(env.files, env.clock, project);
  BELAY_TRY(ledger.CatchUp());
  for (const RefUpdate& move : moves) {
    const std::string_view branch = move.name.substr(kBranches.size());
    const MergeTarget target = ledger.book().Target(branch);
    if (!target.guarded) continue;
    BELAY_TRY_ASSIGN(const RefValues values,
                     ReadRefValues(env.files, common_folder, std::string(move.name)));
    if (MayMove(move, values, target)) continue;
    const Result<bool> overridden = IsOverridden(env, project);
    if (overridden && *overridden) {
      env.say(fmt::format("belay: {} moves without the queue, as requested", branch));
      continue;
    }
    Error error = RefusalOf(move, values, branch);
    if (!overridden) error.message += fmt::format(" ({})", overridden.error().message);
    const Result<ObjectId> commit = ObjectId::Parse(move.to);
    return std::optional<Refused>({std::move(error), commit ? *commit : ObjectId()});
  }
  return std::optional<Refused>();
}

// Cleans up the checkout of the refused git. `goes_on`: in a process of its own, which can no
// longer report to git.
std::string CleanUp(Env& env, const RefGuardRequest& request, const GitPlace& place,
                    const ObjectId& commit, bool& goes_on) {
  const Git git(env.programs, env.environment, env.current_folder);
  Result<Process> asker = Process::Open(request.git);
  if (!asker) return {};
  const std::string command = ReadProcFile(asker->pid(), "cmdline", kMostCommandLine);
  if (!IsWholeRebase(command)) {
    return UndoRefusedMove(
        git, env.files, place,
        {GitSubcommand(command), env.environment.Get("GIT_REFLOG_ACTION").value_or("")}, commit);
  }
  goes_on = request.go_on_in_background();
  if (!goes_on) return "git now aborts the rebase; if it doesn't, run git rebase --abort";
  (void)asker->WaitAtMost(kLongestEnd);
  (void)AbortRebase(git, env.files, place, commit);  // the message explained how to do it by hand
  return {};
}

Result<std::optional<Refused>> Ask(Env& env, const RefGuardRequest& request,
                                   std::optional<GitPlace>& place) {
  std::vector<RefUpdate> moves = MovesOfBranches(request.input);
  if (moves.empty()) return std::optional<Refused>();
  BELAY_TRY_ASSIGN(place, FindGitPlace(env.files, env.environment, env.current_folder));
  const Layout project(place->common_folder, place->common_folder);
  BELAY_TRY_ASSIGN(const std::string guarded, GuardedRefs(env, project));
  LeaveGuarded(guarded, request.git, moves);
  if (moves.empty()) return std::optional<Refused>();
  BELAY_TRY(CheckFormat(env.files, project));
  return Judge(env, project, place->common_folder, moves);
}

}  // namespace

Result<void> GuardRefs(Env& env, const RefGuardRequest& request) {
  std::optional<GitPlace> place;
  const Result<std::optional<Refused>> refused = Ask(env, request, place);
  if (!refused) {
    env.say(fmt::format("belay can't check this, so it is allowed: {}", refused.error().message));
    return {};
  }
  if (!*refused) return {};
  bool goes_on = false;
  const std::string checkout = CleanUp(env, request, *place, (*refused)->commit, goes_on);
  if (goes_on) return {};
  Error error = (*refused)->error;
  if (!checkout.empty()) error.message += "; " + checkout;
  return error;
}

}  // namespace belay
