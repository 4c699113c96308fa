// A person's words to a running agent: a GUIDANCE signal in its inbox, which its next hook
// delivers.

#include <fmt/core.h>

#include <functional>

#include "base/path.h"
#include "base/utf8.h"
#include "cli/agent_argument.h"
#include "cli/agents_view.h"
#include "cli/commands/commands.h"
#include "cli/session_place.h"
#include "cli/time_limit.h"
#include "guardian/caller.h"
#include "guardian/end.h"
#include "guardian/messages.h"
#include "guardian/review.h"
#include "ledger/dispatcher.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr std::size_t kLongestText = std::size_t{64} << 10U;
constexpr Duration kLookAgain = std::chrono::milliseconds(200);

Error Usage(std::string message, std::string hint) {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

Result<std::string> ReadFile(Services& services, const std::string& file) {
  if (file == "-") return services.io.read_in(kLongestText + 1);
  const Result<std::string> path = services.files.Resolve(JoinPath(services.current_folder, file));
  Result<std::string> text = path ? services.files.Read(*path, kLongestText) : path;
  if (text) return text;
  const bool large = text.error().code == ErrorCode::kDamaged;
  return Usage(large ? fmt::format("{} is larger than 64 KiB", Quote(file)) : text.error().message,
               large ? "send the agent the path of the file instead" : "--file takes a file");
}

Result<std::string> TextOf(const Invocation& invocation, Services& services) {
  const std::vector<std::string>& words = invocation.operands();
  const std::optional<std::string> file = invocation.Value("--file");
  if (file && words.size() > 1) return Usage("both a text and --file", "leave one of them out");
  if (!file && words.size() < 2) return Usage("no text", "belay send AGENT TEXT, or --file FILE");
  std::string text;
  if (file) {
    BELAY_TRY_ASSIGN(text, ReadFile(services, *file));
  }
  for (std::size_t i = 1; i < words.size(); ++i) text += (i == 1 ? "" : " ") + words[i];
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Usage("the text is empty", "belay send AGENT TEXT");
  }
  if (text.size() > kLongestText) {
    return Usage("the text is longer than 64 KiB", "write it to a file and send its path");
  }
  if (ReplaceInvalidUtf8(text) != text) return Usage("the text isn't UTF-8", "convert it first");
  return text;
}

// Nothing would ever deliver it.
Result<void> CheckCanReceive(const SessionDoors& doors, const Identity& identity) {
  const std::string& name = identity.id.identity().text();
  if (identity.host == AgentHost::kSelf) {
    return Error{ErrorCode::kRefused, fmt::format("{} is a part of belay, not an agent", name),
                 "belay agents lists the agents"};
  }
  const AgentRow row = LookAt(doors, identity, std::nullopt);
  const bool over = row.status == AgentStatus::kTerminated ||
                    (identity.status == AgentStatus::kCrashed && !identity.restart.due);
  if (!over) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("{} has ended: a message would reach nobody", identity.id.text()),
               fmt::format("belay why {} shows how it ended and how to start it again", name)};
}

struct Sent {
  Identity to;
  std::string id;
  Reach reach;
};

class Sending {
 public:
  Sending(Services& services, const SessionDoors& doors)
      : services_(services),
        doors_(doors),
        identities_(services.files, services.clock, doors.project),
        dispatcher_(services.files, services.clock, services.random, doors.project) {}

