// The inbox against a model: messages by id, each waiting, leased, done or dead. Two processes and
// three senders act at random while the clock steps back and forth; after every step the inbox must
// show exactly what the model does.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <map>
#include <set>

#include "store/durable_file.h"
#include "store/inbox.h"
#include "testing/fake_clock.h"
#include "testing/fake_random.h"
#include "testing/simulated_disk.h"

namespace belay {
namespace {

using std::chrono::seconds;

const std::string kFolder = "/inbox";

enum class State { kWaiting, kLeased, kDone, kDead };

struct Message {
  std::string sender;
  State state = State::kWaiting;
  std::uint64_t leased_until = 0;
  std::uint64_t acknowledged_at = 0;
  bool readable = true;

  bool is_there() const { return state == State::kWaiting || state == State::kLeased; }
};

class InboxAndModel {
 public:
  void Deliver(std::size_t who, const std::string& sender) {
    const auto id = inboxes_[who].Deliver(sender, Body(++texts_));
    RC_ASSERT(id.ok());
    for (const auto& [other, message] : model_) {
      // Later than all there are, so that the sender's order is the order of names.
      RC_ASSERT((message.state == State::kDead || MicrosOf(*id) > MicrosOf(other)));
    }
    Given(who, *id);
    Add(*id);
  }

  void Reserve(std::size_t who, const std::string& sender) {
    reserved_.push_back(*inboxes_[who].NewId(sender));
    Given(who, reserved_.back());
  }

  // Under an id that was reserved, delivered, handled or set aside before.
  void DeliverAgain(std::size_t who, std::size_t which) {
    std::vector<std::string> ids = reserved_;
    for (const auto& [id, message] : model_) ids.push_back(id);
    if (ids.empty()) return;
    const std::string& id = ids[which % ids.size()];
    RC_ASSERT(inboxes_[who].DeliverAs(id, Body(++texts_)).ok());
    if (!model_.contains(id)) Add(id);
  }

  void Take(std::size_t who, Duration lease) {
    const std::string expected = NextToTake();
    const auto taken = inboxes_[who].Take(lease);
    RC_ASSERT(taken.ok());
    RC_ASSERT((*taken ? (*taken)->id : "") == expected);
    if (!*taken) return;
    RC_ASSERT((*taken)->body == bodies_.at(expected));
    model_[expected].state = State::kLeased;
    model_[expected].leased_until = Micros(clock_.Wall() + lease);
  }

  void Acknowledge(std::size_t who, std::size_t which) {
    if (model_.empty()) return;
    auto& [id, message] = *std::next(model_.begin(), which % model_.size());
    const Result<void> acknowledged = inboxes_[who].Acknowledge(id);
    if (message.state == State::kDead) {
      RC_ASSERT(!acknowledged.ok());
      RC_ASSERT(acknowledged.error().code == ErrorCode::kNotFound);
      return;
    }
    RC_ASSERT(acknowledged.ok());
    if (message.state != State::kDone) message.acknowledged_at = Micros(clock_.Wall());
    message.state = State::kDone;
  }

  void Damage(std::size_t which) {
    if (model_.empty()) return;
    auto& [id, message] = *std::next(model_.begin(), which % model_.size());
    if (!message.is_there()) return;
    const std::string name =
        message.state == State::kWaiting ? WaitingName(id) : LeasedName(id, message.leased_until);
    RC_ASSERT(ReplaceFile(files_, kFolder + "/" + name, "garbage").ok());
    message.readable = false;
  }

  void Prune(std::size_t who, WallTime before) {
    RC_ASSERT(inboxes_[who].Prune(before).ok());
    std::erase_if(model_, [&](const auto& entry) {
      return entry.second.state == State::kDone && entry.second.acknowledged_at < Micros(before);
    });
  }

  void ExpectShowsTheModel() const {
    std::vector<std::string> expected;
    for (const auto& [id, message] : model_) {
      if (message.is_there() && message.readable) expected.push_back(id);
    }
    std::vector<std::string> found;
    const auto messages = inboxes_[0].Peek();
    for (const InboxMessage& message : *messages) {
      found.push_back(message.id);
      RC_ASSERT(message.body == bodies_.at(message.id));
    }
    RC_ASSERT(found == expected);
  }

