// Every operation of the inbox, and every pair of them, crashed at every step; killed at every call
// and followed by another process and a power cut; and with a failure of every call. Checked on
// every disk that may be left: no message and no damaged file is lost, no handled message comes
// back, and everything can be handled from there on.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

#include "store/durable_file.h"
#include "store/inbox.h"
#include "testing/crash_matrix.h"
#include "testing/fake_clock.h"
#include "testing/fake_random.h"
#include "testing/faulty_calls.h"

namespace belay {
namespace {

using std::chrono::seconds;

const std::string kFolder = "/v/inbox";
const std::string kDead = kFolder + "/dead";

struct Facts {
  std::map<std::string, std::string> messages;  // by id; waiting or leased
  std::set<std::string> handled;                // and remembered
  std::set<std::string> forgotten;              // handled once; may be remembered again
  std::set<std::string> damaged;                // unreadable contents, in place or set aside
};

// An inbox on one disk, with operations that set `next` to what will be true if they succeed,
// before they write anything.
class Store {
 public:
  explicit Store(FileCalls& calls) : files_(calls) {}

  Result<Facts> Recover() const {
    Facts facts;
    BELAY_TRY_ASSIGN(const auto messages, inbox_.Peek());
    for (const InboxMessage& message : messages) {
      facts.messages[message.id] = *message.body.Find("text")->AsString();
    }
    for (const std::string& name : Names(kFolder)) {
      const auto parsed = ParseInboxName(name);
      if (!parsed) continue;
      const std::string id(parsed->id);
      if (parsed->state == InboxName::State::kDone) {
        facts.handled.insert(id);
      } else if (!facts.messages.contains(id)) {
        BELAY_TRY_ASSIGN(const std::string bytes, files_.Read(kFolder + "/" + name, 100000));
        facts.damaged.insert(bytes);
      }
    }
    for (const std::string& name : Names(kDead)) {
      if (IsTemporaryName(name)) continue;
      BELAY_TRY_ASSIGN(const std::string bytes, files_.Read(kDead + "/" + name, 100000));
      facts.damaged.insert(bytes);
    }
    return facts;
  }

  Result<void> Deliver(Facts& next) {
    BELAY_TRY_ASSIGN(const std::string id, inbox_.NewId("a"));
    next.messages[id] = NextText();
    return inbox_.DeliverAs(id, MakeObject({{"text", next.messages[id]}}));
  }
  // What is there, what was handled, or what was forgotten.
  Result<void> DeliverAgain(Facts& next) {
    if (next.messages.empty()) return Deliver(next);
    return inbox_.DeliverAs(next.messages.rbegin()->first, MakeObject({{"text", "again"}}));
  }
  Result<void> DeliverHandled(Facts& next) {
    if (next.handled.empty()) return Acknowledge(next);
    return inbox_.DeliverAs(*next.handled.rbegin(), MakeObject({{"text", "again"}}));
  }
  Result<void> DeliverForgotten(Facts& next) {
    BELAY_TRY(Prune(next));
    if (next.forgotten.empty()) return {};
    const std::string id = *next.forgotten.rbegin();
    if (!next.messages.contains(id)) next.messages[id] = NextText();
    return inbox_.DeliverAs(id, MakeObject({{"text", next.messages[id]}}));
  }
  Result<void> Take(Facts&) {
    BELAY_TRY(inbox_.Take(seconds(0)));
    return {};
  }
  Result<void> Acknowledge(Facts& next) {
    if (next.messages.empty()) return Deliver(next);
    const std::string id = next.messages.begin()->first;
    next.messages.erase(id);
    next.handled.insert(id);
    return inbox_.Acknowledge(id);
  }
  Result<void> AcknowledgeAgain(Facts& next) {
    if (next.handled.empty()) return Acknowledge(next);
    return inbox_.Acknowledge(*next.handled.rbegin());
  }
  // An unreadable message, older than all others: the next Take sets it aside.
  Result<void> Damage(Facts& next) {
    const std::string bytes = "garbage " + NextText();
    next.damaged.insert(bytes);
    BELAY_TRY(EnsureFolder(files_, kFolder));
    const std::string name = WaitingName(InboxId(bytes.size(), "b", random_.Hex(8)));
    return ReplaceFile(files_, kFolder + "/" + name, bytes);
  }
  Result<void> Prune(Facts& next) {
    next.forgotten.insert(next.handled.begin(), next.handled.end());
    next.handled.clear();
    return inbox_.Prune(clock_.Wall() + seconds(1));
  }