  Result<Sent> Send(const std::string& agent, const std::string& text) {
    BELAY_TRY_ASSIGN(const IdentityName name, FindAgent(identities_, agent));
    const Identity identity = Present(name);
    const Recipient to = Recipient::Agent(name);
    BELAY_TRY_ASSIGN(const Caller caller, FindCaller(identities_.book(), services_.environment));
    BELAY_TRY(CheckFence(services_.files, doors_.project, identities_, caller, "send"));
    const Signal signal{.type = SignalType::kGuidance,
                        .from = caller.Name(),
                        .to = to.text(),
                        .at = services_.clock.Wall(),
                        .payload = MakeObject({{"text", text}})};
    BELAY_TRY(CheckSignal(signal, caller.party, to));
    BELAY_TRY(CheckCanReceive(doors_, identity));
    SignalBox box(services_.files, services_.clock, services_.random, doors_.project, to);
    BELAY_TRY_ASSIGN(const std::string id, box.Send(signal));
    const Result<DispatchState> offered = dispatcher_.UpdateAndWait(identity);
    if (!offered) {
      services_.io.Say(
          fmt::format("it is stored; offering it to the agent's hooks failed, and a "
                      "guardian does it later: {}",
                      offered.error().message));
    }
    return Sent{identity, id, ReachOf(doors_, identity)};
  }

  // Until it is delivered or can't be any more. False: the time is over.
  Result<bool> Wait(const Sent& sent, const std::optional<Duration>& limit) {
    BELAY_TRY(EnsureFolder(services_.files, doors_.project.OutboxFolder()));
    BELAY_TRY(EnsureFolder(services_.files, doors_.project.EventsFolder()));
    BELAY_TRY_ASSIGN(loop_, services_.make_loop());
    Result<bool> outcome = false;
    const std::function<void()> look = [&] {
      if (!outcome || *outcome) return;
      outcome = IsSettled(sent);
      if (!outcome || *outcome) return loop_->Stop();
      WatchAgent(sent.to.id.identity(), look);
    };
    const auto on_change = [&](const FolderEvent&) { look(); };
    BELAY_TRY(loop_->WatchFolder(doors_.project.OutboxFolder(), on_change));
    BELAY_TRY(loop_->WatchFolderContent(doors_.project.JournalFolder(), on_change));
    BELAY_TRY(loop_->WatchFolderContent(doors_.project.EventsFolder(), on_change));
    look();
    if (!outcome || *outcome) return outcome;
    if (limit) loop_->StartTimer(*limit, [&] { loop_->Stop(); });
    loop_->Run();
    return outcome;
  }

  std::optional<Delivery> DeliveryOf(const Sent& sent) {
    const Result<void> read = dispatcher_.ledger().CatchUp();
    const Delivery* known = dispatcher_.ledger().book().Find(sent.id);
    return read && known != nullptr ? std::optional(*known) : std::nullopt;
  }

 private:
  // Its end is recorded if nothing has done that yet.
  Identity Present(const IdentityName& name) {
    const Result<Identity> settled = Settle(doors_, identities_, name);
    return settled ? *settled : *identities_.book().Find(name);
  }

  // No guardian may run that would record its end. Its exec says how it ended a moment later.
  void WatchAgent(const IdentityName& name, const std::function<void()>& look) {
    const Identity* present = identities_.book().Find(name);
    if (present == nullptr || !present->process || present->process == watched_) return;
    watched_ = present->process;
    Result<Process> process =
        Process::Open({static_cast<pid_t>(watched_->pid), watched_->start, present->boot_id});
    const auto look_until = [this, look, id = present->id] { LookUntilRecorded(id, look); };
    if (!process) return look_until();
    agent_ = *std::move(process);
    if (!loop_->WatchProcess(*agent_, look_until)) watched_.reset();
  }
  void LookUntilRecorded(const AgentId& id, const std::function<void()>& look) {
    look();
    const Identity* present = identities_.book().Find(id.identity());
    const bool recorded = present == nullptr || present->id != id || !IsRunning(present->status);
    if (recorded) return;
    loop_->StartTimer(kLookAgain, [this, id, look] { LookUntilRecorded(id, look); });
  }

