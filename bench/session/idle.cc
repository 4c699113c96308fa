// The guardian of 200 idle agents: how often it and its helpers wake up, how much memory they need,
// and whether that grows with the number of events.
//
// A heartbeat is five seconds here instead of a minute, so that several can be counted: what may
// happen once a minute may happen once a heartbeat.

#include <fmt/core.h>
#include <unistd.h>

#include <map>

#include "app/control.h"
#include "base/check.h"
#include "ledger/hook_ledger.h"
#include "ledger/identity_ledger.h"
#include "ledger/signal_box.h"
#include "process_facts.h"
#include "row.h"
#include "rows.h"
#include "scene.h"

namespace belay::bench {
namespace {

using Who = Happening::Who;

constexpr int kAgents = 200;
constexpr double kHeartbeatMicros = 5e6;
constexpr auto kSettings = "supervise:\n  heartbeat: 5s\n";
constexpr int kHeartbeats = 4;
constexpr double kMostMegabytes = 48;
constexpr double kMostOwnMegabytes = 0.3;
constexpr int kRecords = 500;       // per batch: one sync
constexpr int kBatches = 198;       // 99,000 records of identities,
constexpr int kNotes = 500;         // notes in hooks,
constexpr int kSignals = 500;       // and signals: 100,000 events
constexpr int kWarmUpBatches = 20;  // so that buffers reach their final size
constexpr double kMostGrowth = 0.10;
constexpr double kAlwaysAllowedKilobytes = 2000;

class IdleScene {
 public:
  IdleScene(const Programs& programs, ScratchFolder& scratch)
      : scene_(programs, scratch.NewFolder("idle") + "/p", kSettings),
        identities_(scene_.files(), clock_, scene_.project()),
        hooks_(scene_.files(), clock_, scene_.project()) {
    scene_.StartGuardian();
    for (int i = 0; i < kAgents; ++i) {
      names_.push_back(scene_.Spawn(fmt::format("i{}", i), false));
      (void)scene_.Await(Who::kGuardian, names_.back() + "#1", "is running");
    }
    for (const pid_t child : ChildrenOf(getpid())) {
      if (child != scene_.guardian()) execs_.push_back(child);
    }
    BELAY_CHECK(execs_.size() == kAgents);
    Settle();
  }

