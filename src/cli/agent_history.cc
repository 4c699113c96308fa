#include "cli/agent_history.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>

#include "base/path.h"
#include "cli/record_text.h"
#include "codec/json_member.h"
#include "ledger/outbox.h"
#include "model/delivery.h"
#include "model/hook.h"
#include "model/identity_book.h"
#include "model/json_fields.h"
#include "model/snapshot_log.h"
#include "model/taint.h"

namespace belay {
namespace {

// "orchestrator-login#3" belongs to orchestrator-login.
bool IsOf(const IdentityName& name, std::string_view agent_id) {
  const std::size_t hash = agent_id.find('#');
  return hash != std::string_view::npos && agent_id.substr(0, hash) == name.text();
}

// What a record of a journal says about an identity; nothing when it is about somebody else.
class Judge {
 public:
  explicit Judge(const IdentityName& name)
      : name_(name), keep_(fmt::format("agent-{}/", name.text())) {}

  std::optional<HistoryRecord> Read(std::string_view journal, const Json& record) const {
    RecordText text = ReadRecordText(journal, record);
    if (text.what == "seen" || text.what == "compacted") return std::nullopt;
    HistoryRecord read{.journal = std::string(journal),
                       .kind = std::move(text.what),
                       .agent_id = std::move(text.who),
                       .why = std::move(text.why)};
    if (journal == kSnapshotJournal) return OfSnapshot(record, std::move(read));
    if (journal == kHookJournal) read.kind = "hook " + read.kind;
    if (journal == kTaintJournal) read.kind = "taint " + read.kind;
    if (journal == kDeliveryJournal) read.kind = "message " + read.kind;
    if (!IsOf(name_, read.agent_id)) return std::nullopt;
    return read;
  }

 private:
  std::optional<HistoryRecord> OfSnapshot(const Json& record, HistoryRecord read) const {
    const std::string id = TextIn(record, "id");
    read.agent_id = TextIn(record, "agent_id");
    const std::string reason = TextIn(record, "reason");
    read.kind = "snapshot " + read.kind;
    read.why = fmt::format("{}{}{}", id, reason.empty() ? "" : ": ", reason);
    if (!id.starts_with(keep_) && !IsOf(name_, read.agent_id)) return std::nullopt;
    return read;
  }

  const IdentityName& name_;
  std::string keep_;
};

// What hooks have given, and nothing has recorded yet because no guardian runs.
void AddDelivered(const FileSystem& files, const Layout& project, const IdentityName& agent,
                  const std::set<std::string>& recorded, History& history) {
  const Result<std::vector<OutboxName>> names = ListOutbox(files, project);
  if (!names) return;
  for (const OutboxName& name : *names) {
    if (name.agent != agent || name.state != OutboxName::State::kDone) continue;
    const auto done = ReadGiven(files, JoinPath(project.OutboxFolder(), name.name));
    if (!done) continue;
    for (const Signal& signal : std::span(done->batch.messages).first(done->receipt.given)) {
      if (recorded.contains(signal.id)) continue;
      Delivery delivery = DeliveryOf(signal, done->batch.agent);
      delivery.by = name.event;
      history.records.push_back({.journal = std::string(kDeliveryJournal),
                                 .at = name.at,
                                 .kind = "message given",
                                 .agent_id = done->batch.agent.text(),
                                 .why = DeliveryText(delivery)});
    }
  }
}

}  // namespace

History ReadAgentHistory(FileSystem& files, const Layout& project, const IdentityName& agent) {
  History history;
  const Judge judge(agent);
  std::set<std::string> delivered;
  for (const std::string_view journal :
       {kIdentityJournal, kHookJournal, kTaintJournal, kSnapshotJournal, kDeliveryJournal}) {
    ReadHistory(
        files, project, journal,
        [&](const Json& record) {
          const bool message = journal == kDeliveryJournal;
          if (message && TextIn(record, "delivered_at") != "")
            delivered.insert(TextIn(record, "id"));
          return judge.Read(journal, record);
        },
        history);
  }
  AddDelivered(files, project, agent, delivered, history);
  std::ranges::stable_sort(history.records, {}, &HistoryRecord::at);
  return history;
}

}  // namespace belay
