#include "app/resumption_file.h"

#include <fmt/core.h>

#include <set>
#include <utility>

#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "codec/hash.h"
#include "codec/json_lines.h"

namespace belay {
namespace {

constexpr int kMostTries = 5;

Error LinkRefused(const std::string& path) {
  return {ErrorCode::kRefused,
          fmt::format("{} is a link, and belay writes through no link", ReplaceInvalidUtf8(path)),
          "name the file itself with --file, or with resumption.file in .claude/belay.yml"};
}

// What makes two entries the same, whenever they were written.
std::string IdentityOf(const Json& entry) {
  Json same = MakeObject({{"kind", MemberOf(entry, "kind")},
                          {"id", MemberOf(entry, "id")},
                          {"first", MemberOf(entry, "first")},
                          {"value", MemberOf(entry, "value")}});
  return WriteJson(same);
}

Json ArchiveRecord(const ArchivedEntry& entry, WallTime at) {
  Json record = MakeObject({{"at", FormatUtc(at)}, {"kind", entry.kind}, {"id", entry.id}});
  if (entry.first) record.Set("first", *entry.first);
  record.Set("value", entry.value);
  return record;
}

// Lines that can't be read were not written by belay, and stay.
std::set<std::string> ArchivedBefore(std::string_view bytes) {
  std::set<std::string> before;
  for (const std::string_view line : Split(bytes, '\n')) {
    const Result<Json> entry = ParseJsonLine(line);
    if (entry) before.insert(IdentityOf(*entry));
  }
  return before;
}

Result<std::string> WithEntries(std::string bytes, const std::vector<ArchivedEntry>& entries,
                                WallTime at) {
  std::set<std::string> before = ArchivedBefore(bytes);
  if (!bytes.empty() && bytes.back() != '\n') bytes += '\n';
  for (const ArchivedEntry& entry : entries) {
    const Json record = ArchiveRecord(entry, at);
    if (before.insert(IdentityOf(record)).second) BELAY_TRY(AppendJsonLine(record, bytes));
  }
  return bytes;
}

}  // namespace

Document DocumentAt(const std::string& path) {
  return {.root = std::string(ParentPath(path)), .name = std::string(FileName(path))};
}

std::string ArchiveName(std::string_view document) {
  const std::size_t dot = document.rfind('.');
  return std::string(document.substr(0, dot)) + ".archive.jsonl";
}

std::string SectionDigest(const Resumption& section) {
  const ResumptionArchive& archive = section.archive;
  Json values = MakeArray(section.parts);
  values.Append(MakeObject({{"version", section.version},
                            {"v1_keys", section.keeps_v1_keys},
                            {"archive", archive.file},
                            {"decisions", archive.decisions},
                            {"agents", archive.agents},
                            {"compactions", archive.compactions},
                            {"scores", archive.scores}}));
  return Sha256Hex(WriteJson(values));
}

Result<DocumentFile> ReadDocumentFile(const DocumentEnv& env) {
  const Result<FileInfo> info = env.files.Inspect(env.path);
  if (info && info->kind == FileKind::kLink) return LinkRefused(env.path);
  BELAY_TRY_ASSIGN(DocumentText text, ReadDocument(env.files, DocumentAt(env.path)));
  if (!text.bytes) {
    return Error{ErrorCode::kNotFound, fmt::format("{} doesn't exist", env.path),
                 "create it, or name another file with --file"};
  }
  Result<ResumptionDocument> document =
      ReadResumptionDocument(*std::move(text.bytes), FileName(env.path));
  if (!document) {
    Error error = std::move(document).error().In(env.path);
    if (error.hint.empty()) error.hint = "fix the file; nothing was changed";
    return error;
  }
  std::string digest = SectionDigest(document->section);
  return DocumentFile{*std::move(document), std::move(text.stamp), std::move(digest)};
}

bool IsHandEdited(const DocumentLog& log, std::string_view digest) {
  if (log.unsure) return digest != log.unsure->before && digest != log.unsure->after;
  return log.last && digest != log.last->after;
}

Result<void> AppendToArchive(const DocumentEnv& env, const ResumptionLock& lock,
                             const std::vector<ArchivedEntry>& entries) {
  if (entries.empty()) return {};
  const Document archive =
      DocumentAt(JoinPath(ParentPath(env.path), ArchiveName(FileName(env.path))));
  for (int tries = 0; tries < kMostTries; ++tries) {
    BELAY_TRY_ASSIGN(DocumentText text, ReadDocument(env.files, archive));
    BELAY_TRY_ASSIGN(const std::string bytes,
                     WithEntries(text.bytes.value_or(""), entries, env.clock.Wall()));
    BELAY_TRY_ASSIGN(const DocumentChange change,
                     ReplaceDocument(env.files, lock, archive, text.stamp, bytes));
    if (change == DocumentChange::kReplaced) return {};
  }
  return Error{ErrorCode::kBusy, fmt::format("{} keeps changing", archive.path())};
}

}  // namespace belay
