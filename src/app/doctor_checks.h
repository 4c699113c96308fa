// Checks what belay needs from the machine and the project, one by one. Checking changes nothing;
// repairs run before the checks.

#ifndef BELAY_APP_DOCTOR_CHECKS_H_
#define BELAY_APP_DOCTOR_CHECKS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "app/env.h"
#include "app/repairer.h"
#include "base/health_check.h"
#include "base/result.h"
#include "base/time.h"
#include "model/agent_kind.h"
#include "store/layout.h"

namespace belay {

struct DoctorRequest {
  bool repair = false;
};
struct DoctorOutcome {
  std::vector<Repair> repairs = {};
  std::vector<Check> checks = {};
  std::optional<Error> failure = {};  // the first failed repair, or else the first broken check
};
// A wrong root is an error, and so is a project that can't be repaired at all.
Result<DoctorOutcome> RunChecks(Env& env, const DoctorRequest& request);

std::size_t CountChecks(const std::vector<Check>& checks, Verdict verdict);

// From a program's `--version` line: "git version 2.39.5" is {2, 39}; {0, 0} without a number.
struct ProgramVersion {
  int major;
  int minor;
  auto operator<=>(const ProgramVersion&) const = default;
};
ProgramVersion ParseVersion(std::string_view text);

std::vector<Check> CheckPrograms(Programs& programs);
std::vector<Check> CheckKernel(const KernelFeatures& kernel);
// A root that was named and is wrong is an error; a folder outside any repository, or in a
// repository that can't be read, is a finding.
Result<std::vector<Check>> CheckProject(const Env& env);

// The last event of each running agent with hooks. Hooks can be installed and answer when they are
// called, and yet the agent doesn't call them: it was started before they were installed, or with
// settings that switch them off. Only its events prove that it does.

// An agent program calls its first hook within a few seconds; after this long, silence is a
// finding.
constexpr Duration kMayBeSilent = std::chrono::minutes(1);

struct HookedAgent {
  std::string id;                           // "worker-login#2"
  WallTime started = {};                    //
  std::optional<WallTime> last_event = {};  // nothing: there was none
};

// Agents without any event come first.
Check JudgeLastEvents(AgentKind kind, std::vector<HookedAgent> agents, WallTime now);

// One for each kind of agent that has hooks and runs in this project; nothing when the records
// can't be read, which other checks report.
std::vector<Check> CheckLastEvents(const Layout& project, const Env& env);

// No guardian is running, but agents run or wait to be restarted. Nothing otherwise.
std::optional<Check> CheckGuardian(const Layout& project, const Env& env);

// What keeps work from landing: no gates are configured, or a landing was interrupted while it
// moved a checkout of the target (git refuses to work there until that landing is finished or
// undone).

// Nothing when there is none, or when the landing is still running.
std::optional<Check> CheckInterruptedLanding(const Layout& project, const Env& env);
// Locks that a killed git has left; nothing when there is none. They may belong to the user's git,
// so belay doesn't remove them.
std::optional<Check> CheckLeftLocks(const Layout& project, const Env& env);
// Entries wait in the queue, and no gates are configured: none of them will land. Nothing
// otherwise.
std::optional<Check> CheckGates(const Layout& project, const Env& env);
// There is no branch merge.target. Nothing otherwise, and when the settings can't be read.
std::optional<Check> CheckTargetBranch(const Layout& project, const Env& env);
// Finishes or undoes it.
std::optional<Repair> FinishInterruptedLanding(const Layout& project, Env& env);

// Whether git still asks belay before a protected target moves: the hook is lost when the user sets
// core.hooksPath, installs other hooks, or makes a worktree with a hooks folder of its own.

// Nothing when no target is protected, or when the queue can't be read, which another check
// reports.
std::optional<Check> CheckProtection(const Layout& project, const Env& env);

// Refs of belay's own that git can't use: finds them, and repairs them without losing data.
//
// clang-format off
//   the ref                        what it names                      repair
//   ----------------------------   --------------------------------   ---------------------------------
//   refs/belay/merge/*/candidate   missing, or in part                dropped: the queue builds it again
//   refs/belay/merge/mN/head       missing or unreadable, but the     set to that commit again
//                                  queue's journal names a commit
//                                  that is there
//   any other below refs/belay/    missing or unreadable              dropped; the journal "project"
//                                                                     records what it said
//   any other below refs/belay/    there, but something it needs      left: a part of the work can still
//                                  is missing                         be read from it
//   HEAD of the gates' worktree    missing                            that worktree is removed: the queue
//                                                                     makes it again
// clang-format on

Check CheckOwnRefs(const Layout& project, const Env& env);

// What was repaired, and what couldn't be. For a project in a repository.
Result<std::vector<Repair>> RepairOwnRefs(const Layout& project, Env& env);

// Remotes that would carry snapshots away: a mirror pushes every ref, belay's too, and a remote
// that is fetched into every ref deletes what the other side doesn't have.

struct RemoteRisk {
  enum class Kind { kMirror, kPush, kFetch };

  std::string remote;
  Kind kind;
  std::string refspec = {};  // not for a mirror

  bool operator==(const RemoteRisk&) const = default;
};

// Parses the remotes that `git config --null --get-regexp` prints. Ignores anything else in it.
std::vector<RemoteRisk> FindRemoteRisks(std::string_view settings);

Check CheckRemotes(const Git& git);

// Whether the files in the state root agree with the journals.

// For every family. A file that is only out of date is no finding while a guardian is running: it
// is about to write it.
Check CheckStateFiles(const Layout& project, const Env& env);

}  // namespace belay

#endif  // BELAY_APP_DOCTOR_CHECKS_H_
