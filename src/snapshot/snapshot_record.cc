#include "snapshot/snapshot_record.h"

#include <fmt/core.h>

#include <array>
#include <optional>

#include "adapters/git/fields.h"
#include "base/text.h"
#include "base/utf8.h"
#include "codec/json.h"
#include "model/stored_record.h"

namespace belay {
namespace {

struct ReasonRow {
  SkipReason reason;
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array kReasons = {
    ReasonRow{SkipReason::kSecret, "secret", "it looks like a secret"},
    ReasonRow{SkipReason::kTooLarge, "too_large", "over the size limit"},
    ReasonRow{SkipReason::kRepository, "repository", "a nested repository"},
    ReasonRow{SkipReason::kSubmodule, "submodule", "changed content of a submodule"},
    ReasonRow{SkipReason::kUnreadable, "unreadable", "it can't be read"},
    ReasonRow{SkipReason::kSpecial, "special", "neither a file nor a link"},
    ReasonRow{SkipReason::kBehindLink, "behind_link", "a folder on its path is a link"},
    ReasonRow{SkipReason::kGitName, "git_name", "a name reserved by git"},
};

const ReasonRow& RowOf(SkipReason reason) {
  for (const ReasonRow& row : kReasons) {
    if (row.reason == reason) return row;
  }
  return kReasons[0];
}

std::optional<SkipReason> ReasonNamed(std::string_view name) {
  for (const ReasonRow& row : kReasons) {
    if (row.name == name) return row.reason;
  }
  return std::nullopt;
}

// Text from an agent or a user must stay on one line.
std::string OneLine(std::string_view text) {
  std::string line = ReplaceInvalidUtf8(text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  while (!line.empty() && line.front() == ' ') line.erase(0, 1);
  return line.empty() ? "snapshot" : line;
}

Json SkippedJson(const std::vector<SkippedPath>& skipped) {
  return MakeArray(skipped, [](const SkippedPath& path) {
    return Json::Array{QuotePath(path.path), SkipReasonName(path.reason)};
  });
}

Json ModesJson(const std::map<std::string, std::uint32_t>& modes) {
  return MakeArray(modes, [](const auto& one) {
    return Json::Array{QuotePath(one.first), fmt::format("{:o}", one.second)};
  });
}

std::string TextOf(const Json& record, std::string_view key) {
  const Json* value = record.Find(key);
  return value != nullptr && value->AsString() != nullptr ? *value->AsString() : std::string();
}

std::uint64_t CountOf(const Json& record, std::string_view key) {
  const Json* value = record.Find(key);
  const std::int64_t* count = value != nullptr ? value->AsInteger() : nullptr;
  return count != nullptr && *count > 0 ? static_cast<std::uint64_t>(*count) : 0;
}

const Json::Array& ListOf(const Json& record, std::string_view key) {
  static const Json::Array kNone;
  const Json* value = record.Find(key);
  return value != nullptr && value->AsArray() != nullptr ? *value->AsArray() : kNone;
}

struct Pair {
  std::string path;
  std::string value;
};

// ["PATH", "VALUE"]
std::optional<Pair> PairOf(const Json& json) {
  const Json::Array* items = json.AsArray();
  if (items == nullptr || items->size() != 2) return std::nullopt;
  const std::string* path = (*items)[0].AsString();
  const std::string* value = (*items)[1].AsString();
  if (path == nullptr || value == nullptr) return std::nullopt;
  Result<std::string> plain = UnquotePath(*path);
  if (!plain) return std::nullopt;
  return Pair{*std::move(plain), *value};
}

std::vector<std::string> PathsOf(const Json& json, std::string_view key) {
  std::vector<std::string> paths;
  for (const Json& item : ListOf(json, key)) {
    if (item.AsString() == nullptr) continue;
    if (Result<std::string> path = UnquotePath(*item.AsString())) {
      paths.push_back(*std::move(path));
    }
  }
  return paths;
}

void ReadLists(const Json& json, SnapshotRecord& record) {
  for (const Json& item : ListOf(json, "skipped")) {
    const std::optional<Pair> pair = PairOf(item);
    // An unknown reason still explains the absence.
    if (pair) {
      record.skipped.push_back(
          {pair->path, ReasonNamed(pair->value).value_or(SkipReason::kUnreadable)});
    }
  }
  for (const Json& item : ListOf(json, "modes")) {
    const std::optional<Pair> pair = PairOf(item);
    const auto mode = pair ? ParseNumber<std::uint32_t>(pair->value, 8) : std::nullopt;
    if (mode && *mode <= 0777) record.modes.emplace(pair->path, *mode);
  }
  record.unsteady = PathsOf(json, "unsteady");
  record.raw = PathsOf(json, "raw");
}

Error NotOurs() { return {ErrorCode::kDamaged, "its commit has no belay record"}; }

Result<SnapshotRecord> ReadSnapshot(const Json& json) {
  SnapshotRecord record;
  const Result<WallTime> at = ParseUtc(TextOf(json, "at"));
  if (!at) return NotOurs();
  record.at = *at;
  record.agent_id = TextOf(json, "agent_id");
  BELAY_TRY_ASSIGN(record.worktree, UnquotePath(TextOf(json, "worktree")));
  BELAY_TRY_ASSIGN(record.branch, UnquotePath(TextOf(json, "branch")));
  const Json* base = json.Find("base");
  record.has_base = base == nullptr || base->AsBool() == nullptr || *base->AsBool();
  const Json* converts = json.Find("converts");
  record.converts = converts != nullptr && converts->AsBool() != nullptr && *converts->AsBool();
  record.files = CountOf(json, "files");
  record.bytes = CountOf(json, "bytes");
  record.state = TextOf(json, "state");
  ReadLists(json, record);
  return record;
}

}  // namespace

std::string_view SkipReasonName(SkipReason reason) { return RowOf(reason).name; }
std::string_view SkipReasonMeaning(SkipReason reason) { return RowOf(reason).meaning; }

std::string WriteSnapshotMessage(const SnapshotRecord& record) {
  Json json = MakeObject(
      {{kVersionKey, NewestVersion(StoredRecord::kSnapshot)}, {"at", FormatUtcMicros(record.at)}});
  if (!record.agent_id.empty()) json.Set("agent_id", record.agent_id);
  json.Set("worktree", QuotePath(record.worktree));
  if (!record.branch.empty()) json.Set("branch", QuotePath(record.branch));
  json.Set("base", record.has_base);
  json.Set("files", static_cast<std::size_t>(record.files));
  json.Set("bytes", static_cast<std::size_t>(record.bytes));
  json.Set("state", record.state);
  if (!record.skipped.empty()) json.Set("skipped", SkippedJson(record.skipped));
  if (!record.modes.empty()) json.Set("modes", ModesJson(record.modes));
  if (!record.unsteady.empty()) json.Set("unsteady", MakeArray(record.unsteady, QuotePath));
  if (record.converts) json.Set("converts", true);
  if (!record.raw.empty()) json.Set("raw", MakeArray(record.raw, QuotePath));
  return fmt::format("{}\n\n{}\n", OneLine(record.message), WriteJson(json));
}

Result<SnapshotRecord> ParseSnapshotMessage(std::string_view message) {
  const std::size_t end = message.find("\n\n");
  if (end == std::string_view::npos) return NotOurs();
  const Result<Json> json = ParseJson(message.substr(end + 2));
  if (!json || json->AsObject() == nullptr) return NotOurs();
  BELAY_TRY_ASSIGN(SnapshotRecord record,
                   ReadRecord(FormatOf(StoredRecord::kSnapshot), *json, ReadSnapshot));
  record.message = message.substr(0, end);
  return record;
}

}  // namespace belay
