// What is said over an exec's socket, as frames: a byte that says what it is, four for the length
// (the highest first), and so many bytes. docs/formats/attach.md describes it for others.
//
//   both       H hello    "belay attach 1 terminal" or "... keyboard"; the exec says "... exec"
//   to exec    K keys     typed into the agent's terminal
//              S size     rows, columns: two bytes each
//   from exec  O output   of the agent's terminal
//              T taken    the keys of one frame will be typed
//              L lost     how many bytes weren't sent since the client was too slow: eight bytes
//              E ended    how the agent ended, as text; the last one
//
// The first frame of each side is the hello. A version that isn't ours ends the connection.

#ifndef BELAY_HOST_ATTACH_PROTOCOL_H_
#define BELAY_HOST_ATTACH_PROTOCOL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/pseudo_terminal.h"

namespace belay {

constexpr std::size_t kLongestFrame = std::size_t{64} << 10U;  // of its content

enum class FrameType : char {
  kHello = 'H',
  kKeys = 'K',
  kSize = 'S',
  kOutput = 'O',
  kTaken = 'T',
  kLost = 'L',
  kEnded = 'E',
};

struct Frame {
  FrameType type;
  std::string content;

  bool operator==(const Frame&) const = default;
};

// At most kLongestFrame bytes.
std::string EncodeFrame(FrameType type, std::string_view content);
// Any number of bytes, in as many frames as they need.
std::string EncodeFrames(FrameType type, std::string_view content);

// Frames out of a stream of bytes. Never keeps more than one frame and what was added last.
class FrameReader {
 public:
  void Add(std::string_view bytes) { bytes_ += bytes; }
  // Nothing when the next one isn't complete. kDamaged when the stream makes no sense; then it
  // does so forever.
  Result<std::optional<Frame>> Next();

 private:
  std::string bytes_;
};

enum class AttachRole { kTerminal, kKeyboard, kExec };
std::string EncodeHello(AttachRole role);
// kDamaged for another version, and for anything else.
Result<AttachRole> ParseHello(std::string_view content);

std::string EncodeSize(TerminalSize size);
Result<TerminalSize> ParseSize(std::string_view content);  // zero rows or columns: kDamaged
std::string EncodeLost(std::uint64_t bytes);
Result<std::uint64_t> ParseLost(std::string_view content);

}  // namespace belay

#endif  // BELAY_HOST_ATTACH_PROTOCOL_H_
