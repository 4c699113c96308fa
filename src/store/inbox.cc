#include "store/inbox.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/check.h"
#include "base/path.h"
#include "base/text.h"
#include "codec/json_lines.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr std::size_t kMicrosDigits = 16;
constexpr std::size_t kNameDigits = 8;
constexpr std::size_t kLongestSender = 130;
constexpr std::string_view kWaitingEnd = ".json";
constexpr std::string_view kLeasedMiddle = ".json.leased-";
constexpr std::string_view kDoneMiddle = ".done-";

std::optional<std::uint64_t> Hexadecimal(std::string_view text, std::size_t digits) {
  const bool lower = text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (text.size() != digits || !lower) return std::nullopt;
  return ParseNumber<std::uint64_t>(text, 16);
}

bool IsSenderCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// "MICROS.SENDER.CHANCE"; the state is filled in by the caller.
std::optional<InboxName> ParseId(std::string_view id) {
  const std::size_t first = id.find('.');
  const std::size_t second = first == std::string_view::npos ? first : id.find('.', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  auto micros = Hexadecimal(id.substr(0, first), kMicrosDigits);
  if (micros && *micros > kLatestInboxMicros) micros.reset();  // no later id would exist
  const std::string_view sender = id.substr(first + 1, second - first - 1);
  if (!micros || !IsSenderName(sender) || !Hexadecimal(id.substr(second + 1), kNameDigits)) {
    return std::nullopt;
  }
  return InboxName{id, *micros, sender, InboxName::State::kWaiting};
}

// "ID", `middle`, and micros.
std::optional<InboxName> ParseTimed(std::string_view name, std::string_view middle,
                                    std::uint64_t& time) {
  const std::size_t start = name.find(middle);
  if (start == std::string_view::npos) return std::nullopt;
  const auto micros = Hexadecimal(name.substr(start + middle.size()), kMicrosDigits);
  if (!micros) return std::nullopt;
  time = *micros;
  return ParseId(name.substr(0, start));
}

}  // namespace

bool IsSenderName(std::string_view text) {
  return !text.empty() && text.size() <= kLongestSender &&
         std::all_of(text.begin(), text.end(), IsSenderCharacter);
}

std::optional<InboxName> ParseInboxName(std::string_view name) {
  if (name.ends_with(kWaitingEnd)) {
    return ParseId(name.substr(0, name.size() - kWaitingEnd.size()));
  }
  std::uint64_t time = 0;
  if (auto leased = ParseTimed(name, kLeasedMiddle, time)) {
    leased->state = InboxName::State::kLeased;
    leased->leased_until = time;
    return leased;
  }
  auto done = ParseTimed(name, kDoneMiddle, time);
  if (!done) return std::nullopt;
  done->state = InboxName::State::kDone;
  done->acknowledged_at = time;
  return done;
}

std::string InboxId(std::uint64_t micros, std::string_view sender, std::string_view chance) {
  return fmt::format("{:016x}.{}.{}", micros, sender, chance);
}

std::string WaitingName(std::string_view id) { return fmt::format("{}{}", id, kWaitingEnd); }
std::string LeasedName(std::string_view id, std::uint64_t until) {
  return fmt::format("{}{}{:016x}", id, kLeasedMiddle, until);
}
std::string DoneName(std::string_view id, std::uint64_t acknowledged_at) {
  return fmt::format("{}{}{:016x}", id, kDoneMiddle, acknowledged_at);
}

namespace {

constexpr std::size_t kLargestMessage = kLongestJsonLine + 1;  // with its line end
constexpr std::size_t kChanceDigits = 8;
constexpr int kMostReads = 100;  // at one message that other processes keep renaming

std::uint64_t MicrosAt(WallTime time) {
  const auto since = std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch());
  return static_cast<std::uint64_t>(std::max<std::int64_t>(since.count(), 0));
}

Result<bool> IsFile(const FileSystem& files, const std::string& path) {
  BELAY_TRY_ASSIGN(const std::optional<FileInfo> info, IfThere(files.Inspect(path)));
  return info && info->kind == FileKind::kFile;
}

}  // namespace

std::string Inbox::PathOf(std::string_view name) const { return JoinPath(folder_, name); }

std::uint64_t Inbox::Micros() const { return MicrosAt(clock_.Wall()); }

