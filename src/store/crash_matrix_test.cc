// Every operation of the store, and every pair of them, crashed at every step on a simulated disk.
// Judged on every disk that may be left: nothing acknowledged is lost, nothing is torn, nothing is
// there that nobody wrote, and the store goes on: all operations work again on it.

#include "testing/crash_matrix.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "store/durable_file.h"
#include "store/inbox.h"
#include "store/journal.h"
#include "testing/fake_clock.h"
#include "testing/fake_random.h"

namespace belay {
namespace {

using std::chrono::seconds;
using Texts = std::vector<std::string>;

// What a user of the store would say is true: what was acknowledged, and what is under way.
struct Facts {
  std::string file;
  Texts records;
  Texts messages;  // delivered and not acknowledged by the receiver

  bool operator==(const Facts&) const = default;
};

// The store on one disk, with operations that keep `done` (acknowledged) and `next` (the state if
// the operation under way succeeds) up to date.
class Store {
 public:
  explicit Store(SimulatedDisk& disk) : files_(disk) {}

  // Everything that is found, as a reader after a crash finds it.
  Result<Facts> Recover() {
    Facts facts;
    if (const auto file = files_.Read("/v/file", 1000000)) facts.file = *file;
    Journal journal(files_, "/v/journal", "test");
    BELAY_TRY(journal.CatchUp(Follow(facts.records)));
    BELAY_TRY_ASSIGN(const auto messages, inbox_.Peek());
    for (const InboxMessage& message : messages) {
      facts.messages.push_back(*message.body.Find("text")->AsString());
    }
    return facts;
  }

  Result<void> Replace(Facts& next) {
    next.file = NextText("file");
    return ReplaceFile(files_, "/v/file", next.file);
  }
  Result<void> ReplaceKeeping(Facts& next) {
    next.file = NextText("file");
    return ReplaceFileKeepingPrevious(files_, "/v/file", next.file);
  }
  Result<void> Append(Facts& next) {
    next.records.push_back(NextText("record"));
    const std::vector<Json> records = {MakeObject({{"add", next.records.back()}})};
    BELAY_TRY_ASSIGN(const StateLock lock, Lock());
    Journal journal(files_, "/v/journal", "test");
    BELAY_TRY(journal.Append(lock, records, {}));
    return {};
  }
  // The same records, said in one.
  Result<void> Compact(Facts& next) {
    Json all = Json::EmptyArray();
    for (const std::string& record : next.records) all.Append(record);
    const std::vector<Json> snapshot = {MakeObject({{"all", all}})};
    BELAY_TRY_ASSIGN(const StateLock lock, Lock());
    return Journal(files_, "/v/journal", "test").Compact(lock, snapshot);
  }
  Result<void> Deliver(Facts& next) {
    next.messages.push_back(NextText("message"));
    BELAY_TRY(inbox_.Deliver("a", MakeObject({{"text", next.messages.back()}})));
    return {};
  }
  Result<void> Handle(Facts& next) {
    BELAY_TRY_ASSIGN(const auto message, inbox_.Take(seconds(0)));
    if (!message) return {};
    std::erase(next.messages, *message->body.Find("text")->AsString());
    return inbox_.Acknowledge(message->id);
  }

  Result<Texts> LeftoversAfterCleaning() {
    BELAY_TRY(RemoveLeftovers(files_, "/v"));
    BELAY_TRY_ASSIGN(Texts names, files_.List("/v"));
    std::erase_if(names, [](const std::string& name) { return !IsTemporaryName(name); });
    return names;
  }

 private:
  static JournalFollower Follow(Texts& records) {
    return {[&] { records.clear(); },
            [&](std::uint64_t, const Json& record) {
              if (const Json* add = record.Find("add")) records.push_back(*add->AsString());
              if (const Json* all = record.Find("all")) {
                records.clear();
                for (const Json& one : *all->AsArray()) records.push_back(*one.AsString());
              }
            }};
  }
  Result<StateLock> Lock() { return StateLock::Acquire(files_, "/v/lock", seconds(0)); }
  // Long enough to be torn across pages now and then.
  std::string NextText(std::string_view what) {
    ++count_;
    return fmt::format("{} {} {}", what, count_, std::string(count_ % 3 * 2500, 'x'));
  }

  FileSystem files_;
  FakeClock clock_;
  FakeRandom random_;
  Inbox inbox_{files_, clock_, random_, "/v/inbox", seconds(0)};
  std::size_t count_ = 0;
};

struct Operation {
  std::string_view name;
  Result<void> (Store::*run)(Facts&);
};
constexpr Operation kOperations[] = {
    {"replace", &Store::Replace}, {"replace keeping", &Store::ReplaceKeeping},
    {"append", &Store::Append},   {"compact", &Store::Compact},
    {"deliver", &Store::Deliver}, {"handle", &Store::Handle},
};

// A record of Facts is found as it was, or as it would be after the operation under way; each of
// its three parts by itself, since they are different files.
template <class Part>
bool OldOrNew(const Part& found, const Part& old, const Part& next) {
  return found == old || found == next;
}

void ExpectRecovered(SimulatedDisk& disk, const Facts& done, const Facts& next) {
  Store store(disk);
  const Result<Facts> found = store.Recover();
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_TRUE(OldOrNew(found->file, done.file, next.file)) << found->file;
  EXPECT_TRUE(OldOrNew(found->records, done.records, next.records));
  EXPECT_TRUE(OldOrNew(found->messages, done.messages, next.messages));
  // The next run goes on.
  Facts now = *found;
  for (const Operation& operation : kOperations) {
    const Result<void> ran = (store.*operation.run)(now);
    ASSERT_TRUE(ran.ok()) << operation.name << ": " << ran.error().message;
  }
  EXPECT_EQ(*store.Recover(), now);
  EXPECT_EQ(*store.LeftoversAfterCleaning(), Texts{});
}

// Runs the operations one after the other with crashes everywhere.
CrashCount Crash(const std::vector<Operation>& operations) {
  SimulatedDisk disk;
  EXPECT_EQ(disk.MakeFolder("/v", 0700), 0);
  disk.SyncEverything();
  Store store(disk);
  Facts done;
  Facts next;
  return RunThroughCrashes(
      disk, {},
      [&] {
        for (const Operation& operation : operations) {
          const Result<void> ran = (store.*operation.run)(next);
          EXPECT_TRUE(ran.ok()) << operation.name << ": " << ran.error().message;
          done = next;
        }
      },
      [&](SimulatedDisk& crashed) { ExpectRecovered(crashed, done, next); });
}

TEST(CrashMatrix, EveryOperationSurvivesACrashAtEveryStep) {
  CrashCount count;
  for (const Operation& operation : kOperations) {
    SCOPED_TRACE(operation.name);
    count += Crash({operation});
    if (::testing::Test::HasFailure()) return;
  }
  fmt::print("crash matrix: {} moments, {} crash states\n", count.moments, count.states);
}

TEST(CrashMatrix, EveryPairOfOperationsSurvivesACrashAtEveryStep) {
  CrashCount count;
  for (const Operation& first : kOperations) {
    for (const Operation& second : kOperations) {
      SCOPED_TRACE(fmt::format("{}, {}", first.name, second.name));
      count += Crash({first, second});
      if (::testing::Test::HasFailure()) return;
    }
  }
  fmt::print("crash matrix: {} moments, {} crash states\n", count.moments, count.states);
}

}  // namespace
}  // namespace belay
