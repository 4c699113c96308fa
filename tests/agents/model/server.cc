#include "agents/model/server.h"

#include <utility>

#include "os/socket.h"

namespace belay {
namespace {

constexpr std::size_t kBytesARead = std::size_t{256} << 10U;

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::Start(EventLoop& loop, UniqueFd listener,
                                                      Handler handler) {
  std::unique_ptr<HttpServer> server(new HttpServer(loop, std::move(listener), std::move(handler)));
  BELAY_TRY_ASSIGN(server->watch_, loop.Watch(server->listener_.get(), Readiness::kReadable,
                                              [raw = server.get()] { raw->AcceptAll(); }));
  return server;
}

HttpServer::~HttpServer() {
  loop_.Unwatch(watch_);
  while (!clients_.empty()) Drop(clients_.begin());
}

void HttpServer::AcceptAll() {
  while (true) {
    Result<std::optional<UniqueFd>> socket = Accept(listener_);
    if (!socket || !*socket) return;
    const auto client = clients_.insert(clients_.end(), Client{**std::move(socket)});
    const Result<WatchId> watch =
        loop_.Watch(client->socket.get(), Readiness::kReadable, [this, client] { Read(client); });
    if (watch) {
      client->reading = *watch;
    } else {
      clients_.erase(client);
    }
  }
}

void HttpServer::Drop(Clients::iterator client) {
  loop_.Unwatch(client->reading);
  loop_.Unwatch(client->writing);
  loop_.CancelTimer(client->delay);
  if (client->planned) client->planned->done(false);
  clients_.erase(client);
}

void HttpServer::Read(Clients::iterator client) {
  if (!ReceiveSome(client->socket, kBytesARead, client->received)) return Drop(client);
  if (!client->planned) Next(client);
}

void HttpServer::Next(Clients::iterator client) {
  Result<std::optional<HttpRequest>> request = TakeHttpRequest(client->received);
  if (!request) return Drop(client);
  if (!*request) return;
  client->planned = handler_(**request);
  client->sent = 0;
  client->delay = loop_.StartTimer(client->planned->answer.delay, [this, client] { Send(client); });
}

void HttpServer::Send(Clients::iterator client) {
  const std::string_view bytes = client->planned->answer.bytes;
  const std::optional<std::size_t> count = SendSome(client->socket, bytes.substr(client->sent));
  if (!count) return Drop(client);
  client->sent += *count;
  if (client->sent == bytes.size()) return Finish(client);
  if (client->writing != WatchId{}) return;
  const Result<WatchId> watch =
      loop_.Watch(client->socket.get(), Readiness::kWritable, [this, client] { Send(client); });
  if (!watch) return Drop(client);
  client->writing = *watch;
}

void HttpServer::Finish(Clients::iterator client) {
  loop_.Unwatch(std::exchange(client->writing, WatchId{}));
  const Planned planned = *std::exchange(client->planned, std::nullopt);
  planned.done(true);
  switch (planned.answer.end) {
    case AnswerEnd::kWhole:
      return Next(client);
    case AnswerEnd::kCut:
      return Drop(client);
    case AnswerEnd::kStall:
      // Nothing that still comes from there is looked at; its end is.
      client->planned = Planned{planned.answer, [](bool) {}};
      return;
  }
}

}  // namespace belay
