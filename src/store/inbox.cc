#include "store/inbox.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/check.h"
#include "base/path.h"
#include "codec/json_lines.h"
#include "store/durable_file.h"
#include "store/inbox_name.h"

namespace belay {
namespace {

constexpr std::size_t kLargestMessage = kLongestJsonLine + 1;  // with its line end
constexpr std::size_t kChanceDigits = 8;

bool MayBeTaken(const InboxName& name, std::uint64_t now) {
  return name.state == InboxName::State::kWaiting ||
         (name.state == InboxName::State::kLeased && name.leased_until <= now);
}

}  // namespace

std::string Inbox::PathOf(std::string_view name) const { return JoinPath(folder_, name); }

std::uint64_t Inbox::Micros() const {
  const auto since = clock_.Wall().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(since).count());
}

// The folder, and the lock without which nothing in it is changed.
Result<StateLock> Inbox::Prepare() {
  if (!folder_is_safe_) BELAY_TRY(EnsureFolder(files_, folder_));
  folder_is_safe_ = true;
  return StateLock::Acquire(files_, PathOf("lock"), lock_limit_);
}

// Later than everything there is, also when the clock has been set back.
Result<std::string> Inbox::NextId(const StateLock&, std::string_view sender) const {
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, files_.List(folder_));
  std::uint64_t micros = Micros();
  for (const std::string& name : names) {
    const std::optional<InboxName> parsed = ParseInboxName(name);
    if (parsed) micros = std::max(micros, parsed->micros + 1);
  }
  return InboxId(micros, sender, random_.Hex(kChanceDigits));
}

Result<void> Inbox::Put(const StateLock&, const std::string& id, const Json& body) {
  const Json::Object* members = body.AsObject();
  if (members == nullptr || members->empty() || body.Find("crc") != nullptr) {
    return Error{ErrorCode::kRefused,
                 "a message is an object that isn't empty and has no member \"crc\""};
  }
  std::string line;
  BELAY_TRY(AppendJsonLine(body, line));
  return ReplaceFile(files_, PathOf(WaitingName(id)), line);
}

Result<std::string> Inbox::Deliver(std::string_view sender, const Json& body) {
  BELAY_CHECK(IsSenderName(sender));
  BELAY_TRY_ASSIGN(const StateLock lock, Prepare());
  BELAY_TRY_ASSIGN(std::string id, NextId(lock, sender));
  BELAY_TRY(Put(lock, id, body));
  return id;
}

Result<std::string> Inbox::NewId(std::string_view sender) {
  BELAY_CHECK(IsSenderName(sender));
  BELAY_TRY_ASSIGN(const StateLock lock, Prepare());
  return NextId(lock, sender);
}

Result<void> Inbox::DeliverAs(const std::string& id, const Json& body) {
  BELAY_CHECK(ParseInboxName(WaitingName(id)).has_value());
  BELAY_TRY_ASSIGN(const StateLock lock, Prepare());
  BELAY_TRY_ASSIGN(const std::optional<std::string> there, Find(id));
  if (there || files_.Inspect(JoinPath(PathOf("dead"), WaitingName(id)))) return {};
  return Put(lock, id, body);
}

// The name that the message has at present.
Result<std::optional<std::string>> Inbox::Find(std::string_view id) const {
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, files_.List(folder_));
  for (const std::string& name : names) {
    const std::optional<InboxName> parsed = ParseInboxName(name);
    if (parsed && parsed->id == id) return std::optional<std::string>(name);
  }
  return std::optional<std::string>();
}

Result<Json> Inbox::ReadBody(const std::string& name) const {
  BELAY_TRY_ASSIGN(std::string line, files_.Read(PathOf(name), kLargestMessage));
  if (line.ends_with('\n')) line.pop_back();
  return ParseJsonLine(line);
}

