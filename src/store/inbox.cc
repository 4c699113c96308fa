#include "store/inbox.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/check.h"
#include "base/path.h"
#include "codec/json_lines.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr std::size_t kLargestMessage = kLongestJsonLine + 1;  // with its line end
constexpr std::size_t kChanceDigits = 8;
constexpr int kMostLooks = 100;  // at one message that others keep renaming

std::uint64_t MicrosAt(WallTime time) {
  const auto since = std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch());
  return static_cast<std::uint64_t>(std::max<std::int64_t>(since.count(), 0));
}

Result<bool> IsFile(const FileSystem& files, const std::string& path) {
  const Result<FileInfo> info = files.Inspect(path);
  if (info) return info->kind == FileKind::kFile;
  if (info.error().code == ErrorCode::kNotFound) return false;
  return info.error();
}

}  // namespace

std::string Inbox::PathOf(std::string_view name) const { return JoinPath(folder_, name); }

std::uint64_t Inbox::Micros() const { return MicrosAt(clock_.Wall()); }

// The folder, and the lock without which nothing in it is changed.
Result<StateLock> Inbox::Prepare() {
  const std::string path = PathOf("lock");
  if (folder_is_safe_) {
    Result<StateLock> lock = StateLock::Acquire(files_, path, lock_limit_);
    if (lock || lock.error().code != ErrorCode::kNotFound) return lock;
  }
  // The first time, or somebody has removed it meanwhile.
  BELAY_TRY(EnsureFolder(files_, folder_));
  folder_is_safe_ = true;
  return StateLock::Acquire(files_, path, lock_limit_);
}

// Later than everything there is and than what was given before, also when the clock has been set
// back.
Result<std::string> Inbox::NextId(const StateLock&, std::string_view sender) {
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, files_.List(folder_));
  std::uint64_t micros = std::max(Micros(), last_micros_ + 1);
  for (const std::string& name : names) {
    const std::optional<InboxName> parsed = ParseInboxName(name);
    if (parsed) micros = std::max(micros, parsed->micros + 1);
  }
  // Nobody would find a message of a later time.
  last_micros_ = std::min(micros, kLatestInboxMicros);
  return InboxId(last_micros_, sender, random_.Hex(kChanceDigits));
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
  BELAY_TRY_ASSIGN(const bool set_aside, WasSetAside(id));
  if (!there && !set_aside) return Put(lock, id, body);
  // Whoever put it there may have been killed before its name was safe.
  return files_.SyncFolder(folder_);
}

Result<bool> Inbox::WasSetAside(std::string_view id) const {
  const std::string path = JoinPath(PathOf("dead"), WaitingName(id));
  BELAY_TRY_ASSIGN(const bool there, IsFile(files_, path));
  return there ? Result<bool>(true) : IsFile(files_, path + "-1");
}

// The name that the message has at present. After a crash, what was forgotten and delivered again
// can be there both as done and as waiting; then it waits.
Result<std::optional<std::string>> Inbox::Find(std::string_view id) const {
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, files_.List(folder_));
  std::optional<std::string> found;
  for (const std::string& name : names) {
    const std::optional<InboxName> parsed = ParseInboxName(name);
    if (!parsed || parsed->id != id) continue;
    BELAY_TRY_ASSIGN(const bool message, IsFile(files_, PathOf(name)));
    if (!message) continue;
    found = name;
    if (parsed->state != InboxName::State::kDone) break;
  }
  return found;
}

Result<void> Inbox::Acknowledge(const std::string& id) {
  BELAY_TRY_ASSIGN(const StateLock lock, Prepare());
  BELAY_TRY_ASSIGN(const std::optional<std::string> name, Find(id));
  if (!name) {
    return Error{ErrorCode::kNotFound, fmt::format("{}: no message {}", folder_, id)};
  }
  if (ParseInboxName(*name)->state != InboxName::State::kDone) {
    BELAY_TRY(files_.Rename(PathOf(*name), PathOf(DoneName(id, Micros()))));
  }
  // Also when it was done: whoever did it may have been killed before that was safe.
  return files_.SyncFolder(folder_);
}

Result<std::string> Inbox::Read(const std::string& name) const {
  return files_.Read(PathOf(name), kLargestMessage);
}

Result<Json> Inbox::Parse(std::string_view bytes) {
  if (bytes.ends_with('\n')) bytes.remove_suffix(1);
  return ParseJsonLine(bytes);
}

// The message that was called `name`, whatever others have renamed it to since.
Result<Json> Inbox::ReadPresent(std::string_view id, std::string name) const {
  for (int looks = 1;; ++looks) {
    const Result<std::string> bytes = Read(name);
    if (bytes) return Parse(*bytes);
    if (bytes.error().code != ErrorCode::kNotFound || looks == kMostLooks) return bytes.error();
    BELAY_TRY_ASSIGN(std::optional<std::string> present, Find(id));
    if (!present || ParseInboxName(*present)->state == InboxName::State::kDone)
      return bytes.error();
    name = *std::move(present);
  }
}

Result<std::vector<InboxMessage>> Inbox::Peek() const {
  std::vector<InboxMessage> messages;
  const Result<std::vector<std::string>> names = files_.List(folder_);
  if (!names && names.error().code == ErrorCode::kNotFound) return messages;
  if (!names) return names.error();
  for (const std::string& name : *names) {
    const std::optional<InboxName> parsed = ParseInboxName(name);
    if (!parsed || parsed->state == InboxName::State::kDone) continue;
    // Renamed during the listing, and listed twice.
    if (!messages.empty() && messages.back().id == parsed->id) continue;
    Result<Json> body = ReadPresent(parsed->id, name);
    if (body) messages.push_back({std::string(parsed->id), *std::move(body)});
  }
  return messages;
}

Result<void> Inbox::Prune(WallTime before) {
  BELAY_TRY_ASSIGN(const StateLock lock, Prepare());
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, files_.List(folder_));
  const std::uint64_t limit = MicrosAt(before);
  Result<void> all;  // or the first failure, which keeps nothing else from being forgotten
  for (const std::string& name : names) {
    const std::optional<InboxName> parsed = ParseInboxName(name);
    const bool done = parsed && parsed->state == InboxName::State::kDone;
    if (!done || parsed->acknowledged_at >= limit) continue;
    const Result<bool> message = IsFile(files_, PathOf(name));
    if (message && !*message) continue;
    Result<void> removed = message ? files_.RemoveFile(PathOf(name)) : message.error();
    if (!removed && all) all = std::move(removed);
  }
  return all;
}

}  // namespace belay
