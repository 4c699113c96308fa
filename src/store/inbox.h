// Messages to one recipient, each a file: delivered durably, handed out in order, kept until
// acknowledged, never overwritten.
//
// clang-format off
//   FOLDER/ID.json                    waiting
//   FOLDER/ID.json.leased-MICROS      handed out; if not acknowledged by then, waiting again
//   FOLDER/ID.done-MICROS             acknowledged then; remembered until Prune, so that a second
//                                     delivery under the same id is dropped
//   FOLDER/dead/ID.json               made no sense; set aside (as ID.json-1 and so on where
//                                     something else has that name)
//   FOLDER/ID.json.too-large          more than a message can be, so not one; left alone (-1 and so
//                                     on as well)
//   FOLDER/lock
// clang-format on
//
// Only regular files are messages; a folder, link, socket or pipe with such a name is in nobody's
// way.
//
// An id is "MICROS.SENDER.CHANCE": 16 hexadecimal digits of wall-clock microseconds, the sender's
// name, eight random digits. Messages are handed out in the order of their ids. A new id is later
// than every id in FOLDER and than every id that the same Inbox gave before, also where the clock
// stands or was set back (until kLatestInboxMicros, which no honest clock reaches); so what Deliver
// delivers comes in the order of its calls.
//
// At least once: a crash of the sender before Deliver returns may or may not leave the message; a
// crash of the receiver before Acknowledge returns hands it out again. A sender's next message is
// not handed out while an earlier one of it is leased, so that their order survives a crash of the
// receiver.
//
// Leases are by the wall clock. A name that says "leased" for longer from now than a lease can be
// was written before the clock was set back, and counts as waiting: unless the clock is set back
// again, whatever a lease hides may be handed out within kLongestLease.
//
// Every move is a rename within one folder, which is atomic on every file system; only what is set
// aside in `dead` is copied there, durably, before the original goes. A reader is woken by inotify
// on FOLDER: a message arrives as a name moved in.

#ifndef BELAY_STORE_INBOX_H_
#define BELAY_STORE_INBOX_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "os/random.h"
#include "store/state_lock.h"

namespace belay {

// The names of an inbox's files, taken apart.

struct InboxName {
  enum class State { kWaiting, kLeased, kDone };

  std::string_view id;
  std::uint64_t micros;
  std::string_view sender;
  State state;
  std::uint64_t leased_until = 0;     // micros
  std::uint64_t acknowledged_at = 0;  // micros
};

// The latest time that an id can hold.
constexpr std::uint64_t kLatestInboxMicros = std::uint64_t{1} << 62U;

// Nothing when it is no message's name.
std::optional<InboxName> ParseInboxName(std::string_view name);

bool IsSenderName(std::string_view text);
std::string InboxId(std::uint64_t micros, std::string_view sender, std::string_view chance);
std::string WaitingName(std::string_view id);
std::string LeasedName(std::string_view id, std::uint64_t until);
std::string DoneName(std::string_view id, std::uint64_t acknowledged_at);

struct InboxMessage {
  std::string id;
  Json body;  // an object
};

class Inbox {
 public:
  static constexpr Duration kLongestLease = std::chrono::hours(1);

  // `folder` is the recipient's own; its parent exists. It is made when it isn't there, also when
  // somebody removed it meanwhile. Locks are waited for at most `lock_limit`.
  Inbox(FileSystem& files, const Clock& clock, Random& random, std::string folder,
        Duration lock_limit)
      : files_(files),
        clock_(clock),
        random_(random),
        folder_(std::move(folder)),
        lock_limit_(lock_limit) {}

  // Durable when it returns an id; after an error it may be there or not, so whoever tries again
  // and must not send twice uses NewId and DeliverAs. `sender` is of a-z, 0-9, _ and -, or the
  // program stops. A body that can't be kept (empty, with a member "crc", too long, too deep) is
  // kRefused.
  Result<std::string> Deliver(std::string_view sender, const Json& body);
  // The same under an id that Deliver or NewId gave before. Dropped when it is there, was set aside
  // or was acknowledged and not forgotten since; that is durable, too, when this returns.
  // It is handed out in the order of the ids, not of the calls: before what has a later id and is
  // still there.
  Result<void> DeliverAs(const std::string& id, const Json& body);
  // Reserves nothing for other Inbox objects: theirs may give ids that are earlier than this one
  // until it is delivered.
  Result<std::string> NewId(std::string_view sender);

  // The oldest message that may be handed out, for `lease` from now (0 to kLongestLease, or the
  // program stops); nothing when there is none. One that makes no sense is set aside, and passed
  // over if that fails. One that can't be read or leased at present holds up its sender only. Both
  // are errors only when there is nothing to hand out.
  Result<std::optional<InboxMessage>> Take(Duration lease);
  // Durable when it returns. Twice is once. kNotFound when it was set aside, forgotten or never
  // there.
  Result<void> Acknowledge(const std::string& id);

  // Everything that waits or is leased and can be read, in order, without taking it and without the
  // lock. What changes meanwhile may be shown as it was before or after; what is renamed while the
  // kernel lists the folder may be missing.
  Result<std::vector<InboxMessage>> Peek() const;

  // Forgets what was acknowledged before `before`, by the wall clock at its acknowledgement. After
  // a power cut some of it may be remembered again.
  Result<void> Prune(WallTime before);

 private:
  struct Round;  // of Take

  Result<StateLock> Prepare();
  Result<std::string> NextId(const StateLock&, std::string_view sender);
  Result<void> Put(const StateLock&, const std::string& id, const Json& body);
  Result<bool> WasSetAside(std::string_view id) const;
  Result<std::optional<std::string>> Find(std::string_view id) const;

  std::optional<InboxMessage> HandOut(const StateLock&, const std::string& name, Round& round);
  std::optional<Json> Open(const StateLock&, const std::string& name, Round& round);
  Result<void> SetAside(const StateLock&, std::string_view id, const std::string& name,
                        std::string_view bytes);
  Result<void> LeaveAlone(const StateLock&, std::string_view id, const std::string& name);

  Result<std::string> Read(const std::string& name) const;
  static Result<Json> Parse(std::string_view bytes);
  Result<Json> ReadPresent(std::string_view id, std::string name) const;
  std::string PathOf(std::string_view name) const;
  std::uint64_t Micros() const;

  FileSystem& files_;
  const Clock& clock_;
  Random& random_;
  std::string folder_;
  Duration lock_limit_;
  bool folder_is_safe_ = false;    // there when we looked, and its name on the disk
  std::uint64_t last_micros_ = 0;  // of the ids that this object gave
};

}  // namespace belay

#endif  // BELAY_STORE_INBOX_H_
