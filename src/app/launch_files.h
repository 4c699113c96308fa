// What an incarnation needs on the disk before its identity records that it will be launched: its
// taint, its hook, its text, and what to launch. Taint is always inherited from the incarnation
// before it; the hook, the resume text and the conversation only by an incarnation that continues
// its task.

#ifndef BELAY_APP_LAUNCH_FILES_H_
#define BELAY_APP_LAUNCH_FILES_H_

#include <optional>
#include <string>

#include "app/env.h"
#include "app/messages.h"
#include "base/result.h"
#include "host/launch.h"
#include "ledger/hook_ledger.h"
#include "ledger/identity_ledger.h"
#include "ledger/taint_ledger.h"
#include "model/hook.h"
#include "model/identity.h"
#include "os/environment.h"

namespace belay {

// Owned by a process that lives long enough to keep them: each reads its journal once, not for
// every respawn.
struct SessionLedgers {
  IdentityLedger& identities;
  HookLedger& hooks;
  TaintLedger& taints;
};

// What all incarnations of an agent have in common, and what the previous one left.
struct Origin {
  std::string task;
  Environment::Variables environment;
  const Identity* predecessor;  // nothing for the first
  std::optional<AgentId> spawned_by = {};
  // It continues the task of the predecessor: with its hook, and in its conversation if possible.
  // Otherwise it has a new task, and the predecessor is only a record.
  bool goes_on = false;
};

// Its taint, then its hook, which names the taint. The caller holds the lock of the identities.
Result<Hook> RecordInheritance(const SessionEnv& env, const SessionLedgers& ledgers,
                               const Identity& next, const Origin& origin);

// The predecessor may have been marked as tainted since its taint was passed on. Returns the lock,
// which keeps further marks out until the identity is recorded; nothing when the hook lacks a mark
// by now.
Result<std::optional<TaintLock>> LockTaint(const SessionEnv& env, const SessionLedgers& ledgers,
                                           const Identity& next, const Origin& origin,
                                           const Hook& hook);

struct LaunchFiles {
  LaunchSpec spec;
  std::string conversation = {};  // "in the same conversation"; empty: nothing to report
  std::string session_id = {};    // of the same conversation; empty: a new one
  ResumeMessages messages = {};
};
// Writes its text and what to launch. The run folder must exist.
Result<LaunchFiles> WriteLaunchFiles(const SessionEnv& env, const Identity& next, const Hook& hook,
                                     const Origin& origin);

// Whether the successor of an agent that ended would continue in its conversation, as things are
// now.
bool WouldContinueConversation(const SessionEnv& env, const Identity& ended, const Hook& hook);

}  // namespace belay

#endif  // BELAY_APP_LAUNCH_FILES_H_
