// The single steps of moving one checkout, each of which can be taken back. Everything was made
// ready before (CheckoutPlan): what is done here is renames, so a file is the old one or the new
// one and never a part of either.

#ifndef BELAY_MERGE_CHECKOUT_INSTALL_H_
#define BELAY_MERGE_CHECKOUT_INSTALL_H_

#include <string>
#include <vector>

#include "base/result.h"
#include "merge/move_note.h"
#include "os/file_system.h"

namespace belay {

// As git does: nobody else changes the index while index.lock is there. kBusy when it is held.
Result<void> LockIndex(FileSystem& files, const CheckoutPlan& plan);
// Whether that lock is there, and ours.
bool IsLockedByUs(const FileSystem& files, const CheckoutPlan& plan);
// Git's commit reads the index before it locks it, and writes what it has read: one that has read
// the index of before would put it over the new one once that is unlocked. So before it is, this
// waits for each git at work in the checkout that may be about to: it will find the lock, and end.
void AwaitEarlyReaders(const FileSystem& files, const CheckoutPlan& plan);

// After a kill: whether the index is locked by us, now or again. A person may have removed our
// lock, as git advises: as long as git hasn't written the index since, or nothing was committed, it
// is taken again. False: a person has gone on from there, or nothing is left to do. kBusy: a git
// holds the lock.
Result<bool> HoldIndexAgain(FileSystem& files, const CheckoutPlan& plan, bool target_is_as_before);
// Another's lock is left alone.
Result<void> UnlockIndex(FileSystem& files, const CheckoutPlan& plan);

// The new files, then the new index. Gives the first path that isn't as it was when it was looked
// at, or where something is in the way: then the caller undoes it. Empty: all is in place.
Result<std::string> InstallCheckout(FileSystem& files, const CheckoutPlan& plan);
// All of it, and git hasn't written the index since.
bool IsInstalled(const FileSystem& files, const CheckoutPlan& plan);
// All of it, and it wasn't undone; git may have written the index since.
bool WasInstalled(const FileSystem& files, const CheckoutPlan& plan);
// However far it had come. A file that a person has written since stays.
Result<void> UndoInstall(FileSystem& files, const CheckoutPlan& plan);

// After either, and before the files that made room are deleted: a program that had one of them
// open may have written to it since. Such a file is kept beside its path. Gives the new names.
Result<std::vector<std::string>> KeepLateWrites(FileSystem& files, const CheckoutPlan& plan);

}  // namespace belay

#endif  // BELAY_MERGE_CHECKOUT_INSTALL_H_
