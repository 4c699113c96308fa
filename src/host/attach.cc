#include "host/attach.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/check.h"
#include "base/utf8.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/process.h"
#include "os/socket.h"
#include "os/terminal.h"

namespace belay {
namespace {

constexpr int kInput = 0;
constexpr int kOutput = 1;
constexpr std::size_t kMostAtOnce = std::size_t{64} << 10U;
constexpr std::size_t kMostWaiting = std::size_t{64} << 10U;
constexpr std::string_view kOtherScreenOn = "\x1B[?1049h";
constexpr std::string_view kOtherScreenOff = "\x1B[?1049l";
// Resets what the agent may have set on the terminal: colours, a hidden cursor, the mouse,
// bracketed paste, extended key codes.
constexpr std::string_view kAsBefore =
    "\x1B[0m\x1B[?25h\x1B[?1000l\x1B[?1002l\x1B[?1003l\x1B[?1006l\x1B[?1004l\x1B[?2004l\x1B[<u"
    "\x1B[>4;0m";

// One user's terminal, until it detaches.
class Session {
 public:
  Session(EventLoop& loop, UniqueFd connection) : loop_(loop), connection_(std::move(connection)) {}

  Result<Attached> Run() {
    BELAY_TRY_ASSIGN(const RawTerminal raw, RawTerminal::Enter(kInput));
    BELAY_TRY(Watch());
    Send(EncodeHello(AttachRole::kTerminal));
    SendSize();
    loop_.Run();
    if (other_screen_) (void)WriteAll(kOutput, kOtherScreenOff);
    (void)WriteAll(kOutput, kAsBefore);
    for (const WatchId id : watches_) loop_.Unwatch(id);
    loop_.Unwatch(writable_);
    return outcome_;
  }

 private:
  Result<void> Keep(Result<WatchId> watch) {
    if (!watch) return watch.error();
    watches_.push_back(*watch);
    return {};
  }

  Result<void> Watch() {
    BELAY_TRY(Keep(loop_.Watch(kInput, Readiness::kReadable, [this] { TakeKeys(); })));
    BELAY_TRY(Keep(loop_.Watch(connection_.get(), Readiness::kReadable, [this] { Receive(); })));
    BELAY_TRY(Keep(loop_.WatchSignal(kSignalWindow, [this] { SendSize(); })));
    for (const int signal : {kSignalTerminate, kSignalInterrupt, kSignalHangUp}) {
      BELAY_TRY(Keep(loop_.WatchSignal(signal, [this] { End({AttachEnd::kDetached}); })));
    }
    return {};
  }

  void TakeKeys() {
    std::string keys;
    std::string pass;
    const bool open = ReadKeys(kInput, keys);
    const bool detach = detach_key_.Feed(keys, pass);
    Send(EncodeFrames(FrameType::kKeys, pass));
    if (detach || !open) End({AttachEnd::kDetached});
  }

  void SendSize() {
    if (const auto size = SizeOfTerminal(kOutput)) Send(EncodeSize(*size));
  }

  // An exec that doesn't read must not keep the user from detaching.
  void Send(std::string_view frames) {
    if (waiting_.size() + frames.size() > kMostWaiting) return;
    waiting_ += frames;
    Flush();
  }

  void Flush() {
    waiting_.erase(0, SendSome(connection_, waiting_).value_or(waiting_.size()));
    const bool watched = writable_ != WatchId{};
    if (waiting_.empty() == !watched) return;
    if (watched) return loop_.Unwatch(std::exchange(writable_, WatchId{}));
    const auto id = loop_.Watch(connection_.get(), Readiness::kWritable, [this] { Flush(); });
    if (id) writable_ = *id;
  }

  void Receive() {
    std::string bytes;
    const bool open = ReceiveSome(connection_, kMostAtOnce, bytes);
    reader_.Add(bytes);
    while (!ended_) {
      Result<std::optional<Frame>> frame = reader_.Next();
      if (!frame) return EndWith(frame.error());
      if (!*frame) break;
      Obey(**frame);
    }
    if (!open) End({AttachEnd::kLostContact});
  }

