// Changing the hook of an agent on behalf of whoever runs the command.

#ifndef BELAY_APP_HOOK_CHANGE_H_
#define BELAY_APP_HOOK_CHANGE_H_

#include <functional>
#include <string>
#include <string_view>

#include "app/caller.h"
#include "app/env.h"
#include "base/result.h"
#include "ledger/identity_ledger.h"
#include "model/hook.h"
#include "model/identity.h"
#include "store/layout.h"

namespace belay {

// Who changes whose hook.
struct HookWriter {
  Caller caller;
  Identity agent;
};

// The guardian has no hook: kRefused.
Result<HookWriter> FindHookWriter(const Env& env, IdentityLedger& identities,
                                  std::string_view agent);

// Records the change, behind the fence; then the file, then HOOK_UPDATED to the guardian, both of
// which are only talked about when they fail.
Result<Hook> ChangeHook(Env& env, const Layout& project, const HookWriter& writer,
                        std::string_view kind, const std::function<void(Hook&)>& edit);

// As the file has it, with its digest; without schema_version, which Io::Show puts first.
Json HookJson(const Hook& hook);

}  // namespace belay

#endif  // BELAY_APP_HOOK_CHANGE_H_
