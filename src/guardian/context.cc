// How full the context of an agent is: read from the end of its transcript whenever its hooks tell
// that there is something new in it.

#include <fmt/core.h>

#include "engine/context/context_tier.h"
#include "guardian/agent_adapters.h"
#include "guardian/guardian.h"

namespace belay {
namespace {

constexpr std::uint64_t kLargeWindow = 1'000'000;

// What the agent's status line said counts. Without it the settings do, unless there is more in it
// than they say it could hold.
std::uint64_t WindowFor(const Hearing& hearing, const ContextSettings& settings,
                        std::uint64_t tokens) {
  if (hearing.window != 0) return hearing.window;
  return tokens > settings.window ? std::max(tokens, kLargeWindow) : settings.window;
}

}  // namespace

void Guardian::ReadContextSoon(const Ward& ward) {
  chores_.Add("context " + ward.id.text(), [this, id = ward.id] {
    const auto found = wards_.find(id.identity());
    const Identity* identity = identities_.book().Find(id.identity());
    if (found == wards_.end() || found->second.id != id || identity == nullptr) return;
    ReadContext(found->second, *identity);
  });
}

void Guardian::ReadContext(Ward& ward, const Identity& identity) {
  if (!ward.HasHooks() || ward.hearing->transcript.empty()) return;
  const std::optional<ContextUse> use =
      AdapterFor(identity.agent_kind).ReadContext(doors_.files, ward.hearing->transcript);
  if (!use) return;
  const ContextSettings& settings = doors_.settings.context;
  const int percent = FillPercent(use->tokens, WindowFor(*ward.hearing, settings, use->tokens));
  if (ward.hearing->fill == percent) return;
  ward.hearing->fill = percent;
  const ContextTier tier = TierOf(percent, settings.limits);
  NoteHearing(ward, fmt::format("context {} %, {}", percent, ContextTierName(tier)), std::nullopt);
}

}  // namespace belay
