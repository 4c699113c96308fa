#include "cli/agent_history.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>

#include "base/path.h"
#include "codec/json.h"
#include "ledger/families.h"
#include "ledger/outbox.h"
#include "model/delivery.h"

namespace belay {
namespace {

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
      history.records.push_back({.journal = std::string(DeliveryFamily::kJournal),
                                 .at = name.at,
                                 .kind = "message given",
                                 .agent_id = done->batch.agent.text(),
                                 .why = DeliveryText(delivery)});
    }
  }
}

}  // namespace

History ReadAgentHistory(FileSystem& files, const Layout& project, const IdentityName& agent) {
  std::set<std::string> delivered;
  History history = ReadHistory(
      files, project,
      [&](std::string_view journal, const Json& record) -> std::optional<HistoryRecord> {
        const bool message = journal == DeliveryFamily::kJournal;
        if (message && !TextIn(record, "delivered_at").empty()) {
          delivered.insert(TextIn(record, "id"));
        }
        const Family* family = FindFamily(journal);
        std::optional<RecordText> text = family ? family->why_text(record) : std::nullopt;
        if (!text || text->identity != agent.text()) return std::nullopt;
        return HistoryRecord{.kind = std::move(text->what),
                             .agent_id = std::move(text->who),
                             .why = std::move(text->why)};
      });
  AddDelivered(files, project, agent, delivered, history);
  std::ranges::stable_sort(history.records, {}, &HistoryRecord::at);
  return history;
}

}  // namespace belay
