#include "guardian/control_server.h"

#include <utility>

#include "app/control.h"
#include "base/path.h"

namespace belay {
namespace {

constexpr std::size_t kMostClients = 256;
constexpr auto kPause = std::chrono::seconds(1);
constexpr auto kIdleLimit = std::chrono::seconds(10);  // from connecting to the last answer

Json ErrorAnswer(const Error& error) {
  return MakeObject({{"error", MakeObject({{"code", ErrorCodeName(error.code)},
                                           {"message", error.message},
                                           {"hint", error.hint}})}});
}

// Answers are short: a client that doesn't take one now has stopped reading.
bool Send(const UniqueFd& socket, std::string_view bytes) {
  const std::optional<std::size_t> sent = SendSome(socket, bytes);
  return sent && *sent == bytes.size();
}

}  // namespace

Result<std::unique_ptr<ControlServer>> ControlServer::Listen(EventLoop& loop,
                                                             const std::string& path,
                                                             Handler handler) {
  BELAY_TRY_ASSIGN(UniqueFd listener,
                   ListenUnixIn(std::string(ParentPath(path)), std::string(FileName(path))));
  std::unique_ptr<ControlServer> server(
      new ControlServer(loop, std::move(listener), std::move(handler)));
  BELAY_TRY_ASSIGN(server->watch_, loop.Watch(server->listener_.get(), Readiness::kReadable,
                                              [raw = server.get()] { raw->AcceptAll(); }));
  return server;
}

ControlServer::~ControlServer() {
  loop_.Unwatch(watch_);
  loop_.CancelTimer(pause_);
  while (!clients_.empty()) Drop(clients_.begin());
}

void ControlServer::AcceptAll() {
  while (true) {
    Result<std::optional<UniqueFd>> socket = Accept(listener_);
    if (!socket) return Pause();
    if (!*socket) return;
    if (clients_.size() >= kMostClients) Drop(clients_.begin());
    Result<Peer> peer = PeerOf(**socket);
    if (peer) Add(**std::move(socket), *std::move(peer));
  }
}

// Accept failed (too many open descriptors): the waiting clients would wake us again at once.
void ControlServer::Pause() {
  loop_.Unwatch(watch_);
  pause_ = loop_.StartTimer(kPause, [this] {
    const Result<WatchId> watch =
        loop_.Watch(listener_.get(), Readiness::kReadable, [this] { AcceptAll(); });
    if (watch) watch_ = *watch;
  });
}

void ControlServer::Add(UniqueFd socket, Peer peer) {
  const auto client = clients_.insert(clients_.end(), Client{std::move(socket), std::move(peer)});
  const Result<WatchId> watch =
      loop_.Watch(client->socket.get(), Readiness::kReadable, [this, client] { Read(client); });
  if (!watch) return (void)clients_.erase(client);
  client->watch = *watch;
  client->limit = loop_.StartTimer(kIdleLimit, [this, client] { Drop(client); });
}

void ControlServer::Drop(Clients::iterator client) {
  loop_.Unwatch(client->watch);
  loop_.CancelTimer(client->limit);
  clients_.erase(client);
}

void ControlServer::Read(Clients::iterator client) {
  const bool more = ReceiveSome(client->socket, kLongestControlLine, client->received);
  if (!more || !HandleLines(*client)) Drop(client);
}

// False when the conversation is over.
bool ControlServer::HandleLines(Client& client) {
  while (true) {
    const std::size_t end = client.received.find('\n');
    if (end == std::string::npos) return client.received.size() <= kLongestControlLine;
    const std::string line = client.received.substr(0, end);
    client.received.erase(0, end + 1);
    if (!HandleLine(client, line)) return false;
  }
}

bool ControlServer::HandleLine(Client& client, const std::string& line) {
  const Result<Json> request = ParseJson(line);
  if (!client.greeted) {
    const Result<void> ok =
        request ? CheckControlGreeting(*request) : Result<void>(request.error());
    std::string answer = WriteJson(ControlGreeting()) + "\n";
    if (!ok) answer += WriteJson(ErrorAnswer(ok.error())) + "\n";
    client.greeted = true;
    return Send(client.socket, answer) && ok;
  }
  const Result<Json> answer = request ? handler_(*request, client.peer) : request;
  const Json said = answer ? *answer : ErrorAnswer(answer.error());
  return Send(client.socket, WriteJson(said) + "\n");
}

}  // namespace belay
