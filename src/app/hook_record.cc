#include "app/hook_record.h"

#include <fmt/core.h>

#include <functional>

#include "app/control.h"
#include "app/session_place.h"
#include "app/settings.h"
#include "app/snapshots.h"
#include "base/utf8.h"
#include "ledger/hook_ledger.h"
#include "ledger/signal_box.h"
#include "os/random.h"
#include "store/rendering.h"

namespace belay {
namespace {

// The caller, and whose hook it changes.
struct HookWriter {
  Caller caller;
  Identity agent;
};

void SayProblem(Env& env, std::string_view what, const Result<void>& outcome) {
  if (outcome) return;
  env.say(fmt::format("{}: {}", what, outcome.error().message));
}

Result<void> TellGuardian(Env& env, const Layout& project, const HookWriter& writer,
                          const Hook& hook) {
  const Recipient guardian = Recipient::Guardian();
  SystemRandom random;
  SignalBox box(env.files, env.clock, random, project, guardian);
  const Json record = HookJson(hook);
  const Signal signal{.type = SignalType::kHookUpdated,
                      .from = writer.caller.Name(),
                      .to = guardian.text(),
                      .at = env.clock.Wall(),
                      .payload = MakeObject({{"agent_id", writer.agent.id.text()},
                                             {"hook_path", project.HookRendering(hook.identity)},
                                             {"sha256", *record.Find("sha256")},
                                             {"phase", WorkPhaseName(hook.work_phase)}})};
  BELAY_TRY(box.Send(signal));
  return {};
}

Result<HookWriter> FindHookWriter(const Env& env, const Layout& project, std::string_view agent) {
  IdentityLedger identities(env.files, env.clock, project);
  BELAY_TRY_ASSIGN(const IdentityName name, FindAgent(identities, agent));
  if (!FactsOf(identities.book().Find(name)->host).is_agent) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} is part of belay and has no hook", name.text()),
                 "only agents have hooks; belay agents lists them"};
  }
  return HookWriter{*env.caller, *identities.book().Find(name)};
}

Result<Hook> ChangeHook(Env& env, const Layout& project, const HookWriter& writer,
                        std::string_view kind, const std::function<void(Hook&)>& edit) {
  HookLedger hooks(env.files, env.clock, project);
  std::optional<std::uint32_t> incarnation;
  if (writer.caller.agent) incarnation = writer.caller.agent->incarnation();
  Result<Hook> hook = [&]() -> Result<Hook> {
    BELAY_TRY_ASSIGN(const HookLock lock, HookLedger::Lock(env.files, project));
    BELAY_TRY_ASSIGN(Hook changed, hooks.Change(lock, writer.agent.id.identity(), incarnation, kind,
                                                "by " + DisplayName(writer.caller.Name()), edit));
    SayProblem(env, "recorded, but its file is out of date", hooks.Render(lock, changed.identity));
    return changed;
  }();
  if (!hook) return hook;
  SayProblem(env, "recorded, but belay could not notify the guardian",
             TellGuardian(env, project, writer, *hook));
  return hook;
}

// The guardian takes a snapshot when it sees the change. A guardian that doesn't answer may be
// stopped: two snapshots are better than none.
bool IsGuarded(const Layout& project) {
  const auto answer = AskGuardian(project, MakeObject({{"do", "status"}}));
  return answer && *answer;
}

Result<Hook> KeepWork(Env& env, const Layout& project, const HookWriter& writer, const Hook& hook) {
  const std::string message = fmt::format("phase {}", WorkPhaseName(hook.work_phase));
  BELAY_TRY_ASSIGN(const SnapshotTakeOutcome now,
                   TakeSnapshotOf(env, project, writer.agent, message));
  BELAY_TRY_ASSIGN(const SnapshotOutcome taken, ChangesIn(now));
  return ChangeHook(env, project, writer, "checkpoint", [&](Hook& changed) {
    changed.snapshot = taken.id;
    changed.last_checkpoint_at = env.clock.Wall();
    changed.files_modified = taken.paths;
    changed.files_modified_count = taken.paths_count;
  });
}

}  // namespace

Json HookJson(const Hook& hook) {
  Json record = ToJson(hook);
  if (Result<Json> rendered = ParseJson(RenderingText(record))) record = *std::move(rendered);
  record.Remove("schema_version");
  return record;
}

Result<HookChangeOutcome> AddHookNote(Env& env, std::string_view agent, const std::string& text) {
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(env, VaultUse::kWrite));
  BELAY_TRY_ASSIGN(const HookWriter writer, FindHookWriter(env, project, agent));
  const HookNote note{.text = text,
                      .at = env.clock.Wall(),
                      .incarnation = writer.agent.id.incarnation(),
                      .by = writer.caller.Name()};
  BELAY_TRY_ASSIGN(Hook hook, ChangeHook(env, project, writer, "note",
                                         [&](Hook& changed) { AddNote(changed, note); }));
  if (CountCodePoints(text) > Hook::kLongestNote) env.say("the note was cut to 4,000 characters");
  return HookChangeOutcome{writer.agent.id, std::move(hook)};
}

Result<HookChangeOutcome> SetHookPhase(Env& env, std::string_view agent, WorkPhase phase) {
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(env, VaultUse::kWrite));
  BELAY_TRY_ASSIGN(const HookWriter writer, FindHookWriter(env, project, agent));
  const std::string source = writer.caller.agent ? "agent" : "person";
  bool changes = false;
  BELAY_TRY_ASSIGN(Hook hook, ChangeHook(env, project, writer, "phase", [&](Hook& changed) {
                     changes = changed.work_phase != phase;
                     SetPhase(changed, phase, env.clock.Wall(), source);
                   }));
  if (changes && !IsGuarded(project)) {
    Result<Hook> kept = KeepWork(env, project, writer, hook);
    if (kept) {
      hook = *std::move(kept);
    } else {
      env.say(fmt::format("no snapshot: {}", kept.error().message));
    }
  }
  return HookChangeOutcome{writer.agent.id, std::move(hook)};
}

Result<Hook> ReadHook(Env& env, std::string_view agent) {
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(env, VaultUse::kRead));
  IdentityLedger identities(env.files, env.clock, project);
  BELAY_TRY_ASSIGN(const IdentityName name, FindAgent(identities, agent));
  HookLedger hooks(env.files, env.clock, project);
  BELAY_TRY(hooks.CatchUp());
  if (const Hook* hook = hooks.book().Find(name)) return *hook;
  return Error{ErrorCode::kNotFound, fmt::format("{} has no hook", name.text()),
               "an agent gets one when it is spawned; belay itself has none"};
}

}  // namespace belay
