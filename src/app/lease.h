// Whose agents these are. A vault can be copied, with the project or alone, to another folder or
// another machine: what it says about running processes is then somebody else's, and must be
// neither adopted nor brought back here.

#ifndef BELAY_APP_LEASE_H_
#define BELAY_APP_LEASE_H_

#include "codec/json.h"
#include "model/identity.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

// {"machine": ..., "vault": ...}: this machine (by /etc/machine-id), this vault.
Json OurLease(const FileSystem& files, const Layout& project);

// Whether the identity was launched from here. One without a lease counts as ours.
bool IsOurs(const Identity& identity, const Json& our_lease);

}  // namespace belay

#endif  // BELAY_APP_LEASE_H_
