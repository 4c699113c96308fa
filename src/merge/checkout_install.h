// The steps of moving one checkout, each of which can be undone. Everything was prepared before
// (CheckoutPlan): these steps are renames, so each file is either old or new, never partial.

#ifndef BELAY_MERGE_CHECKOUT_INSTALL_H_
#define BELAY_MERGE_CHECKOUT_INSTALL_H_

#include <string>
#include <vector>

#include "base/result.h"
#include "merge/move_note.h"
#include "os/file_system.h"

namespace belay {

// Like git: index.lock keeps others from changing the index. kBusy when another process holds it.
Result<void> LockIndex(FileSystem& files, const CheckoutPlan& plan);
// Whether that lock exists and is ours.
bool IsLockedByUs(const FileSystem& files, const CheckoutPlan& plan);
// Git's commit reads the index before it locks it, and writes what it has read: a git that has read
// the old index would replace the new one by it after the unlock. So before unlocking, this waits
// for each git in the checkout that may be about to lock: it will find the lock, and fail.
void AwaitEarlyReaders(const FileSystem& files, const CheckoutPlan& plan);

// After a kill: whether we hold the index lock, still or again. The user may have removed our lock,
// as git advises: as long as git hasn't written the index since, or nothing was committed, it is
// taken again. False: the user has continued from there, or nothing is left to do. kBusy: a git
// holds the lock.
Result<bool> HoldIndexAgain(FileSystem& files, const CheckoutPlan& plan, bool target_is_as_before);
// Leaves another process's lock alone.
Result<void> UnlockIndex(FileSystem& files, const CheckoutPlan& plan);

// Installs the new files, then the new index. Returns the first path that isn't as it was when it
// was inspected, or is blocked: then the caller undoes it. Empty: all is in place.
Result<std::string> InstallCheckout(FileSystem& files, const CheckoutPlan& plan);
// Completely, and git hasn't written the index since.
bool IsInstalled(const FileSystem& files, const CheckoutPlan& plan);
// Completely, and not undone; git may have written the index since.
bool WasInstalled(const FileSystem& files, const CheckoutPlan& plan);
// Undoes any part of it. A file that the user has written since stays.
Result<void> UndoInstall(FileSystem& files, const CheckoutPlan& plan);

// After either, and before the replaced files are deleted: a program that had one of them open may
// have written to it since. Such a file is kept beside its path. Returns the new names.
Result<std::vector<std::string>> KeepLateWrites(FileSystem& files, const CheckoutPlan& plan);

}  // namespace belay

#endif  // BELAY_MERGE_CHECKOUT_INSTALL_H_
