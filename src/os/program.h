// Runs another program to its end and gives back what it printed.

#ifndef BELAY_OS_PROGRAM_H_
#define BELAY_OS_PROGRAM_H_

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace belay {

struct ProgramResult {
  int exit_code;  // 128 + signal when a signal ended it
  std::string out;
  std::string err;
};

class Programs {
 public:
  virtual ~Programs() = default;

  // `command[0]` is looked up in PATH; not there: kNotFound. Standard input is empty. The program
  // runs in a process group of its own, which is killed when `limit` has passed (kFailed). At most
  // a megabyte of each stream is kept.
  virtual Result<ProgramResult> Run(const std::vector<std::string>& command, Duration limit) = 0;
};

class PosixPrograms final : public Programs {
 public:
  Result<ProgramResult> Run(const std::vector<std::string>& command, Duration limit) override;
};

}  // namespace belay

#endif  // BELAY_OS_PROGRAM_H_
