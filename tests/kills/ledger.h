// What the campaign knows of one round: every operation that a worker has announced, and what came
// of it. An operation without an end was under way when its worker was killed.

#ifndef BELAY_KILLS_LEDGER_H_
#define BELAY_KILLS_LEDGER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kills/report.h"

namespace belay {

struct Operation {
  Deed deed;
  std::uint32_t writer;
  std::string object;
  std::uint64_t number;
  std::uint64_t count;
  std::int64_t begun;                      // monotonic nanoseconds
  std::optional<std::int64_t> ended = {};  // nothing: killed before it returned
  bool refused = false;
  std::uint64_t seq = 0;

  bool acknowledged() const { return ended && !refused; }
};

class Ledger {
 public:
  void Add(const Report& report);
  void Fail(std::string why) { failures_.push_back(std::move(why)); }

  std::vector<Operation> Of(Deed deed) const;
  // Operations that changed something and were reported as durable.
  std::size_t acknowledged_writes() const;
  // What workers said went wrong.
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  using Thread = std::pair<std::uint32_t, std::uint32_t>;  // writer and thread

  std::vector<Operation> operations_;
  std::map<Thread, std::size_t> last_;  // each thread's last operation
  std::vector<std::string> failures_;
};

}  // namespace belay

#endif  // BELAY_KILLS_LEDGER_H_
