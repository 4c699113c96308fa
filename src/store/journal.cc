#include "store/journal.h"

#include <fmt/core.h>

#include "base/check.h"
#include "base/path.h"
#include "codec/json_lines.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr int kVersion = 1;
constexpr std::size_t kPiece = std::size_t{64} << 10U;

std::string HeaderLine(const std::string& name, std::uint64_t seq) {
  std::string line;
  BELAY_CHECK(
      AppendJsonLine(MakeObject({{"seq", seq}, {"journal", name}, {"version", kVersion}}), line)
          .ok());
  return line;
}

Result<void> AppendRecord(std::uint64_t seq, const Json& record, std::string& out) {
  const Json::Object* members = record.AsObject();
  BELAY_CHECK(members != nullptr && record.Find("seq") == nullptr);
  Json::Object numbered;
  numbered.reserve(members->size() + 1);
  numbered.push_back({"seq", Json(seq)});
  numbered.insert(numbered.end(), members->begin(), members->end());
  return AppendJsonLine(Json(std::move(numbered)), out);
}

Result<std::string> Lines(std::uint64_t first_seq, std::span<const Json> records) {
  std::string lines;
  for (const Json& record : records) BELAY_TRY(AppendRecord(first_seq++, record, lines));
  return lines;
}

// Nothing when it is none, or one so large that the numbers couldn't go on from there.
std::optional<std::uint64_t> SeqOf(const Json& record) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 62U;
  const Json* seq = record.Find("seq");
  const std::int64_t* number = seq == nullptr ? nullptr : seq->AsInteger();
  if (number == nullptr || *number < 0 || *number > kLargest) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

}  // namespace

Error Journal::Damaged(std::uint64_t offset, std::string_view why) const {
  return {ErrorCode::kDamaged, fmt::format("{}: at byte {}: {}", path_, offset, why),
          "belay doctor --repair sets the damaged part aside and keeps the rest"};
}

void Journal::Forget(const JournalFollower& follower) {
  if (next_seq_) follower.forget();
  file_.reset();
  end_ = 0;
  next_seq_.reset();
  last_seq_ = 0;
}

// Whether there is a journal. One that was replaced, or lost some of what was read, since it was
// opened is read from its beginning.
Result<bool> Journal::Reopen(const JournalFollower& follower) {
  const Result<FileInfo> there = files_.Inspect(path_);
  if (!there && there.error().code == ErrorCode::kNotFound) {
    Forget(follower);
    return false;
  }
  if (!there) return there.error();
  if (file_) {
    BELAY_TRY_ASSIGN(const FileInfo opened, file_->Inspect());
    const bool same = opened.inode == there->inode && opened.device == there->device;
    if (same && there->bytes >= end_) return true;
    Forget(follower);
  }
  BELAY_TRY_ASSIGN(File file, files_.OpenForAppending(path_, kPrivateFile));
  file_.emplace(std::move(file));
  name_is_safe_ = false;
  return true;
}

