// The agent's terminal while it runs: what it writes goes to the log and to those attached, what
// they type goes to it, and so does the text that its launch says.

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

// What an agent wrote to its terminal, byte by byte, bounded: Layout::RunLog, and when that is full
// Layout::OlderRunLog, which is replaced. All incarnations write to the same.
//
// Written by whoever holds Layout::RunLock. Not synced: it is for people, and an agent's output
// would otherwise go at the speed of the disk. When it can't be written, the bytes are counted, and
// the log says so as soon as it can. In a vault of a newer belay nothing is written; whether
// it is one is looked at ten times a second at most.

class RunLog {
 public:
  static constexpr std::uint64_t kFull = std::uint64_t{8} << 20U;

  RunLog(FileSystem& files, const Clock& clock, const Layout& project, const IdentityName& agent);

  // Never fails; after a failure nothing is tried for a second.
  void Append(std::string_view bytes);
  // The end of what was written, from the beginning of a line on if there is one.
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
  // Typed when the agent has first written something, or after half a second: sooner it might not
  // listen yet. Control characters but tabs and line ends are left out; a carriage return follows.
  // If the agent has asked for pasted text to be marked (bracketed paste) it is, so that a line end
  // in it doesn't send half of it.
  void TypeLater(std::string_view text);
  // Takes what is left to be read; nothing is read or typed after that.
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
  std::string keys_;                // not taken by the terminal yet
  std::array<char, 16384> buffer_;  // several times what the kernel gives at once
};

}  // namespace belay

#endif  // BELAY_HOST_AGENT_TERMINAL_H_
