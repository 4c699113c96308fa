// What belay needs from the machine and the project, looked at one by one. Looking changes nothing;
// repairing comes before it.

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
  std::optional<Error> failure = {};  // the first thing that isn't repaired, or else is broken
};
// A wrong root is an error, and so is a project that can't be repaired at all.
Result<DoctorOutcome> RunChecks(Env& env, const DoctorRequest& request);

std::size_t CountChecks(const std::vector<Check>& checks, Verdict verdict);

// Of a program's `--version` line: "git version 2.39.5" is {2, 39}; {0, 0} when there is no number.
struct ProgramVersion {
  int major;
  int minor;
  auto operator<=>(const ProgramVersion&) const = default;
};
ProgramVersion ParseVersion(std::string_view text);

std::vector<Check> CheckPrograms(Programs& programs);
std::vector<Check> CheckKernel(const KernelFeatures& kernel);
// A root that was named and is wrong is an error; a folder outside any repository, or in one that
// can't be understood, is a finding.
Result<std::vector<Check>> CheckProject(const Env& env);

// When each running agent with hooks was last heard of. Hooks can be installed, and answer when
// they are called, and yet the agent doesn't call them: it was started before they were there, or
// with settings that switch them off. Only what it told shows that it does.

// An agent program calls its first hook within a few seconds; after this long, silence means
// something.
constexpr Duration kMayBeSilent = std::chrono::minutes(1);

struct HookedAgent {
  std::string id;                      // "worker-login#2"
  WallTime started = {};               //
  std::optional<WallTime> heard = {};  // the last thing it told; nothing: it never told anything
};

// Those that were never heard of come first.
Check JudgeLastEvents(AgentKind kind, std::vector<HookedAgent> agents, WallTime now);

// One for each kind of agent that has hooks and runs in this project; nothing when the records
// can't be read, which other checks say.
std::vector<Check> CheckLastEvents(const Layout& project, const Env& env);

// No guardian runs, and agents run or wait to be brought back. Nothing when that isn't so.
std::optional<Check> CheckGuardian(const Layout& project, const Env& env);

// What keeps work from landing: no gates are configured, or a landing was cut off while it moved a
// checkout of the target (git refuses to work there until that landing is ended).

// Nothing when there is none, or when it is going on.
std::optional<Check> CheckInterruptedLanding(const Layout& project, const Env& env);
// Locks that a killed git has left; nothing when there is none. They may be a person's, so only
// that person removes them.
std::optional<Check> CheckLeftLocks(const Layout& project, const Env& env);
// Entries wait in the queue, and no gates are configured: none of them will land. Nothing when that
// isn't so.
std::optional<Check> CheckGates(const Layout& project, const Env& env);
// Finishes or undoes it.
std::optional<Repair> FinishInterruptedLanding(const Layout& project, Env& env);

// Whether git still asks belay before a protected target moves: a hook is lost when somebody sets
// core.hooksPath, installs hooks of his own, or makes a worktree with a folder of its own.

// Nothing when no target is protected, or when the queue can't be read, which is said elsewhere.
std::optional<Check> CheckProtection(const Layout& project, const Env& env);

// Refs of belay's own that git can't use: found, and repaired without losing what is there.
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

// What was done, and what couldn't be. Of a project in a repository.
Result<std::vector<Repair>> RepairOwnRefs(const Layout& project, Env& env);

// Remotes that would carry snapshots away: a mirror pushes every ref, those of belay too, and one
// that is fetched into every ref deletes what the other side doesn't have.

struct RemoteRisk {
  enum class Kind { kMirror, kPush, kFetch };

  std::string remote;
  Kind kind;
  std::string refspec = {};  // not of a mirror

  bool operator==(const RemoteRisk&) const = default;
};

// Of what `git config --null --get-regexp` prints of remotes. Anything else in it is passed over.
std::vector<RemoteRisk> FindRemoteRisks(std::string_view settings);

Check CheckRemotes(const Git& git);

// Whether the files in the state root say what the journals say.

// Of every family. One that is only out of date is no finding while a guardian
// runs, which is about to write it.
Check CheckStateFiles(const Layout& project, const Env& env);

}  // namespace belay

#endif  // BELAY_APP_DOCTOR_CHECKS_H_
