// The small file with the messages for an agent's next hook, and what hooks do with it. A hook
// takes no lock, syncs nothing, and without a message makes one failed open.
//
// clang-format off
//   FOLDER/ROLE-NAME.json                 waits for a hook
//   FOLDER/ROLE-NAME.taken-PID-START      a hook, that process, is delivering it
//   FOLDER/ROLE-NAME.done-MICROS-EVENT    given by the hook of that event, until that is
//                                         recorded. Its second line is the hook's receipt
//   FOLDER/ROLE-NAME.rest-PID-START       a hook, that process, writes what did not fit into its
//                                         answer, to become ROLE-NAME.json
//   FOLDER/ROLE-NAME.withdrawn            the writer is replacing it
//   FOLDER/ROLE-NAME.text-MICROS.md       of earlier versions; removed after a week
// clang-format on
//
// Every move is a rename, so exactly one of several concurrent hooks gets the messages. A hook that
// dies before it has renamed the file to done has not delivered: the messages are still in the
// agent's inbox, and the dispatcher (dispatcher.h) offers them again. So a hook that is killed
// after it has printed and before the rename delivers twice; otherwise each message is delivered
// once.
//
// The dispatcher creates ROLE-NAME.json, under its lock, and never while a hook delivers. The
// delivering hook creates it too, for the rest, before it renames its own file to done. So the
// order is kept.

#ifndef BELAY_LEDGER_OUTBOX_H_
#define BELAY_LEDGER_OUTBOX_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "model/delivery.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

struct TakenBatch {
  OutboxBatch batch;
  std::string path;  // the current name of the file
};

// For a hook: takes the agent's messages if `may_take` agrees. Nothing when there are none, when
// they are for another process, or when another hook was faster.
Result<std::optional<TakenBatch>> TakeOutbox(
    FileSystem& files, const Layout& project, const IdentityName& agent, const ProcessMark& taker,
    const std::function<bool(const OutboxBatch&)>& may_take);
// Before printing: what will be printed.
Result<void> WriteReceipt(FileSystem& files, const TakenBatch& taken, const OutboxReceipt& receipt);
// After that: the messages for the next hook. If it fails, the dispatcher offers them later.
Result<void> OfferRest(FileSystem& files, const Layout& project, const OutboxBatch& rest,
                       const ProcessMark& taker);
// They were printed.
Result<void> MarkGiven(FileSystem& files, const Layout& project, const TakenBatch& taken,
                       WallTime at, std::string_view event);
// They could not be printed: the next hook tries again.
void PutBack(FileSystem& files, const Layout& project, const TakenBatch& taken);

// A parsed file name of an agent's outbox.
struct OutboxName {
  enum class State { kWaiting, kTaken, kDone, kRest, kWithdrawn, kText };
  std::string name;
  IdentityName agent;
  State state;
  ProcessMark taker = {};  // of kTaken and kRest
  WallTime at = {};        // of kDone and kText
  std::string event = {};  // of kDone
};
std::optional<OutboxName> ParseOutboxName(std::string_view name);
// All of them; none for a missing folder.
Result<std::vector<OutboxName>> ListOutbox(const FileSystem& files, const Layout& project);
Result<OutboxBatch> ReadOutbox(const FileSystem& files, const std::string& path);

struct GivenBatch {
  OutboxBatch batch;
  OutboxReceipt receipt;
};
// Of a done file. Without a receipt, as in earlier versions, all of its messages were given.
Result<GivenBatch> ReadGiven(const FileSystem& files, const std::string& path);

}  // namespace belay

#endif  // BELAY_LEDGER_OUTBOX_H_
