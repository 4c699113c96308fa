// The client end of an exec's socket (Layout::RunSocket): a terminal for people, a keyboard for the
// guardian. The protocol is below and in docs/formats/attach.md.

#ifndef BELAY_HOST_ATTACH_H_
#define BELAY_HOST_ATTACH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "os/event_loop.h"
#include "os/pseudo_terminal.h"
#include "store/layout.h"

namespace belay {

enum class AttachEnd {
  kDetached,
  kAgentEnded,
  kLostContact,  // the exec disappeared without an answer
};
struct Attached {
  AttachEnd end;
  std::string how = {};  // of kAgentEnded: "exit code 3"
};

// Connects the terminal at standard input and output (raw; restored in every case) with the
// agent's: shows recent output first and follows size changes, until the detach key (below), a
// signal or the agent's end. kNotFound when no exec listens; kUsage without a terminal.
Result<Attached> AttachTerminal(EventLoop& loop, const Layout& project, const IdentityName& agent);

// Types the text into the agent's terminal. Waits at most `limit`, then kBusy. Also kBusy when the
// agent hasn't read earlier input, and kNotFound when no exec listens. More than kLongestFrame
// bytes (host/attach.h) is kUsage.
Result<void> TypeInto(const Layout& project, const IdentityName& agent, std::string_view text,
                      Duration limit);

// The keys that belay keeps while everything else goes to the agent: Ctrl-\ and then d detaches.
// Ctrl-\ twice types it once; before any other key it is typed unchanged.

constexpr std::string_view kDetachKeyName = "Ctrl-\\ d";

class DetachKey {
 public:
  // Appends the agent's part to `pass`. True when the user detaches; keys after that are dropped.
  bool Feed(std::string_view keys, std::string& pass);

 private:
  std::string begun_;  // Ctrl-\ as the terminal sent it, until the next key decides
};

// The protocol of an exec's socket, in frames: a type byte, four bytes for the length (big-endian),
// and the content. docs/formats/attach.md describes it for other programs.
//
//   both       H hello    "belay attach 1 terminal" or "... keyboard"; the exec sends "... exec"
//   to exec    K keys     typed into the agent's terminal
//              S size     rows, columns: two bytes each
//   from exec  O output   of the agent's terminal
//              T taken    the keys of one frame will be typed
//              L lost     how many bytes the client was too slow to get: eight bytes
//              E ended    how the agent ended, as text; the last frame
//
// The first frame of each side is the hello. Another version ends the connection.

constexpr std::size_t kLongestFrame = std::size_t{64} << 10U;  // of the content

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
// Any number of bytes, split into as many frames as needed.
std::string EncodeFrames(FrameType type, std::string_view content);

// Reads frames from a stream of bytes. Never holds more than one frame and the bytes added last.
class FrameReader {
 public:
  void Add(std::string_view bytes) { bytes_ += bytes; }
  // Nullopt when the next frame is incomplete. kDamaged when the stream is invalid, and from then
  // on.
  Result<std::optional<Frame>> Next();

 private:
  std::string bytes_;
};

enum class AttachRole { kTerminal, kKeyboard, kExec };
std::string EncodeHello(AttachRole role);
// kDamaged for another version, and for any other text.
Result<AttachRole> ParseHello(std::string_view content);

std::string EncodeSize(TerminalSize size);
Result<TerminalSize> ParseSize(std::string_view content);  // zero rows or columns: kDamaged
std::string EncodeLost(std::uint64_t bytes);
Result<std::uint64_t> ParseLost(std::string_view content);

}  // namespace belay

#endif  // BELAY_HOST_ATTACH_H_