  void Obey(const Frame& frame) {
    switch (frame.type) {
      case FrameType::kHello:
        if (const auto role = ParseHello(frame.content); !role) EndWith(role.error());
        return;
      case FrameType::kOutput:
        return Show(frame.content);
      case FrameType::kLost:
        return Show("\r\n[belay: some output was left out here]\r\n");
      case FrameType::kEnded:
        return End({AttachEnd::kAgentEnded, frame.content});
      case FrameType::kTaken:
      case FrameType::kKeys:
      case FrameType::kSize:
        return;
    }
  }

  void Show(std::string_view output) {
    // Adding one turns npos (not found) into zero.
    const std::size_t on = output.rfind(kOtherScreenOn) + 1;
    const std::size_t off = output.rfind(kOtherScreenOff) + 1;
    if (on != off) other_screen_ = on > off;
    if (WriteAll(kOutput, output) != 0) End({AttachEnd::kDetached});
  }

  void End(Attached outcome) { EndWith(std::move(outcome)); }
  void EndWith(Result<Attached> outcome) {
    if (!ended_) outcome_ = std::move(outcome);
    ended_ = true;
    loop_.Stop();
  }

  EventLoop& loop_;
  UniqueFd connection_;
  std::vector<WatchId> watches_;
  WatchId writable_ = {};
  DetachKey detach_key_;
  FrameReader reader_;
  std::string waiting_;
  bool other_screen_ = false;
  bool ended_ = false;
  Result<Attached> outcome_ = Attached{AttachEnd::kLostContact};
};

Result<UniqueFd> Connect(const Layout& project, const IdentityName& agent) {
  return ConnectUnixIn(project.RunFolder(), project.RunSocketName(agent));
}

}  // namespace

Result<Attached> AttachTerminal(EventLoop& loop, const Layout& project, const IdentityName& agent) {
  BELAY_TRY_ASSIGN(UniqueFd connection, Connect(project, agent));
  return Session(loop, std::move(connection)).Run();
}

namespace {

constexpr std::size_t kMostTyped = 4096;

// True for the answer; false for the hello that precedes it.
Result<bool> Understand(const Frame& frame) {
  if (frame.type == FrameType::kTaken) return true;
  if (frame.type == FrameType::kEnded) {
    return Error{ErrorCode::kNotFound, fmt::format("the agent has ended: {}", frame.content)};
  }
  if (frame.type == FrameType::kHello) BELAY_TRY(ParseHello(frame.content));
  return false;
}

Result<void> AwaitTaken(const UniqueFd& connection, MonotonicTime end) {
  const SystemClock clock;
  FrameReader reader;
  while (AwaitReadable(connection, end - clock.Monotonic())) {
    std::string bytes;
    const bool open = ReceiveSome(connection, kMostTyped, bytes);
    reader.Add(bytes);
    while (true) {
      BELAY_TRY_ASSIGN(const std::optional<Frame> frame, reader.Next());
      if (!frame) break;
      BELAY_TRY_ASSIGN(const bool taken, Understand(*frame));
      if (taken) return {};
    }
    if (!open) return Error{ErrorCode::kNotFound, "the agent's belay exec has exited"};
  }
  return Error{ErrorCode::kBusy, "the agent's belay exec didn't answer in time"};
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
  // A new connection has room for all of it.
  const std::optional<std::size_t> sent = SendSome(connection, frames);
  if (sent != frames.size()) return Error{ErrorCode::kBusy, what + ": sending failed"};
  Result<void> taken = AwaitTaken(connection, end);
  if (!taken) return std::move(taken).error().In(what);
  return {};
}

namespace {

// A program may have asked the terminal for one of two longer key encodings.
constexpr std::string_view kForms[] = {"\x1C", "\x1B[92;5u", "\x1B[27;5;92~"};

// Empty when the keys don't begin with Ctrl-\.
std::string_view StartsDetaching(std::string_view keys) {
  for (const std::string_view form : kForms) {
    if (keys.starts_with(form)) return form;
  }
  return {};
}

}  // namespace

bool DetachKey::Feed(std::string_view keys, std::string& pass) {
  while (!keys.empty()) {
    const std::string_view control = StartsDetaching(keys);
    if (begun_.empty() && control.empty()) {
      pass.push_back(keys[0]);
      keys.remove_prefix(1);
    } else if (begun_.empty()) {
      begun_ = control;
      keys.remove_prefix(control.size());
    } else if (keys[0] == 'd') {
      begun_.clear();
      return true;
    } else {
      pass += begun_;
      begun_.clear();
      keys.remove_prefix(control.size());
    }
  }
  return false;
}

namespace {

constexpr std::size_t kHeader = 5;
constexpr std::string_view kGreeting = "belay attach 1 ";
constexpr std::string_view kRoles[] = {"terminal", "keyboard", "exec"};

Error DamagedMessage(std::string_view what) {
  return {ErrorCode::kDamaged, fmt::format("attach protocol: {}", what)};
}

void AppendNumber(std::uint64_t value, unsigned bytes, std::string& out) {
  for (unsigned i = bytes; i > 0; --i) {
    out.push_back(static_cast<char>(value >> (8U * (i - 1)) & 0xFFU));
  }
}

std::uint64_t ReadNumber(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8U | static_cast<unsigned char>(byte);
  return value;
}

bool IsKnown(char type) {
  switch (static_cast<FrameType>(type)) {
    case FrameType::kHello:
    case FrameType::kKeys:
    case FrameType::kSize:
    case FrameType::kOutput:
    case FrameType::kTaken:
    case FrameType::kLost:
    case FrameType::kEnded:
      return true;
  }
  return false;
}

}  // namespace

std::string EncodeFrame(FrameType type, std::string_view content) {
  BELAY_CHECK(content.size() <= kLongestFrame);
  std::string frame(1, static_cast<char>(type));
  AppendNumber(content.size(), 4, frame);
  return frame.append(content);
}

std::string EncodeFrames(FrameType type, std::string_view content) {
  std::string frames;
  while (!content.empty()) {
    const std::string_view piece = content.substr(0, kLongestFrame);
    frames += EncodeFrame(type, piece);
    content.remove_prefix(piece.size());
  }
  return frames;
}

Result<std::optional<Frame>> FrameReader::Next() {
  if (bytes_.empty()) return std::optional<Frame>();
  if (!IsKnown(bytes_[0])) return DamagedMessage("unknown frame type");
  if (bytes_.size() < kHeader) return std::optional<Frame>();
  const std::uint64_t length = ReadNumber(std::string_view(bytes_).substr(1, kHeader - 1));
  if (length > kLongestFrame) return DamagedMessage("the frame is too long");
  if (bytes_.size() < kHeader + length) return std::optional<Frame>();
  Frame frame{static_cast<FrameType>(bytes_[0]), bytes_.substr(kHeader, length)};
  bytes_.erase(0, kHeader + length);
  return std::optional(std::move(frame));
}

std::string EncodeHello(AttachRole role) {
  return EncodeFrame(FrameType::kHello,
                     fmt::format("{}{}", kGreeting, kRoles[static_cast<std::size_t>(role)]));
}

Result<AttachRole> ParseHello(std::string_view content) {
  if (content.starts_with(kGreeting)) {
    const std::string_view role = content.substr(kGreeting.size());
    const auto* found = std::ranges::find(kRoles, role);
    if (found != std::end(kRoles)) return static_cast<AttachRole>(found - std::begin(kRoles));
  }
  return DamagedMessage(
      fmt::format("the other side sent {}, which is another version", Quote(content)));
}

std::string EncodeSize(TerminalSize size) {
  std::string content;
  AppendNumber(size.rows, 2, content);
  AppendNumber(size.columns, 2, content);
  return EncodeFrame(FrameType::kSize, content);
}

Result<TerminalSize> ParseSize(std::string_view content) {
  if (content.size() != 4) return DamagedMessage("not the size of a terminal");
  const TerminalSize size{static_cast<std::uint16_t>(ReadNumber(content.substr(0, 2))),
                          static_cast<std::uint16_t>(ReadNumber(content.substr(2)))};
  if (size.rows == 0 || size.columns == 0)
    return DamagedMessage("a terminal without rows or columns");
  return size;
}

std::string EncodeLost(std::uint64_t bytes) {
  std::string content;
  AppendNumber(bytes, 8, content);
  return EncodeFrame(FrameType::kLost, content);
}

Result<std::uint64_t> ParseLost(std::string_view content) {
  if (content.size() != 8) return DamagedMessage("not a number of lost bytes");
  return ReadNumber(content);
}

}  // namespace belay
