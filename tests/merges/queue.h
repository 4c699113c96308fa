// A repository whose work waits in belay's queue, and what has become of it.

#ifndef BELAY_TESTS_MERGES_QUEUE_H_
#define BELAY_TESTS_MERGES_QUEUE_H_

#include <string>
#include <vector>

#include "merges/reference.h"
#include "merges/work.h"
#include "os/environment.h"

namespace belay {

class WorkQueue {
 public:
  // Does the work and queues it.
  WorkQueue(std::string belay, const Work& work);

  // What must come of it; asked before it is processed.
  Landed Reference() const;
  std::vector<std::string> ProcessCommand() const;
  static Environment::Variables Variables();
  const GitRepository& repository() const { return repository_; }

  // Exit code 0 or 1.
  bool ProcessToTheEnd() const;
  Landed Outcome() const;
  // Whatever isn't as it should be when all is done, a line for each.
  std::string Problems() const;

 private:
  std::string belay_;
  const Work work_;
  GitRepository repository_;
};

// What it prints; a failure stops the program.
std::string RunBelay(const std::string& belay, const GitRepository& repository,
                     std::vector<std::string> arguments);

// Empty when they are the same.
std::string Difference(const Landed& wanted, const Landed& got);

}  // namespace belay

#endif  // BELAY_TESTS_MERGES_QUEUE_H_
