// Messages to running agents: which signals count as messages, which of them wait for an agent's
// next hook, and the state of each (journal "deliveries"). docs/formats/outbox.md describes the
// formats.

#ifndef BELAY_MODEL_DELIVERY_H_
#define BELAY_MODEL_DELIVERY_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"
#include "model/agent_event.h"
#include "model/identity.h"
#include "model/signal.h"

namespace belay {

// Whether a signal to an agent is shown to its model. The others only wait in its inbox.
bool IsMessage(SignalType type);

// The messages for an agent's next hook, oldest first, and the process that they are for.
struct OutboxBatch {
  AgentId agent;
  std::optional<ProcessMark> process = {};  // of the agent; nothing: its name is enough
  std::optional<ProcessMark> parent = {};   // of its belay exec
  bool external = false;              // it was started without belay, and has no BELAY_AGENT_ID
  std::vector<Signal> messages = {};  // each with its id
  std::uint64_t part = 0;  // parts of the first message that the agent has, if it is too long
                           // for one answer

  bool operator==(const OutboxBatch&) const = default;
};
Json ToJson(const OutboxBatch& batch);
Result<OutboxBatch> OutboxBatchFromJson(const Json& record);

// What a hook delivered from a batch, and in which conversation.
struct OutboxReceipt {
  std::uint64_t given = 0;  // messages from the front, each as a whole or its last part
  std::string session = {};
  std::string transcript = {};

  bool operator==(const OutboxReceipt&) const = default;
};
Json ToJson(const OutboxReceipt& receipt);
Result<OutboxReceipt> OutboxReceiptFromJson(const Json& record);

// Whether the hook that reports this event may deliver the batch: a hook of that incarnation, in
// its main conversation. Sub-agents and processes outside its tree may not.
bool MayDeliver(const OutboxBatch& batch, const AgentEvent& event);

// `by` for messages in an agent's resume text.
constexpr std::string_view kByResumeText = "resume text";

// The state of one message.
enum class DeliveryState {
  kSent,
  kUndelivered,  // reported to a person
  kGiven,        // the agent has it; not known whether its model has read it
  kDelivered,    // its model has read it
  kDropped,
};
std::string_view DeliveryStateName(DeliveryState state);  // "sent"
std::optional<DeliveryState> ParseDeliveryState(std::string_view name);

struct Delivery {
  static constexpr std::size_t kLongestSummary = 100;  // code points

  std::string id;    // of the signal
  AgentId agent;     // the incarnation that it was last addressed to
  SignalType type;   //
  std::string from;  // "person", "guardian"
  WallTime sent_at = {};
  std::string summary = {};  // the beginning of its text
  DeliveryState state = DeliveryState::kSent;
  std::optional<WallTime> delivered_at = {};  // when the agent got it
  std::string session = {};                   // the conversation that it was given to
  std::string transcript = {};                // the file of that conversation
  std::optional<WallTime> lost_at = {};       // messages given before this were not read
  std::string by = {};                        // what delivered it: "PreToolUse", "resume text"
  std::string why = {};                       // why it is undelivered or dropped

  bool waits() const {
    return state == DeliveryState::kSent || state == DeliveryState::kUndelivered;
  }
  bool given() const { return state == DeliveryState::kGiven; }
  bool operator==(const Delivery&) const = default;
};
// Whether the model has read a message that its agent got.
enum class Reading {
  kUnknown,  // not yet, as far as is visible
  kRead,
  kUnread,  // and never will
};

// A short mark for a message in the text that the agent reads, to find it in the transcript.
std::string MessageMark(std::string_view id);
Delivery DeliveryOf(const Signal& signal, const AgentId& agent);
// The last record of a message counts. `kind` is "compacted" in a compacted journal.
Json DeliveryRecord(WallTime at, const Delivery& delivery, std::string_view kind = {});
Result<Delivery> DeliveryFromRecord(const Json& record);
// "GUIDANCE from person: use the new API; by PreToolUse"
std::string DeliveryText(const Delivery& delivery);

class DeliveryBook {
 public:
  void Apply(const Json& record);
  void Forget() { *this = {}; }
  const Delivery* Find(std::string_view id) const;
  // Of one agent, in the order of their ids.
  std::vector<Delivery> Waiting(const IdentityName& agent) const;
  std::vector<Delivery> Given(const IdentityName& agent) const;
  const std::map<std::string, Delivery, std::less<>>& all() const { return deliveries_; }
  std::uint64_t unreadable() const { return unreadable_; }
  // Open messages, and those finished in the last day.
  std::vector<Json> Snapshot(WallTime now) const;

 private:
  template <typename Predicate>
  std::vector<Delivery> Of(const IdentityName& agent, Predicate predicate) const;

  std::map<std::string, Delivery, std::less<>> deliveries_;
  std::uint64_t unreadable_ = 0;
};

}  // namespace belay

#endif  // BELAY_MODEL_DELIVERY_H_