Result<void> Journal::AcceptHeader(const Json& header) {
  const Json* version = header.Find("version");
  const Json* name = header.Find("journal");
  if (version == nullptr || version->AsInteger() == nullptr || name == nullptr) {
    return Damaged(0, "it doesn't begin with a journal's header");
  }
  if (*version->AsInteger() > kVersion) {
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

// One good line: the header at first, then the record with the next number.
Result<void> Journal::Accept(std::string_view line, const JournalFollower& follower) {
  Result<Json> record = ParseJsonLine(line);
  if (!record) return Damaged(end_, record.error().message);
  const std::optional<std::uint64_t> seq = SeqOf(*record);
  if (!seq) return Damaged(end_, "a record without a number");
  if (!next_seq_) {
    BELAY_TRY(AcceptHeader(*record));
  } else if (*seq != *next_seq_) {
    return Damaged(end_, fmt::format("record {} where {} should be", *seq, *next_seq_));
  } else {
    record->Remove("seq");
    follower.record(*seq, *record);
  }
  last_seq_ = *seq;
  next_seq_ = *seq + 1;
  return {};
}

Result<Journal::Tail> Journal::ReadOn(const JournalFollower& follower) {
  const std::uint64_t start = end_;
  Result<void> outcome;
  JsonLinesScanner scanner([&](const JsonLine& line) {
    if (!outcome || !line.good) return;
    const std::uint64_t line_start = start + line.offset;
    if (line_start != end_) {
      outcome = Damaged(end_, "a damaged line with a good one behind it");
      return;
    }
    outcome = Accept(line.text, follower);
    if (outcome) end_ = line_start + line.text.size() + 1;
  });
  std::string piece(kPiece, '\0');
  for (std::uint64_t at = start; outcome;) {
    BELAY_TRY_ASSIGN(const std::size_t got, file_->ReadAt(at, piece.data(), piece.size()));
    if (got == 0) break;
    scanner.Feed(std::string_view(piece).substr(0, got));
    at += got;
  }
  BELAY_TRY(outcome);
  return Tail{scanner.Finish().torn_bytes};
}

Result<void> Journal::CatchUp(const JournalFollower& follower) {
  BELAY_TRY_ASSIGN(const bool there, Reopen(follower));
  if (!there) return {};
  Result<Tail> tail = ReadOn(follower);
  // Without the lock, what we read before may have been taken back by a writer whose sync failed,
  // and be written over since. What is really damaged is still so from the beginning.
  constexpr int kTries = 3;
  for (int i = 1; !tail && tail.error().code == ErrorCode::kDamaged && i < kTries; ++i) {
    Forget(follower);
    BELAY_TRY(Reopen(follower));
    tail = ReadOn(follower);
  }
  if (!tail) return std::move(tail).error();
  return {};
}

Result<void> Journal::Create() {
  BELAY_TRY(ReplaceFile(files_, path_, HeaderLine(name_, 0)));
  return {};
}

Result<std::uint64_t> Journal::Append(const StateLock&, std::span<const Json> records,
                                      const JournalFollower& follower) {
  BELAY_TRY_ASSIGN(const bool there, Reopen(follower));
  if (!there) {
    BELAY_TRY(Create());
    BELAY_TRY(Reopen(follower));
  }
  BELAY_TRY_ASSIGN(const Tail tail, ReadOn(follower));
  if (!next_seq_) return Damaged(0, "it is empty");
  // Whoever made or compacted it may have been killed before its name was on the disk.
  if (!name_is_safe_) BELAY_TRY(files_.SyncFolder(std::string(ParentPath(path_))));
  name_is_safe_ = true;
  if (tail.torn_bytes > 0) BELAY_TRY(file_->Truncate(end_));
  BELAY_TRY_ASSIGN(const std::string lines, Lines(*next_seq_, records));
  Result<void> written = file_->Write(lines);
  if (written) written = file_->SyncData();
  if (!written) {
    // Best taken back at once; if that fails too, the next append does it.
    (void)file_->Truncate(end_);
    return std::move(written).error();
  }
  end_ += lines.size();
  last_seq_ += records.size();
  next_seq_ = last_seq_ + 1;
  return last_seq_;
}

Result<void> Journal::Compact(const StateLock& lock, std::span<const Json> snapshot) {
  BELAY_TRY(Append(lock, {}, {}));
  BELAY_TRY_ASSIGN(const std::string lines, Lines(last_seq_ + 1, snapshot));
  const std::string text = HeaderLine(name_, last_seq_) + lines;
  BELAY_TRY(ReplaceFile(files_, path_, text));
  // This process knows what the snapshot says: it stands at the new end without reading it.
  const std::uint64_t last = last_seq_ + snapshot.size();
  file_.reset();
  BELAY_TRY(Reopen({}));
  end_ = text.size();
  last_seq_ = last;
  next_seq_ = last + 1;
  return {};
}

}  // namespace belay
