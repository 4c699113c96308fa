#include "cli/signal_text.h"

#include "cli/agent_argument.h"
#include "cli/snapshot_text.h"

namespace belay {

Result<Recipient> FindRecipient(const IdentityBook& book, std::string_view text) {
  for (const Recipient& known : {Recipient::Guardian(), Recipient::Person()}) {
    if (known.text() == text) return known;
  }
  BELAY_TRY_ASSIGN(const IdentityName name, ResolvePresent(book, text));
  return Recipient::Agent(name);
}

Recipient OwnInbox(const Caller& caller) {
  return caller.agent ? Recipient::Agent(caller.agent->identity()) : Recipient::Person();
}

Json SignalsJson(std::span<const Signal> signals) {
  Json list = Json::EmptyArray();
  for (const Signal& signal : signals) list.Append(ToJson(signal));
  return MakeObject({{"signals", std::move(list)}});
}

std::string SignalTable(std::span<const Signal> signals, const Screen& screen) {
  Table table{.columns = {{.title = "sent (UTC)"},
                          {.title = "type"},
                          {.title = "from"},
                          {.title = "payload", .fit = Fit::kCut, .min_width = 12}}};
  for (const Signal& signal : signals) {
    table.rows.push_back({{TimeText(signal.at), Tone::kDim},
                          {std::string(RuleOf(signal.type).name), Tone::kAccent},
                          {signal.from},
                          {WriteJson(signal.payload)}});
  }
  return Render(table, {screen.columns, screen.style});
}

}  // namespace belay