  Result<bool> IsSettled(const Sent& sent) {
    BELAY_TRY(identities_.CatchUp());
    const IdentityName& name = sent.to.id.identity();
    if (identities_.book().Find(name) == nullptr) {
      return Error{ErrorCode::kNotFound, "the agent is gone"};
    }
    const Identity present = Present(name);
    // Another process has the lock: what it does wakes us again.
    const Result<void> updated = [&]() -> Result<void> {
      BELAY_TRY(ReviewMessages(doors_, dispatcher_, present));
      BELAY_TRY(dispatcher_.Update(present));
      return {};
    }();
    if (!updated && updated.error().code != ErrorCode::kBusy) return updated.error();
    const std::optional<Delivery> delivery = DeliveryOf(sent);
    if (delivery && delivery->state == DeliveryState::kDelivered) return true;
    if (delivery && delivery->state == DeliveryState::kDropped) {
      return Error{ErrorCode::kFailed, "it was not delivered: " + delivery->why};
    }
    if (IsRunning(present.status)) return false;
    if (ReachOf(doors_, present) == Reach::kEnded) {
      return Error{ErrorCode::kFailed,
                   fmt::format("{} ended before it was delivered", present.id.text()),
                   fmt::format("belay why {}", name.text())};
    }
    const bool waits = present.status == AgentStatus::kQuarantined ||
                       !GuardianRuns(services_.files, doors_.project, identities_.book());
    if (!waits) return false;
    return Error{
        ErrorCode::kFailed,
        fmt::format("{} ended before it was delivered, and nothing brings it back now; the "
                    "message waits for its successor",
                    present.id.text()),
        present.status == AgentStatus::kQuarantined ? fmt::format("belay release {}", name.text())
                                                    : std::string("belay guard")};
  }

  Services& services_;
  SessionDoors doors_;
  IdentityLedger identities_;
  Dispatcher dispatcher_;
  std::unique_ptr<EventLoop> loop_;
  std::optional<Process> agent_;
  std::optional<ProcessMark> watched_;
};

void Show(Services& services, const Sent& sent, const std::optional<Delivery>& delivery) {
  const bool delivered = delivery && delivery->state == DeliveryState::kDelivered;
  const std::string reach = ReachText(sent.reach, sent.to.id.identity());
  const std::string text =
      delivered ? fmt::format("delivered to {} by {}\n", delivery->agent.text(), delivery->by)
                : fmt::format("stored for {}; {}\n", sent.to.id.text(), reach);
  services.io.Show(
      MakeObject(
          {{"id", sent.id},
           {"agent_id", sent.to.id.text()},
           {"delivered", delivered},
           {"delivered_at", delivered ? Json(FormatUtcMicros(*delivery->delivered_at)) : Json()},
           {"by", delivered ? Json(delivery->by) : Json()},
           {"reach", ReachName(sent.reach)},
           {"note", delivered ? Json() : Json(reach)}}),
      text);
}

}  // namespace

Result<int> RunSend(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const std::string text, TextOf(invocation, services));
  BELAY_TRY_ASSIGN(const auto limit, ParseTimeLimit(invocation.Value("--timeout")));
  if (limit && !invocation.Has("--wait")) return Usage("--timeout without --wait", "add --wait");
  BELAY_TRY_ASSIGN(const SessionPlace place,
                   FindSessionPlace(invocation, services, VaultUse::kWrite, Mistakes::kWarn));
  Sending sending(services, place.Doors(services));
  BELAY_TRY_ASSIGN(const Sent sent, sending.Send(invocation.operands()[0], text));
  if (!invocation.Has("--wait")) {
    Show(services, sent, sending.DeliveryOf(sent));
    return 0;
  }
  BELAY_TRY_ASSIGN(const bool delivered, sending.Wait(sent, limit));
  Show(services, sent, sending.DeliveryOf(sent));
  if (delivered) return 0;
  services.io.Say(fmt::format(
      "gave up waiting: it is not delivered yet, and stays stored; belay why {} shows when it is",
      sent.to.id.identity().text()));
  return kTimeLimitExit;
}

}  // namespace belay