  // The ids of everything that is handed out until nothing is left.
  Result<std::vector<std::string>> HandleAll() {
    std::vector<std::string> ids;
    for (int most = 100; most > 0; --most) {
      BELAY_TRY_ASSIGN(const auto message, inbox_.Take(seconds(0)));
      if (!message) return ids;
      BELAY_TRY(inbox_.Acknowledge(message->id));
      ids.push_back(message->id);
    }
    return Error{ErrorCode::kFailed, "there is no end of it"};
  }
  // What a crash left unfinished and a Take should have removed.
  std::size_t Leftovers() const {
    const std::vector<std::string> names = Names(kFolder);
    return static_cast<std::size_t>(std::count_if(names.begin(), names.end(), IsTemporaryName));
  }

 private:
  std::vector<std::string> Names(const std::string& folder) const {
    const auto names = files_.List(folder);
    return names ? *names : std::vector<std::string>();
  }
  // Long enough to be torn across pages now and then.
  std::string NextText() {
    ++count_;
    return fmt::format("{} {} {}", count_, random_.Hex(8), std::string(count_ % 3 * 2500, 'x'));
  }

  FileSystem files_;
  FakeClock clock_;
  FakeRandom random_{++seed_};
  Inbox inbox_{files_, clock_, random_, kFolder, seconds(0)};
  std::size_t count_ = 0;
  static inline std::uint64_t seed_ = 0;  // each process has its own chance
};

using Run = Result<void> (Store::*)(Facts&);

struct Operation {
  std::string_view name;
  Run run;
};
constexpr Operation kOperations[] = {
    {"deliver", &Store::Deliver},
    {"deliver again", &Store::DeliverAgain},
    {"take", &Store::Take},
    {"acknowledge", &Store::Acknowledge},
    {"acknowledge again", &Store::AcknowledgeAgain},
    {"deliver handled", &Store::DeliverHandled},
    {"damage", &Store::Damage},
    {"prune", &Store::Prune},
    {"deliver forgotten", &Store::DeliverForgotten},
};

using Set = std::set<std::string>;

bool Includes(const Set& all, const Set& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}
Set Both(const Set& a, const Set& b) {
  Set both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
  return both;
}
Set Either(Set a, const Set& b) {
  a.insert(b.begin(), b.end());
  return a;
}

// As it was, or as it would be after the operation in progress. Messages are forgotten one by one,
// and may come back.
void ExpectOldOrNew(const Facts& found, const Facts& old, const Facts& next) {
  EXPECT_TRUE(found.messages == old.messages || found.messages == next.messages);
  EXPECT_TRUE(found.damaged == old.damaged || found.damaged == next.damaged);
  EXPECT_TRUE(Includes(found.handled, Both(old.handled, next.handled)));
  EXPECT_TRUE(Includes(Either(Either(old.handled, next.handled), next.forgotten), found.handled));
}

// All operations work, and all that is there is handed out in order, acknowledged, and gone.
void ExpectGoesOn(Store& store, Facts now) {
  for (const Operation& operation : kOperations) {
    const Result<void> ran = (store.*operation.run)(now);
    ASSERT_TRUE(ran.ok()) << operation.name << ": " << ran.error().message;
  }
  const Result<Facts> found = store.Recover();
  ASSERT_TRUE(found.ok());
  ExpectOldOrNew(*found, now, now);
  std::vector<std::string> expected;
  for (const auto& [id, text] : now.messages) expected.push_back(id);
  const auto handled = store.HandleAll();
  ASSERT_TRUE(handled.ok()) << handled.error().message;
  EXPECT_EQ(*handled, expected);
  EXPECT_TRUE(store.Recover()->messages.empty());
  EXPECT_EQ(store.Leftovers(), 0u);
}

// Also with something that the next Take sets aside.
const std::vector<Run> kInUse = {&Store::Deliver, &Store::Deliver,     &Store::Deliver,
                                 &Store::Deliver, &Store::Acknowledge, &Store::Acknowledge,
                                 &Store::Damage,  &Store::Take,        &Store::Damage};

Facts Populate(SimulatedDisk& disk, const std::vector<Run>& scene) {
  EXPECT_EQ(disk.MakeFolder("/v", 0700), 0);
  Facts facts;
  Store store(disk);
  for (const Run run : scene) EXPECT_TRUE((store.*run)(facts).ok());
  disk.SyncEverything();
  return facts;
}

// On a disk with an inbox that is in use, or one without.
CrashCount Crash(const std::vector<Operation>& operations, bool populated) {
  SimulatedDisk disk;
  Facts done = Populate(disk, populated ? kInUse : std::vector<Run>());
  Store store(disk);
  Facts next = done;
  return RunThroughCrashes(
      disk, {.states_a_moment = 16},
      [&] {
        for (const Operation& operation : operations) {
          const Result<void> ran = (store.*operation.run)(next);
          EXPECT_TRUE(ran.ok()) << operation.name << ": " << ran.error().message;
          done = next;
        }
      },
      [&](SimulatedDisk& crashed) {
        Store after(crashed);
        const Result<Facts> found = after.Recover();
        ASSERT_TRUE(found.ok()) << found.error().message;
        ExpectOldOrNew(*found, done, next);
        ExpectGoesOn(after, *found);
      });
}

TEST(InboxCrashMatrix, EveryPairOfOperationsSurvivesACrashAtEveryStep) {
  CrashCount count;
  for (const Operation& first : kOperations) {
    for (const Operation& second : kOperations) {
      SCOPED_TRACE(fmt::format("{}, {}", first.name, second.name));
      count += Crash({first, second}, true);
      count += Crash({first, second}, false);
      if (::testing::Test::HasFailure()) return;
    }
  }
  fmt::print("inbox crash matrix: {} moments, {} crash states\n", count.moments, count.states);
}

// One process is killed at call `n` of `first`, the next one does `second`, and then the power
// fails: what was acknowledged to `second` is true. False when there is no call `n`.
bool KillThenCutPower(const Operation& first, std::size_t n, const Operation& second,
                      CrashCount& count) {
  SimulatedDisk disk;
  const Facts done = Populate(disk, kInUse);
  Facts next = done;
  const bool killed =
      RunKilledAt(disk, n, [&](FileCalls& calls) { (void)(Store(calls).*first.run)(next); });
  if (!killed) return false;
  Store store(disk);
  Facts now = *store.Recover();
  now.forgotten = next.forgotten;
  const Result<void> ran = (store.*second.run)(now);
  EXPECT_TRUE(ran.ok()) << ran.error().message;
  ++count.moments;
  // Take and Prune promise nothing about what was not acknowledged to the other one.
  const bool promises = second.run != &Store::Take && second.run != &Store::Prune;
  for (SimulatedDisk& crashed : disk.CrashStates(32, n)) {
    ++count.states;
    Store after(crashed);
    const Result<Facts> found = after.Recover();
    EXPECT_TRUE(found.ok());
    if (!found) return true;
    ExpectOldOrNew(*found, promises ? now : done, now);
    ExpectGoesOn(after, *found);
  }
  return true;
}

TEST(InboxCrashMatrix, WhatTheNextProcessReadsSurvivesAPowerCutWhereverTheFirstWasKilled) {
  CrashCount count;
  ForEveryKill(kOperations, [&](const Operation& first, std::size_t n, const Operation& second) {
    return KillThenCutPower(first, n, second, count);
  });
  fmt::print("inbox kill matrix: {} kills, {} crash states\n", count.moments, count.states);
}

// False when there is no call `n`.
bool MeetFault(const Operation& operation, int error, std::size_t n) {
  SimulatedDisk disk;
  const Facts done = Populate(disk, kInUse);
  Facts next = done;
  FaultyCalls calls(disk);
  calls.Plan({.number = n, .error = error});
  Store store(calls);
  const Result<void> ran = (store.*operation.run)(next);
  if (calls.faults() == 0) return false;
  const Result<Facts> found = Store(disk).Recover();
  EXPECT_TRUE(found.ok());
  if (!found) return true;
  ExpectOldOrNew(*found, ran.ok() ? next : done, next);
  calls.Restart();
  ExpectGoesOn(store, *found);  // the same object
  return true;
}

TEST(InboxFaultMatrix, AnyFailingCallLeavesTheOldStateOrTheNewAndTheInboxContinues) {
  std::size_t faults = 0;
  for (const int error : {ENOSPC, EIO, EINTR, EMFILE, EACCES}) {
    for (const Operation& operation : kOperations) {
      for (std::size_t n = 1; MeetFault(operation, error, n); ++n, ++faults) {
        ASSERT_FALSE(::testing::Test::HasFailure())
            << operation.name << ", error " << error << " at call " << n;
      }
    }
  }
  fmt::print("inbox fault matrix: {} faults\n", faults);
}

}  // namespace
}  // namespace belay
