#include "store/archive.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "base/path.h"
#include "store/durable_file.h"
#include "store/timeline.h"

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

std::string ArchivePath(const Layout& project, std::string_view journal, std::uint64_t last_seq) {
  return JoinPath(project.ArchiveFolder(), fmt::format("{}-{}{}", journal, last_seq, kJournalEnd));
}

// Whether all of it can be read, up to that record.
Result<void> EndsWith(FileSystem& files, const std::string& path, std::string_view journal,
                      std::uint64_t last_seq) {
  Journal one(files, path, std::string(journal));
  BELAY_TRY(one.CatchUp({}));
  if (one.last_seq() == last_seq) return {};
  return EarlyEnd(path, one.last_seq(), last_seq);
}

}  // namespace

Result<void> RemoveUnfinishedCopies(FileSystem& files, const StateLock&, const Layout& project,
                                    std::string_view journal) {
  const std::string folder = project.ArchiveFolder();
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, Names(files, folder));
  for (std::string_view name : names) {
    if (!name.ends_with(kUnfinished)) continue;
    name.remove_suffix(kUnfinished.size());
    if (!NumberIn(name, journal)) continue;
    BELAY_TRY(files.RemoveFile(JoinPath(folder, std::string(name) + std::string(kUnfinished))));
  }
  return {};
}

Error EarlyEnd(const std::string& path, std::uint64_t last_seq, std::uint64_t number) {
  return {ErrorCode::kDamaged,
          fmt::format("{} ends with record {}, not {}", path, last_seq, number),
          "belay doctor --repair notes which records are lost"};
}

Result<std::vector<std::string>> ArchivedJournals(const FileSystem& files, const Layout& project,
                                                  std::string_view journal) {
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, Names(files, project.ArchiveFolder()));
  std::vector<std::pair<std::uint64_t, std::string>> found;
  for (const std::string& name : names) {
    const std::optional<std::uint64_t> number = NumberIn(name, journal);
    if (number && *number > 0) found.emplace_back(*number, JoinPath(project.ArchiveFolder(), name));
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> paths;
  for (auto& [number, path] : found) paths.push_back(std::move(path));
  return paths;
}

std::uint64_t ArchivedNumber(std::string_view path, std::string_view journal) {
  return NumberIn(FileName(path), journal).value_or(0);
}

Result<std::uint64_t> LatestArchived(const FileSystem& files, const Layout& project,
                                     std::string_view journal) {
  BELAY_TRY_ASSIGN(const std::vector<std::string> paths, ArchivedJournals(files, project, journal));
  return paths.empty() ? std::uint64_t{0} : ArchivedNumber(paths.back(), journal);
}

Result<std::vector<std::string>> KnownJournals(const FileSystem& files, const Layout& project) {
  Result<std::vector<std::string>> there = JournalNames(files, project.JournalFolder());
  if (!there && there.error().code != ErrorCode::kNotFound) return there;
  std::set<std::string> known;
  if (there) known.insert(there->begin(), there->end());
  BELAY_TRY_ASSIGN(const std::vector<std::string> archived, Names(files, project.ArchiveFolder()));
  for (const std::string& file : archived) {
    const std::string name = file.substr(0, file.rfind('-'));
    if (NumberIn(file, name)) known.insert(name);
  }
  return std::vector<std::string>(known.begin(), known.end());
}

std::string BeginningOf(const Layout& project, std::string_view journal) {
  return ArchivePath(project, journal, 0);
}

Result<void> MarkBegun(FileSystem& files, const StateLock&, const Layout& project,
                       std::string_view journal) {
  const std::string path = BeginningOf(project, journal);
  if (files.Inspect(path)) return {};
  BELAY_TRY(EnsureFolder(files, project.ArchiveFolder()));
  BELAY_TRY(RemoveLeftoversOf(files, path));
  return ReplaceFile(files, path, JournalHeaderLine(std::string(journal), 0));
}

// Looked at twice: another process may be making the journal this moment, and it comes before what
// the archive has of it.
Result<void> CheckNotLost(const FileSystem& files, const Layout& project,
                          std::string_view journal) {
  const auto missing = [&] {
    const Result<FileInfo> there = files.Inspect(project.JournalFile(journal));
    return !there && there.error().code == ErrorCode::kNotFound;
  };
  if (!missing()) return {};
  const bool begun = files.Inspect(BeginningOf(project, journal)).ok();
  BELAY_TRY_ASSIGN(const std::uint64_t latest, LatestArchived(files, project, journal));
  if ((!begun && latest == 0) || !missing()) return {};
  return Error{ErrorCode::kDamaged,
               fmt::format("{} is missing, and it had records", project.JournalFile(journal)),
               "put it back if you have it; else belay doctor --repair restores what is left"};
}

