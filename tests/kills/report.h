// What a worker tells the campaign: every operation is announced before it begins, and its outcome
// after it has returned. Bytes in a pipe survive the death of their writer, and a report is shorter
// than PIPE_BUF, so that it is in the pipe as a whole or not at all. At any kill the campaign thus
// knows what was acknowledged and what was under way.

#ifndef BELAY_KILLS_REPORT_H_
#define BELAY_KILLS_REPORT_H_

#include <climits>
#include <cstdint>
#include <string>
#include <string_view>

#include "os/clock.h"

namespace belay {

enum class Deed : std::uint8_t {
  kReplace,      // `object` is the file's name, `number` its new version
  kAppend,       // `object` is the stream, `number` its first record of `count`
  kDeliver,      // `object` is the message
  kTake,         // the same, known when it is done; empty when there was none
  kAcknowledge,  // the same
};

enum class Step : std::uint8_t {
  kBegun,
  kDone,     // an append tells the `seq` of its last record
  kRefused,  // an acknowledgement came too late: somebody else's was there and is forgotten already
  kFailed,   // `object` says why; the worker ends
};

struct Report {
  Deed deed = Deed::kReplace;
  Step step = Step::kBegun;
  std::uint32_t writer = 0;  // one worker process; never used again
  std::uint32_t thread = 0;  // of it; each does one thing at a time
  std::int64_t nanos = 0;    // monotonic, the same clock for all
  std::uint64_t number = 0;
  std::uint64_t count = 0;
  std::uint64_t seq = 0;
  char object[200] = {};
};
static_assert(sizeof(Report) <= PIPE_BUF);

std::string_view ObjectOf(const Report& report);
void SetObject(Report& report, std::string_view object);  // cut off where it is too long

// The worker's end. May be used by several threads.
class Reporter {
 public:
  Reporter(int fd, std::uint32_t writer) : fd_(fd), writer_(writer) {}

  // Gives the report that was sent, to be finished.
  Report Begin(std::uint32_t thread, Deed deed, std::string_view object, std::uint64_t number = 0,
               std::uint64_t count = 0) const;
  void Finish(Report report, Step step = Step::kDone) const;
  void Fail(std::string_view why) const;

 private:
  void Send(Report& report) const;

  int fd_;
  std::uint32_t writer_;
  SystemClock clock_;
};

}  // namespace belay

#endif  // BELAY_KILLS_REPORT_H_
