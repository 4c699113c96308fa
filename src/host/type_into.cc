#include <fmt/core.h>

#include "host/attach.h"
#include "host/attach_protocol.h"
#include "os/clock.h"
#include "os/socket.h"

namespace belay {
namespace {

constexpr std::size_t kMostAtOnce = 4096;

// True for the answer; false for the hello before it.
Result<bool> Understand(const Frame& frame) {
  if (frame.type == FrameType::kTaken) return true;
  if (frame.type == FrameType::kEnded) {
    return Error{ErrorCode::kNotFound, fmt::format("it has ended: {}", frame.content)};
  }
  if (frame.type == FrameType::kHello) BELAY_TRY(ParseHello(frame.content));
  return false;
}

Result<void> AwaitTaken(const UniqueFd& connection, MonotonicTime end) {
  const SystemClock clock;
  FrameReader reader;
  while (AwaitReadable(connection, end - clock.Monotonic())) {
    std::string bytes;
    const bool open = ReceiveSome(connection, kMostAtOnce, bytes);
    reader.Add(bytes);
    while (true) {
      BELAY_TRY_ASSIGN(const std::optional<Frame> frame, reader.Next());
      if (!frame) break;
      BELAY_TRY_ASSIGN(const bool taken, Understand(*frame));
      if (taken) return {};
    }
    if (!open) return Error{ErrorCode::kNotFound, "nobody is there any more"};
  }
  return Error{ErrorCode::kBusy, "nobody took it in time"};
}

}  // namespace

Result<void> TypeInto(const Layout& project, const IdentityName& agent, std::string_view text,
                      Duration limit) {
  const std::string what = fmt::format("type into the terminal of {}", agent.text());
  if (text.size() > kLongestFrame) return Error{ErrorCode::kUsage, what + ": the text is too long"};
  const SystemClock clock;
  const MonotonicTime end = clock.Monotonic() + limit;
  BELAY_TRY_ASSIGN(const UniqueFd connection,
                   ConnectUnixIn(project.RunFolder(), project.RunSocketName(agent)));
  const std::string frames =
      EncodeHello(AttachRole::kKeyboard) + EncodeFrame(FrameType::kKeys, text);
  // A connection that is new has room for all of it.
  const std::optional<std::size_t> sent = SendSome(connection, frames);
  if (sent != frames.size()) return Error{ErrorCode::kBusy, what + ": it can't be sent"};
  Result<void> taken = AwaitTaken(connection, end);
  if (!taken) return std::move(taken).error().In(what);
  return {};
}

}  // namespace belay
