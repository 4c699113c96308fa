// Answers HTTP requests on many connections at a time, each with the bytes that it is given.

#ifndef BELAY_TESTS_AGENTS_MODEL_SERVER_H_
#define BELAY_TESTS_AGENTS_MODEL_SERVER_H_

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "agents/model/answer.h"
#include "agents/model/http_request.h"
#include "base/result.h"
#include "os/event_loop.h"
#include "os/fd.h"

namespace belay {

class HttpServer {
 public:
  // Everything about one answer: the bytes, and who wants to know when they are sent. The callback
  // gets false when the client was gone before that.
  struct Planned {
    Answer answer;
    std::function<void(bool sent)> done;
  };
  using Handler = std::function<Planned(const HttpRequest& request)>;

  static Result<std::unique_ptr<HttpServer>> Start(EventLoop& loop, UniqueFd listener,
                                                   Handler handler);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

 private:
  struct Client {
    UniqueFd socket;
    std::string received = {};
    std::optional<Planned> planned = {};  // while a request is being answered
    std::size_t sent = 0;                 // of its bytes
    WatchId reading = {}, writing = {};
    TimerId delay = {};
  };
  using Clients = std::list<Client>;

  HttpServer(EventLoop& loop, UniqueFd listener, Handler handler)
      : loop_(loop), listener_(std::move(listener)), handler_(std::move(handler)) {}

  void AcceptAll();
  void Read(Clients::iterator client);
  void Next(Clients::iterator client);
  void Send(Clients::iterator client);
  void Finish(Clients::iterator client);
  void Drop(Clients::iterator client);

  EventLoop& loop_;
  UniqueFd listener_;
  Handler handler_;
  WatchId watch_ = {};
  Clients clients_;
};

}  // namespace belay

#endif  // BELAY_TESTS_AGENTS_MODEL_SERVER_H_