Result<std::uint64_t> RestoreLost(FileSystem& files, const StateLock&, const Layout& project,
                                  std::string_view journal) {
  const std::string path = project.JournalFile(journal);
  BELAY_TRY(EnsureFolder(files, project.JournalFolder()));
  BELAY_TRY_ASSIGN(const std::vector<std::string> paths, ArchivedJournals(files, project, journal));
  const std::uint64_t latest = paths.empty() ? 0 : ArchivedNumber(paths.back(), journal);
  if (latest > 0 && EndsWith(files, paths.back(), journal, latest)) {
    BELAY_TRY(CopyDurably(files, paths.back(), path));
  } else {
    BELAY_TRY(ReplaceFile(files, path, JournalHeaderLine(std::string(journal), latest)));
  }
  return latest;
}

namespace {

std::vector<ArchiveFault> Missing(FileSystem& files, const Layout& project,
                                  std::string_view journal, std::vector<std::string> paths) {
  paths.push_back(project.JournalFile(journal));
  std::vector<ArchiveFault> faults;
  // Those before the latest few were removed.
  for (std::size_t i = paths.size(); i-- > 0 && paths.size() - 1 - i < kMostArchived;) {
    Journal one(files, paths[i], std::string(journal));
    (void)one.CatchUpSome({});
    if (!one.archived()) continue;
    std::string before = ArchivePath(project, journal, *one.archived());
    const Result<FileInfo> there = files.Inspect(before);
    if (there || there.error().code != ErrorCode::kNotFound) continue;
    Error error{ErrorCode::kDamaged,
                fmt::format("{} is missing: records up to {} of the journal \"{}\"", before,
                            *one.archived(), journal),
                "put it back if you have it; belay doctor --repair notes that they are lost"};
    faults.push_back({std::move(before), *one.archived(), std::move(error)});
  }
  return faults;
}

std::vector<ArchiveFault> MissingOrDamaged(FileSystem& files, const Layout& project,
                                           std::string_view journal,
                                           const std::vector<std::string>& paths) {
  std::vector<ArchiveFault> faults = Missing(files, project, journal, paths);
  for (const std::string& path : paths) {
    const std::uint64_t number = ArchivedNumber(path, journal);
    if (Result<void> whole = EndsWith(files, path, journal, number); !whole) {
      faults.push_back({path, number, std::move(whole).error()});
    }
  }
  return faults;
}

// Again if another process has made the journal short since, which removes the oldest file.
template <class Look>
std::vector<ArchiveFault> FindFaults(FileSystem& files, const Layout& project,
                                     std::string_view journal, const Look& look) {
  while (true) {
    const Result<std::vector<std::string>> paths = ArchivedJournals(files, project, journal);
    if (!paths) return {{project.ArchiveFolder(), 0, paths.error()}};
    std::vector<ArchiveFault> faults = look(files, project, journal, *paths);
    if (faults.empty()) return faults;
    const Result<std::vector<std::string>> now = ArchivedJournals(files, project, journal);
    if (now && *now == *paths) return faults;
  }
}

}  // namespace

std::vector<ArchiveFault> MissingArchives(FileSystem& files, const Layout& project,
                                          std::string_view journal) {
  return FindFaults(files, project, journal, Missing);
}

std::vector<ArchiveFault> CheckArchive(FileSystem& files, const Layout& project,
                                       std::string_view journal) {
  return FindFaults(files, project, journal, MissingOrDamaged);
}

Result<void> ArchiveJournal(FileSystem& files, const StateLock& lock, const Layout& project,
                            std::string_view journal, std::uint64_t last_seq) {
  BELAY_TRY(EnsureFolder(files, project.ArchiveFolder()));
  BELAY_TRY(RemoveUnfinishedCopies(files, lock, project, journal));
  BELAY_TRY(
      CopyDurably(files, project.JournalFile(journal), ArchivePath(project, journal, last_seq)));
  return RemoveOld(files, project, journal);
}

}  // namespace belay
