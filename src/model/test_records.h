// Records with every member filled, for the tests.

#ifndef BELAY_MODEL_TEST_RECORDS_H_
#define BELAY_MODEL_TEST_RECORDS_H_

#include <string_view>

#include "model/hook.h"
#include "model/identity.h"

namespace belay {

inline WallTime At(std::string_view text) { return *ParseUtc(text); }
inline WallTime Second(int number) {
  return At("2026-03-01T10:00:00Z") + std::chrono::seconds(number);
}

inline Identity NewIdentity(std::string_view agent) {
  Identity identity{.id = *AgentId::Parse(agent)};
  identity.created_at = Second(0);
  return identity;
}

inline Identity FullIdentity() {
  Identity identity{.id = *AgentId::Parse("orchestrator-fix-login#3")};
  identity.status = AgentStatus::kCrashed;
  identity.session_id = "c0ffee";
  identity.tmux_session = "belay-fix-login";
  identity.process = ProcessMark{4711, 123456};
  identity.parent = ProcessMark{4710, 123455};
  identity.boot_id = "7b1d";
  identity.node_id = "login";
  identity.bead_id = "bd-7";
  identity.worktree_path = "/home/me/app.worktrees/orchestrator-fix-login";
  identity.hook_path = "/home/me/app/.claude/state/hooks/orchestrator-fix-login.json";
  identity.created_at = At("2026-03-01T10:00:00.000001Z");
  identity.started_at = Second(1);
  identity.last_seen = Second(60);
  identity.last_activity = Second(59);
  identity.predecessor_id = "orchestrator-fix-login#2";
  identity.host = AgentHost::kTmux;
  identity.agent_kind = AgentKind::kClaude;
  identity.kind_source = KindSource::kHooks;
  identity.command = {"claude", "--model", "x y"};
  identity.respawn = false;
  identity.spawn_deadline = Second(10);
  identity.deadline = Second(3600);
  identity.exit = AgentExit{.signal = 9, .cause = ExitCause::kKilled, .at = Second(61)};
  identity.intent = Intent{"stop", "person", Second(58)};
  identity.restart = {.restarts = 2,
                      .crashes = {Second(-50), Second(61)},
                      .failed_resumes = 1,
                      .due = Second(62),
                      .wait = std::chrono::seconds(1),
                      .reason = "2nd crash in 15m: again in 1s"};
  identity.lease = MakeObject({{"machine", "a"}});
  identity.context_fill = 41.5;
  identity.tainted = true;
  identity.unknown.Set("mood", "fine");
  return identity;
}

inline Hook NewHook(std::string_view name, std::uint32_t incarnation = 1) {
  return Hook{.identity = *IdentityName::Parse(name), .incarnation = incarnation};
}

inline Hook FullHook() {
  Hook hook = NewHook("orchestrator-fix-login", 3);
  hook.status = HookStatus::kBlocked;
  hook.current_bead = "bd-7";
  hook.current_node = "login";
  SetScope(hook, "Repair the login page\nso that long names work");
  SetPhase(hook, WorkPhase::kTesting, Second(1), "git");
  SetPhase(hook, WorkPhase::kImplementation, Second(2), "agent");
  AddNote(hook, {"the form works\nthe tests don't", Second(3), 3, "orchestrator-fix-login#3"});
  hook.last_checkpoint_at = Second(4);
  hook.files_modified = {"src/login.cc", "\"odd\\tname\""};
  hook.files_modified_count = 2;
  hook.tests_status = "failed";
  hook.resumption_instructions = "run the tests first";
  hook.snapshot = "orchestrator-fix-login/12";
  hook.context_fill = 41.5;
  hook.context_window = 200'000;
  hook.tests_detail = "npm test: exit code 7";
  hook.last_actions = {{"Edit src/login.cc", Second(3), true}, {"Bash npm test", Second(4)}};
  hook.transcript_path = "/home/me/.claude/projects/p/5f0c.jsonl";
  hook.events_read = {17, 4096};
  hook.tainted = true;
  hook.taint_sources = {".env"};
  hook.unknown.Set("mood", "fine");
  return hook;
}

}  // namespace belay

#endif  // BELAY_MODEL_TEST_RECORDS_H_
