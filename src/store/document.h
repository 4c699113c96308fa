// A document: a file in the project that is its own truth, because people and other programs write
// it too (a task's context file, an arc's checkpoint, ORCHESTRATION.yaml). No journal stands behind
// it.
//
//   BELAY_TRY_ASSIGN(const DocumentText text, ReadDocument(files, document));
//   ... edit text.bytes ...
//   BELAY_TRY_ASSIGN(const DocumentChange change,
//                    ReplaceDocument(files, lock, document, text.stamp, edited));
//   if (change == DocumentChange::kChangedByOthers) ... read again ...
//
// A replaced document is durable and complete at every moment. It is replaced only if it still is
// what the caller read, and no process has it open for writing. Writers of one document hold one
// lock; programs that take no lock may write to it at any moment and lose nothing, because the new
// text swaps names with the old one, and what came out is looked at before it is removed
// (store/document_swap.h).
//
// A document may have a copy in the vault: belay's last version, written before the document
// itself. So a document that was acknowledged and is missing can be restored.
//
// No link is followed below `root`: a link in place of the file, or of a folder on the way to it,
// is kRefused.

#ifndef BELAY_STORE_DOCUMENT_H_
#define BELAY_STORE_DOCUMENT_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/file_system.h"
#include "store/durable_file.h"
#include "store/state_lock.h"

namespace belay {

struct Document {
  std::string root;       // an existing folder; links in this part are followed
  std::string name;       // below it: "tmp/work/notes.md", without empty, "." and ".." parts
  std::string copy = {};  // in the vault (Layout::DocumentCopy); empty: none is kept
  std::uint32_t mode = kPrivateFile;  // of a new file

  std::string path() const;
};

constexpr std::size_t kLargestDocument = std::size_t{16} << 20U;

struct DocumentText {
  std::optional<std::string> bytes;  // nothing: it is missing
  std::string stamp;                 // stands for `bytes`, for ReplaceDocument
  bool restored = false;             // it was missing, and this is the copy
};

// The stamp of a content; of a missing document without one.
std::string DocumentStamp(const std::optional<std::string>& bytes);

// A missing document is a value. Longer than `limit`: kDamaged.
Result<DocumentText> ReadDocument(const FileSystem& files, const Document& document,
                                  std::size_t limit = kLargestDocument);

enum class DocumentChange { kReplaced, kChangedByOthers };

// Writes `bytes` if the document is still what has the stamp `read`; else it changes nothing.
// Creates missing folders. After an error, the document is what it was, or what it should become.
// kBusy: a process has it open for writing.
Result<DocumentChange> ReplaceDocument(FileSystem& files, const StateLock& lock,
                                       const Document& document, std::string_view read,
                                       std::string_view bytes);

// Finishes a replacement in which a process was killed, or takes it back where others wrote to the
// document at that moment. ReplaceDocument does it too; so does a caller that must know the
// outcome, before it reads. kFailed: two texts of others are left, and the error names both files.
Result<void> FinishReplacing(FileSystem& files, const StateLock& lock, const Document& document);

// ReadDocument; a missing document is first written again from its copy, if `check` accepts that.
using DocumentCheck = std::function<bool(std::string_view bytes)>;
Result<DocumentText> ReadOrRestoreDocument(FileSystem& files, const StateLock& lock,
                                           const Document& document, const DocumentCheck& check);

// Removes the document if it still has the stamp `read`, with its copy. Durable.
Result<DocumentChange> RemoveDocument(FileSystem& files, const StateLock& lock,
                                      const Document& document, std::string_view read);

}  // namespace belay

#endif  // BELAY_STORE_DOCUMENT_H_
