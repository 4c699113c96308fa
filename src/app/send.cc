#include "app/send.h"

#include <fmt/core.h>

#include <functional>

#include "app/agent_end.h"
#include "app/agents_view.h"
#include "app/session_place.h"
#include "ledger/dispatcher.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr Duration kAskAgain = std::chrono::milliseconds(200);

// Nothing would ever deliver the message.
Result<void> CheckCanReceive(const SessionEnv& session, const Identity& identity) {
  const std::string& name = identity.id.identity().text();
  if (!FactsOf(identity.host).is_agent) {
    return Error{ErrorCode::kRefused, fmt::format("{} is part of belay, not an agent", name),
                 "belay agents lists the agents"};
  }
  const AgentRow row = MakeAgentRow(session, identity, std::nullopt);
  const bool over = row.status == AgentStatus::kTerminated ||
                    (identity.status == AgentStatus::kCrashed && !identity.restart.due);
  if (!over) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("{} has ended and can't receive messages", identity.id.text()),
               fmt::format("belay why {} shows how it ended and how to start it again", name)};
}

class Sending {
 public:
  Sending(Env& env, const SessionEnv& session)
      : env_(env),
        session_(session),
        identities_(env.files, env.clock, session.project),
        dispatcher_(env.files, env.clock, env.random, session.project) {}

  Result<SendMessageOutcome> Send(const std::string& agent, const std::string& text) {
    BELAY_TRY_ASSIGN(const IdentityName name, FindAgent(identities_, agent));
    const Identity identity = Present(name);
    const Recipient to = Recipient::Agent(name);
    const Caller& caller = *env_.caller;
    const Signal signal{.type = SignalType::kGuidance,
                        .from = caller.Name(),
                        .to = to.text(),
                        .at = env_.clock.Wall(),
                        .payload = MakeObject({{"text", text}})};
    BELAY_TRY(CheckSignal(signal, caller.party, to));
    BELAY_TRY(CheckCanReceive(session_, identity));
    SignalBox box(env_.files, env_.clock, env_.random, session_.project, to);
    BELAY_TRY_ASSIGN(const std::string id, box.Send(signal));
    const Result<DispatchState> offered = dispatcher_.UpdateAndWait(identity);
    if (!offered) {
      env_.say(
          fmt::format("the message is stored, but could not be offered to the agent's hooks; a "
                      "guardian does that later: {}",
                      offered.error().message));
    }
    return SendMessageOutcome{identity, id, ReachOf(session_, identity)};
  }

  // Waits until it is delivered or can't be any more. False: the time is over.
  Result<bool> Wait(const SendMessageOutcome& sent, const std::optional<Duration>& limit) {
    BELAY_TRY(EnsureFolder(env_.files, session_.project.OutboxFolder()));
    BELAY_TRY(EnsureFolder(env_.files, session_.project.EventsFolder()));
    BELAY_TRY_ASSIGN(loop_, env_.make_loop());
    Result<bool> outcome = false;
    const std::function<void()> check = [&] {
      if (!outcome || *outcome) return;
      outcome = IsDone(sent);
      if (!outcome || *outcome) return loop_->Stop();
      WatchAgent(sent.to.id.identity(), check);
    };
    const auto on_change = [&](const FolderEvent&) { check(); };
    BELAY_TRY(loop_->WatchFolder(session_.project.OutboxFolder(), on_change));
    BELAY_TRY(loop_->WatchFolderContent(session_.project.JournalFolder(), on_change));
    BELAY_TRY(loop_->WatchFolderContent(session_.project.EventsFolder(), on_change));
    check();
    if (!outcome || *outcome) return outcome;
    if (limit) loop_->StartTimer(*limit, [&] { loop_->Stop(); });
    loop_->Run();
    return outcome;
  }

  std::optional<Delivery> DeliveryOf(const SendMessageOutcome& sent) {
    const Result<void> read = dispatcher_.ledger().CatchUp();
    const Delivery* known = dispatcher_.ledger().book().Find(sent.id);
    return read && known != nullptr ? std::optional(*known) : std::nullopt;
  }

