// Those who are attached to an agent's terminal. Nobody of them can hold up the agent: what one
// doesn't read in time is lost for that one, and it is told how much. Only processes of the same
// user may come.

#ifndef BELAY_HOST_ATTACH_SERVER_H_
#define BELAY_HOST_ATTACH_SERVER_H_

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "host/attach_protocol.h"
#include "os/event_loop.h"
#include "os/fd.h"
#include "os/socket.h"

namespace belay {

class AttachServer {
 public:
  // What they can do to the agent's terminal.
  struct Agent {
    std::function<bool(std::string_view keys)> type;  // false: it can't be taken, nothing was
    std::function<void(TerminalSize)> resize;
    std::function<std::string()> recent;  // what somebody new is shown first
  };

  AttachServer(EventLoop& loop, Agent agent) : loop_(loop), agent_(std::move(agent)) {}
  AttachServer(const AttachServer&) = delete;
  AttachServer& operator=(const AttachServer&) = delete;
  ~AttachServer();

  // Whether that process may attach at all.
  using Admits = std::function<bool(const Peer&)>;

  // A socket of that name in the folder; a left one is replaced (os/socket.h).
  Result<void> Listen(const std::string& folder, const std::string& name, Admits admits);

  void Show(std::string_view output);
  // Says how the agent ended and lets everybody go, without waiting for anybody.
  void End(std::string_view how);

 private:
  struct Client {
    UniqueFd connection;
    WatchId readable = {};
    WatchId writable = {};  // only while something waits to be sent
    FrameReader reader = {};
    std::optional<AttachRole> role = {};  // nothing before its hello
    std::string waiting = {};             // to be sent
    std::uint64_t lost = 0;
  };

  void WatchListener();
  void Welcome();
  void Admit(UniqueFd connection);
  void Hear(Client& client);
  Result<void> Obey(Client& client, const Frame& frame);
  void Greet(Client& client, AttachRole role);
  void Send(Client& client, std::string_view frames);
  void SendOutput(Client& client, std::string_view frame, std::size_t bytes);
  void Flush(Client& client);
  void Drop(Client& client);  // stays in the list until the next Sweep
  void Sweep();

  EventLoop& loop_;
  Agent agent_;
  UniqueFd listener_;
  Admits admits_;
  WatchId listening_ = {};
  TimerId pause_ = {};
  std::list<Client> clients_;
};

}  // namespace belay

#endif  // BELAY_HOST_ATTACH_SERVER_H_