// Creates the folder, and takes the lock that every change needs.
Result<StateLock> Inbox::Prepare() {
  const std::string path = PathOf("lock");
  if (folder_is_safe_) {
    Result<StateLock> lock = StateLock::Acquire(files_, path, lock_limit_);
    if (lock || !IsMissing(lock)) return lock;
  }
  // The first time, or another process has removed it.
  BELAY_TRY(EnsureFolder(files_, folder_));
  folder_is_safe_ = true;
  return StateLock::Acquire(files_, path, lock_limit_);
}

// Later than every id in the folder and every id given out before, also when the clock was set
// back.
Result<std::string> Inbox::NextId(const StateLock&, std::string_view sender) {
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, files_.List(folder_));
  std::uint64_t micros = std::max(Micros(), last_micros_ + 1);
  for (const std::string& name : names) {
    const std::optional<InboxName> parsed = ParseInboxName(name);
    if (parsed) micros = std::max(micros, parsed->micros + 1);
  }
  // A message of a later time would never be found.
  last_micros_ = std::min(micros, kLatestInboxMicros);
  return InboxId(last_micros_, sender, random_.Hex(kChanceDigits));
}

Result<void> Inbox::Put(const StateLock&, const std::string& id, const Json& body) {
  const Json::Object* members = body.AsObject();
  if (members == nullptr || members->empty() || body.Find("crc") != nullptr) {
    return Error{ErrorCode::kRefused,
                 "a message must be a non-empty object without a member \"crc\""};
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
  // Its creator may have been killed before the name was durable.
  return files_.SyncFolder(folder_);
}

Result<bool> Inbox::WasSetAside(std::string_view id) const {
  const std::string path = JoinPath(PathOf("dead"), WaitingName(id));
  BELAY_TRY_ASSIGN(const bool there, IsFile(files_, path));
  return there ? Result<bool>(true) : IsFile(files_, path + "-1");
}

// The current name of the message. After a crash, a message that was forgotten and delivered again
// can exist both as done and as waiting; then it waits.
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
  // Also when it was done already: that process may have been killed before the name was durable.
  return files_.SyncFolder(folder_);
}

Result<std::string> Inbox::Read(const std::string& name) const {
  return files_.Read(PathOf(name), kLargestMessage);
}

Result<Json> Inbox::Parse(std::string_view bytes) {
  if (bytes.ends_with('\n')) bytes.remove_suffix(1);
  return ParseJsonLine(bytes);
}

// The message that was called `name`, even if other processes have renamed it since.
Result<Json> Inbox::ReadPresent(std::string_view id, std::string name) const {
  for (int reads = 1;; ++reads) {
    const Result<std::string> bytes = Read(name);
    if (bytes) return Parse(*bytes);
    if (bytes.error().code != ErrorCode::kNotFound || reads == kMostReads) return bytes.error();
    BELAY_TRY_ASSIGN(std::optional<std::string> present, Find(id));
    if (!present || ParseInboxName(*present)->state == InboxName::State::kDone)
      return bytes.error();
    name = *std::move(present);
  }
}

Result<std::vector<InboxMessage>> Inbox::Peek() const {
  std::vector<InboxMessage> messages;
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, EmptyIfMissing(files_.List(folder_)));
  for (const std::string& name : names) {
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
  Result<void> all;  // or the first failure; the others are forgotten anyway
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

namespace {

std::uint64_t MicrosIn(Duration duration) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(duration).count());
}

// Leased and not expired. A time beyond any possible lease comes from another clock.
bool IsOut(const InboxName& name, std::uint64_t now) {
  return name.state == InboxName::State::kLeased && name.leased_until > now &&
         name.leased_until <= now + MicrosIn(Inbox::kLongestLease);
}

// `path`, or `path`-1 and so on when something is there.
Result<std::string> FreeFrom(const FileSystem& files, const std::string& path) {
  BELAY_TRY_ASSIGN(const std::optional<FileInfo> there, IfThere(files.Inspect(path)));
  return there ? FreeName(files, path) : path;
}

}  // namespace

// What one call of Take has found so far.
struct Inbox::Round {
  std::uint64_t now;
  std::uint64_t until;
  std::set<std::string_view> held_up = {};  // senders whose earlier message is out or unreadable
  std::optional<Error> failure = {};        // the first

