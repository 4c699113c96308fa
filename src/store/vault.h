// Checks whether the vault and the state root can be trusted, before anything in them is used. The
// checks change nothing.
//
// Wrong is: not a folder, a link, owned by another user, not readable or not writable, on a
// read-only disk, on a disk shared by machines (their locks don't reach each other). That is a
// wrong root (kUsage). A vault of a newer belay, or one with parts of the wrong kind, is kDamaged.
//
// The answer may change while a writer waits for its lock: it checks again under the lock.

#ifndef BELAY_STORE_VAULT_H_
#define BELAY_STORE_VAULT_H_

#include <string>

#include "base/result.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

// The version of the vault's format. An older vault can always be read; belay init writes the
// current version into it.
constexpr int kVaultVersion = 1;

enum class VaultUse { kRead, kWrite };

// The content of Layout::FormatFile.
std::string VaultFormatText();

// Fails for a link or a file where a folder belongs; a missing one is fine.
Result<void> CheckIsFolder(const FileSystem& files, const std::string& path);

// Whether this belay knows the format; checks nothing else. Fine when there is no vault, and when a
// vault without a journal has no format yet. kDamaged means that nothing may write to the vault: no
// command, no hook and no process that already runs.
Result<void> CheckFormat(const FileSystem& files, const Layout& project);

// kDamaged when the vault is of a newer belay; ignores everything else that is wrong with it. For
// snapshots, which are refs of git: a damaged vault must not keep them from saving work.
Result<void> CheckNotNewer(const FileSystem& files, const Layout& project);

// One of belay's own folders. kNotFound when it is missing.
Result<void> CheckOwnFolder(const FileSystem& files, const std::string& path, VaultUse use);

// Whether a missing file or folder could be created, judged by its nearest existing parent.
Result<void> CheckCanCreate(const FileSystem& files, const std::string& path);

// Whether belay can be set up, or is set up correctly: missing parts can be created.
Result<void> CheckCanSetUp(const FileSystem& files, const Layout& project);

// Whether there is a usable vault. kNotFound when belay wasn't set up here.
Result<void> CheckVault(const FileSystem& files, const Layout& project, VaultUse use);

}  // namespace belay

#endif  // BELAY_STORE_VAULT_H_
