#include "host/attach_protocol.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/check.h"
#include "base/utf8.h"

namespace belay {
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
  return DamagedMessage(fmt::format("the other side sent {}: another version", Quote(content)));
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
