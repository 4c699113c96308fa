// A pipe for tests: a child or the test reads what was written.

#ifndef BELAY_TESTING_TEST_PIPE_H_
#define BELAY_TESTING_TEST_PIPE_H_

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "base/check.h"
#include "os/fd.h"

namespace belay {

struct TestPipe {
  UniqueFd read;
  UniqueFd write;

  TestPipe() {
    int ends[2];
    BELAY_CHECK(pipe2(ends, O_CLOEXEC) == 0);
    read = UniqueFd(ends[0]);
    write = UniqueFd(ends[1]);
  }

  // Waits for it; without the line end.
  std::string ReadLine() const {
    std::string line;
    for (char c = 0; ::read(read.get(), &c, 1) == 1 && c != '\n';) line.push_back(c);
    return line;
  }
  // Everything, once all writers but us have closed it.
  std::string ReadAll() {
    write.Reset();
    std::string text;
    BELAY_CHECK(ReadToEnd(read.get(), 1'000'000, text) == 0);
    return text;
  }
};

}  // namespace belay

#endif  // BELAY_TESTING_TEST_PIPE_H_