 private:
  // Records its end if that hasn't happened yet.
  Identity Present(const IdentityName& name) {
    const Result<Identity> finalized = Finalize(session_, identities_, name);
    return finalized ? *finalized : *identities_.book().Find(name);
  }

  // There may be no guardian to record its end. Its exec writes how it ended a moment later.
  void WatchAgent(const IdentityName& name, const std::function<void()>& check) {
    const Identity* present = identities_.book().Find(name);
    if (present == nullptr || !present->process || present->process == watched_) return;
    watched_ = present->process;
    Result<Process> process =
        Process::Open({static_cast<pid_t>(watched_->pid), watched_->start, present->boot_id});
    const auto check_until = [this, check, id = present->id] { CheckUntilRecorded(id, check); };
    if (!process) return check_until();
    agent_ = *std::move(process);
    if (!loop_->WatchProcess(*agent_, check_until)) watched_.reset();
  }
  void CheckUntilRecorded(const AgentId& id, const std::function<void()>& check) {
    check();
    const Identity* present = identities_.book().Find(id.identity());
    const bool recorded = present == nullptr || present->id != id || !IsRunning(present->status);
    if (recorded) return;
    loop_->StartTimer(kAskAgain, [this, id, check] { CheckUntilRecorded(id, check); });
  }

  Result<bool> IsDone(const SendMessageOutcome& sent) {
    BELAY_TRY(identities_.CatchUp());
    const IdentityName& name = sent.to.id.identity();
    if (identities_.book().Find(name) == nullptr) {
      return Error{ErrorCode::kNotFound, "the agent no longer exists"};
    }
    const Identity present = Present(name);
    // Another process has the lock: its change wakes us again.
    const Result<void> updated = [&]() -> Result<void> {
      BELAY_TRY(ReviewMessages(session_, dispatcher_, present));
      BELAY_TRY(dispatcher_.Update(present));
      return {};
    }();
    if (!updated && updated.error().code != ErrorCode::kBusy) return updated.error();
    const std::optional<Delivery> delivery = DeliveryOf(sent);
    if (delivery && delivery->state == DeliveryState::kDelivered) return true;
    if (delivery && delivery->state == DeliveryState::kDropped) {
      return Error{ErrorCode::kFailed, "the message was not delivered: " + delivery->why};
    }
    if (IsRunning(present.status)) return false;
    if (ReachOf(session_, present) == Reach::kEnded) {
      return Error{ErrorCode::kFailed,
                   fmt::format("{} ended before the message was delivered", present.id.text()),
                   fmt::format("belay why {}", name.text())};
    }
    const bool waits = present.status == AgentStatus::kQuarantined ||
                       !GuardianRuns(env_.files, session_.project, identities_.book());
    if (!waits) return false;
    return Error{ErrorCode::kFailed,
                 fmt::format("{} ended before the message was delivered and won't be restarted; "
                             "the message waits for a successor",
                             present.id.text()),
                 present.status == AgentStatus::kQuarantined
                     ? fmt::format("belay release {}", name.text())
                     : std::string("belay guard")};
  }

  Env& env_;
  SessionEnv session_;
  IdentityLedger identities_;
  Dispatcher dispatcher_;
  std::unique_ptr<EventLoop> loop_;
  std::optional<Process> agent_;
  std::optional<ProcessMark> watched_;
};

}  // namespace

Result<SendMessageOutcome> SendMessage(Env& env, const SendMessageRequest& request) {
  BELAY_TRY_ASSIGN(const SessionPlace place,
                   FindSessionPlace(env, VaultUse::kWrite, Mistakes::kWarn));
  Sending sending(env, place.MakeEnv(env));
  BELAY_TRY_ASSIGN(SendMessageOutcome sent, sending.Send(request.agent, request.text));
  if (request.wait) {
    BELAY_TRY_ASSIGN(sent.in_time, sending.Wait(sent, request.limit));
  }
  sent.delivery = sending.DeliveryOf(sent);
  return sent;
}

}  // namespace belay
