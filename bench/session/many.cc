#include "many.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/check.h"
#include "ledger/hook_ledger.h"
#include "ledger/identity_ledger.h"
#include "peak_memory.h"

namespace belay::bench {
namespace {

constexpr int kBatch = 500;
constexpr int kSeen = 10;  // minutes that each was seen to run
constexpr int kCrashEvery = 20;
constexpr int kUnshortened =
    7;  // one in so many: half-way from a compacted journal to twice its length
constexpr auto kStep = std::chrono::milliseconds(50);  // from one agent to the next

class Maker {
 public:
  explicit Maker(Scene& scene)
      : scene_(scene),
        identities_(scene.files(), clock_, scene.project()),
        hooks_(scene.files(), clock_, scene.project()),
        raw_identities_(scene.files(), scene.project().JournalFile(IdentityFamily::kJournal),
                        std::string(IdentityFamily::kJournal)),
        raw_hooks_(scene.files(), scene.project().JournalFile(HookFamily::kJournal),
                   std::string(HookFamily::kJournal)) {}

  // Most of them, then the journals are compacted, then the others.
  void Make(int count) {
    const int most = count - count / kUnshortened;
    MakeSome(0, most, count);
    Shorten(raw_identities_, identities_, [&] { return identities_.book().Snapshot(now_, {}); });
    Shorten(raw_hooks_, hooks_, [&] { return hooks_.book().Snapshot(now_); });
    MakeSome(most, count, count);
  }

  void Render() {
    const auto lock = IdentityLedger::Lock(scene_.files(), scene_.project());
    BELAY_CHECK(lock.ok() && identities_.Render(*lock).ok());
  }

 private:
  void MakeSome(int begin, int end, int count) {
    for (int first = begin; first < end; first += kBatch) {
      std::vector<Json> records;
      std::vector<Json> hooks;
      for (int i = first; i < std::min(first + kBatch, end); ++i) AddOne(i, count, records, hooks);
      Append<IdentityLedger>(raw_identities_, records);
      Append<HookLedger>(raw_hooks_, hooks);
    }
  }

  template <class Ledger>
  void Append(Journal& journal, const std::vector<Json>& records) {
    const auto lock = Ledger::Lock(scene_.files(), scene_.project());
    BELAY_CHECK(lock.ok() && journal.Append(*lock, records, {}).ok());
  }

  template <class Ledger>
  void Shorten(Journal& journal, Ledger& ledger,
               const std::function<std::vector<Json>()>& snapshot) {
    const auto lock = Ledger::Lock(scene_.files(), scene_.project());
    BELAY_CHECK(lock.ok() && ledger.CatchUp().ok());
    BELAY_CHECK(journal.Compact(*lock, {}, snapshot).ok());
    ledger.book().Forget();
  }

  Identity Begin(const AgentId& id, WallTime at) const {
    const Layout& project = scene_.project();
    Identity identity{.id = id};
    identity.created_at = identity.last_seen = at;
    identity.worktree_path = project.NewWorktree(id.identity());
    identity.hook_path = project.HookRendering(id.identity());
    identity.node_id = fmt::format("node-{}", id.identity().name());
    identity.bead_id = fmt::format("bead-{}", id.identity().name());
    identity.command = {"claude", "--dangerously-skip-permissions"};
    identity.agent_kind = AgentKind::kClaude;
    identity.spawn_deadline = at + std::chrono::seconds(10);
    identity.lease =
        MakeObject({{"machine", "0123456789abcdef0123456789abcdef"}, {"vault", project.Vault()}});
    if (id.incarnation() > 1) identity.predecessor_id = id.identity().text() + "#1";
    return identity;
  }

  // From its spawning to its end.
  void AddLife(Identity identity, bool crashes, std::vector<Json>& records) const {
    WallTime at = identity.created_at;
    records.push_back(IdentityRecord(at, "spawning", "requested by a person", identity));
    identity.status = AgentStatus::kAlive;
    identity.process = ProcessMark{40'000, 123'456'789};
    identity.parent = ProcessMark{39'999, 123'456'788};
    identity.boot_id = "6c0a1b52-55c1-4b7e-a2d1-2f3d4c5b6a79";
    identity.started_at = identity.last_seen = at;
    identity.spawn_deadline.reset();
    records.push_back(IdentityRecord(at, "alive", "it runs, pid 40000", identity));
    for (int i = 0; i < kSeen; ++i) {
      at += std::chrono::minutes(1);
      records.push_back(SeenRecord(at, identity.id, at));
    }
    identity.last_seen = at;
    identity.last_activity = at;
    identity.exit = AgentExit{.code = 0, .cause = ExitCause::kClean, .at = at};
    identity.status = AgentStatus::kTerminated;
    if (crashes) {
      identity.exit = AgentExit{.signal = 9, .cause = ExitCause::kKilled, .at = at};
      identity.status = AgentStatus::kCrashed;
      identity.restart.crashes = {at};
      identity.restart.due = at;
    }
    records.push_back(IdentityRecord(at, AgentStatusName(identity.status), "it ended", identity));
  }

  void AddHooks(const AgentId& id, WallTime at, std::vector<Json>& records) const {
    Hook hook{.identity = id.identity(), .incarnation = id.incarnation()};
    hook.current_node = fmt::format("node-{}", id.identity().name());
    hook.current_bead = fmt::format("bead-{}", id.identity().name());
    hook.work_summary = "Repair the login page so that it works with long names";
    for (const WorkPhase phase : {WorkPhase::kInvestigation, WorkPhase::kImplementation,
                                  WorkPhase::kTesting, WorkPhase::kCompletion}) {
      at += std::chrono::minutes(2);
      SetPhase(hook, phase, at, "git");
      hook.files_modified.push_back(fmt::format("src/login/part_{}.cc", hook.phase_history.size()));
      hook.files_modified_count = hook.files_modified.size();
      hook.snapshot = fmt::format("agent-{}/{}", id.identity().text(), hook.phase_history.size());
      hook.last_checkpoint_at = at;
      records.push_back(HookRecord(at, "snapshot", hook.snapshot, hook));
    }
  }

  void AddOne(int number, int count, std::vector<Json>& identities,
              std::vector<Json>& hooks) const {
    const WallTime at = now_ - std::chrono::minutes(30) - (count - number) * kStep;
    const auto name = IdentityName::Make("orchestrator", fmt::format("task-{}", number));
    BELAY_CHECK(name.ok());
    const bool crashed = number % kCrashEvery == 0;
    if (crashed) {
      AddLife(Begin(AgentId(*name, 1), at - std::chrono::minutes(15)), true, identities);
      AddHooks(AgentId(*name, 1), at - std::chrono::minutes(15), hooks);
    }
    const AgentId present(*name, crashed ? 2 : 1);
    AddLife(Begin(present, at), false, identities);
    AddHooks(present, at, hooks);
  }

  Scene& scene_;
  SystemClock clock_;
  const WallTime now_ = clock_.Wall();
  IdentityLedger identities_;
  HookLedger hooks_;
  Journal raw_identities_;
  Journal raw_hooks_;
};

}  // namespace

void MakeMany(Scene& scene, int identities) {
  (void)PeakMegabytes([&] { Maker(scene).Make(identities); });
}

void RenderMany(Scene& scene) {
  (void)PeakMegabytes([&] { Maker(scene).Render(); });
}

}  // namespace belay::bench