// A copy first, then the original goes: a crash in between leaves both, and the next run removes
// it.
Result<void> Inbox::SetAside(const StateLock&, const std::string& name) {
  const std::string dead = PathOf("dead");
  BELAY_TRY(EnsureFolder(files_, dead));
  const std::string_view id = ParseInboxName(name)->id;
  const Result<std::string> bytes = files_.Read(PathOf(name), kLargestMessage);
  if (!bytes && bytes.error().code != ErrorCode::kDamaged) return bytes.error();
  if (bytes) {
    BELAY_TRY(ReplaceFile(files_, JoinPath(dead, WaitingName(id)), *bytes));
    BELAY_TRY(files_.RemoveFile(PathOf(name)));
  } else {
    // More than we would ever write, so not ours: it stays, under a name that is no message's.
    BELAY_TRY(files_.Rename(PathOf(name), PathOf(name + ".too-large")));
  }
  return files_.SyncFolder(folder_);
}

Result<std::optional<InboxMessage>> Inbox::Take(Duration lease) {
  BELAY_TRY_ASSIGN(const StateLock lock, Prepare());
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, files_.List(folder_));
  BELAY_TRY(RemoveLeftovers(files_, folder_, names));
  const std::uint64_t now = Micros();
  const std::uint64_t until =
      now + static_cast<std::uint64_t>(
                std::chrono::duration_cast<std::chrono::microseconds>(lease).count());
  std::set<std::string_view> held_up;  // senders whose earlier message is leased or can't be read
  std::optional<Error> failure;
  for (const std::string& name : names) {
    const std::optional<InboxName> parsed = ParseInboxName(name);
    if (!parsed || parsed->state == InboxName::State::kDone) continue;
    if (!MayBeTaken(*parsed, now)) held_up.insert(parsed->sender);
    if (held_up.contains(parsed->sender)) continue;
    Result<Json> body = ReadBody(name);
    // A folder or a link with such a name was never a message, and is in nobody's way.
    if (!body && body.error().code == ErrorCode::kRefused) continue;
    if (!body && body.error().code == ErrorCode::kDamaged) {
      BELAY_TRY(SetAside(lock, name));
      continue;
    }
    if (!body) {
      // The disk or a permission: it may work later, and until then only its sender waits.
      held_up.insert(parsed->sender);
      failure = body.error();
      continue;
    }
    BELAY_TRY(files_.Rename(PathOf(name), PathOf(LeasedName(parsed->id, until))));
    return std::optional<InboxMessage>({std::string(parsed->id), *std::move(body)});
  }
  if (failure) return *std::move(failure);
  return std::optional<InboxMessage>();
}

Result<void> Inbox::Acknowledge(const std::string& id) {
  BELAY_TRY_ASSIGN(const StateLock lock, Prepare());
  BELAY_TRY_ASSIGN(const std::optional<std::string> name, Find(id));
  if (!name) {
    return Error{ErrorCode::kNotFound, fmt::format("{}: no message {}", folder_, id)};
  }
  if (ParseInboxName(*name)->state == InboxName::State::kDone) return {};
  BELAY_TRY(files_.Rename(PathOf(*name), PathOf(DoneName(id))));
  return files_.SyncFolder(folder_);
}

Result<std::vector<InboxMessage>> Inbox::Peek() const {
  std::vector<InboxMessage> messages;
  const Result<std::vector<std::string>> names = files_.List(folder_);
  if (!names && names.error().code == ErrorCode::kNotFound) return messages;
  if (!names) return names.error();
  for (const std::string& name : *names) {
    const std::optional<InboxName> parsed = ParseInboxName(name);
    if (!parsed || parsed->state == InboxName::State::kDone) continue;
    // Taken or set aside since the listing: then it is not here any more.
    Result<Json> body = ReadBody(name);
    if (body) messages.push_back({std::string(parsed->id), *std::move(body)});
  }
  return messages;
}

Result<void> Inbox::Prune(WallTime before) {
  BELAY_TRY_ASSIGN(const StateLock lock, Prepare());
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, files_.List(folder_));
  const auto limit = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(before.time_since_epoch()).count());
  for (const std::string& name : names) {
    const std::optional<InboxName> parsed = ParseInboxName(name);
    const bool old = parsed && parsed->state == InboxName::State::kDone && parsed->micros < limit;
    if (!old) continue;
    BELAY_TRY_ASSIGN(const FileInfo info, files_.Inspect(PathOf(name)));
    if (info.kind == FileKind::kFile) BELAY_TRY(files_.RemoveFile(PathOf(name)));
  }
  return {};
}

}  // namespace belay