  void Note(const Result<void>& done) {
    if (!done && !failure) failure = done.error();
  }
  void HoldUp(std::string_view sender, const Error& error) {
    held_up.insert(sender);
    Note(error);
  }
};

Result<std::optional<InboxMessage>> Inbox::Take(Duration lease) {
  BELAY_CHECK(lease >= Duration(0) && lease <= kLongestLease);
  BELAY_TRY_ASSIGN(const StateLock lock, Prepare());
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, files_.List(folder_));
  // One that can't be removed does no harm.
  (void)RemoveLeftovers(files_, folder_, names);
  const std::uint64_t now = Micros();
  Round round{.now = now, .until = now + MicrosIn(lease)};
  for (const std::string& name : names) {
    std::optional<InboxMessage> message = HandOut(lock, name, round);
    if (message) return message;
  }
  if (round.failure) return *std::move(round.failure);
  return std::optional<InboxMessage>();
}

std::optional<InboxMessage> Inbox::HandOut(const StateLock& lock, const std::string& name,
                                           Round& round) {
  const std::optional<InboxName> parsed = ParseInboxName(name);
  if (!parsed || parsed->state == InboxName::State::kDone) return std::nullopt;
  if (round.held_up.contains(parsed->sender)) return std::nullopt;
  std::optional<Json> body = Open(lock, name, round);
  if (!body) return std::nullopt;
  const std::string leased = LeasedName(parsed->id, round.until);
  const Result<void> renamed = files_.Rename(PathOf(name), PathOf(leased));
  if (!renamed) {
    round.HoldUp(parsed->sender, renamed.error());
    return std::nullopt;
  }
  return InboxMessage{std::string(parsed->id), *std::move(body)};
}

// The body of a message that may be handed out; otherwise nothing, and the message is handled.
std::optional<Json> Inbox::Open(const StateLock& lock, const std::string& name, Round& round) {
  const InboxName parsed = *ParseInboxName(name);
  const Result<FileInfo> info = files_.Inspect(PathOf(name));
  if (info && info->kind != FileKind::kFile) return std::nullopt;  // was never a message
  if (info && IsOut(parsed, round.now)) {
    round.held_up.insert(parsed.sender);
    return std::nullopt;
  }
  const Result<std::string> bytes = info ? Read(name) : info.error();
  if (bytes) {
    Result<Json> body = Parse(*bytes);
    if (body) return *std::move(body);
    round.Note(SetAside(lock, parsed.id, name, *bytes));
  } else if (bytes.error().code == ErrorCode::kDamaged) {
    round.Note(LeaveAlone(lock, parsed.id, name));
  } else if (bytes.error().code != ErrorCode::kNotFound) {
    // The disk or a permission: it may work later, and until then only its sender waits.
    round.HoldUp(parsed.sender, bytes.error());
  }
  return std::nullopt;
}

// Copied first, then removed: a crash in between leaves both, and the next Take does it again. A
// file in `dead` is never overwritten, except with the same bytes.
Result<void> Inbox::SetAside(const StateLock&, std::string_view id, const std::string& name,
                             std::string_view bytes) {
  const std::string dead = PathOf("dead");
  BELAY_TRY(EnsureFolder(files_, dead));
  (void)RemoveLeftovers(files_, dead);
  const std::string first = JoinPath(dead, WaitingName(id));
  const Result<std::string> there = files_.Read(first, bytes.size());
  const bool same = there && *there == bytes;
  BELAY_TRY_ASSIGN(const std::string copy, same ? first : FreeFrom(files_, first));
  BELAY_TRY(ReplaceFile(files_, copy, bytes));
  BELAY_TRY(files_.RemoveFile(PathOf(name)));
  return files_.SyncFolder(folder_);
}

// Larger than anything we write, so not ours: it stays, under a name that isn't a message's.
Result<void> Inbox::LeaveAlone(const StateLock&, std::string_view id, const std::string& name) {
  BELAY_TRY_ASSIGN(const std::string to, FreeFrom(files_, PathOf(WaitingName(id) + ".too-large")));
  BELAY_TRY(files_.Rename(PathOf(name), to));
  return files_.SyncFolder(folder_);
}

}  // namespace belay
