// The guardian's side of the control socket (app/control.h, docs/formats/control.md). It never
// waits for a client: one that sends nothing, too much or nonsense harms only itself.

#ifndef BELAY_GUARDIAN_CONTROL_SERVER_H_
#define BELAY_GUARDIAN_CONTROL_SERVER_H_

#include <functional>
#include <list>
#include <memory>
#include <string>

#include "base/result.h"
#include "codec/json.h"
#include "os/event_loop.h"
#include "os/fd.h"
#include "os/socket.h"

namespace belay {

class ControlServer {
 public:
  using Handler = std::function<Result<Json>(const Json& request, const Peer& peer)>;

  static Result<std::unique_ptr<ControlServer>> Listen(EventLoop& loop, const std::string& path,
                                                       Handler handler);
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;
  ~ControlServer();

 private:
  struct Client {
    UniqueFd socket;
    Peer peer;
    std::string received = {};
    bool greeted = false;
    WatchId watch = {};
    TimerId limit = {};
  };
  using Clients = std::list<Client>;

  ControlServer(EventLoop& loop, UniqueFd listener, Handler handler)
      : loop_(loop), listener_(std::move(listener)), handler_(std::move(handler)) {}

  void AcceptAll();
  void Pause();
  void Add(UniqueFd socket, Peer peer);
  void Read(Clients::iterator client);
  bool HandleLines(Client& client);
  bool HandleLine(Client& client, const std::string& line);
  void Drop(Clients::iterator client);

  EventLoop& loop_;
  UniqueFd listener_;
  Handler handler_;
  WatchId watch_ = {};
  TimerId pause_ = {};
  Clients clients_;
};

}  // namespace belay

#endif  // BELAY_GUARDIAN_CONTROL_SERVER_H_
