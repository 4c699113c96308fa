#include <set>

#include "base/check.h"
#include "base/path.h"
#include "store/durable_file.h"
#include "store/free_name.h"
#include "store/inbox.h"

namespace belay {
namespace {

std::uint64_t MicrosIn(Duration duration) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(duration).count());
}

// Handed out and not back yet. A time further away than any lease reaches is of another clock.
bool IsOut(const InboxName& name, std::uint64_t now) {
  return name.state == InboxName::State::kLeased && name.leased_until > now &&
         name.leased_until <= now + MicrosIn(Inbox::kLongestLease);
}

// `path`, or `path`-1 and so on when something is there.
Result<std::string> FreeFrom(const FileSystem& files, const std::string& path) {
  const Result<FileInfo> there = files.Inspect(path);
  if (there) return FreeName(files, path);
  if (there.error().code == ErrorCode::kNotFound) return path;
  return there.error();
}

}  // namespace

// What one call of Take has met so far.
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
  // One that can't be removed is in nobody's way.
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

// The body of a message that may be handed out. Otherwise what is to be done about it is done.
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

// A copy first, then the original goes: a crash in between leaves both, and the next Take does it
// again. What is in `dead` already is never written over, except with the same bytes.
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

// More than we would ever write, so not ours: it stays, under a name that is no message's.
Result<void> Inbox::LeaveAlone(const StateLock&, std::string_view id, const std::string& name) {
  BELAY_TRY_ASSIGN(const std::string to, FreeFrom(files_, PathOf(WaitingName(id) + ".too-large")));
  BELAY_TRY(files_.Rename(PathOf(name), to));
  return files_.SyncFolder(folder_);
}

}  // namespace belay
