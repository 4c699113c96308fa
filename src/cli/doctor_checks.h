// What belay needs from the machine and the project, looked at one by one. Looking changes nothing.

#ifndef BELAY_CLI_DOCTOR_CHECKS_H_
#define BELAY_CLI_DOCTOR_CHECKS_H_

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/invocation.h"
#include "cli/services.h"

namespace belay {

enum class Verdict {
  kFine,
  kLacking,  // belay works, with less
  kBroken,   // belay can't do its work
};

struct Check {
  std::string name;
  Verdict verdict;
  std::string found;
  std::string cost = {};                // what the lack takes away
  std::string fix = {};                 // what to do about it
  ErrorCode code = ErrorCode::kFailed;  // how doctor ends when this is broken
};

// Of a program's `--version` line: "git version 2.39.5" is {2, 39}; {0, 0} when there is no number.
struct ProgramVersion {
  int major;
  int minor;
  auto operator<=>(const ProgramVersion&) const = default;
};
ProgramVersion ParseVersion(std::string_view text);

std::vector<Check> CheckPrograms(Programs& programs);
std::vector<Check> CheckKernel(const KernelAbilities& kernel);
// A root that was named and is wrong is an error; a folder outside any repository, or in one that
// can't be understood, is a finding.
Result<std::vector<Check>> CheckProject(const Invocation& invocation, const Services& services);

}  // namespace belay

#endif  // BELAY_CLI_DOCTOR_CHECKS_H_
