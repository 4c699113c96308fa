#include "model/delivery.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/utf8.h"
#include "model/json_fields.h"
#include "model/stored_record.h"

namespace belay {
namespace {

constexpr std::string_view kStates[] = {"sent", "undelivered", "given", "delivered", "dropped"};
constexpr Duration kRemembered = std::chrono::hours(24);

Json MarkJson(const std::optional<ProcessMark>& mark) {
  if (!mark) return {};
  return MakeObject({{"pid", mark->pid}, {"start", LargeNumber(mark->start)}});
}

ProcessMark ReadMark(JsonFields& fields) {
  const std::optional<std::int64_t> pid = fields.Integer("pid", 1);
  if (!pid) fields.Fail("pid", "is missing");
  return {.pid = pid.value_or(0), .start = fields.LargeCount("start")};
}

AgentId AgentIn(JsonFields& fields, std::string_view key) {
  Result<AgentId> agent = AgentId::Parse(fields.Text(key));
  if (agent) return *std::move(agent);
  fields.Fail(key, "isn't an agent's id");
  return AgentId(*IdentityName::Make("none", "none"), 1);
}

// One line: the beginning of a message's text, or its subject.
std::string SummaryOf(const Signal& signal) {
  std::string text = TextIn(signal.payload, "text");
  const std::string reason = TextIn(signal.payload, "reason");
  if (signal.type != SignalType::kGuidance && signal.type != SignalType::kInputResponse &&
      !reason.empty()) {
    text = reason;
  }
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  const std::string_view cut = CutCodePoints(text, Delivery::kLongestSummary);
  return std::string(cut) + (cut.size() < text.size() ? "..." : "");
}

bool IsBelow(const AgentEvent& event, const std::optional<ProcessMark>& process) {
  return process && std::ranges::find(event.above, *process) != event.above.end();
}

}  // namespace

bool IsMessage(SignalType type) {
  return type == SignalType::kGuidance || type == SignalType::kInputResponse ||
         type == SignalType::kMergeConflict || type == SignalType::kMergeFailed;
}

Json ToJson(const OutboxBatch& batch) {
  const auto message_json = [](const Signal& signal) { return ToJson(signal); };
  return MakeObject({{"agent_id", batch.agent.text()},
                     {"process", MarkJson(batch.process)},
                     {"parent", MarkJson(batch.parent)},
                     {"external", batch.external},
                     {"messages", MakeArray(batch.messages, message_json)},
                     {"part", LargeNumber(batch.part)}});
}

namespace {

Result<OutboxBatch> ReadBatch(const Json& record) {
  JsonFields fields(record, "outbox");
  OutboxBatch batch{AgentIn(fields, "agent_id")};
  batch.process = fields.Part("process", ReadMark);
  batch.parent = fields.Part("parent", ReadMark);
  batch.external = fields.Bool("external", false);
  batch.part = fields.LargeCount("part");
  if (const Json::Array* messages = fields.Array("messages")) {
    for (const Json& one : *messages) {
      Result<Signal> signal = SignalFromJson(one);
      if (!signal) {
        fields.Fail(signal.error());
        break;
      }
      batch.messages.push_back(*std::move(signal));
    }
  }
  BELAY_TRY(fields.Check());
  return batch;
}

Result<OutboxReceipt> ReadReceipt(const Json& record) {
  JsonFields fields(record, "receipt");
  OutboxReceipt receipt;
  const std::optional<std::int64_t> given = fields.Integer("given", 0);
  if (!given) fields.Fail("given", "is missing");
  receipt.given = static_cast<std::uint64_t>(given.value_or(0));
  receipt.session = fields.Text("session");
  receipt.transcript = fields.Text("transcript");
  BELAY_TRY(fields.Check());
  return receipt;
}

}  // namespace

Result<OutboxBatch> OutboxBatchFromJson(const Json& record) {
  return ReadRecord(FormatOf(StoredRecord::kOutboxBatch), record, ReadBatch);
}

Json ToJson(const OutboxReceipt& receipt) {
  return MakeObject({{"given", LargeNumber(receipt.given)},
                     {"session", TextOrNull(receipt.session)},
                     {"transcript", TextOrNull(receipt.transcript)}});
}

Result<OutboxReceipt> OutboxReceiptFromJson(const Json& record) {
  return ReadRecord(FormatOf(StoredRecord::kOutboxReceipt), record, ReadReceipt);
}

bool MayDeliver(const OutboxBatch& batch, const AgentEvent& event) {
  if (event.nested) return false;
  if (batch.external) {
    return event.agent.empty() && batch.process == ProcessMark{event.pid, event.pid_start};
  }
  if (event.agent != batch.agent.text()) return false;
  const bool known = batch.process || batch.parent;
  return !known || IsBelow(event, batch.process) || IsBelow(event, batch.parent);
}

std::string_view DeliveryStateName(DeliveryState state) { return NameIn(kStates, state); }
std::optional<DeliveryState> ParseDeliveryState(std::string_view name) {
  return FindIn<DeliveryState>(kStates, name);
}

// The last part of its id, which is random.
std::string MessageMark(std::string_view id) { return std::string(id.substr(id.rfind('.') + 1)); }

Delivery DeliveryOf(const Signal& signal, const AgentId& agent) {
  return {.id = signal.id,
          .agent = agent,
          .type = signal.type,
          .from = signal.from,
          .sent_at = signal.at,
          .summary = SummaryOf(signal)};
}

Json DeliveryRecord(WallTime at, const Delivery& delivery, std::string_view kind) {
  const std::string_view state = DeliveryStateName(delivery.state);
  return MakeObject({{"at", FormatUtcMicros(at)},
                     {"kind", kind.empty() ? state : kind},
                     {"state", state},
                     {"agent_id", delivery.agent.text()},
                     {"id", ReplaceInvalidUtf8(delivery.id)},
                     {"type", RuleOf(delivery.type).name},
                     {"from", TextOrNull(delivery.from)},
                     {"sent_at", KnownTime(delivery.sent_at)},
                     {"summary", TextOrNull(delivery.summary)},
                     {"delivered_at", TimeOrNull(delivery.delivered_at)},
                     {"session", TextOrNull(delivery.session)},
                     {"transcript", TextOrNull(delivery.transcript)},
                     {"lost_at", TimeOrNull(delivery.lost_at)},
                     {"by", TextOrNull(delivery.by)},
                     {"why", TextOrNull(delivery.why)}});
}

namespace {

Result<Delivery> ReadDelivery(const Json& record) {
  JsonFields fields(record, "delivery");
  const DeliveryState state = fields.Name("state", ParseDeliveryState);
  const AgentId agent = AgentIn(fields, "agent_id");
  const std::string id = fields.Text("id");
  const Result<SignalType> type = ParseSignalType(fields.Text("type"));
  if (!type) fields.Fail(type.error());
  Delivery delivery{.id = id,
                    .agent = agent,
                    .type = type ? *type : SignalType::kGuidance,
                    .from = fields.Text("from"),
                    .sent_at = fields.TimeOrZero("sent_at"),
                    .summary = fields.Text("summary"),
                    .state = state};
  delivery.delivered_at = fields.Time("delivered_at");
  delivery.session = fields.Text("session");
  delivery.transcript = fields.Text("transcript");
  delivery.lost_at = fields.Time("lost_at");
  delivery.by = fields.Text("by");
  delivery.why = fields.Text("why");
  if (id.empty()) fields.Fail("id", "is missing");
  BELAY_TRY(fields.Check());
  return delivery;
}

}  // namespace

Result<Delivery> DeliveryFromRecord(const Json& record) {
  return ReadRecord(FormatOf(StoredRecord::kDelivery), record, ReadDelivery);
}

std::string DeliveryText(const Delivery& delivery) {
  std::string text = fmt::format("{} from {}", RuleOf(delivery.type).name, delivery.from);
  if (!delivery.summary.empty()) text += ": " + delivery.summary;
  // Whether a script reads that file is unknown.
  const bool in_file = delivery.by == "resume text";
  if (in_file) text += "; put into its resume text";
  if (!in_file && !delivery.by.empty()) text += "; by " + delivery.by;
  if (delivery.delivered_at) text += " at " + FormatUtc(*delivery.delivered_at);
  if (!delivery.why.empty()) text += "; " + delivery.why;
  return text;
}

void DeliveryBook::Apply(const Json& record) {
  Result<Delivery> delivery = DeliveryFromRecord(record);
  if (!delivery) {
    ++unreadable_;
    return;
  }
  deliveries_.insert_or_assign(delivery->id, *delivery);
}

const Delivery* DeliveryBook::Find(std::string_view id) const {
  const auto found = deliveries_.find(id);
  return found == deliveries_.end() ? nullptr : &found->second;
}

template <typename Predicate>
std::vector<Delivery> DeliveryBook::Of(const IdentityName& agent, Predicate predicate) const {
  std::vector<Delivery> found;
  for (const auto& [id, delivery] : deliveries_) {
    if (predicate(delivery) && delivery.agent.identity() == agent) found.push_back(delivery);
  }
  return found;
}

std::vector<Delivery> DeliveryBook::Waiting(const IdentityName& agent) const {
  return Of(agent, [](const Delivery& delivery) { return delivery.waits(); });
}

std::vector<Delivery> DeliveryBook::Given(const IdentityName& agent) const {
  return Of(agent, [](const Delivery& delivery) { return delivery.given(); });
}

std::vector<Json> DeliveryBook::Snapshot(WallTime now) const {
  std::vector<Json> records;
  for (const auto& [id, delivery] : deliveries_) {
    const WallTime last = delivery.delivered_at.value_or(delivery.sent_at);
    if (delivery.waits() || delivery.given() || now - last < kRemembered) {
      records.push_back(DeliveryRecord(now, delivery, "compacted"));
    }
  }
  return records;
}

}  // namespace belay