  // Until the guardian has taken no snapshot for three heartbeats.
  void Settle() const {
    const double limit = MicrosNow() + 300e6;
    for (double quiet_since = MicrosNow(); MicrosNow() < quiet_since + 3 * kHeartbeatMicros;) {
      BELAY_CHECK(MicrosNow() < limit);
      if (!ChildrenOf(scene_.guardian()).empty()) quiet_since = MicrosNow();
      (void)usleep(10'000);
    }
  }

  double GuardianSleeps() const {
    const auto answer =
        AskGuardian(scene_.project(), MakeObject({{"do", "status"}}), std::chrono::seconds(60));
    BELAY_CHECK(answer.ok() && answer->has_value());
    const Json* sleeps = (*answer)->Find("sleeps");
    BELAY_CHECK(sleeps != nullptr && sleeps->AsInteger() != nullptr);
    return static_cast<double>(*sleeps->AsInteger());
  }

  double ExecWakeUps() const {
    double sum = 0;
    for (const pid_t exec : execs_) sum += WakeUpsOf(exec);
    return sum;
  }

  void Happen(int batches, int notes, int signals) {
    for (int i = 0; i < batches; ++i) RecordBatch();
    for (int i = 0; i < notes; ++i) NoteInHook(i);
    for (int i = 0; i < signals; ++i) SendSignal(i);
    AwaitIdle();
  }

  const std::vector<pid_t>& execs() const { return execs_; }
  pid_t guardian() const { return scene_.guardian(); }

 private:
  AgentId Agent(int number) const {
    const auto id = AgentId::Parse(names_[static_cast<std::size_t>(number % kAgents)] + "#1");
    BELAY_CHECK(id.ok());
    return *id;
  }

  void RecordBatch() {
    const auto lock = IdentityLedger::Lock(scene_.files(), scene_.project());
    BELAY_CHECK(lock.ok() && identities_.CatchUp().ok());
    std::vector<IdentityChange> changes;
    for (int i = 0; i < kRecords; ++i) {
      Identity identity = *identities_.book().Find(Agent(i).identity());
      identity.last_activity = clock_.Wall();
      changes.push_back({"alive", "something happened", std::move(identity)});
    }
    BELAY_CHECK(identities_.Record(*lock, changes).ok());
  }

  void NoteInHook(int number) {
    const auto lock = HookLedger::Lock(scene_.files(), scene_.project());
    BELAY_CHECK(lock.ok());
    const auto hook = hooks_.Change(
        *lock, Agent(number).identity(), std::nullopt, "note", "bench", [&](Hook& changed) {
          AddNote(changed, {fmt::format("note {}", number), clock_.Wall(), 1, "bench"});
        });
    BELAY_CHECK(hook.ok());
  }

  void SendSignal(int number) {
    SignalBox box(scene_.files(), clock_, random_, scene_.project(), Recipient::Guardian());
    const auto sent = box.Send({.type = SignalType::kNodeComplete,
                                .from = Agent(number).text(),
                                .to = "guardian",
                                .at = clock_.Wall(),
                                .payload = MakeObject({{"node_id", "n"}})});
    BELAY_CHECK(sent.ok());
  }

  // It answers between two pieces of work, so wait until it has none for a while.
  void AwaitIdle() const {
    for (int quiet = 0; quiet < 20;) {
      const double before = GuardianSleeps();
      (void)usleep(50'000);
      quiet = GuardianSleeps() > before ? quiet + 1 : 0;
    }
  }

  Scene scene_;
  SystemClock clock_;
  SystemRandom random_;
  IdentityLedger identities_;
  HookLedger hooks_;
  std::vector<std::string> names_;
  std::vector<pid_t> execs_;
};

bool WakeUpRow(const IdleScene& scene) {
  const double sleeps = scene.GuardianSleeps();
  const double execs = scene.ExecWakeUps();
  (void)usleep(static_cast<useconds_t>(kHeartbeats * kHeartbeatMicros));
  // One of them was to answer us.
  const double guardian = scene.GuardianSleeps() - sleeps - 1;
  const double helpers = scene.ExecWakeUps() - execs;
  const double each = (guardian + helpers) / kAgents / kHeartbeats;
  return Print(
      {fmt::format("guardian of {} idle agents: wake-ups, each agent and heartbeat", kAgents),
       fmt::format("{:.2f}", each),
       fmt::format("{:.0f} of the guardian, {:.0f} of all execs, in {} heartbeats", guardian,
                   helpers, kHeartbeats),
       "", "at most 1", each <= 1});
}

bool MemoryRows(const IdleScene& scene) {
  const Memory guardian = MemoryOf(scene.guardian());
  double sum = guardian.proportional;
  double most = 0;
  for (const pid_t exec : scene.execs()) {
    const Memory memory = MemoryOf(exec);
    sum += memory.proportional;
    most = std::max(most, memory.own);
  }
  const bool small =
      Print({fmt::format("guardian and {} execs: proportional memory", kAgents),
             fmt::format("{:.1f} MB", sum / 1000),
             fmt::format("{:.1f} MB, the guardian", guardian.proportional / 1000), "",
             fmt::format("at most {} MB", kMostMegabytes), sum / 1000 <= kMostMegabytes});
  return Print({"belay exec: private memory, the largest", fmt::format("{:.2f} MB", most / 1000),
                "", "", fmt::format("at most {} MB", kMostOwnMegabytes),
                most / 1000 <= kMostOwnMegabytes}) &&
         small;
}

bool GrowthRow(IdleScene& scene) {
  scene.Happen(kWarmUpBatches, kNotes / 10, kSignals / 10);
  const double before = MemoryOf(scene.guardian()).resident;
  scene.Happen(kBatches, kNotes, kSignals);
  const double after = MemoryOf(scene.guardian()).resident;
  const double allowed = std::max(before * (1 + kMostGrowth), before + kAlwaysAllowedKilobytes);
  return Print({"guardian: resident memory after 100,000 events",
                fmt::format("{:.1f} MB", after / 1000),
                fmt::format("{:.1f} MB before", before / 1000),
                fmt::format("{:.2f}", after / before), "10 % or 2 MB more", after <= allowed});
}

}  // namespace

bool IdleRows(const Programs& programs, ScratchFolder& scratch) {
  IdleScene scene(programs, scratch);
  bool reached = WakeUpRow(scene);
  reached &= MemoryRows(scene);
  reached &= GrowthRow(scene);
  return reached;
}

}  // namespace belay::bench
