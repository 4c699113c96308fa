#include "store/journal.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "base/path.h"
#include "codec/json_lines.h"
#include "codec/json_skim.h"
#include "store/durable_file.h"
#include "store/timeline.h"

namespace belay {
namespace {

constexpr std::size_t kFirstPiece = std::size_t{4} << 10U;
constexpr std::size_t kPiece = std::size_t{64} << 10U;

}  // namespace

Error Journal::Damaged(std::uint64_t offset, std::string_view why) const {
  return {ErrorCode::kDamaged, fmt::format("{}: at byte {}: {}", path_, offset, why),
          "belay doctor --repair sets the damaged part aside and keeps the rest"};
}

void Journal::Forget(const JournalFollower& follower) {
  if (next_seq_) follower.forget();
  file_.reset();
  end_ = 0;
  last_bytes_.clear();
  next_seq_.reset();
  last_seq_ = 0;
  bad_tail_lines_ = 0;
  archived_.reset();
}

// Whether there is a journal. If it was replaced since it was opened, or lost lines that were read,
// it is read from the beginning.
Result<bool> Journal::Reopen(Access access, const JournalFollower& follower) {
  const Result<FileInfo> there = files_.Inspect(path_);
  if (IsMissing(there)) {
    Forget(follower);
    return false;
  }
  if (!there) return there.error();
  if (file_) {
    BELAY_TRY_ASSIGN(const FileInfo opened, file_->Inspect());
    const bool same = opened.inode == there->inode && opened.device == there->device;
    const bool enough = access_ == Access::kAppend || access == Access::kRead;
    BELAY_TRY_ASSIGN(const bool stands, same ? LastLineIsUnchanged() : Result<bool>(false));
    if (stands && enough) return true;
    if (!stands) Forget(follower);
  }
  BELAY_TRY(Open(access));
  return true;
}

bool Journal::Continues() const {
  if (!file_) return false;
  const Result<FileInfo> there = files_.Inspect(path_);
  const Result<FileInfo> opened = file_->Inspect();
  const bool same =
      there && opened && opened->inode == there->inode && opened->device == there->device;
  const Result<bool> unchanged = same ? LastLineIsUnchanged() : Result<bool>(false);
  return unchanged && *unchanged;
}

// Whether the line that was read last is still there: it may have been cut off, and another line of
// the same length written in its place.
Result<bool> Journal::LastLineIsUnchanged() const {
  if (end_ == 0) return true;
  std::string bytes(last_bytes_.size(), '\0');
  BELAY_TRY_ASSIGN(const std::size_t got,
                   file_->ReadAt(end_ - 1 - bytes.size(), bytes.data(), bytes.size()));
  return got == bytes.size() && bytes == last_bytes_;
}

// `lines` is the text before the newline that ends at `end`. Its last bytes are a checksum, which
// distinguishes one line from another.
void Journal::SetEnd(std::string_view lines, std::uint64_t end) {
  constexpr std::size_t kRemembered = 16;
  last_bytes_ = lines.substr(lines.size() - std::min(lines.size(), kRemembered));
  end_ = end;
}

// A reader never opens for writing: the disk may be read-only.
Result<void> Journal::Open(Access access) {
  Result<File> file =
      access == Access::kRead ? files_.OpenForReading(path_) : files_.OpenForAppending(path_);
  if (!file && file.error().code == ErrorCode::kRefused) {
    return Error{ErrorCode::kDamaged, file.error().message,
                 "move it away; belay doctor shows what is left"};
  }
  if (!file) return std::move(file).error();
  file_.emplace(*std::move(file));
  access_ = access;
  name_is_safe_ = false;
  synced_seq_.reset();
  return {};
}

Result<void> Journal::AcceptHeader(const Json& header) {
  const Json* version = header.Find("version");
  const Json* name = header.Find("journal");
  if (version == nullptr || version->AsInteger() == nullptr || name == nullptr) {
    return Damaged(0, "it doesn't begin with a journal's header");
  }
  if (*version->AsInteger() > kJournalVersion) {
    return Error{ErrorCode::kDamaged,
                 fmt::format("{}: written by a newer belay (version {} of the journal)", path_,
                             *version->AsInteger()),
                 "use that version of belay, or a newer one"};
  }
  if (name->AsString() == nullptr || *name->AsString() != name_) {
    return Damaged(0, fmt::format("this is not the journal \"{}\"", name_));
  }
  archived_ = header.Find("archived") != nullptr ? JournalSeq(header) : std::nullopt;
  return {};
}

// Only a record with the right number is offered; the parser judges everything else.
bool Journal::TakenByFollower(std::string_view line, const JournalFollower& follower) const {
  JsonSkimmer skimmer(line);
  const bool next =
      next_seq_ && skimmer.Next() && skimmer.key() == "seq" && skimmer.Number() == next_seq_;
  return next && follower.line(line);
}

// One good line: the header at first, then the record with the next number.
Result<void> Journal::Accept(std::string_view line, const JournalFollower& follower) {
  if (TakenByFollower(line, follower)) {
    last_seq_ = *next_seq_;
    next_seq_ = last_seq_ + 1;
    return {};
  }
  Result<Json> record = ParseGoodJsonLine(line);
  if (!record) return Damaged(end_, record.error().message);
  const std::optional<std::uint64_t> seq = JournalSeq(*record);
  if (!seq) return Damaged(end_, "a record without a number");
  if (!next_seq_) {
    BELAY_TRY(AcceptHeader(*record));
  } else if (record->Find("journal") != nullptr) {
    return Damaged(end_, "a header in the middle");
  } else if (*seq != *next_seq_) {
    return Damaged(end_, fmt::format("record {} where {} should be", *seq, *next_seq_));
  } else {
    StripJournalMembers(*record);
    follower.record(*seq, *record);
  }
  last_seq_ = *seq;
  next_seq_ = *seq + 1;
  return {};
}

// A good line after bad ones. If nothing from the gap on was known to be on the disk when the line
// was written, all of it is what a crash left of unacknowledged writes; else the gap was durable
// once, and is damage.
Result<void> Journal::JudgeAfterGap(std::string_view line) const {
  const Result<Json> record = ParseGoodJsonLine(line);
  const std::optional<std::uint64_t> unsynced = record ? JournalUnsynced(*record) : std::nullopt;
  if (next_seq_ && unsynced && *unsynced <= *next_seq_) return {};
  return Damaged(end_, "a damaged line with a good one after it");
}

// Reads until the end, or until `most_bytes` were read and contained at least one line.
Result<Journal::Progress> Journal::ReadOn(std::uint64_t most_bytes,
                                          const JournalFollower& follower) {
  const std::uint64_t start = end_;
  std::uint64_t bad_lines = 0;
  Result<void> outcome;
  JsonLinesScanner scanner([&](const JsonLine& line) {
    if (!outcome) return;
    const std::uint64_t line_start = start + line.offset;
    const bool behind_hole = line_start != end_;
    if (!line.good || behind_hole) {
      ++bad_lines;
      if (line.good) outcome = JudgeAfterGap(line.text);
      return;
    }
    outcome = Accept(line.text, follower);
    if (outcome) SetEnd(line.text, line_start + line.text.size() + 1);
  });
  Progress progress;
  // Usually there is little or nothing.
  std::string piece(kFirstPiece, '\0');
  std::uint64_t at = start;
  while (outcome && (at - start < most_bytes || end_ == start)) {
    BELAY_TRY_ASSIGN(const std::size_t got, file_->ReadAt(at, piece.data(), piece.size()));
    progress.at_end = got == 0;
    if (progress.at_end) break;
    scanner.Feed(std::string_view(piece).substr(0, got));
    at += got;
    piece.resize(kPiece);
  }
  BELAY_TRY(outcome);
  if (progress.at_end && !next_seq_) return Damaged(0, "it has no header");
  progress.torn_bytes = at - end_;
  bad_tail_lines_ = progress.at_end ? bad_lines : 0;
  return progress;
}

Result<Journal::Progress> Journal::Follow(std::uint64_t most_bytes,
                                          const JournalFollower& follower) {
  BELAY_TRY_ASSIGN(const bool there, Reopen(Access::kRead, follower));
  if (!there) return Progress{.at_end = true};
  Result<Progress> progress = ReadOn(most_bytes, follower);
  // Without the lock, a writer whose sync failed may have removed lines that we read, and another
  // may have overwritten them. Real damage still shows when reading from the beginning.
  constexpr int kTries = 3;
  for (int i = 1; !progress && progress.error().code == ErrorCode::kDamaged && i < kTries; ++i) {
    Forget(follower);
    BELAY_TRY_ASSIGN(const bool still, Reopen(Access::kRead, follower));
    if (!still) return Progress{.at_end = true};
    progress = ReadOn(kEverything, follower);
  }
  return progress;
}

Result<void> Journal::CatchUp(const JournalFollower& follower) {
  BELAY_TRY(Follow(kEverything, follower));
  return {};
}

Result<bool> Journal::CatchUpSome(const JournalFollower& follower) {
  BELAY_TRY_ASSIGN(const Progress progress, Follow(kPiece, follower));
  return !progress.at_end;
}

// The writing part of a journal.

Result<void> Journal::Create() { return ReplaceFile(files_, path_, JournalHeaderLine(name_, 0)); }

// At the end, with everything that was read on the disk and nothing after it.
Result<void> Journal::Prepare(const JournalFollower& follower) {
  BELAY_TRY_ASSIGN(const bool there, Reopen(Access::kAppend, follower));
  if (!there) {
    BELAY_TRY(Create());
    BELAY_TRY(Reopen(Access::kAppend, follower));
  }
  BELAY_TRY_ASSIGN(const Progress tail, ReadOn(kEverything, follower));
  // The process that created or compacted it may have been killed before its name was durable.
  if (!name_is_safe_) BELAY_TRY(files_.SyncFolder(std::string(ParentPath(path_))));
  name_is_safe_ = true;
  if (tail.torn_bytes > 0) BELAY_TRY(CutTail(tail.torn_bytes));
  return {};
}

// Half a line was never finished. Complete lines that can't be read may have been records before
// the disk damaged them: they are kept.
Result<void> Journal::CutTail(std::uint64_t bytes) {
  if (bad_tail_lines_ > 0) {
    std::string tail(bytes, '\0');
    BELAY_TRY_ASSIGN(const std::size_t got, file_->ReadAt(end_, tail.data(), tail.size()));
    tail.resize(got);
    BELAY_TRY_ASSIGN(const std::string kept, FreeName(files_, path_ + ".damaged"));
    BELAY_TRY(ReplaceFile(files_, kept, tail));
  }
  BELAY_TRY(file_->Truncate(end_));
  bad_tail_lines_ = 0;
  return {};
}

Result<void> Journal::SyncAll() {
  BELAY_TRY(file_->SyncData());
  synced_seq_ = last_seq_;
  return {};
}

Result<std::uint64_t> Journal::Append(const StateLock&, std::span<const Json> records,
                                      const JournalFollower& follower) {
  BELAY_TRY(Prepare(follower));
  if (last_seq_ + records.size() > kLargestJournalSeq) return Damaged(end_, "no numbers are left");
  // Nothing is known of a file that was just opened. Later, our lines name what others wrote since
  // our last sync, which costs nothing.
  const bool all_synced = synced_seq_ && (*synced_seq_ == last_seq_ || !records.empty());
  if (!all_synced) BELAY_TRY(SyncAll());
  if (records.empty()) return last_seq_;
  BELAY_TRY_ASSIGN(const std::string lines, JournalLines(*next_seq_, *synced_seq_ + 1, records));
  BELAY_TRY(file_->Write(lines));
  if (Result<void> synced = file_->SyncData(); !synced) {
    SaveAfterFailedSync(lines.size());
    return std::move(synced).error();
  }
  SetEnd(std::string_view(lines).substr(0, lines.size() - 1), end_ + lines.size());
  last_seq_ += records.size();
  next_seq_ = last_seq_ + 1;
  synced_seq_ = last_seq_;
  return last_seq_;
}

// After a failed sync the kernel may consider those pages clean and never write them. Other
// processes may have read the lines already, so they are not removed but written into a new file.
// If that fails too, they are cut off, and the pages written in their place are dirty again.
void Journal::SaveAfterFailedSync(std::size_t bytes) {
  std::string text(end_ + bytes, '\0');
  const Result<std::size_t> got = file_->ReadAt(0, text.data(), text.size());
  const bool whole = got && *got == text.size();
  if (!whole || !ReplaceFile(files_, path_, text)) (void)file_->Truncate(end_);
}

Result<void> Journal::Compact(const StateLock& lock, const JournalFollower& follower,
                              const std::function<std::vector<Json>()>& snapshot) {
  BELAY_TRY(Append(lock, {}, follower));
  BELAY_TRY(RemoveLeftoversOf(files_, path_));
  const std::vector<Json> records = snapshot();
  BELAY_TRY_ASSIGN(const std::string lines, JournalLines(last_seq_ + 1, records));
  const std::string text = JournalHeaderLine(name_, last_seq_, true) + lines;
  BELAY_TRY(ReplaceFile(files_, path_, text));
  // The writer of the snapshot knows its content, and continues at the new end without reading it.
  // If opening fails, the next call notices that the file was replaced.
  BELAY_TRY(Open(Access::kAppend));
  SetEnd(std::string_view(text).substr(0, text.size() - 1), text.size());
  archived_ = last_seq_;
  last_seq_ += records.size();
  next_seq_ = last_seq_ + 1;
  synced_seq_ = last_seq_;
  return {};
}

namespace {

Result<void> AppendRecord(std::uint64_t seq, std::uint64_t unsynced, const Json& record,
                          std::string& out) {
  const Json::Object* members = record.AsObject();
  BELAY_CHECK(members != nullptr && record.Find("seq") == nullptr &&
              record.Find("unsynced") == nullptr && record.Find("journal") == nullptr);
  Json::Object numbered;
  numbered.reserve(members->size() + 2);
  numbered.push_back({"seq", Json(seq)});
  if (unsynced != seq) numbered.push_back({"unsynced", Json(unsynced)});
  numbered.insert(numbered.end(), members->begin(), members->end());
  return AppendJsonLine(Json(std::move(numbered)), out);
}

std::optional<std::uint64_t> NumberOf(const Json& record, std::string_view key) {
  const Json* value = record.Find(key);
  const std::int64_t* number = value == nullptr ? nullptr : value->AsInteger();
  if (number == nullptr || *number < 0) return std::nullopt;
  const auto positive = static_cast<std::uint64_t>(*number);
  return positive <= kLargestJournalSeq ? std::optional(positive) : std::nullopt;
}

}  // namespace

std::string JournalHeaderLine(const std::string& name, std::uint64_t seq, bool archived) {
  Json header = MakeObject({{"seq", seq}, {"journal", name}, {"version", kJournalVersion}});
  if (archived) header.Set("archived", true);
  std::string line;
  BELAY_CHECK(AppendJsonLine(header, line).ok());
  return line;
}

Result<std::string> JournalLines(std::uint64_t first_seq, std::uint64_t unsynced,
                                 std::span<const Json> records) {
  std::string lines;
  for (const Json& record : records) {
    BELAY_TRY(AppendRecord(first_seq, std::min(unsynced, first_seq), record, lines));
    ++first_seq;
  }
  return lines;
}

Result<std::string> JournalLines(std::uint64_t first_seq, std::span<const Json> records) {
  std::string lines;
  for (const Json& record : records) {
    BELAY_TRY(AppendRecord(first_seq, first_seq, record, lines));
    ++first_seq;
  }
  return lines;
}

std::optional<std::uint64_t> JournalSeq(const Json& record) { return NumberOf(record, "seq"); }

std::optional<std::uint64_t> JournalUnsynced(const Json& record) {
  return record.Find("unsynced") == nullptr ? JournalSeq(record) : NumberOf(record, "unsynced");
}

void StripJournalMembers(Json& record) {
  record.Remove("seq");
  record.Remove("unsynced");
}

namespace {

constexpr std::size_t kLargestJournal = std::size_t{1} << 30U;

// The good records of a journal, by their numbers.
struct Sorted {
  std::optional<Json> header;
  std::map<std::uint64_t, std::string_view> good;  // lines of the text
  std::uint64_t bad_lines = 0;
  bool in_order = true;

