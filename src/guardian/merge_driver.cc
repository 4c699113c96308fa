#include "guardian/merge_driver.h"

#include <fmt/core.h>

#include <set>

#include "app/program_outcome.h"
#include "engine/merge/queue_order.h"

namespace belay {
namespace {

constexpr Duration kAddLimit = std::chrono::minutes(1);
constexpr Duration kProcessLimit = std::chrono::hours(24 * 7);  // gates have limits of their own
constexpr std::size_t kMostOutput = std::size_t{64} << 20U;     // a record for each entry
constexpr Duration kPatience = std::chrono::seconds(5);         // a gate gets 2 s of it to end
constexpr Duration kAgainAfter = std::chrono::seconds(30);

// The record that a command printed, or its error.
Result<Json> RecordOf(const Result<ProgramResult>& result) {
  if (!result) return result.error();
  return ParseOutcome(result->out, result->exit_code);
}

std::string EndLine(const MergeEntry& entry) {
  const bool merged = !entry.merged_as.empty();
  return fmt::format("{} {} {}: {}", entry.id(), entry.branch, MergeStatusName(entry.status),
                     merged ? fmt::format("{} as {}", entry.target, entry.merged_as.substr(0, 10))
                            : entry.last_error);
}

std::string QueueFingerprint(const MergeBook& book) {
  std::string line;
  for (const auto& [number, entry] : book.entries()) {
    if (IsInQueue(entry.status)) line += fmt::format("{} ", number);
  }
  for (const auto& [branch, target] : book.targets()) line += target.paused ? "-" : "+";
  return line;
}

// The entries that wait for a checkout.
std::set<std::uint64_t> Waiting(const MergeBook& book) {
  std::set<std::uint64_t> waiting;
  for (const auto& [number, entry] : book.entries()) {
    if (IsWaiting(entry.status)) waiting.insert(number);
  }
  return waiting;
}

}  // namespace

MergeDriver::~MergeDriver() {
  loop_.CancelTimer(again_);
  if (processing_) processing_->AskToEnd(kPatience);
}

Result<std::unique_ptr<BackgroundProgram>> MergeDriver::Start(
    std::vector<std::string> words, Duration limit, BackgroundProgram::Callback callback) {
  Environment::Variables environment = Environment::OfThisProcess().variables();
  environment.insert_or_assign("BELAY_AGENT_ID", self_);
  // The common options come first: after "--" they would be operands.
  std::vector<std::string> command = {belay_, "--json", "--root", project_.Root(), "merge-queue"};
  command.insert(command.end(), words.begin(), words.end());
  return BackgroundProgram::Start(loop_,
                                  {.command = std::move(command),
                                   .limit = limit,
                                   .environment = std::move(environment),
                                   .most_output = kMostOutput},
                                  std::move(callback));
}

void MergeDriver::Enqueue(const MergeRequest& request, Callback callback) {
  std::vector<std::string> words = {"add"};
  // As one word: an agent wrote the value, and it may look like an option.
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.push_back(fmt::format("{}={}", option, value));
  };
  add("--agent", request.agent);
  add("--head", request.head);
  add("--target", request.target);
  if (!request.branch.empty()) words.insert(words.end(), {"--", request.branch});
  const auto job = adding_.insert(adding_.end(), Adding{std::move(callback)});
  const auto finish = [this, job](const Result<ProgramResult>& result) {
    const Adding done = std::move(*job);
    adding_.erase(job);
    done.callback(RecordOf(result));
  };
  Result<std::unique_ptr<BackgroundProgram>> program =
      Start(std::move(words), kAddLimit, [finish](auto result) { finish(result); });
  if (program) {
    job->program = *std::move(program);
  } else {
    loop_.Post([finish, error = program.error()] { finish(error); });
  }
}

void MergeDriver::Drive(const MergeBook& book, WallTime now) {
  if (processing_ || self_.empty()) return;
  // A changed queue, or a target that is no longer paused, may have solved the problem.
  const std::string line = QueueFingerprint(book);
  if (waits_ && line == line_) return;
  waits_ = false;
  const bool try_checkouts = std::exchange(try_checkouts_, false) || line != line_;
  const std::set<std::uint64_t> without = try_checkouts ? std::set<std::uint64_t>() : Waiting(book);
  line_ = line;
  std::set<std::string> targets;
  for (const auto& [number, entry] : book.entries()) {
    if (IsInQueue(entry.status)) targets.insert(entry.target);
  }
  for (const std::string& target : targets) {
    const bool work =
        NextEntry(book, target, now, without) != nullptr || !LostWaits(book, target).empty();
    if (work && !book.Target(target).paused) return Process(target);
  }
}

void MergeDriver::Process(const std::string& target) {
  std::vector<std::string> words = {"process", "--all"};
  if (!target.empty()) words.insert(words.end(), {"--target", target});
  Result<std::unique_ptr<BackgroundProgram>> program =
      Start(std::move(words), kProcessLimit, [this](auto result) {
        processing_.reset();
        Processed(result);
      });
  if (!program) return WaitALittle(program.error().message);
  processing_ = *std::move(program);
}

void MergeDriver::Processed(const Result<ProgramResult>& result) {
  const Result<Json> record = RecordOf(result);
  // Another process lands the work, perhaps one that a killed guardian started: no problem.
  const bool held = result && result->exit_code == ExitCode(ErrorCode::kBusy);
  if (!record) return WaitALittle(record.error().message, !held);
  trouble_.clear();
  const Result<ProcessOutcome> outcome = ProcessOutcomeFromJson(*record);
  if (!outcome) return WaitALittle(outcome.error().message);
  for (const MergeEntry& entry : outcome->entries) say_(EndLine(entry));
  if (outcome->stopped) return WaitALittle("a signal interrupted it");
  // If it had nothing to do, the change that brings new work wakes us.
  if (!outcome->entries.empty() || try_checkouts_) look_();
}

void MergeDriver::TryCheckouts() {
  try_checkouts_ = true;
  if (!processing_) look_();
}

void MergeDriver::Recover() {
  if (!processing_ && !self_.empty()) Process("");
}

// Prints a problem once, however often it occurs; asks a person when it occurs the second time.
void MergeDriver::WaitALittle(const std::string& why, bool ask) {
  const std::string text = fmt::format("the merge queue waits: {}", why);
  if (why != trouble_) {
    say_(text);
    tries_ = 0;
  }
  trouble_ = why;
  if (ask && ++tries_ == 2) ask_(text);
  waits_ = true;
  loop_.CancelTimer(again_);
  again_ = loop_.StartTimer(kAgainAfter, [this] {
    waits_ = false;
    look_();
  });
}

}  // namespace belay
