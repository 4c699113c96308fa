#include "host/attach_server.h"

#include "os/this_process.h"

namespace belay {
namespace {

constexpr std::size_t kMostClients = 16;
constexpr std::size_t kMostUnsent = std::size_t{256} << 10U;  // unsent bytes for one client
constexpr std::size_t kMostShownAtOnce = std::size_t{16} << 10U;
constexpr Duration kWriteLimit = std::chrono::seconds(1);

}  // namespace

AttachServer::~AttachServer() {
  for (Client& client : clients_) Drop(client);
  loop_.Unwatch(listening_);
  loop_.CancelTimer(pause_);
}

Result<void> AttachServer::Listen(const std::string& folder, const std::string& name,
                                  Admits admits) {
  admits_ = std::move(admits);
  BELAY_TRY_ASSIGN(listener_, ListenUnixIn(folder, name));
  WatchListener();
  return {};
}

void AttachServer::WatchListener() {
  const Result<WatchId> id =
      loop_.Watch(listener_.get(), Readiness::kReadable, [this] { Welcome(); });
  if (id) listening_ = *id;
}

void AttachServer::Welcome() {
  Result<std::optional<UniqueFd>> connection = Accept(listener_);
  if (!connection) {
    // No descriptor is free. The client still waits, so the listener would wake us again and again.
    loop_.Unwatch(listening_);
    pause_ = loop_.StartTimer(kWriteLimit, [this] { WatchListener(); });
    return;
  }
  if (*connection) Admit(**std::move(connection));
}

void AttachServer::Admit(UniqueFd connection) {
  Sweep();
  const Result<Peer> peer = PeerOf(connection);
  const bool welcome =
      peer && peer->uid == ThisUser() && clients_.size() < kMostClients && admits_(*peer);
  if (!welcome) return;
  Client& client = clients_.emplace_back(Client{.connection = std::move(connection)});
  const Result<WatchId> id = loop_.Watch(client.connection.get(), Readiness::kReadable,
                                         [this, &client] { Receive(client); });
  if (!id) return Drop(client);
  client.readable = *id;
}

void AttachServer::Receive(Client& client) {
  std::string bytes;
  if (!ReceiveSome(client.connection, kMostShownAtOnce, bytes)) return Drop(client);
  client.reader.Add(bytes);
  while (client.connection) {
    const Result<std::optional<Frame>> frame = client.reader.Next();
    if (!frame) return Drop(client);
    if (!*frame) return;
    if (!Obey(client, **frame)) return Drop(client);
  }
}

Result<void> AttachServer::Obey(Client& client, const Frame& frame) {
  const bool hello = frame.type == FrameType::kHello;
  if (hello == client.role.has_value())
    return Error{ErrorCode::kDamaged, "attach: unexpected frame"};
  if (hello) {
    const Result<AttachRole> role = ParseHello(frame.content);
    // A client with another version gets our version before the connection ends.
    Greet(client, role ? *role : AttachRole::kKeyboard);
    return role ? Result<void>() : role.error();
  }
  if (frame.type == FrameType::kKeys) {
    if (agent_.type(frame.content)) Send(client, EncodeFrame(FrameType::kTaken, ""));
    return {};
  }
  if (frame.type != FrameType::kSize)
    return Error{ErrorCode::kDamaged, "attach: not a frame for the exec"};
  BELAY_TRY_ASSIGN(const TerminalSize size, ParseSize(frame.content));
  agent_.resize(size);
  return {};
}

void AttachServer::Greet(Client& client, AttachRole role) {
  client.role = role;
  Send(client, EncodeHello(AttachRole::kExec));
  if (role == AttachRole::kTerminal) {
    Send(client, EncodeFrames(FrameType::kOutput, agent_.recent()));
  }
}

void AttachServer::Show(std::string_view output) {
  if (clients_.empty()) return;
  Sweep();
  const std::string frame = EncodeFrames(FrameType::kOutput, output);
  for (Client& client : clients_) {
    if (client.role == AttachRole::kTerminal) SendOutput(client, frame, output.size());
  }
}

void AttachServer::SendOutput(Client& client, std::string_view frame, std::size_t bytes) {
  if (client.waiting.size() + frame.size() > kMostUnsent) {
    client.lost += bytes;
  } else {
    Send(client, frame);
  }
}

void AttachServer::Send(Client& client, std::string_view frames) {
  if (!client.connection) return;
  client.waiting += frames;
  if (client.writable == WatchId{}) Flush(client);
}

void AttachServer::Flush(Client& client) {
  const std::optional<std::size_t> sent = SendSome(client.connection, client.waiting);
  if (!sent) return Drop(client);
  client.waiting.erase(0, *sent);
  if (client.waiting.empty() && client.lost > 0) {
    client.waiting = EncodeLost(std::exchange(client.lost, 0));
  }
  const bool watched = client.writable != WatchId{};
  if (client.waiting.empty() == !watched) return;
  if (watched) return loop_.Unwatch(std::exchange(client.writable, WatchId{}));
  const Result<WatchId> id = loop_.Watch(client.connection.get(), Readiness::kWritable,
                                         [this, &client] { Flush(client); });
  if (!id) return Drop(client);
  client.writable = *id;
}

void AttachServer::End(std::string_view how) {
  Sweep();
  for (Client& client : clients_) {
    Send(client, EncodeFrame(FrameType::kEnded, how.substr(0, kLongestFrame)));
    Drop(client);
  }
}

void AttachServer::Drop(Client& client) {
  loop_.Unwatch(client.readable);
  loop_.Unwatch(client.writable);
  client.connection.Reset();
  client.waiting = std::string();
}

void AttachServer::Sweep() {
  const std::size_t gone =
      std::erase_if(clients_, [](const Client& client) { return !client.connection; });
  if (gone > 0 && clients_.empty()) ReturnFreeMemory();
}

}  // namespace belay