  std::uint64_t first_seq() const { return header ? *JournalSeq(*header) : 0; }
  std::uint64_t last_seq() const { return good.empty() ? first_seq() : good.rbegin()->first; }
  bool whole() const {
    return header && bad_lines == 0 && in_order && last_seq() - first_seq() == good.size();
  }
};

// Whether it is a journal's header, in a version that may be newer than ours.
bool IsHeader(const Json& record) {
  const Json* name = record.Find("journal");
  const Json* version = record.Find("version");
  return name != nullptr && name->AsString() != nullptr && version != nullptr &&
         version->AsInteger() != nullptr && JournalSeq(record);
}

// A duplicate number, a number used before this file began, or a header in the middle is as bad as
// a wrong checksum: the line was put there by hand. Two equal lines count as one.
void SortRecord(const Json& record, std::string_view line, Sorted& sorted) {
  const std::optional<std::uint64_t> seq = JournalSeq(record);
  if (!seq || *seq <= sorted.first_seq() || record.Find("journal") != nullptr) {
    ++sorted.bad_lines;
    return;
  }
  sorted.in_order = sorted.in_order && *seq > sorted.last_seq();
  const auto [there, added] = sorted.good.try_emplace(*seq, line);
  if (!added && there->second != line) ++sorted.bad_lines;
}

// The lines of `text`, which must outlive the result.
Sorted Sort(std::string_view text) {
  Sorted sorted;
  JsonLinesScanner scanner([&](const JsonLine& line) {
    const Result<Json> record = line.good ? ParseGoodJsonLine(line.text) : Json();
    if (!record || record->AsObject() == nullptr) {
      ++sorted.bad_lines;
    } else if (line.offset == 0 && IsHeader(*record)) {
      sorted.header = *record;
    } else {
      SortRecord(*record, text.substr(line.offset, line.text.size()), sorted);
    }
  });
  scanner.Feed(text);
  (void)scanner.Finish();
  return sorted;
}

// Every good record, or those of the archive and what they lack.
std::vector<Json> RecordsToKeep(const Sorted& sorted, std::span<const Json> archived) {
  std::vector<Json> records(archived.begin(), archived.end());
  std::set<std::string> known;
  for (const Json& record : archived) known.insert(WriteJson(record));
  for (const auto& [seq, line] : sorted.good) {
    Json record = *ParseGoodJsonLine(line);
    StripJournalMembers(record);
    Json repeated = record;
    MarkRepeated(repeated);
    const bool has =
        !archived.empty() && (IsRepeated(record) || known.contains(WriteJson(repeated)));
    if (!has) records.push_back(std::move(record));
  }
  return records;
}

// The records, renumbered without gaps. An unreadable line may have had a number too; no number is
// used twice, as long as there are any left. A record written by another program may become too
// long in our spelling; then it counts as bad.
std::string Rewrite(const std::string& name, Sorted& sorted, std::uint64_t used,
                    std::span<const Json> archived) {
  const std::vector<Json> records = RecordsToKeep(sorted, archived);
  std::uint64_t last = std::max(sorted.last_seq() + sorted.bad_lines, used);
  if (last + records.size() >= kLargestJournalSeq) last = 0;
  std::string text = JournalHeaderLine(name, last);
  for (const Json& record : records) {
    const Result<std::string> rewritten = JournalLines(last + 1, {&record, 1});
    if (rewritten) {
      text += *rewritten;
      ++last;
    } else {
      ++sorted.bad_lines;
    }
  }
  return text;
}

}  // namespace

Result<std::uint64_t> Journal::Repair(const StateLock&, std::uint64_t used,
                                      std::span<const Json> archived) {
  BELAY_TRY(Open(Access::kRead));
  BELAY_TRY_ASSIGN(const std::string text, files_.Read(path_, kLargestJournal));
  Sorted sorted = Sort(text);
  // Another journal, or a newer one, may be intact: it just isn't ours to change.
  if (sorted.header) BELAY_TRY(AcceptHeader(*sorted.header));
  if (sorted.whole() && sorted.last_seq() >= used) return std::uint64_t{0};
  // The whole file is kept, not only its bad lines, so that the user can recover more by hand.
  BELAY_TRY(KeepDamaged(text));
  // As after any other replacement, the next read notices it and resets its follower.
  BELAY_TRY(ReplaceFile(files_, path_, Rewrite(name_, sorted, used, archived)));
  return sorted.bad_lines;
}

Result<bool> Journal::KeepIfOthers(const StateLock&) {
  BELAY_TRY_ASSIGN(const std::string text, files_.Read(path_, kLargestJournal));
  const Sorted sorted = Sort(text);
  if (!sorted.header || *sorted.header->Find("version")->AsInteger() > kJournalVersion ||
      TextIn(*sorted.header, "journal") == name_) {
    return false;
  }
  BELAY_TRY(KeepDamaged(text));
  return true;
}

// The whole file is kept, not only its bad lines, so that a person can save more by hand.
Result<void> Journal::KeepDamaged(std::string_view text) {
  BELAY_TRY_ASSIGN(const std::string kept, FreeName(files_, path_ + ".damaged"));
  return ReplaceFile(files_, kept, text);
}

namespace {

// In the place of a record that is lost, so that the numbers go on.
Result<std::string> LostLine(std::uint64_t seq, std::string_view why) {
  const Json lost = MakeObject({{"kind", "lost"}, {"why", why}});
  return JournalLines(seq, {&lost, 1});
}

}  // namespace

Result<std::uint64_t> Journal::RepairArchived(const StateLock&, std::uint64_t last) {
  const Result<std::string> there = files_.Read(path_, kLargestJournal);
  const bool missing = IsMissing(there);
  if (!there && !missing) return there.error();
  if (there) BELAY_TRY(KeepDamaged(*there));
  const Sorted sorted = Sort(there ? *there : std::string_view());
  if (sorted.header) BELAY_TRY(AcceptHeader(*sorted.header));
  const std::uint64_t first = sorted.header         ? sorted.first_seq()
                              : sorted.good.empty() ? last - 1
                                                    : sorted.good.begin()->first - 1;
  std::string text = JournalHeaderLine(name_, first, archived_.has_value());
  std::uint64_t lost = 0;
  for (std::uint64_t seq = first + 1; seq <= last; ++seq) {
    const auto good = sorted.good.find(seq);
    if (good != sorted.good.end()) {
      text += fmt::format("{}\n", good->second);
      continue;
    }
    BELAY_TRY_ASSIGN(
        const std::string line,
        LostLine(seq, missing
                          ? "this record and earlier ones were in an archive file that is missing"
                          : "the record was damaged in the archive"));
    text += line;
    ++lost;
  }
  BELAY_TRY(ReplaceFile(files_, path_, text));
  return lost;
}

}  // namespace belay
