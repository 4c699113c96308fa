// How the new text of a document takes the place of the old one. Other programs may save the
// document, or write into it, at any moment, without a lock, and nothing of that may be lost.
//
//   1. The new text, complete and synced, is named .NAME.OLD-NEW.swap, beside the document. OLD and
//      NEW are the beginnings of both stamps.
//   2. The two files swap names, in one step; the folder is synced.
//   3. What came out is looked at. If it is the old text, and no process has it open for writing,
//      it is removed. Else the two swap names again: what others wrote is the document, and what
//      they appended to the new text in between goes to its end.
//
// After a kill in between, the names tell the next process which of the two files is which, and it
// does the rest. Where others have changed both, both stay: one as NAME.kept-by-belay.
//
// What can still be lost: a process that opened the file before step 2 and has not come far enough
// in the kernel for step 3 to see it; and, on a file system that doesn't show who has a file open
// for writing (leases, fcntl(2)) or can't swap names, what is written between look and removal.

#ifndef BELAY_STORE_DOCUMENT_SWAP_H_
#define BELAY_STORE_DOCUMENT_SWAP_H_

#include <string>
#include <string_view>

#include "base/result.h"
#include "os/file_system.h"
#include "store/document.h"

namespace belay {

// Steps 1 to 3 for an existing document, which had the stamp `read` a moment ago. `temporary` holds
// `bytes`, synced; it may be left behind if others changed the document. kBusy: a process has the
// document open for writing.
Result<DocumentChange> SwapIn(FileSystem& files, const Document& document, std::string_view read,
                              const std::string& temporary, std::string_view bytes);

// What killed processes left of such swaps.
Result<void> FinishSwaps(FileSystem& files, const Document& document);

}  // namespace belay

#endif  // BELAY_STORE_DOCUMENT_SWAP_H_
