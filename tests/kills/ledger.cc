#include "kills/ledger.h"

#include <fmt/core.h>

#include <algorithm>

namespace belay {

void Ledger::Add(const Report& report) {
  const Thread thread{report.writer, report.thread};
  const std::string object(ObjectOf(report));
  switch (report.step) {
    case Step::kBegun:
      last_[thread] = operations_.size();
      operations_.push_back(
          {report.deed, report.writer, object, report.number, report.count, report.nanos});
      return;
    case Step::kDone:
    case Step::kRefused: {
      Operation& operation = operations_[last_.at(thread)];
      operation.object = object;
      operation.seq = report.seq;
      operation.refused = report.step == Step::kRefused;
      operation.ended = report.nanos;
      return;
    }
    case Step::kFailed:
      Fail(fmt::format("worker {}: {}", report.writer, object));
      return;
  }
  __builtin_unreachable();
}

std::vector<Operation> Ledger::Of(Deed deed) const {
  std::vector<Operation> found;
  std::copy_if(operations_.begin(), operations_.end(), std::back_inserter(found),
               [&](const Operation& operation) { return operation.deed == deed; });
  return found;
}

std::size_t Ledger::acknowledged_writes() const {
  return static_cast<std::size_t>(
      std::count_if(operations_.begin(), operations_.end(), [](const Operation& operation) {
        return operation.acknowledged() && operation.deed != Deed::kTake;
      }));
}

}  // namespace belay
