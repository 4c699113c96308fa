// Messages to one recipient, one file each: delivered durably, handed out in order, kept until
// acknowledged, never overwritten.
//
// clang-format off
//   FOLDER/ID.json                    waiting
//   FOLDER/ID.json.leased-MICROS      handed out; if not acknowledged by then, waiting again
//   FOLDER/ID.done-MICROS             acknowledged then; remembered until Prune, so that a second
//                                     delivery under the same id is dropped
//   FOLDER/dead/ID.json               unreadable; set aside (as ID.json-1 and so on where
//                                     something else has that name)
//   FOLDER/ID.json.too-large          larger than a message can be; left alone (-1 and so
//                                     on as well)
//   FOLDER/lock
// clang-format on
//
// Only regular files are messages; a folder, link, socket or pipe with such a name is ignored.
//
// An id is "MICROS.SENDER.CHANCE": 16 hexadecimal digits of wall-clock microseconds, the sender's
// name, eight random digits. Messages are handed out in the order of their ids. A new id is later
// than every id in FOLDER and than every id that the same Inbox gave out before, also when the
// clock stands still or was set back (until kLatestInboxMicros, which no correct clock reaches); so
// messages are handed out in the order of the calls of Deliver.
//
// At least once: a crash of the sender before Deliver returns may or may not leave the message;
// after a crash of the receiver before Acknowledge returns, it is handed out again. A sender's next
// message is not handed out while an earlier one is leased, so that their order survives a crash of
// the receiver.
//
// Leases use the wall clock. A lease that ends later than kLongestLease from now was written before
// the clock was set back, and counts as waiting: unless the clock is set back again, every leased
// message may be handed out within kLongestLease.
//
// Every move is a rename within one folder, which is atomic on every file system; only messages set
// aside in `dead` are copied there, durably, before the original is removed. Inotify on FOLDER
// wakes a reader: a message arrives as a name moved in.

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

// The parsed file names of an inbox.

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

// Nothing when it isn't the name of a message.
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

  // `folder` belongs to the recipient; its parent exists. It is created when it is missing, also
  // when it was removed later. Waits for locks at most `lock_limit`.
  Inbox(FileSystem& files, const Clock& clock, Random& random, std::string folder,
        Duration lock_limit)
      : files_(files),
        clock_(clock),
        random_(random),
        folder_(std::move(folder)),
        lock_limit_(lock_limit) {}

  // Durable when it returns an id; after an error the message may or may not exist, so a caller
  // that tries again and must not send twice uses NewId and DeliverAs. `sender` consists of a-z,
  // 0-9, _ and -, or the program aborts. A body that can't be stored (empty, with a member "crc",
  // too long, too deep) is kRefused.
  Result<std::string> Deliver(std::string_view sender, const Json& body);
  // The same under an id from Deliver or NewId. Dropped when the id exists, was set aside, or was
  // acknowledged and not yet forgotten; that too is durable when this returns. Messages are handed
  // out in the order of ids, not of calls: this one comes before those with a later id that are
  // still there.
  Result<void> DeliverAs(const std::string& id, const Json& body);
  // Reserves nothing for other Inbox objects: they may give out earlier ids until this one is
  // delivered.
  Result<std::string> NewId(std::string_view sender);

  // The oldest message that may be handed out, leased for `lease` from now (0 to kLongestLease, or
  // the program aborts); nothing when there is none. An unreadable one is set aside, and skipped if
  // that fails. One that can't be read or leased now holds up only its sender. Both are errors only
  // when there is nothing to hand out.
  Result<std::optional<InboxMessage>> Take(Duration lease);
  // Durable when it returns. A second call does nothing. kNotFound when it was set aside, forgotten
  // or never existed.
  Result<void> Acknowledge(const std::string& id);

  // All readable messages, waiting or leased, in order, without taking them and without the lock. A
  // message that changes during the call may be shown as before or after; one renamed while the
  // kernel lists the folder may be missing.
  Result<std::vector<InboxMessage>> Peek() const;

  // Forgets messages acknowledged before `before`, by the wall clock at their acknowledgement.
  // After a power cut some may be remembered again.
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
  bool folder_is_safe_ = false;    // it exists, and its name is durable
  std::uint64_t last_micros_ = 0;  // of the ids that this object gave out
};

}  // namespace belay

#endif  // BELAY_STORE_INBOX_H_
