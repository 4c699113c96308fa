#include "merge/gate_output.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/utf8.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr std::uint64_t kLogPiece = std::uint64_t{128} << 10U;

}  // namespace

Result<BoundedLog> BoundedLog::Create(FileSystem& files, const std::string& path,
                                      const Limits& limits) {
  BELAY_TRY_ASSIGN(File file, files.OpenForWriting(path, kPrivateFile));
  BELAY_TRY(file.Truncate(0));
  (void)files.RemoveFile(path + ".new");  // left by a killed belay
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
  std::string piece(std::min(count, kLogPiece), '\0');
  while (count > 0) {
    BELAY_TRY_ASSIGN(const std::size_t got,
                     file_.ReadAt(from, piece.data(), std::min(count, kLogPiece)));
    if (got == 0) {
      return Error{ErrorCode::kDamaged,
                   fmt::format("read {}: the file is shorter than expected", file_.path())};
    }
    BELAY_TRY(to.Write(std::string_view(piece).substr(0, got)));
    from += got;
    count -= got;
  }
  return {};
}

// They change places, and the old one is removed: to make renaming over a file safe, some file
// systems write the new one to the disk at once, and then much output would slow down to the speed
// of the disk.
Result<void> BoundedLog::MoveOver(const std::string& fresh, const std::string& path) {
  if (!files_.RenameSwap(fresh, path)) return files_.Rename(fresh, path);
  return files_.RemoveFile(fresh);
}

namespace {

constexpr std::size_t kKept = 4096;
constexpr std::size_t kLongestLine = 200;

constexpr char32_t kEscape = 0x1B;
constexpr char32_t kBell = 0x07;
constexpr char32_t kControlSequence = 0x9B;  // as one character; else it is an escape and "["
constexpr char32_t kStringEnd = 0x9C;

bool IsControl(char32_t value) { return value < 0x20 || (value >= 0x7F && value < 0xA0); }

bool IsHiddenFormat(char32_t value) {
  return value == 0x061C || value == 0x200E || value == 0x200F || value == 0xFEFF ||
         (value >= 0x2028 && value <= 0x202E) || (value >= 0x2066 && value <= 0x2069);
}

char32_t Take(std::string_view& text) {
  const CodePoint point = DecodeUtf8(text);
  text.remove_prefix(point.bytes);
  return point.value;
}

// "[1;31m", without the escape and the bracket: up to its last character.
void SkipControlSequence(std::string_view& text) {
  while (!text.empty() && text[0] >= 0x20 && text[0] < 0x40) text.remove_prefix(1);
  if (!text.empty() && text[0] >= 0x40 && text[0] < 0x7F) text.remove_prefix(1);
}

// A title or a link, up to the bell or the terminating sequence.
void SkipString(std::string_view& text) {
  while (!text.empty()) {
    const char32_t value = Take(text);
    if (value == kBell || value == kStringEnd) return;
    if (value != kEscape) continue;
    if (!text.empty() && text[0] == '\\') text.remove_prefix(1);
    return;
  }
}

void SkipEscape(std::string_view& text) {
  if (text.empty()) return;
  const char kind = text[0];
  if (kind == '[') {
    text.remove_prefix(1);
    return SkipControlSequence(text);
  }
  if (std::string_view("]PX^_").find(kind) != std::string_view::npos) return SkipString(text);
  while (!text.empty() && text[0] >= 0x20 && text[0] < 0x30) text.remove_prefix(1);
  if (!text.empty() && text[0] >= 0x30 && text[0] < 0x7F) text.remove_prefix(1);
}

std::string Harmless(std::string_view text) {
  std::string line;
  for (std::size_t count = 0; !text.empty() && count < kLongestLine;) {
    const char32_t value = Take(text);
    if (value == kEscape) {
      SkipEscape(text);
    } else if (value == kControlSequence) {
      SkipControlSequence(text);
    } else if (value == '\t' || value == ' ') {
      if (!line.empty()) AppendUtf8(' ', line);
      ++count;
    } else if (!IsControl(value) && !IsHiddenFormat(value)) {
      AppendUtf8(value, line);
      ++count;
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

void LastLine::Add(std::string_view bytes) {
  if (bytes.size() > kKept) bytes.remove_prefix(bytes.size() - kKept);
  end_.append(bytes);
  if (end_.size() > kKept) end_.erase(0, end_.size() - kKept);
}

std::string LastLine::Text() const {
  std::string_view rest = end_;
  while (!rest.empty()) {
    const std::size_t before = rest.find_last_of("\r\n");
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    std::string line = Harmless(rest.substr(start));
    if (!line.empty()) return line;
    rest = rest.substr(0, start == 0 ? 0 : before);
  }
  return {};
}

}  // namespace belay
