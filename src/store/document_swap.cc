#include "store/document_swap.h"

#include <fmt/core.h>

#include <optional>
#include <utility>

#include "base/path.h"
#include "base/utf8.h"

namespace belay {
namespace {

constexpr std::size_t kSwapDigits = 16;
constexpr std::string_view kSwapEnd = ".swap";
constexpr int kMostKept = 100;

std::string_view Beginning(std::string_view stamp) { return stamp.substr(0, kSwapDigits); }

// A swap that was begun.
struct Swap {
  std::string path;  // of the file that isn't the document
  std::string from;  // the beginnings of the stamps
  std::string to;
};

std::string StartOf(const Document& document) {
  return fmt::format(".{}.", FileName(document.path()));
}

Swap SwapOf(const Document& document, std::string_view from, std::string_view to) {
  const std::string name = fmt::format("{}{}-{}{}", StartOf(document), from, to, kSwapEnd);
  return {JoinPath(ParentPath(document.path()), name), std::string(from), std::string(to)};
}

bool AreDigits(std::string_view text) {
  return text.size() == kSwapDigits && text.find_first_not_of("0123456789abcdef") == text.npos;
}

std::optional<Swap> ParseSwap(const Document& document, std::string_view name) {
  const std::string start = StartOf(document);
  if (!name.starts_with(start) || !name.ends_with(kSwapEnd)) return std::nullopt;
  name.remove_prefix(start.size());
  if (name.size() != 2 * kSwapDigits + 1 + kSwapEnd.size() || name[kSwapDigits] != '-')
    return std::nullopt;
  const std::string_view from = name.substr(0, kSwapDigits);
  const std::string_view to = name.substr(kSwapDigits + 1, kSwapDigits);
  if (!AreDigits(from) || !AreDigits(to)) return std::nullopt;
  return SwapOf(document, from, to);
}

Result<void> SyncFolderOf(FileSystem& files, const Document& document) {
  return files.SyncFolder(std::string(ParentPath(document.path())));
}

bool IsBeingWritten(const FileSystem& files, const std::string& path) {
  const Result<File> file = files.OpenForReading(path);
  return file && file->IsBeingWritten();
}

// The beginning of its stamp; empty for what isn't a file that can be read. A process that has it
// open may still be writing: ask for that before.
std::string StampAt(const FileSystem& files, const std::string& path) {
  const Result<std::string> bytes = files.Read(path, kLargestDocument);
  return bytes ? std::string(Beginning(DocumentStamp(*bytes))) : std::string();
}

// Not every file system can refuse to replace a file.
Result<void> MoveNew(FileSystem& files, const std::string& from, const std::string& to) {
  Result<void> moved = files.RenameNew(from, to);
  if (moved || moved.error().code == ErrorCode::kRefused) return moved;
  BELAY_TRY_ASSIGN(const std::optional<FileInfo> there, IfThere(files.Inspect(to)));
  if (there) return Error{ErrorCode::kRefused, fmt::format("{} already exists", to)};
  return files.Rename(from, to);
}

// Two texts of others: neither is removed.
Error KeepBeside(FileSystem& files, const Document& document, const std::string& left) {
  const std::string path = document.path();
  for (int number = 1;; ++number) {
    const std::string name =
        path + ".kept-by-belay" + (number == 1 ? "" : fmt::format(".{}", number));
    Result<void> moved = MoveNew(files, left, name);
    if (moved) {
      return {ErrorCode::kFailed,
              fmt::format("{} was changed twice while belay replaced it: the other text is {}",
                          ReplaceInvalidUtf8(path), ReplaceInvalidUtf8(name)),
              "move what is missing into the document, remove that file, then try again"};
    }
    if (moved.error().code != ErrorCode::kRefused || number == kMostKept) {
      return std::move(moved).error();
    }
  }
}

// What a program appended to the new text, while that was the document, goes to the end of the old
// one. False: it did something else.
Result<bool> MoveAppended(FileSystem& files, const Document& document, const Swap& swap,
                          std::string_view text) {
  BELAY_TRY_ASSIGN(const std::string left, files.Read(swap.path, kLargestDocument));
  if (!left.starts_with(text)) return false;
  BELAY_TRY_ASSIGN(const std::string now, files.Read(document.path(), kLargestDocument));
  std::string tail = left.substr(text.size());
  if (text.ends_with('\n') && !now.ends_with('\n')) tail = "\n" + tail;
  BELAY_TRY_ASSIGN(File file, files.OpenForAppending(document.path()));
  BELAY_TRY(file.Write(tail));
  BELAY_TRY(file.Sync());
  return true;
}

// The old text, with what others wrote, is the document again.
Result<DocumentChange> TakeBack(FileSystem& files, const Document& document, const Swap& swap,
                                std::optional<std::string_view> text) {
  const std::string path = document.path();
  BELAY_TRY(files.RenameSwap(swap.path, path));
  BELAY_TRY(SyncFolderOf(files, document));
  const bool written = IsBeingWritten(files, swap.path);
  bool known = !written && StampAt(files, swap.path) == swap.to;
  if (!written && !known && text) {
    BELAY_TRY_ASSIGN(known, MoveAppended(files, document, swap, *text));
  }
  if (!known) return KeepBeside(files, document, swap.path);
  BELAY_TRY(files.RemoveFile(swap.path));
  return DocumentChange::kChangedByOthers;
}

// Step 3; also for a swap that never happened, or was taken back. `text`: the new one, if known.
Result<DocumentChange> Finish(FileSystem& files, const Document& document, const Swap& swap,
                              std::optional<std::string_view> text) {
  const bool written = IsBeingWritten(files, swap.path);
  const std::string left = StampAt(files, swap.path);
  if (!written && (left == swap.to || left == swap.from)) {
    BELAY_TRY(files.RemoveFile(swap.path));
    return left == swap.from ? DocumentChange::kReplaced : DocumentChange::kChangedByOthers;
  }
  const Result<std::string> now = files.Read(document.path(), kLargestDocument);
  const bool ours =
      now && (text ? now->starts_with(*text) : Beginning(DocumentStamp(*now)) == swap.to);
  if (left != swap.to && ours) return TakeBack(files, document, swap, text);
  return KeepBeside(files, document, swap.path);
}

// Where names can't be swapped, or the document has vanished.
Result<DocumentChange> RenameIn(FileSystem& files, const Document& document, std::string_view read,
                                const std::string& from) {
  const Result<DocumentText> now = ReadDocument(files, document);
  const bool same = now && now->stamp == read;
  Result<void> moved = same ? files.Rename(from, document.path()) : Result<void>();
  if (!same || !moved) (void)files.RemoveFile(from);
  if (!now) return now.error();
  if (!moved) return std::move(moved).error();
  if (!same) return DocumentChange::kChangedByOthers;
  BELAY_TRY(SyncFolderOf(files, document));
  return DocumentChange::kReplaced;
}

}  // namespace

Result<DocumentChange> SwapIn(FileSystem& files, const Document& document, std::string_view read,
                              const std::string& temporary, std::string_view bytes) {
  const std::string path = document.path();
  const std::string stamp = DocumentStamp(std::string(bytes));
  const Swap swap = SwapOf(document, Beginning(read), Beginning(stamp));
  if (IsBeingWritten(files, path)) {
    return Error{ErrorCode::kBusy,
                 fmt::format("{}: a process has it open for writing", ReplaceInvalidUtf8(path)),
                 "try again once it has closed the file"};
  }
  if (read == stamp) {
    BELAY_TRY(files.RemoveFile(temporary));
    BELAY_TRY(SyncFolderOf(files, document));  // a killed process may have put it there
    return DocumentChange::kReplaced;
  }
  BELAY_TRY(MoveNew(files, temporary, swap.path));
  if (!files.RenameSwap(swap.path, path)) return RenameIn(files, document, read, swap.path);
  // After a power failure the old text may be there again under its name of the swap: the next
  // process removes it. So its removal needs no sync.
  BELAY_TRY(SyncFolderOf(files, document));
  return Finish(files, document, swap, bytes);
}

Result<void> FinishSwaps(FileSystem& files, const Document& document) {
  const std::string folder(ParentPath(document.path()));
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, EmptyIfMissing(files.List(folder)));
  for (const std::string& name : names) {
    const std::optional<Swap> swap = ParseSwap(document, name);
    if (!swap) continue;
    BELAY_TRY(files.SyncFolder(folder));
    BELAY_TRY(Finish(files, document, *swap, std::nullopt));
  }
  return {};
}

}  // namespace belay
