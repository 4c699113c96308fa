#include "merge/bounded_log.h"

#include <fmt/core.h>

#include <algorithm>

#include "store/durable_file.h"

namespace belay {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{128} << 10U;

}  // namespace

Result<BoundedLog> BoundedLog::Create(FileSystem& files, const std::string& path,
                                      const Limits& limits) {
  BELAY_TRY_ASSIGN(File file, files.OpenForWriting(path, kPrivateFile));
  BELAY_TRY(file.Truncate(0));
  (void)files.RemoveFile(path + ".new");  // of one who was killed
  return BoundedLog(files, std::move(file), limits);
}

Result<void> BoundedLog::Append(std::string_view bytes) {
  BELAY_TRY(file_.Write(bytes));
  total_ += bytes.size();
  size_ += bytes.size();
  if (size_ > shortest_ + limits_.slack) return TakeOutMiddle();
  return {};
}

Result<void> BoundedLog::Finish() {
  if (size_ > shortest_) return TakeOutMiddle();
  return {};
}

Result<void> BoundedLog::TakeOutMiddle() {
  const std::string path = file_.path();
  const std::string fresh = path + ".new";
  const std::string note =
      fmt::format("\n[belay: {} bytes are left out here]\n", total_ - limits_.head - limits_.tail);
  Result<void> written = WriteShorter(fresh, note);
  if (!written) {
    (void)files_.RemoveFile(fresh);
    return written;
  }
  BELAY_TRY(MoveOver(fresh, path));
  BELAY_TRY_ASSIGN(file_, files_.OpenForAppending(path));
  size_ = shortest_ = limits_.head + note.size() + limits_.tail;
  return {};
}

Result<void> BoundedLog::WriteShorter(const std::string& path, std::string_view note) {
  BELAY_TRY_ASSIGN(File file, files_.OpenForWriting(path, kPrivateFile));
  BELAY_TRY(file.Truncate(0));
  BELAY_TRY(Copy(0, limits_.head, file));
  BELAY_TRY(file.Write(note));
  return Copy(size_ - limits_.tail, limits_.tail, file);
}

Result<void> BoundedLog::Copy(std::uint64_t from, std::uint64_t count, File& to) const {
  std::string piece(std::min(count, kPiece), '\0');
  while (count > 0) {
    BELAY_TRY_ASSIGN(const std::size_t got,
                     file_.ReadAt(from, piece.data(), std::min(count, kPiece)));
    if (got == 0) {
      return Error{ErrorCode::kDamaged, fmt::format("read {}: it was cut short", file_.path())};
    }
    BELAY_TRY(to.Write(std::string_view(piece).substr(0, got)));
    from += got;
    count -= got;
  }
  return {};
}

// They change places, and the old one goes: to make a rename over a file safe, some file systems
// write the new one to the disk at once, and then much output would go at the speed of the disk.
Result<void> BoundedLog::MoveOver(const std::string& fresh, const std::string& path) {
  if (!files_.RenameSwap(fresh, path)) return files_.Rename(fresh, path);
  return files_.RemoveFile(fresh);
}

}  // namespace belay
