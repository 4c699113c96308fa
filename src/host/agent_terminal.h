// The agent's terminal while it runs: its output goes to the log and to attached clients; their
// keys, and the text from its launch file, go to the agent.

#ifndef BELAY_HOST_AGENT_TERMINAL_H_
#define BELAY_HOST_AGENT_TERMINAL_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "host/attach_server.h"
#include "os/clock.h"
#include "os/event_loop.h"
#include "os/file_system.h"
#include "os/pseudo_terminal.h"
#include "store/layout.h"

namespace belay {

// The agent's terminal output, byte by byte, bounded: Layout::RunLog, and when that is full
// Layout::OlderRunLog, which is replaced. All incarnations write to the same log.
//
// Written only by the holder of Layout::RunLock. Not synced: it is for people, and syncing would
// slow the agent's output down to the speed of the disk. When it can't be written, the lost bytes
// are counted, and the log states the number as soon as it can. Nothing is written to the vault of
// a newer belay; this is checked ten times a second at most.

class RunLog {
 public:
  static constexpr std::uint64_t kFull = std::uint64_t{8} << 20U;

  RunLog(FileSystem& files, const Clock& clock, const Layout& project, const IdentityName& agent);

  // Never fails; after a failure it pauses for a second.
  void Append(std::string_view bytes);
  // The end of the log, starting at the beginning of a line if possible.
  std::string Tail(std::size_t bytes) const;

 private:
  bool Ready();  // opens it, and makes room
  bool MayWrite();
  Result<void> Open();
  Result<void> Rotate();
  bool Write(std::string_view bytes);
  void GiveUpForAWhile(std::size_t bytes);

  FileSystem& files_;
  const Clock& clock_;
  Layout project_;
  std::string path_;
  std::string older_path_;
  std::optional<File> file_;
  std::uint64_t size_ = 0;
  std::uint64_t missing_ = 0;  // bytes that couldn't be written
  MonotonicTime try_again_ = {};
  std::optional<MonotonicTime> checked_ = {};  // that the vault is ours
};

class AgentTerminal {
 public:
  AgentTerminal(EventLoop& loop, PseudoTerminal terminal, RunLog log);
  AgentTerminal(const AgentTerminal&) = delete;
  AgentTerminal& operator=(const AgentTerminal&) = delete;
  ~AgentTerminal();

  const PseudoTerminal& terminal() const { return terminal_; }
  RunLog& log() { return log_; }
  AttachServer& server() { return server_; }

  Result<void> Start();
  // Typed when the agent has first written something, or after half a second: earlier it might not
  // read yet. Control characters except tabs and line ends are dropped; a carriage return follows.
  // If the agent has turned on bracketed paste, the text is marked as pasted, so that a line end in
  // it doesn't submit half of it.
  void TypeLater(std::string_view text);
  // Reads the remaining output; nothing is read or typed after that.
  void Finish();

 private:
  bool Type(std::string_view keys);
  void FlushKeys();
  void Pump();
  std::size_t PumpOnce();
  void TypeNow();

  EventLoop& loop_;
  PseudoTerminal terminal_;
  RunLog log_;
  AttachServer server_;
  WatchId readable_ = {};
  WatchId writable_ = {};  // only while keys wait
  TimerId typing_ = {};
  std::string to_type_;
  bool marks_paste_ = false;
  std::string keys_;                // not yet accepted by the terminal
  std::array<char, 16384> buffer_;  // several times what the kernel returns at once
};

}  // namespace belay

#endif  // BELAY_HOST_AGENT_TERMINAL_H_
