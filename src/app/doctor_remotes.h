// Remotes that would carry snapshots away: a mirror pushes every ref, those of belay too, and one
// that is fetched into every ref deletes what the other side doesn't have.

#ifndef BELAY_APP_DOCTOR_REMOTES_H_
#define BELAY_APP_DOCTOR_REMOTES_H_

#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "app/doctor_checks.h"
#include "base/result.h"

namespace belay {

struct RemoteRisk {
  enum class Kind { kMirror, kPush, kFetch };

  std::string remote;
  Kind kind;
  std::string refspec = {};  // not of a mirror

  bool operator==(const RemoteRisk&) const = default;
};

// Of what `git config --null --get-regexp` prints of remotes. Anything else in it is passed over.
std::vector<RemoteRisk> FindRemoteRisks(std::string_view settings);

Check CheckRemotes(const Git& git);

}  // namespace belay

#endif  // BELAY_APP_DOCTOR_REMOTES_H_
