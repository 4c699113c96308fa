// Whether the vault and the state root can be trusted, looked at before anything in them is used.
// Looking changes nothing.
//
// Wrong is: no folder, a link, owned by somebody else, not readable or not writable, on a read-only
// disk, on one that machines share (their locks don't reach each other). That is a wrong root
// (kUsage). A vault that a newer belay wrote, or one whose parts are of the wrong kind, is
// kDamaged.
//
// What was seen before a lock was taken may have changed while waiting for it: whoever writes looks
// again under the lock.

#ifndef BELAY_STORE_VAULT_H_
#define BELAY_STORE_VAULT_H_

#include <string>

#include "base/result.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

// Of everything in the vault. An older vault is always read; belay init writes the present version
// into it.
constexpr int kVaultVersion = 1;

enum class VaultUse { kRead, kWrite };

// The content of Layout::FormatFile.
std::string VaultFormatText();

// A link or a file where a folder belongs; fine when nothing is there.
Result<void> CheckIsFolder(const FileSystem& files, const std::string& path);

// Whether this belay knows the format: nothing else is looked at. Fine when there is no vault, and
// when one without a journal has no format yet. kDamaged means that nothing may be written to the
// vault, by no command, no hook and no process that runs already.
Result<void> CheckFormat(const FileSystem& files, const Layout& project);

// One folder of belay's own. kNotFound when it isn't there.
Result<void> CheckOwnFolder(const FileSystem& files, const std::string& path, VaultUse use);

// Whether a file or folder that isn't there could be made, as its nearest folder above says.
Result<void> CheckCanBeMade(const FileSystem& files, const std::string& path);

// Whether belay can be set up, or is set up rightly: what is missing can be made.
Result<void> CheckPlace(const FileSystem& files, const Layout& project);

// Whether there is a vault that may be used. kNotFound when belay wasn't set up here.
Result<void> CheckVault(const FileSystem& files, const Layout& project, VaultUse use);

}  // namespace belay

#endif  // BELAY_STORE_VAULT_H_
