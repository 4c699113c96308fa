// Runs a real program as a user would: in a folder, with an environment, with or without a
// terminal.

#ifndef BELAY_TESTING_REAL_PROCESS_H_
#define BELAY_TESTING_REAL_PROCESS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace belay {

struct RunOptions {
  std::string folder = "/";
  std::map<std::string, std::string> environment = {};  // in addition to PATH and HOME
  std::optional<unsigned> terminal_columns = {};  // a terminal of its own, for output and errors
  std::string out_path = {};                      // standard output goes here instead
};

struct RunOutcome {
  int exit_code;    // 128 + signal when a signal ended it
  std::string out;  // on a terminal: both streams, with its \r\n as \n
  std::string err;
};

RunOutcome RunReal(const std::vector<std::string>& command, const RunOptions& options = {});

}  // namespace belay

#endif  // BELAY_TESTING_REAL_PROCESS_H_
