#include "store/document.h"

#include <fmt/core.h>

#include <cstring>

#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "store/document_swap.h"

namespace belay {
namespace {

constexpr std::string_view kMissingStamp = "missing";

// One of two independent sums over a text. A stamp only has to differ where people changed
// something, and SHA-256 would take a tenth of the time of an update.
std::uint64_t SumOf(std::string_view bytes, std::uint64_t factor) {
  std::uint64_t sum = bytes.size() * factor;
  const auto add = [&](std::uint64_t word) {
    sum = (sum ^ word) * factor;
    sum ^= sum >> 32U;
  };
  std::uint64_t word = 0;
  for (; bytes.size() >= sizeof(word); bytes.remove_prefix(sizeof(word))) {
    std::memcpy(&word, bytes.data(), sizeof(word));
    add(word);
  }
  word = 0;
  std::memcpy(&word, bytes.data(), bytes.size());
  add(word);
  return sum;
}

bool IsPlainName(std::string_view name) {
  if (name.empty() || name.ends_with('/')) return false;
  for (const std::string_view part : Split(name, '/')) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return true;
}

Error NotBelow(const Document& document) {
  return {ErrorCode::kRefused,
          fmt::format("{} is no path below {}", Quote(document.name), document.root)};
}

Error LinkOnTheWay(const std::string& path) {
  return {ErrorCode::kRefused, fmt::format("{}: it is not a folder", path),
          "belay follows no links there; move it away, then try again"};
}

// Calls `folder` with each folder between the root and the document, from the top.
template <class Folder>
Result<void> EachFolder(const Document& document, const Folder& folder) {
  if (!IsPlainName(document.name)) return NotBelow(document);
  for (std::size_t slash = document.name.find('/'); slash != std::string::npos;
       slash = document.name.find('/', slash + 1)) {
    BELAY_TRY(folder(JoinPath(document.root, std::string_view(document.name).substr(0, slash))));
  }
  return {};
}

// kNotFound for a missing folder.
Result<void> CheckFolders(const FileSystem& files, const Document& document) {
  return EachFolder(document, [&](const std::string& path) -> Result<void> {
    BELAY_TRY_ASSIGN(const FileInfo info, files.Inspect(path));
    if (info.kind != FileKind::kFolder) return LinkOnTheWay(path);
    return {};
  });
}

Result<void> EnsureFolders(FileSystem& files, const Document& document) {
  return EachFolder(document, [&](const std::string& path) -> Result<void> {
    const Result<FileInfo> info = files.Inspect(path);
    if (info && info->kind == FileKind::kFolder) return {};
    if (info) return LinkOnTheWay(path);
    return EnsureFolder(files, path, kSharedFolder);
  });
}

Result<void> WriteCopy(FileSystem& files, const Document& document, std::string_view bytes) {
  if (document.copy.empty()) return {};
  const std::string folder(ParentPath(document.copy));
  const Result<FileInfo> there = files.Inspect(folder);
  if (!there || there->kind != FileKind::kFolder) BELAY_TRY(EnsureFolder(files, folder));
  BELAY_TRY(RemoveLeftoversOf(files, document.copy));
  return ReplaceFile(files, document.copy, bytes);
}

Result<void> WriteDocument(FileSystem& files, const Document& document, std::string_view bytes) {
  BELAY_TRY(EnsureFolders(files, document));
  BELAY_TRY(RemoveLeftoversOf(files, document.path()));
  return ReplaceFile(files, document.path(), bytes, document.mode);
}

// A new document: no other may have appeared.
Result<DocumentChange> PutNew(FileSystem& files, const Document& document,
                              const std::string& temporary) {
  const std::string path = document.path();
  if (!files.RenameNew(temporary, path)) {
    BELAY_TRY_ASSIGN(const DocumentText now, ReadDocument(files, document));
    if (now.bytes) return DocumentChange::kChangedByOthers;
    BELAY_TRY(files.Rename(temporary, path));  // a file system that can't do the other
  }
  BELAY_TRY(files.SyncFolder(std::string(ParentPath(path))));
  return DocumentChange::kReplaced;
}

Result<DocumentChange> Put(FileSystem& files, const Document& document, std::string_view read,
                           const std::string& temporary, std::string_view bytes) {
  BELAY_TRY_ASSIGN(const DocumentText now, ReadDocument(files, document));
  if (now.stamp != read) return DocumentChange::kChangedByOthers;
  BELAY_TRY(WriteCopy(files, document, bytes));
  if (!now.bytes) return PutNew(files, document, temporary);
  return SwapIn(files, document, read, temporary, bytes);
}

// The comparison comes after the slow part.
Result<DocumentChange> WriteIfUnchanged(FileSystem& files, const Document& document,
                                        std::string_view read, std::string_view bytes) {
  const std::string path = document.path();
  const Result<FileInfo> old = files.Inspect(path);
  BELAY_TRY_ASSIGN(const std::string temporary,
                   files.CreateTemporary(path, bytes, old ? old->mode : document.mode));
  Result<DocumentChange> change = Put(files, document, read, temporary, bytes);
  const bool replaced = change && *change == DocumentChange::kReplaced;
  if (!replaced) (void)files.RemoveFile(temporary);
  return change;
}

// Not an error when it is missing.
Result<void> RemoveDurably(FileSystem& files, const std::string& path) {
  Result<void> removed = files.RemoveFile(path);
  if (!removed && removed.error().code == ErrorCode::kNotFound) return {};
  if (!removed) return removed;
  return files.SyncFolder(std::string(ParentPath(path)));
}

}  // namespace

std::string Document::path() const { return JoinPath(root, name); }

std::string DocumentStamp(const std::optional<std::string>& bytes) {
  if (!bytes) return std::string(kMissingStamp);
  return fmt::format("{:016x}{:016x}", SumOf(*bytes, 0x9E3779B97F4A7C15U),
                     SumOf(*bytes, 0xC2B2AE3D27D4EB4FU));
}

Result<DocumentText> ReadDocument(const FileSystem& files, const Document& document,
                                  std::size_t limit) {
  DocumentText text;
  Result<void> folders = CheckFolders(files, document);
  if (!folders && folders.error().code != ErrorCode::kNotFound) return std::move(folders).error();
  if (folders) {
    Result<std::string> bytes = files.Read(document.path(), limit);
    if (bytes) {
      text.bytes = *std::move(bytes);
    } else if (bytes.error().code != ErrorCode::kNotFound) {
      return std::move(bytes).error();
    }
  }
  text.stamp = DocumentStamp(text.bytes);
  return text;
}

Result<DocumentChange> ReplaceDocument(FileSystem& files, const StateLock&,
                                       const Document& document, std::string_view read,
                                       std::string_view bytes) {
  BELAY_TRY(EnsureFolders(files, document));
  BELAY_TRY(RemoveLeftoversOf(files, document.path()));
  BELAY_TRY(FinishSwaps(files, document));
  return WriteIfUnchanged(files, document, read, bytes);
}

Result<void> FinishReplacing(FileSystem& files, const StateLock&, const Document& document) {
  BELAY_TRY(CheckFolders(files, document));
  BELAY_TRY(RemoveLeftoversOf(files, document.path()));
  return FinishSwaps(files, document);
}

Result<DocumentText> ReadOrRestoreDocument(FileSystem& files, const StateLock&,
                                           const Document& document, const DocumentCheck& check) {
  BELAY_TRY_ASSIGN(DocumentText text, ReadDocument(files, document));
  if (text.bytes || document.copy.empty()) return text;
  Result<std::string> copy = files.Read(document.copy, kLargestDocument);
  if (!copy && copy.error().code != ErrorCode::kNotFound) return std::move(copy).error();
  if (!copy || !check(*copy)) return text;
  BELAY_TRY(WriteDocument(files, document, *copy));
  text.stamp = DocumentStamp(*copy);
  text.bytes = *std::move(copy);
  text.restored = true;
  return text;
}

Result<DocumentChange> RemoveDocument(FileSystem& files, const StateLock&, const Document& document,
                                      std::string_view read) {
  BELAY_TRY_ASSIGN(const DocumentText now, ReadDocument(files, document));
  if (now.stamp != read) return DocumentChange::kChangedByOthers;
  // The copy first: a document without a copy is complete, a copy without a document comes back.
  if (!document.copy.empty()) BELAY_TRY(RemoveDurably(files, document.copy));
  if (now.bytes) BELAY_TRY(RemoveDurably(files, document.path()));
  return DocumentChange::kReplaced;
}

}  // namespace belay
