// The agent's terminal while it runs: what it writes goes to the log and to those attached, what
// they type goes to it, and so does the text that its launch says.

#ifndef BELAY_HOST_AGENT_TERMINAL_H_
#define BELAY_HOST_AGENT_TERMINAL_H_

#include <array>
#include <string>
#include <string_view>

#include "base/result.h"
#include "host/attach_server.h"
#include "host/run_log.h"
#include "os/event_loop.h"
#include "os/pseudo_terminal.h"

namespace belay {

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
