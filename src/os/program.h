// Runs another program to its end and gives back what it printed.

#ifndef BELAY_OS_PROGRAM_H_
#define BELAY_OS_PROGRAM_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "os/environment.h"

namespace belay {

struct ProgramRequest {
  // Asked for the next piece whenever the program takes more; false when there is no more. An error
  // ends the program, and is what Run gives back.
  using Input = std::function<Result<bool>(std::string& piece)>;
  // Gets the standard output piece by piece. An error ends the program, and is what Run gives back.
  using Output = std::function<Result<void>(std::string_view piece)>;

  std::vector<std::string> command;  // command[0] is looked up in PATH
  Duration limit;
  std::string folder = {};                                 // empty: ours
  std::optional<Environment::Variables> environment = {};  // all of it; nothing: ours
  Input input = {};                                        // nothing: its standard input is empty
  bool converses = false;  // after an empty piece, the program speaks before it is given the next
  Output output = {};      // nothing: it is kept in ProgramResult
  std::size_t most_output = std::size_t{1} << 20U;  // of each stream; the rest is dropped
};

// Gives the whole text at once.
ProgramRequest::Input InputOf(std::string text);

struct ProgramResult {
  int exit_code;  // 128 + signal when a signal ended it
  std::string out;
  std::string err;
  bool cut = false;  // there was more output than was kept
};

class Programs {
 public:
  virtual ~Programs() = default;

  // No such program: kNotFound. It runs in a process group of its own, which is killed when its
  // time is up (kFailed).
  virtual Result<ProgramResult> Run(const ProgramRequest& request) = 0;
};

class PosixPrograms final : public Programs {
 public:
  Result<ProgramResult> Run(const ProgramRequest& request) override;
};

}  // namespace belay

#endif  // BELAY_OS_PROGRAM_H_
