#include "store/journal.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/path.h"
#include "codec/json_lines.h"
#include "codec/json_skim.h"
#include "store/durable_file.h"
#include "store/journal_lines.h"

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
}

// Whether there is a journal. One that was replaced, or lost some of what was read, since it was
// opened is read from its beginning.
Result<bool> Journal::Reopen(Access access, const JournalFollower& follower) {
  const Result<FileInfo> there = files_.Inspect(path_);
  if (!there && there.error().code == ErrorCode::kNotFound) {
    Forget(follower);
    return false;
  }
  if (!there) return there.error();
  if (file_) {
    BELAY_TRY_ASSIGN(const FileInfo opened, file_->Inspect());
    const bool same = opened.inode == there->inode && opened.device == there->device;
    const bool enough = access_ == Access::kAppend || access == Access::kRead;
    BELAY_TRY_ASSIGN(const bool stands, same ? StandsWhereItStood() : Result<bool>(false));
    if (stands && enough) return true;
    if (!stands) Forget(follower);
  }
  BELAY_TRY(Open(access));
  return true;
}

// Whether what was read last is still there: it may have been cut off, and something else of the
// same length written in its place.
Result<bool> Journal::StandsWhereItStood() const {
  if (end_ == 0) return true;
  std::string bytes(last_bytes_.size(), '\0');
  BELAY_TRY_ASSIGN(const std::size_t got,
                   file_->ReadAt(end_ - 1 - bytes.size(), bytes.data(), bytes.size()));
  return got == bytes.size() && bytes == last_bytes_;
}

// `lines` is what stands before the newline that ends at `end`. Its last bytes are a checksum,
// which tells one line from another.
void Journal::StandBehind(std::string_view lines, std::uint64_t end) {
  constexpr std::size_t kRemembered = 16;
  last_bytes_ = lines.substr(lines.size() - std::min(lines.size(), kRemembered));
  end_ = end;
}

// A reader never asks for more than reading: it may be a disk that can't be written.
Result<void> Journal::Open(Access access) {
  Result<File> file =
      access == Access::kRead ? files_.OpenForReading(path_) : files_.OpenForAppending(path_);
  if (!file && file.error().code == ErrorCode::kRefused) {
    return Error{ErrorCode::kDamaged, file.error().message,
                 "move it away; belay doctor says what is left"};
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
                 "use that belay, or a newer one"};
  }
  if (name->AsString() == nullptr || *name->AsString() != name_) {
    return Damaged(0, fmt::format("it is not the journal \"{}\"", name_));
  }
  return {};
}

// Only a record with the right number is offered; all else is for the parser to judge.
bool Journal::TakenAsText(std::string_view line, const JournalFollower& follower) const {
  JsonSkimmer skimmer(line);
  const bool next =
      next_seq_ && skimmer.Next() && skimmer.key() == "seq" && skimmer.Number() == next_seq_;
  return next && follower.line(line);
}

// One good line: the header at first, then the record with the next number.
Result<void> Journal::Accept(std::string_view line, const JournalFollower& follower) {
  if (TakenAsText(line, follower)) {
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

// A good line behind bad ones. If nothing from the hole on was known to be on the disk when it was
// written, all of it is what a crash left of writes that nobody was told are done; else the hole
// was safe once, and is damage.
Result<void> Journal::JudgeBehindHole(std::string_view line) const {
  const Result<Json> record = ParseGoodJsonLine(line);
  const std::optional<std::uint64_t> unsynced = record ? JournalUnsynced(*record) : std::nullopt;
  if (next_seq_ && unsynced && *unsynced <= *next_seq_) return {};
  return Damaged(end_, "a damaged line with a good one behind it");
}

// Reads on until the end, or until `most_bytes` have been read and at least one line came of it.
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
      if (line.good) outcome = JudgeBehindHole(line.text);
      return;
    }
    outcome = Accept(line.text, follower);
    if (outcome) StandBehind(line.text, line_start + line.text.size() + 1);
  });
  Progress progress;
  // Mostly there is little or nothing.
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
  // Without the lock, what we read before may have been taken back by a writer whose sync failed,
  // and be written over since. What is really damaged is still so from the beginning.
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

}  // namespace belay
