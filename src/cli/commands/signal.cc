#include <fmt/core.h>

#include "app/signals.h"
#include "cli/commands/commands.h"
#include "cli/text.h"
#include "codec/json.h"
#include "ui/width.h"

namespace belay {
namespace {

constexpr std::size_t kLongestPayload = std::size_t{64} << 10U;
constexpr std::size_t kDeepestPayload = 32;

Result<Json> ParsePayload(const std::optional<std::string>& text) {
  if (!text) return Json::EmptyObject();
  if (text->size() > kLongestPayload) {
    return Error{ErrorCode::kUsage, "--payload: more than 64 KiB",
                 "write it to a file and send its path"};
  }
  Result<Json> payload = ParseJson(*text, {.max_depth = kDeepestPayload});
  if (!payload) return Error{ErrorCode::kUsage, "--payload: " + payload.error().message};
  if (payload->AsObject() != nullptr) return payload;
  return Error{ErrorCode::kUsage,
               fmt::format("--payload must be a JSON object, not {}", payload->TypeName()),
               R"(such as '{"reason":"no disk left"}')"};
}

}  // namespace

Result<int> RunSignalSend(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const SignalType type, ParseSignalType(invocation.operands()[0]));
  const std::optional<std::string> to = invocation.Value("--to");
  if (!to) {
    return Error{ErrorCode::kUsage, "--to is missing",
                 "write --to guardian, --to person, or --to AGENT"};
  }
  BELAY_TRY_ASSIGN(Json payload, ParsePayload(invocation.Value("--payload")));
  BELAY_TRY_ASSIGN(const Signal sent, SendSignal(services, {type, *to, std::move(payload)}));
  services.io.Show(ToJson(sent), fmt::format("{}\n", Printable(sent.id)));
  return 0;
}

Result<int> RunSignalWait(const Invocation& invocation, Services& services) {
  Io& io = services.io;
  WaitForSignalRequest request{
      .who = invocation.operands()[0], .show = [&](const Signal& signal) {
        io.Show(SignalsJson({&signal, 1}), SignalTable({&signal, 1}, io.screen));
        return io.Flush();
      }};
  if (const auto type = invocation.Value("--type")) {
    BELAY_TRY_ASSIGN(request.type, ParseSignalType(*type));
  }
  BELAY_TRY_ASSIGN(request.limit, ParseTimeLimit(invocation.Value("--timeout")));
  BELAY_TRY_ASSIGN(const WaitForSignalOutcome outcome, WaitForSignal(services, request));
  if (outcome.came) return 0;
  io.Show(SignalsJson({}), "");
  io.Say(fmt::format("no signal for {} in that time", outcome.who.text()));
  return kTimeLimitExit;
}

Result<int> RunSignalList(const Invocation& invocation, Services& services) {
  std::optional<std::string> inbox;
  if (!invocation.operands().empty()) inbox = invocation.operands()[0];
  BELAY_TRY_ASSIGN(const ListSignalsOutcome found, ListSignals(services, inbox));
  Io& io = services.io;
  io.Show(SignalsJson(found.signals), SignalTable(found.signals, io.screen));
  if (found.signals.empty()) io.Say(fmt::format("no signals for {}", found.who.text()));
  return 0;
}

}  // namespace belay
