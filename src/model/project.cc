#include "model/project.h"

#include "base/path.h"
#include "base/utf8.h"
#include "model/json_fields.h"
#include "model/stored_record.h"

namespace belay {
namespace {

const Json::Array& ElementsOf(const Json& record, std::string_view key) {
  static const Json::Array none;
  const Json* found = record.Find(key);
  return found != nullptr && found->AsArray() != nullptr ? *found->AsArray() : none;
}

// The totals in a compacted journal.
void TakeSums(const Json& record, ProjectState& state) {
  JsonFields fields(record, "project");
  state.repairs += fields.LargeCount("repairs");
  state.edits += fields.LargeCount("edits");
  for (const Json& name : ElementsOf(record, "kept")) {
    if (name.AsString() != nullptr) state.kept.insert(*name.AsString());
  }
  for (const Json& one : ElementsOf(record, "settings")) {
    if (one.AsObject() == nullptr) continue;
    state.settings[TextIn(one, "file")] = {TextIn(one, "sha256"), TextIn(one, "at")};
  }
}

void ApplyNewest(const Json& record, ProjectState& state) {
  const std::string kind = TextIn(record, "kind");
  if (kind == "initialised") {
    state.initialised_at = TextIn(record, "at");
    state.belay = TextIn(record, "belay");
    TakeSums(record, state);
  }
  if (kind == "initialised" || kind == "moved") {
    state.root = TextIn(record, "root");
  } else if (kind == "repaired" || kind == "ref_dropped") {
    ++state.repairs;
  } else if (kind == "edited") {
    ++state.edits;
    state.kept.emplace(FileName(TextIn(record, "kept_as")));
  } else if (kind == "settings_seen" || kind == "settings_changed") {
    state.settings[TextIn(record, "file")] = {TextIn(record, "sha256"), TextIn(record, "at")};
  } else {
    ++state.unknown;
  }
}

}  // namespace

bool ProjectState::IsAt(std::string_view path) const {
  return initialised() && root == ReplaceInvalidUtf8(path);
}

Json InitialisedRecord(WallTime at, std::string_view root, std::string_view belay) {
  return MakeObject({{"at", FormatUtcMicros(at)},
                     {"kind", "initialised"},
                     {"root", ReplaceInvalidUtf8(root)},
                     {"belay", belay}});
}

Json MovedRecord(WallTime at, std::string_view root) {
  return MakeObject(
      {{"at", FormatUtcMicros(at)}, {"kind", "moved"}, {"root", ReplaceInvalidUtf8(root)}});
}

Json RepairedRecord(WallTime at, std::string_view file, std::uint64_t lines) {
  return MakeObject(
      {{"at", FormatUtcMicros(at)}, {"kind", "repaired"}, {"file", file}, {"lines", lines}});
}

Json DroppedRefRecord(WallTime at, std::string_view ref, std::string_view said) {
  return MakeObject(
      {{"at", FormatUtcMicros(at)}, {"kind", "ref_dropped"}, {"ref", ref}, {"said", said}});
}

Json SettingsRecord(WallTime at, std::string_view file, std::string_view sha256, bool first) {
  return MakeObject({{"at", FormatUtcMicros(at)},
                     {"kind", first ? "settings_seen" : "settings_changed"},
                     {"file", ReplaceInvalidUtf8(file)},
                     {"sha256", sha256}});
}

Json EditedRecord(WallTime at, std::string_view file, std::string_view kept_as) {
  return MakeObject(
      {{"at", FormatUtcMicros(at)}, {"kind", "edited"}, {"file", file}, {"kept_as", kept_as}});
}

void ProjectState::Apply(const Json& record) {
  const Result<Json> newest = Migrate(FormatOf(StoredRecord::kProject), record);
  // A record of a newer belay has no kind that we know.
  ApplyNewest(newest ? *newest : Json::EmptyObject(), *this);
}

std::vector<Json> ProjectState::Snapshot(WallTime) const {
  Json record = MakeObject({{"at", initialised_at},
                            {"kind", "initialised"},
                            {"root", root},
                            {"belay", belay},
                            {"repairs", repairs},
                            {"edits", edits},
                            {"kept", MakeArray(kept)}});
  Json seen = Json::EmptyArray();
  for (const auto& [file, one] : settings) {
    seen.Append(MakeObject({{"file", file}, {"sha256", one.sha256}, {"at", one.at}}));
  }
  if (!settings.empty()) record.Set("settings", std::move(seen));
  return {std::move(record)};
}

Json ProjectRendering(const ProjectState& state, std::string_view vault) {
  return MakeObject({{kVersionKey, NewestVersion(StoredRecord::kProject)},
                     {"root", state.root},
                     {"vault", vault},
                     {"initialised_at", state.initialised_at},
                     {"belay", state.belay},
                     {"repairs", state.repairs},
                     {"edits", state.edits}});
}

}  // namespace belay
