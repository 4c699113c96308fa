#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "base/path.h"
#include "kills/judge.h"
#include "kills/worker.h"

namespace belay {
namespace {

// The life of one message, as far as the workers reported.
struct Life {
  std::optional<Operation> delivered;
  std::vector<Operation> taken;
  std::vector<Operation> acknowledged;  // or about to be
};
using Lives = std::map<std::string, Life>;  // by the message's key

struct Key {
  std::string sender;
  std::uint64_t number = 0;
};

Key ParseKey(const std::string& key) {
  Key parsed;
  const std::size_t slash = key.find('/');
  parsed.sender = key.substr(0, slash);
  const char* const end = key.data() + key.size();
  (void)std::from_chars(key.data() + std::min(slash + 1, key.size()), end, parsed.number);
  return parsed;
}

Lives LivesOf(const Ledger& ledger) {
  Lives lives;
  for (const Operation& deliver : ledger.Of(Deed::kDeliver)) {
    lives[deliver.object].delivered = deliver;
  }
  for (const Operation& take : ledger.Of(Deed::kTake)) {
    if (!take.object.empty()) lives[take.object].taken.push_back(take);
  }
  for (const Operation& acknowledge : ledger.Of(Deed::kAcknowledge)) {
    if (!acknowledge.refused) lives[acknowledge.object].acknowledged.push_back(acknowledge);
  }
  return lives;
}

Problem Wrong(const std::string& key, std::string_view what) {
  return {Problem::Kind::kWrong, fmt::format("inbox: message {} {}", key, what)};
}

// Whether an acknowledgement could have been in force at a time, or must have been.
bool MayBeHandled(const Life& life, std::int64_t at) {
  return std::any_of(life.acknowledged.begin(), life.acknowledged.end(),
                     [&](const Operation& one) { return one.begun <= at; });
}
bool IsHandled(const Life& life, std::int64_t at) {
  return std::any_of(life.acknowledged.begin(), life.acknowledged.end(),
                     [&](const Operation& one) { return one.ended && *one.ended < at; });
}

// Two leases of one message overlap. The workers' clock and that of the leases may differ a little.
bool IsLeasedTwice(const Life& life) {
  constexpr std::chrono::nanoseconds kLeast = kLease - std::chrono::milliseconds(2);
  std::vector<std::pair<std::int64_t, std::int64_t>> times;
  for (const Operation& take : life.taken) times.emplace_back(*take.ended, take.begun);
  std::sort(times.begin(), times.end());
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i].first < times[i - 1].second + kLeast.count()) return true;
  }
  return false;
}

Problems JudgeTakes(const std::string& key, const Lives& lives) {
  Problems problems;
  const Life& life = lives.at(key);
  const Key parsed = ParseKey(key);
  const auto before = lives.find(MessageKey(parsed.sender, parsed.number - 1));
  for (const Operation& take : life.taken) {
    if (IsHandled(life, take.begun)) problems.push_back(Wrong(key, "was handed out when handled"));
    const bool in_turn = before == lives.end() || MayBeHandled(before->second, *take.ended);
    if (!in_turn) problems.push_back(Wrong(key, "was handed out before the one before it"));
  }
  if (IsLeasedTwice(life)) problems.push_back(Wrong(key, "was handed out twice at the same time"));
  return problems;
}

Problems JudgePresence(const std::string& key, const Life& life, bool found) {
  if (!life.delivered) return {Wrong(key, "was never sent")};
  const std::int64_t end = INT64_MAX;
  if (found && IsHandled(life, end)) {
    return {{Problem::Kind::kLost, fmt::format("inbox: {}'s acknowledgement is lost", key)}};
  }
  if (!found && life.delivered->acknowledged() && !MayBeHandled(life, end)) {
    return {{Problem::Kind::kLost, fmt::format("inbox: message {} is lost", key)}};
  }
  return {};
}

Problems JudgeOrder(const std::vector<std::string>& keys) {
  std::map<std::string, std::uint64_t> last;  // number of each sender
  Problems problems;
  for (const std::string& key : keys) {
    const Key parsed = ParseKey(key);
    std::uint64_t& before = last[parsed.sender];
    if (parsed.number <= before) problems.push_back(Wrong(key, "is there twice or out of order"));
    before = parsed.number;
  }
  return problems;
}

}  // namespace

Problems JudgeInbox(FileSystem& files, const std::string& folder, const Ledger& ledger) {
  SystemClock clock;
  SystemRandom random;
  const Inbox inbox(files, clock, random, JoinPath(folder, "inbox"), std::chrono::seconds(0));
  const Result<std::vector<InboxMessage>> messages = inbox.Peek();
  if (!messages) return {{Problem::Kind::kTorn, messages.error().message}};
  std::vector<std::string> keys;
  for (const InboxMessage& message : *messages) keys.push_back(KeyOf(message.body));
  Problems problems = JudgeOrder(keys);
  const std::set<std::string> found(keys.begin(), keys.end());
  Lives lives = LivesOf(ledger);
  for (const std::string& key : keys) lives.try_emplace(key);
  for (const auto& [key, life] : lives) {
    for (Problem& problem : JudgePresence(key, life, found.contains(key)))
      problems.push_back(std::move(problem));
    for (Problem& problem : JudgeTakes(key, lives)) problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace belay
