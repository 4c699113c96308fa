#include "cli/signal_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/snapshot_text.h"
#include "guardian/tidy.h"
#include "ledger/signal_box.h"

namespace belay {

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
                          {.title = "what", .fit = Fit::kWrap, .min_width = 24}}};
  for (const Signal& signal : signals) {
    table.rows.push_back({{TimeText(signal.at), Tone::kDim},
                          {std::string(RuleOf(signal.type).name), Tone::kAccent},
                          {signal.from},
                          {SignalText(signal)}});
  }
  return Render(table, {screen.columns, screen.style});
}

std::string PersonMessagesLine(Services& services, const Layout& project) {
  const SignalBox box(services.files, services.clock, services.random, project,
                      Recipient::Person());
  const Result<std::vector<Signal>> signals = box.Peek();
  if (!signals) return {};
  const auto count =
      std::ranges::count_if(*signals, [](const Signal& signal) { return !IsNews(signal.type); });
  if (count == 0) return {};
  return fmt::format(
      "{} message{} for you: belay signal list person (belay signal wait person takes "
      "the oldest one)",
      count, count == 1 ? "" : "s");
}

}  // namespace belay
