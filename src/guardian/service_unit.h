// A unit for systemd's user manager that keeps a guardian running for one project.

#ifndef BELAY_GUARDIAN_SERVICE_UNIT_H_
#define BELAY_GUARDIAN_SERVICE_UNIT_H_

#include <string>

#include "app/env.h"
#include "base/result.h"

namespace belay {

struct ServiceUnit {
  std::string name;  // "belay-app-3f0a91c2.service": the folder's name and a digest of its path
  std::string text;
};

// For this belay and the current project.
Result<ServiceUnit> ServiceUnitHere(const Env& env);
// Paths that a unit can't hold (with a line break): kUsage.
Result<ServiceUnit> MakeServiceUnit(const std::string& program, const std::string& root);

}  // namespace belay

#endif  // BELAY_GUARDIAN_SERVICE_UNIT_H_
