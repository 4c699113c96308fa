#include "guardian/task_sweeper.h"

#include <fmt/core.h>

#include <algorithm>

#include "app/program_outcome.h"
#include "os/environment.h"

namespace belay {
namespace {

constexpr Duration kSweepLimit = std::chrono::minutes(30);  // many large worktrees
constexpr Duration kSweepAgain = std::chrono::seconds(1);
constexpr int kMostSweepDoublings = 8;

// A row of what the sweep printed.
struct SweptTask {
  std::string text;
  bool lost_worker = false;  // it had no context, or has failed: a person should know
};

SweptTask SweptTaskIn(const Json& row) {
  const std::string what = TextIn(row, "what");
  return {fmt::format("task {} {}: {}", TextIn(row, "id"), what, TextIn(row, "why")),
          what == "reset" || what == "failed"};
}

}  // namespace

TaskSweeper::~TaskSweeper() { loop_.CancelTimer(again_); }

void TaskSweeper::Sweep(const std::string& tasks) {
  const bool same = tasks == tasks_;
  if (running_ || (waits_ && same)) return;
  if (!same) tries_ = 0;
  tasks_ = tasks;
  Environment::Variables environment = Environment::OfThisProcess().variables();
  environment.insert_or_assign("BELAY_AGENT_ID", self_);
  const ProgramRequest request{
      .command = {belay_, "--json", "--root", project_.Root(), "task", "sweep"},
      .limit = kSweepLimit,
      .environment = std::move(environment)};
  Result<std::unique_ptr<BackgroundProgram>> program =
      BackgroundProgram::Start(loop_, request, [this](const Result<ProgramResult>& result) {
        running_.reset();
        Finish(result);
      });
  if (program) {
    running_ = *std::move(program);
  } else {
    Finish(program.error());
  }
}

void TaskSweeper::Finish(const Result<ProgramResult>& result) {
  const Result<Json> record =
      result ? ParseOutcome(result->out, result->exit_code) : Result<Json>(result.error());
  if (record) {
    ReportRows(*record);
  } else {
    SayOnce(fmt::format("task sweep: {}", record.error().message));
  }
  // Whatever is left is tried again, later and later.
  waits_ = true;
  const int doublings = std::min(tries_++, kMostSweepDoublings);
  loop_.CancelTimer(again_);
  again_ = loop_.StartTimer(kSweepAgain * (1 << doublings), [this] {
    waits_ = false;
    look_();
  });
  look_();
}

void TaskSweeper::ReportRows(const Json& record) {
  const Json* rows = record.Find("tasks");
  if (rows != nullptr && rows->AsArray() != nullptr) {
    for (const Json& row : *rows->AsArray()) {
      const SweptTask swept = SweptTaskIn(row);
      if (SayOnce(swept.text) && swept.lost_worker) ask_(swept.text);
    }
  }
  const Json* warnings = record.Find("warnings");
  if (warnings == nullptr || warnings->AsArray() == nullptr) return;
  for (const Json& warning : *warnings->AsArray()) {
    if (warning.AsString() != nullptr) SayOnce(*warning.AsString());
  }
}

// Once: a sweep also lists the tasks that stay as they are. True: it is new.
bool TaskSweeper::SayOnce(const std::string& text) {
  constexpr std::size_t kMostKept = 10'000;
  if (said_.size() >= kMostKept) said_.clear();
  const bool is_new = said_.insert(text).second;
  if (is_new) say_(text);
  return is_new;
}

}  // namespace belay
