#include "app/send.h"

#include <fmt/core.h>

#include "base/path.h"
#include "base/utf8.h"
#include "cli/commands/commands.h"
#include "cli/text.h"

namespace belay {
namespace {

constexpr std::size_t kLongestMessage = std::size_t{64} << 10U;

Error SendUsage(std::string message, std::string hint) {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

Result<std::string> ReadFile(Services& services, const std::string& file) {
  if (file == "-") return services.io.read_in(kLongestMessage + 1);
  const Result<std::string> path = services.files.Resolve(JoinPath(services.current_folder, file));
  Result<std::string> text = path ? services.files.Read(*path, kLongestMessage) : path;
  if (text) return text;
  const bool large = text.error().code == ErrorCode::kDamaged;
  return SendUsage(
      large ? fmt::format("{} is larger than 64 KiB", Quote(file)) : text.error().message,
      large ? "send the agent the path of the file instead" : "--file takes a file");
}

Result<std::string> TextOf(const Invocation& invocation, Services& services) {
  const std::vector<std::string>& words = invocation.operands();
  const std::optional<std::string> file = invocation.Value("--file");
  if (file && words.size() > 1)
    return SendUsage("a text and --file can't be combined", "use only one");
  if (!file && words.size() < 2)
    return SendUsage("the message is missing", "run belay send AGENT TEXT, or use --file FILE");
  std::string text;
  if (file) {
    BELAY_TRY_ASSIGN(text, ReadFile(services, *file));
  }
  for (std::size_t i = 1; i < words.size(); ++i) text += (i == 1 ? "" : " ") + words[i];
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return SendUsage("the message is empty", "belay send AGENT TEXT");
  }
  if (text.size() > kLongestMessage) {
    return SendUsage("the message is longer than 64 KiB", "write it to a file and send its path");
  }
  if (ReplaceInvalidUtf8(text) != text)
    return SendUsage("the message isn't UTF-8", "convert it first");
  return text;
}

void Show(Services& services, const SendMessageOutcome& sent) {
  const std::optional<Delivery>& delivery = sent.delivery;
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
  const bool wait = invocation.Has("--wait");
  if (limit && !wait) return SendUsage("--timeout without --wait", "add --wait");
  BELAY_TRY_ASSIGN(const SendMessageOutcome sent,
                   SendMessage(services, {invocation.operands()[0], text, wait, limit}));
  Show(services, sent);
  if (sent.in_time) return 0;
  services.io.Say(fmt::format(
      "timed out: the message is stored but not delivered yet; belay why {} shows when it is",
      sent.to.id.identity().text()));
  return kTimeLimitExit;
}

}  // namespace belay
