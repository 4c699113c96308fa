// Messages to one recipient, each a file: delivered durably, handed out in order, kept until
// acknowledged, never overwritten.
//
//   FOLDER/ID.json                    waiting
//   FOLDER/ID.json.leased-MICROS      handed out; if not acknowledged by then, waiting again
//   FOLDER/ID.done                    acknowledged; remembered for a while, so that a second
//   delivery
//                                     under the same id is dropped
//   FOLDER/dead/ID.json               made no sense; set aside
//   FOLDER/ID.json.too-large          more than a message can be, so not one; left alone
//   FOLDER/lock
//
// An id is "MICROS.SENDER.CHANCE": 16 hexadecimal digits of wall-clock microseconds (moved on where
// the clock stands or goes back while messages wait), the sender's name, eight random digits. Names
// sort in the order of delivery.
//
// At least once: a crash of the sender before Deliver returns may or may not leave the message; a
// crash of the receiver before Acknowledge returns hands it out again. A sender's next message is
// not handed out while an earlier one of it is leased, so that their order survives a crash of the
// receiver.
//
// Every move is a rename within one folder, which is atomic on every file system. A reader is woken
// by inotify on FOLDER: a message arrives as a name moved in.

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

struct InboxMessage {
  std::string id;
  Json body;  // an object
};

class Inbox {
 public:
  // `folder` is the recipient's own; its parent exists. Locks are waited for at most `lock_limit`.
  Inbox(FileSystem& files, const Clock& clock, Random& random, std::string folder,
        Duration lock_limit)
      : files_(files),
        clock_(clock),
        random_(random),
        folder_(std::move(folder)),
        lock_limit_(lock_limit) {}

  // Durable when it returns. `sender` is of a-z, 0-9, _ and -, or the program stops. A body that
  // can't be kept (empty, with a member "crc", too long, too deep) is kRefused.
  Result<std::string> Deliver(std::string_view sender, const Json& body);
  // The same under an id that Deliver or NewId gave before: dropped when it is there or was
  // handled.
  Result<void> DeliverAs(const std::string& id, const Json& body);
  Result<std::string> NewId(std::string_view sender);

  // The oldest message that may be handed out, for `lease` from now; nothing when there is none.
  // One that makes no sense is set aside in `dead`. One that can't be read at present holds up its
  // sender only; it is an error when there is nothing else.
  Result<std::optional<InboxMessage>> Take(Duration lease);
  // Twice is once.
  Result<void> Acknowledge(const std::string& id);

  // Everything that waits or is leased, in order, without taking it and without the lock.
  Result<std::vector<InboxMessage>> Peek() const;

  // Forgets what was acknowledged before `before`.
  Result<void> Prune(WallTime before);

 private:
  Result<StateLock> Prepare();
  Result<std::string> NextId(const StateLock&, std::string_view sender) const;
  Result<void> Put(const StateLock&, const std::string& id, const Json& body);
  Result<void> SetAside(const StateLock&, const std::string& name);
  Result<std::optional<std::string>> Find(std::string_view id) const;
  Result<Json> ReadBody(const std::string& name) const;
  std::string PathOf(std::string_view name) const;
  std::uint64_t Micros() const;

  FileSystem& files_;
  const Clock& clock_;
  Random& random_;
  std::string folder_;
  Duration lock_limit_;
  bool folder_is_safe_ = false;  // there, and its name on the disk
};

}  // namespace belay

#endif  // BELAY_STORE_INBOX_H_
