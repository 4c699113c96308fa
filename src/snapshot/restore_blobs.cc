#include "snapshot/restore_blobs.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>

namespace belay {
namespace {

constexpr std::size_t kMostHead = 200;
constexpr std::uint64_t kMostTarget = 4095;  // the kernel takes no longer one

// "ID blob SIZE"
std::optional<std::uint64_t> SizeIn(std::string_view head, const ObjectId& id) {
  const std::string start = id.text() + " blob ";
  if (!head.starts_with(start)) return std::nullopt;
  const std::string_view digits = head.substr(start.size());
  std::uint64_t size = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  const bool whole = problem == std::errc() && end == digits.data() + digits.size();
  return whole ? std::optional(size) : std::nullopt;
}

}  // namespace

Error BlobWriter::Damaged(std::string_view why) const {
  return {ErrorCode::kDamaged,
          fmt::format("git cat-file {}: {}",
                      blobs_[std::min(next_, blobs_.size() - 1)].entry.id.text(), why),
          "git fsck shows what the repository has lost"};
}

Result<void> BlobWriter::ReadHead() {
  const BlobToWrite& blob = blobs_[next_];
  const std::optional<std::uint64_t> size = SizeIn(head_, blob.entry.id);
  if (!size) return Damaged("it isn't there, or is no content of a file");
  head_.clear();
  left_ = *size;
  hasher_.emplace(blob.entry.id.format(), *size);
  part_ = *size == 0 ? Part::kEnd : Part::kContent;
  if (blob.entry.mode == kLinkMode) {
    if (*size == 0 || *size > kMostTarget) return Damaged("no link can have this target");
    return {};
  }
  const std::uint32_t usual = blob.entry.mode == kProgramMode ? 0777 : 0666;
  BELAY_TRY_ASSIGN(file_, files_.OpenForWriting(blob.path, usual));
  return {};
}

Result<void> BlobWriter::AddContent(std::string_view bytes) {
  hasher_->Add(bytes);
  left_ -= bytes.size();
  if (file_) return file_->Write(bytes);
  target_ += bytes;
  return {};
}

Result<void> BlobWriter::EndBlob() {
  const BlobToWrite& blob = blobs_[next_];
  if (hasher_->Hex() != blob.entry.id.text()) return Damaged("its bytes are not what they were");
  if (file_ && blob.permissions) BELAY_TRY(file_->SetMode(*blob.permissions & 0777U));
  if (!file_) {
    if (target_.find('\0') != std::string::npos) return Damaged("no link can have this target");
    BELAY_TRY(files_.MakeLink(target_, blob.path));
  }
  file_.reset();
  target_.clear();
  part_ = Part::kHead;
  ++next_;
  return {};
}

Result<void> BlobWriter::AddPart(std::string_view& piece) {
  switch (part_) {
    case Part::kHead: {
      const std::size_t end = piece.find('\n');
      head_ += piece.substr(0, end);
      if (head_.size() > kMostHead) return Damaged("an answer that belay doesn't know");
      const bool whole = end != std::string_view::npos;
      piece.remove_prefix(whole ? end + 1 : piece.size());
      return whole ? ReadHead() : Result<void>();
    }
    case Part::kContent: {
      const std::size_t count = std::min<std::uint64_t>(left_, piece.size());
      BELAY_TRY(AddContent(piece.substr(0, count)));
      piece.remove_prefix(count);
      if (left_ == 0) part_ = Part::kEnd;
      return {};
    }
    case Part::kEnd:
      if (piece[0] != '\n') return Damaged("it has more bytes than git says");
      piece.remove_prefix(1);
      return EndBlob();
  }
  return {};
}

Result<void> BlobWriter::Add(std::string_view piece) {
  while (!piece.empty()) {
    if (next_ == blobs_.size()) return Damaged("more answers than questions");
    BELAY_TRY(AddPart(piece));
  }
  return {};
}

Result<void> BlobWriter::Finish() const {
  if (next_ < blobs_.size()) return Damaged("no answer");
  return {};
}

Result<void> WriteBlobs(const Git& git, FileSystem& files, const std::vector<BlobToWrite>& blobs) {
  if (blobs.empty()) return {};
  std::string questions;
  for (const BlobToWrite& blob : blobs) questions += blob.entry.id.text() + "\n";
  BlobWriter writer(files, blobs);
  BELAY_TRY(git.Run({.arguments = {"cat-file", "--batch"},
                     .input = InputOf(std::move(questions)),
                     .output = [&](std::string_view piece) { return writer.Add(piece); },
                     .limit = std::chrono::hours(2)}));
  return writer.Finish();
}

}  // namespace belay
