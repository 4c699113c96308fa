#include "store/archive.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/path.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr std::size_t kCopyPiece = std::size_t{256} << 10U;
constexpr std::string_view kUnfinished = ".copying";

// In pieces: a journal may be too large for memory.
Result<void> CopyAll(const File& from, File& to) {
  std::string piece(kCopyPiece, '\0');
  for (std::uint64_t at = 0;;) {
    BELAY_TRY_ASSIGN(const std::size_t got, from.ReadAt(at, piece.data(), piece.size()));
    if (got == 0) return to.Sync();
    BELAY_TRY(to.Write(std::string_view(piece).substr(0, got)));
    at += got;
  }
}

// Under a temporary name until the copy is complete, so a crash leaves at most one such file.
Result<void> CopyDurably(FileSystem& files, const std::string& from, const std::string& to) {
  const std::string unfinished = to + std::string(kUnfinished);
  BELAY_TRY_ASSIGN(const File source, files.OpenForReading(from));
  {
    BELAY_TRY_ASSIGN(File copy, files.OpenForWriting(unfinished, kPrivateFile));
    BELAY_TRY(copy.Truncate(0));
    BELAY_TRY(CopyAll(source, copy));
  }
  BELAY_TRY(files.Rename(unfinished, to));
  return files.SyncFolder(std::string(ParentPath(to)));
}

// The number in NAME-<number>.jsonl.
std::optional<std::uint64_t> NumberIn(std::string_view name, std::string_view journal) {
  if (!name.starts_with(journal) || !name.ends_with(kJournalEnd)) return std::nullopt;
  name.remove_suffix(kJournalEnd.size());
  name.remove_prefix(std::min(name.size(), journal.size()));
  if (!name.starts_with('-')) return std::nullopt;
  name.remove_prefix(1);
  std::uint64_t number = 0;
  const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool whole = status == std::errc() && end == name.data() + name.size();
  return whole ? std::optional(number) : std::nullopt;
}

Result<std::vector<std::string>> Names(const FileSystem& files, const std::string& folder) {
  Result<std::vector<std::string>> names = files.List(folder);
  if (!names && names.error().code == ErrorCode::kNotFound) return std::vector<std::string>();
  return names;
}

Result<void> RemoveOld(FileSystem& files, const Layout& project, std::string_view journal) {
  BELAY_TRY_ASSIGN(std::vector<std::string> paths, ArchivedJournals(files, project, journal));
  const std::size_t most = std::min(paths.size(), kMostArchived);
  paths.resize(paths.size() - most);
  for (const std::string& path : paths) BELAY_TRY(files.RemoveFile(path));
  return {};
}

// Removes what a crash left of copies.
Result<void> RemoveUnfinished(FileSystem& files, const std::string& folder,
                              std::string_view journal) {
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, Names(files, folder));
  for (std::string_view name : names) {
    if (!name.ends_with(kUnfinished)) continue;
    name.remove_suffix(kUnfinished.size());
    if (!NumberIn(name, journal)) continue;
    BELAY_TRY(files.RemoveFile(JoinPath(folder, std::string(name) + std::string(kUnfinished))));
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> ArchivedJournals(const FileSystem& files, const Layout& project,
                                                  std::string_view journal) {
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, Names(files, project.ArchiveFolder()));
  std::vector<std::pair<std::uint64_t, std::string>> found;
  for (const std::string& name : names) {
    const std::optional<std::uint64_t> number = NumberIn(name, journal);
    if (number) found.emplace_back(*number, JoinPath(project.ArchiveFolder(), name));
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> paths;
  for (auto& [number, path] : found) paths.push_back(std::move(path));
  return paths;
}

Result<void> ArchiveJournal(FileSystem& files, const StateLock&, const Layout& project,
                            std::string_view journal, std::uint64_t last_seq) {
  const std::string folder = project.ArchiveFolder();
  BELAY_TRY(EnsureFolder(files, folder));
  BELAY_TRY(RemoveUnfinished(files, folder, journal));
  const std::string to = JoinPath(folder, fmt::format("{}-{}{}", journal, last_seq, kJournalEnd));
  BELAY_TRY(CopyDurably(files, project.JournalFile(journal), to));
  return RemoveOld(files, project, journal);
}

}  // namespace belay