  FakeClock& clock() { return clock_; }

 private:
  static Json Body(std::size_t text) { return MakeObject({{"text", text}}); }
  static std::uint64_t Micros(WallTime time) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count());
  }
  static std::uint64_t MicrosOf(const std::string& id) {
    return ParseInboxName(WaitingName(id))->micros;
  }

  // The ids that one process gives ascend, whether it uses them or not.
  void Given(std::size_t who, const std::string& id) {
    RC_ASSERT(MicrosOf(id) > last_given_[who]);
    last_given_[who] = MicrosOf(id);
  }

  void Add(const std::string& id) {
    model_[id] = {.sender = std::string(ParseInboxName(WaitingName(id))->sender)};
    bodies_[id] = Body(texts_);
  }

  // The oldest that isn't held up by an earlier one of its sender; "" when there is none.
  // Unreadable ones before it are set aside.
  std::string NextToTake() {
    std::set<std::string> held_up;
    for (auto& [id, message] : model_) {
      if (!message.is_there()) continue;
      const bool out = message.state == State::kLeased &&
                       message.leased_until > Micros(clock_.Wall()) &&
                       message.leased_until <= Micros(clock_.Wall() + Inbox::kLongestLease);
      if (out) held_up.insert(message.sender);
      if (held_up.contains(message.sender)) continue;
      if (message.readable) return id;
      message.state = State::kDead;
    }
    return "";
  }

  SimulatedDisk disk_;
  FileSystem files_{disk_};
  FakeClock clock_;
  FakeRandom random_;
  std::array<Inbox, 2> inboxes_ = {Inbox(files_, clock_, random_, kFolder, seconds(0)),
                                   Inbox(files_, clock_, random_, kFolder, seconds(0))};
  std::map<std::string, Message> model_;
  std::map<std::string, Json> bodies_;  // of the first delivery under an id since it was forgotten
  std::vector<std::string> reserved_;
  std::array<std::uint64_t, 2> last_given_ = {};
  std::size_t texts_ = 0;
};

// What is done, by which process, and with which message or for how long.
using Step = std::tuple<int, std::size_t, std::size_t>;

void Do(InboxAndModel& both, const Step& step) {
  const auto [what, who, amount] = step;
  const std::string sender(1, static_cast<char>('a' + amount % 3));
  const seconds time(static_cast<int>(amount) % 120);
  switch (what) {
    case 0:
    case 1:
    case 2:
      return both.Deliver(who, sender);
    case 3:
      return both.Reserve(who, sender);
    case 4:
      return both.DeliverAgain(who, amount);
    case 5:
    case 6:
      return both.Take(who, time);
    case 7:
      return both.Acknowledge(who, amount);
    case 8:
      return both.Damage(amount);
    case 9:
      return both.Prune(who, both.clock().Wall() - time);
    case 10:
      return both.clock().Advance(time);
    case 11:
      return both.clock().JumpWall(seconds(60) - time);
    default:
      return both.clock().JumpWall(std::chrono::minutes(60) - std::chrono::minutes(time.count()));
  }
}

// At its full range from the first test on.
rc::Gen<Step> AnyStep() {
  return rc::gen::resize(
      rc::kNominalSize, rc::gen::tuple(rc::gen::inRange(0, 13), rc::gen::inRange<std::size_t>(0, 2),
                                       rc::gen::inRange<std::size_t>(0, 1000)));
}

TEST(InboxModel, ShowsAndHandsOutExactlyWhatTheModelDoes) {
  EXPECT_TRUE(rc::check([] {
    InboxAndModel both;
    const auto steps = *rc::gen::container<std::vector<Step>>(AnyStep());
    for (const Step& step : steps) {
      Do(both, step);
      both.ExpectShowsTheModel();
    }
  }));
}

}  // namespace
}  // namespace belay
