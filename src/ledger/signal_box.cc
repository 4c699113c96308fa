#include "ledger/signal_box.h"

#include <fmt/core.h>

#include <utility>

#include "base/utf8.h"
#include "codec/json.h"
#include "store/durable_file.h"
#include "store/vault.h"

namespace belay {
namespace {

constexpr Duration kLease = std::chrono::minutes(1);
constexpr Duration kRemembered = std::chrono::minutes(10);

// The sender in the inbox's ids: the identity, so that the order is kept across its incarnations.
Result<std::string> SenderName(const std::string& from) {
  const Result<AgentId> agent = AgentId::Parse(from);
  if (agent) return agent->identity().text();
  if (IsSenderName(from)) return from;
  return Error{ErrorCode::kRefused, fmt::format("no sender {}", Quote(from))};
}

std::optional<Signal> SignalIn(const InboxMessage& message) {
  Result<Signal> signal = SignalFromJson(message.body);
  if (!signal) return std::nullopt;
  signal->id = message.id;
  return *std::move(signal);
}

}  // namespace

SignalBox::SignalBox(FileSystem& files, const Clock& clock, Random& random, const Layout& project,
                     const Recipient& who, Duration lock_limit)
    : files_(files),
      clock_(clock),
      project_(project),
      parent_(project.SignalsFolder()),
      folder_(project.SignalFolder(who.text())),
      inbox_(files, clock, random, folder_, lock_limit) {}

// The inbox creates its own folder, but nothing above it. Called before every write.
Result<void> SignalBox::EnsureParent() {
  BELAY_TRY(CheckFormat(files_, project_));
  const Result<FileInfo> there = files_.Inspect(parent_);
  if (parent_is_safe_ && there && there->kind == FileKind::kFolder) return {};
  BELAY_TRY(belay::EnsureFolder(files_, parent_));
  parent_is_safe_ = true;
  return {};
}

Result<void> SignalBox::EnsureFolder() {
  BELAY_TRY(EnsureParent());
  return belay::EnsureFolder(files_, folder_);
}

Result<std::string> SignalBox::Send(const Signal& signal) {
  BELAY_TRY_ASSIGN(const std::string sender, SenderName(signal.from));
  BELAY_TRY(EnsureParent());
  Json body = ToJson(signal);
  body.Remove("id");  // the inbox's is the one that counts
  BELAY_TRY_ASSIGN(std::string id, inbox_.Deliver(sender, body));
  if (signal.type == SignalType::kHookUpdated) DropOlder(signal, id);
  return id;
}

Result<void> SignalBox::SendAs(const std::string& id, const Signal& signal) {
  BELAY_TRY(EnsureParent());
  Json body = ToJson(signal);
  body.Remove("id");
  return inbox_.DeliverAs(id, body);
}

// What can't be dropped now is dropped with the next one.
void SignalBox::DropOlder(const Signal& signal, const std::string& id) {
  const Result<std::vector<Signal>> waiting = Peek();
  if (!waiting) return;
  for (const Signal& one : *waiting) {
    const bool says_less = one.type == signal.type && one.id < id && one.from == signal.from &&
                           TextIn(one.payload, "hook_path") == TextIn(signal.payload, "hook_path");
    if (says_less) (void)Acknowledge(one.id);
  }
}

Result<std::vector<Signal>> SignalBox::Peek() const {
  BELAY_TRY_ASSIGN(const std::vector<InboxMessage> messages, EmptyIfMissing(inbox_.Peek()));
  std::vector<Signal> signals;
  for (const InboxMessage& message : messages) {
    std::optional<Signal> signal = SignalIn(message);
    if (signal) signals.push_back(*std::move(signal));
  }
  return signals;
}

Result<std::optional<Signal>> SignalBox::Take() {
  BELAY_TRY(EnsureParent());
  while (true) {
    BELAY_TRY_ASSIGN(const std::optional<InboxMessage> message, inbox_.Take(kLease));
    if (!message) return std::optional<Signal>();
    std::optional<Signal> signal = SignalIn(*message);
    if (signal) return signal;
    BELAY_TRY(inbox_.Acknowledge(message->id));
  }
}

Result<void> SignalBox::Acknowledge(const std::string& id) {
  BELAY_TRY(EnsureParent());
  BELAY_TRY(inbox_.Acknowledge(id));
  (void)Prune();
  return {};
}

Result<void> SignalBox::Prune() {
  BELAY_TRY(EnsureParent());
  return inbox_.Prune(clock_.Wall() - kRemembered);
}

}  // namespace belay
