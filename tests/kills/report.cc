#include "kills/report.h"

#include <algorithm>

#include "base/check.h"
#include "os/fd.h"

namespace belay {

std::string_view ObjectOf(const Report& report) { return report.object; }

void SetObject(Report& report, std::string_view object) {
  const std::size_t size = std::min(object.size(), sizeof(report.object) - 1);
  std::fill(std::begin(report.object), std::end(report.object), '\0');
  std::copy_n(object.begin(), size, std::begin(report.object));
}

void Reporter::Send(Report& report) const {
  report.nanos = clock_.Monotonic().time_since_epoch().count();
  // One write: that is what makes a report whole. If the campaign is gone, so are we (SIGPIPE).
  BELAY_CHECK(WriteAll(fd_, {reinterpret_cast<const char*>(&report), sizeof(report)}) == 0);
}

Report Reporter::Begin(std::uint32_t thread, Deed deed, std::string_view object,
                       std::uint64_t number, std::uint64_t count) const {
  Report report{.deed = deed, .writer = writer_, .thread = thread, .number = number};
  report.count = count;
  SetObject(report, object);
  Send(report);
  return report;
}

void Reporter::Finish(Report report, Step step) const {
  report.step = step;
  Send(report);
}

void Reporter::Fail(std::string_view why) const {
  Report report{.step = Step::kFailed, .writer = writer_};
  SetObject(report, why);
  Send(report);
}

}  // namespace belay
