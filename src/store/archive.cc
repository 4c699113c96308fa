#include "store/archive.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/path.h"
#include "base/text.h"
#include "codec/json_lines.h"
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
  return ParseNumber<std::uint64_t>(name);
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

// NAME-<number>.jsonl.copying, or .NAME-<number>.jsonl[.damaged-<n>].<digits>.tmp.
bool IsUnfinished(std::string_view name, std::string_view journal) {
  const bool temporary = IsTemporaryName(name);
  if (!temporary && !name.ends_with(kUnfinished)) return false;
  if (temporary) name.remove_prefix(1);
  const std::size_t end = name.find(kJournalEnd);
  return end != std::string_view::npos &&
         NumberIn(name.substr(0, end + kJournalEnd.size()), journal).has_value();
}

}  // namespace

Result<void> RemoveUnfinishedCopies(FileSystem& files, const StateLock&, const Layout& project,
                                    std::string_view journal) {
  const std::string folder = project.ArchiveFolder();
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, EmptyIfMissing(files.List(folder)));
  for (const std::string& name : names) {
    if (!IsUnfinished(name, journal)) continue;
    BELAY_TRY(EmptyIfMissing(files.RemoveFile(JoinPath(folder, name))));
  }
  return {};
}

Error EarlyEnd(const std::string& path, std::uint64_t last_seq, std::uint64_t number) {
  return {ErrorCode::kDamaged,
          fmt::format("{} ends with record {}, not {}", path, last_seq, number),
          "belay doctor --repair records which ones are lost"};
}

Result<std::vector<std::string>> ArchivedJournals(const FileSystem& files, const Layout& project,
                                                  std::string_view journal) {
  BELAY_TRY_ASSIGN(const std::vector<std::string> names,
                   EmptyIfMissing(files.List(project.ArchiveFolder())));
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
  if (!there && !IsMissing(there)) return there;
  std::set<std::string> known;
  if (there) known.insert(there->begin(), there->end());
  BELAY_TRY_ASSIGN(const std::vector<std::string> archived,
                   EmptyIfMissing(files.List(project.ArchiveFolder())));
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
  const auto missing = [&] { return IsMissing(files.Inspect(project.JournalFile(journal))); };
  if (!missing()) return {};
  const bool begun = files.Inspect(BeginningOf(project, journal)).ok();
  BELAY_TRY_ASSIGN(const std::uint64_t latest, LatestArchived(files, project, journal));
  if ((!begun && latest == 0) || !missing()) return {};
  return Error{
      ErrorCode::kDamaged,
      fmt::format("{} is missing, and it had records", project.JournalFile(journal)),
      "put it back if you have a copy; otherwise belay doctor --repair restores what is left"};
}

// In place and in one write, so a kill leaves the old note or the new one. Numbers only grow, and
// so does the line.
void NoteEnd(FileSystem& files, const StateLock&, const Layout& project, std::string_view journal,
             std::uint64_t last_seq) {
  const std::string path = BeginningOf(project, journal);
  if (!files.Inspect(path)) return;
  Result<File> file = files.OpenForWriting(path, kPrivateFile);
  if (file) (void)file->Write(JournalHeaderLine(std::string(journal), last_seq));
}

std::uint64_t NotedEnd(const FileSystem& files, const Layout& project, std::string_view journal) {
  constexpr std::size_t kMostBytes = 4096;
  const Result<std::string> text = files.Read(BeginningOf(project, journal), kMostBytes);
  if (!text) return 0;
  const Result<Json> header = ParseJsonLine(text->substr(0, text->find('\n')));
  if (!header || TextIn(*header, "journal") != journal) return 0;
  return JournalSeq(*header).value_or(0);
}

Result<void> CheckNotCut(const Layout& project, std::string_view journal, std::uint64_t last_seq,
                         std::uint64_t noted) {
  if (last_seq >= noted) return {};
  return Error{
      ErrorCode::kDamaged,
      fmt::format("{} ends with record {}, but it had records up to {}",
                  project.JournalFile(journal), last_seq, noted),
      "put it back if you have a copy; otherwise belay doctor --repair restores what is left"};
}

Result<std::uint64_t> LastKnownNumber(const FileSystem& files, const Layout& project,
                                      std::string_view journal) {
  BELAY_TRY_ASSIGN(const std::uint64_t latest, LatestArchived(files, project, journal));
  return std::max(latest, NotedEnd(files, project, journal));
}

Result<KnownRecords> ReadKnownRecords(FileSystem& files, const Layout& project,
                                      std::string_view journal) {
  BELAY_TRY_ASSIGN(const std::vector<std::string> paths, ArchivedJournals(files, project, journal));
  const std::uint64_t latest = paths.empty() ? 0 : ArchivedNumber(paths.back(), journal);
  KnownRecords known{.last_seq = std::max(latest, NotedEnd(files, project, journal)),
                     .archived = latest};
  if (paths.empty()) return known;
  Journal archived(files, paths.back(), std::string(journal));
  const Result<void> read = archived.CatchUp({.record = [&](std::uint64_t, const Json& record) {
    if (TextIn(record, "kind") == "lost") {
      known.lacks_some = true;
      return;
    }
    known.records.push_back(record);
    MarkRepeated(known.records.back());
  }});
  if (!read || archived.last_seq() != latest) known.records.clear();
  return known;
}

Result<void> RestoreLost(FileSystem& files, const StateLock&, const Layout& project,
                         std::string_view journal, const KnownRecords& known) {
  BELAY_TRY(EnsureFolder(files, project.JournalFolder()));
  const bool goes_on = known.archived > 0 && known.archived == known.last_seq;
  BELAY_TRY_ASSIGN(const std::string lines, JournalLines(known.last_seq + 1, known.records));
  return ReplaceFile(files, project.JournalFile(journal),
                     JournalHeaderLine(std::string(journal), known.last_seq, goes_on) + lines);
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
    if (!IsMissing(files.Inspect(before))) continue;
    Error error{ErrorCode::kDamaged,
                fmt::format("{} is missing: records up to {} of the journal \"{}\"", before,
                            *one.archived(), journal),
                "put it back if you have a copy; otherwise belay doctor --repair records that they "
                "are lost"};
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
template <class Find>
std::vector<ArchiveFault> FindFaults(FileSystem& files, const Layout& project,
                                     std::string_view journal, const Find& find) {
  while (true) {
    const Result<std::vector<std::string>> paths = ArchivedJournals(files, project, journal);
    if (!paths) return {{project.ArchiveFolder(), 0, paths.error()}};
    std::vector<ArchiveFault> faults = find(files, project, journal, *paths);
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
