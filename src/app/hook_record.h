// Reads and changes the hook record of an agent on behalf of the caller.

#ifndef BELAY_APP_HOOK_RECORD_H_
#define BELAY_APP_HOOK_RECORD_H_

#include <string>
#include <string_view>

#include "app/env.h"
#include "base/ids.h"
#include "base/result.h"
#include "codec/json.h"
#include "model/hook.h"

namespace belay {

struct HookChangeOutcome {
  AgentId agent;
  Hook hook;
};

// Both check the fence and record the change; then they write the file and send HOOK_UPDATED to the
// guardian, whose failures are only reported. The guardian has no hook: kRefused.
Result<HookChangeOutcome> AddHookNote(Env& env, std::string_view agent, const std::string& text);
// At the start of a phase the guardian takes a snapshot of the work; without one it is taken here.
Result<HookChangeOutcome> SetHookPhase(Env& env, std::string_view agent, WorkPhase phase);

Result<Hook> ReadHook(Env& env, std::string_view agent);

// As in the file, with its digest; without schema_version, which Io::Show puts first.
Json HookJson(const Hook& hook);

}  // namespace belay

#endif  // BELAY_APP_HOOK_RECORD_H_
