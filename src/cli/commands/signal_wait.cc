#include <fmt/core.h>

#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/settings.h"
#include "cli/signal_text.h"
#include "cli/time_limit.h"
#include "ledger/dispatcher.h"
#include "ledger/signal_box.h"
#include "os/random.h"
#include "store/durable_file.h"
#include "store/vault.h"

namespace belay {
namespace {

constexpr auto kLockLimit = std::chrono::seconds(2);

struct Request {
  Recipient who;
  std::optional<SignalType> type = {};
  std::optional<Duration> limit = {};
};

// Looks for the signal, prints it, and only then acknowledges it: killed in between, it is seen
// again. One waiter at a time, so that two who wait for the same inbox don't get the same signal.
class Waiter {
 public:
  Waiter(Services& services, const Layout& project, const IdentityLedger& identities,
         SignalBox& box, const Request& request)
      : services_(services),
        project_(project),
        identities_(identities),
        box_(box),
        request_(request) {}

  // Whether it was there.
  Result<bool> Look() {
    BELAY_TRY(EnsureFolder(services_.files, project_.LockFolder()));
    const std::string path = project_.LockFile("signals-" + request_.who.text());
    BELAY_TRY_ASSIGN(const StateLock lock, StateLock::Acquire(services_.files, path, kLockLimit));
    BELAY_TRY_ASSIGN(const std::vector<Signal> signals, box_.Peek());
    DeliveryLedger deliveries(services_.files, services_.clock, project_);
    BELAY_TRY(deliveries.CatchUp());
    const auto found = std::find_if(signals.begin(), signals.end(), [&](const Signal& signal) {
      const Delivery* known = deliveries.book().Find(signal.id);
      const bool given = known != nullptr && known->given();  // a hook was faster
      return !given && (!request_.type || signal.type == *request_.type);
    });
    if (found == signals.end()) return false;
    Io& io = services_.io;
    io.Show(SignalsJson({&*found, 1}), SignalTable({&*found, 1}, io.screen));
    BELAY_TRY(io.Flush());
    BELAY_TRY(box_.Acknowledge(found->id));
    if (IsMessage(found->type)) RecordTaken(*found);
    return true;
  }

  // A message to an agent is delivered by this: no hook delivers it again.
  void RecordTaken(const Signal& signal) {
    const Result<IdentityName> agent = IdentityName::Parse(signal.to);
    const Identity* identity = agent ? identities_.book().Find(*agent) : nullptr;
    if (identity == nullptr) return;
    Dispatcher dispatcher(services_.files, services_.clock, services_.random, project_);
    const Result<void> recorded = dispatcher.RecordTaken(*identity, signal, "belay signal wait");
    if (!recorded) services_.io.Say(recorded.error().message);
  }

  // Until it comes, or the time is over: false.
  Result<bool> Wait() {
    BELAY_TRY(box_.EnsureFolder());
    BELAY_TRY_ASSIGN(const std::unique_ptr<EventLoop> loop, services_.make_loop());
    Result<bool> outcome = false;
    const auto look = [&] {
      outcome = Look();
      if (!outcome || *outcome) loop->Stop();
    };
    BELAY_TRY(loop->WatchFolder(box_.folder(), [&](const FolderEvent& event) {
      if (!outcome || *outcome) return;
      const bool arrived =
          event.change == FolderChange::kMovedIn || event.change == FolderChange::kOverflow;
      if (arrived) return look();
      if (event.change != FolderChange::kGone) return;
      outcome = Error{ErrorCode::kNotFound, fmt::format("{} is gone", box_.folder())};
      loop->Stop();
    }));
    look();
    if (!outcome || *outcome) return outcome;
    if (request_.limit) loop->StartTimer(*request_.limit, [&] { loop->Stop(); });
    loop->Run();
    return outcome;
  }

 private:
  Services& services_;
  const Layout& project_;
  const IdentityLedger& identities_;
  SignalBox& box_;
  const Request& request_;
};

Result<void> CheckMayWait(const Caller& caller, const Recipient& who) {
  if (!caller.agent || OwnInbox(caller) == who) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("{} may not take signals of {}", caller.Name(), who.text()),
               "an agent waits for its own only"};
}

Result<Request> ReadRequest(const Invocation& invocation, Services& services, const Layout& project,
                            IdentityLedger& identities) {
  std::optional<SignalType> type;
  if (const auto name = invocation.Value("--type")) {
    BELAY_TRY_ASSIGN(type, ParseSignalType(*name));
  }
  BELAY_TRY_ASSIGN(const auto limit, ParseTimeLimit(invocation.Value("--timeout")));
  BELAY_TRY(CheckVault(services.files, project, VaultUse::kWrite));
  BELAY_TRY(identities.CatchUp());
  BELAY_TRY_ASSIGN(const Caller caller, FindCaller(identities.book(), services.environment));
  BELAY_TRY_ASSIGN(Recipient who, FindRecipient(identities.book(), invocation.operands()[0]));
  BELAY_TRY(CheckMayWait(caller, who));
  BELAY_TRY(CheckFence(services.files, project, identities, caller, "wait"));
  return Request{std::move(who), type, limit};
}

}  // namespace

Result<int> RunSignalWait(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(invocation, services));
  IdentityLedger identities(services.files, services.clock, project);
  BELAY_TRY_ASSIGN(const Request request, ReadRequest(invocation, services, project, identities));
  SystemRandom random;
  SignalBox box(services.files, services.clock, random, project, request.who);
  BELAY_TRY_ASSIGN(const bool came, Waiter(services, project, identities, box, request).Wait());
  if (came) return 0;
  services.io.Show(SignalsJson({}), "");
  services.io.Say(fmt::format("nothing came for {} in that time", request.who.text()));
  return kTimeLimitExit;
}

}  // namespace belay
