// What belay needs from the machine and the project, looked at one by one. Looking changes nothing.

#ifndef BELAY_APP_DOCTOR_CHECKS_H_
#define BELAY_APP_DOCTOR_CHECKS_H_

#include <string>
#include <vector>

#include "app/env.h"
#include "base/health_check.h"
#include "base/result.h"

namespace belay {

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
Result<std::vector<Check>> CheckProject(const Env& env);

}  // namespace belay

#endif  // BELAY_APP_DOCTOR_CHECKS_H_
