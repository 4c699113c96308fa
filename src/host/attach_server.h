// The clients attached to an agent's terminal. No client can block the agent: output that it
// doesn't read in time is dropped for that client, which gets the number of lost bytes. Only
// processes of the same user may connect.

#ifndef BELAY_HOST_ATTACH_SERVER_H_
#define BELAY_HOST_ATTACH_SERVER_H_

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "host/attach.h"
#include "os/event_loop.h"
#include "os/fd.h"
#include "os/socket.h"

namespace belay {

class AttachServer {
 public:
  // What clients can do with the agent's terminal.
  struct Agent {
    std::function<bool(std::string_view keys)> type;  // false: not accepted, nothing was typed
    std::function<void(TerminalSize)> resize;
    std::function<std::string()> recent;  // the first output for a new client
  };

  AttachServer(EventLoop& loop, Agent agent) : loop_(loop), agent_(std::move(agent)) {}
  AttachServer(const AttachServer&) = delete;
  AttachServer& operator=(const AttachServer&) = delete;
  ~AttachServer();

  // Whether a process may attach.
  using Admits = std::function<bool(const Peer&)>;

  // Creates a socket of that name in the folder; a stale one is replaced (os/socket.h).
  Result<void> Listen(const std::string& folder, const std::string& name, Admits admits);

  void Show(std::string_view output);
  // Sends how the agent ended and disconnects all clients, without waiting for any.
  void End(std::string_view how);

 private:
  struct Client {
    UniqueFd connection;
    WatchId readable = {};
    WatchId writable = {};  // only while something waits to be sent
    FrameReader reader = {};
    std::optional<AttachRole> role = {};  // nullopt before its hello
    std::string waiting = {};             // to be sent
    std::uint64_t lost = 0;
  };

  void WatchListener();
  void Welcome();
  void Admit(UniqueFd connection);
  void Receive(Client& client);
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
