#include "model/project.h"

#include "base/path.h"
#include "base/utf8.h"
#include "model/json_fields.h"
#include "model/stored_record.h"

namespace belay {
namespace {

// The totals in a compacted journal.
void TakeSums(const Json& record, ProjectState& state) {
  JsonFields fields(record, "project");
  state.repairs += fields.LargeCount("repairs");
  state.edits += fields.LargeCount("edits");
  const Json* names = record.Find("kept");
  if (names == nullptr || names->AsArray() == nullptr) return;
  for (const Json& name : *names->AsArray()) {
    if (name.AsString() != nullptr) state.kept.insert(*name.AsString());
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
  return {MakeObject({{"at", initialised_at},
                      {"kind", "initialised"},
                      {"root", root},
                      {"belay", belay},
                      {"repairs", repairs},
                      {"edits", edits},
                      {"kept", MakeArray(kept)}})};
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
