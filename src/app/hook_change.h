// The hook record of an agent, read and changed on behalf of the caller.

#ifndef BELAY_APP_HOOK_CHANGE_H_
#define BELAY_APP_HOOK_CHANGE_H_

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

// Both record the change, behind the fence; then the file, then HOOK_UPDATED to the guardian, both
// of which are only talked about when they fail. The guardian has no hook: kRefused.
Result<HookChangeOutcome> AddHookNote(Env& env, std::string_view agent, const std::string& text);
// Work at the start of a phase is kept in a snapshot, by the guardian or, without one, here.
Result<HookChangeOutcome> SetHookPhase(Env& env, std::string_view agent, WorkPhase phase);

Result<Hook> ReadHook(Env& env, std::string_view agent);

// As the file has it, with its digest; without schema_version, which Io::Show puts first.
Json HookJson(const Hook& hook);

}  // namespace belay

#endif  // BELAY_APP_HOOK_CHANGE_H_
