// The history of belay itself in a project: the records of the journal "project", and the state
// they add up to.
//
//   {"at":"...","kind":"initialised","root":"/home/me/app","belay":"0.1.0"}
//   {"at":"...","kind":"moved","root":"/home/me/elsewhere"}
//   {"at":"...","kind":"repaired","file":"journals/queue.jsonl","lines":2}     what was set aside
//   {"at":"...","kind":"ref_dropped","ref":"refs/belay/keep/main/7","said":"..."}   it was broken
//   {"at":"...","kind":"edited","file":"project.json","kept_as":"/..."}        a rendering, by hand
//   {"at":"...","kind":"settings_seen","file":".claude/belay.yml","sha256":"..."}   for the first
//   time
//   {"at":"...","kind":"settings_changed","file":".claude/belay.yml","sha256":""}   empty: it is
//   gone
//   {"at":"...","kind":"initialised","root":"/home/me/app","belay":"0.1.0","compacted":true,
//    "repairs":3,"edits":1,"kept":["project.json-1"],
//    "settings":[{"file":".claude/belay.yml","sha256":"...","at":"..."}]}      in a compacted
//    journal
//
// A record of an unknown kind is counted, and changes nothing else. Invalid UTF-8 in paths is
// replaced.

#ifndef BELAY_MODEL_PROJECT_H_
#define BELAY_MODEL_PROJECT_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "codec/json.h"

namespace belay {

// A settings file as belay saw it last.
struct SeenSettings {
  std::string sha256 = {};  // empty: there was none
  std::string at = {};      // since when it is like that
  bool operator==(const SeenSettings&) const = default;
};

struct ProjectState {
  std::string root = {};
  std::string initialised_at = {};
  std::string belay = {};  // the version that set it up
  std::uint64_t repairs = 0;
  std::uint64_t edits = 0;
  std::set<std::string> kept = {};                    // the names of the copies of edited files
  std::map<std::string, SeenSettings> settings = {};  // by its path below the root
  std::uint64_t unknown = 0;                          // records of another kind

  bool initialised() const { return !root.empty(); }
  bool IsAt(std::string_view path) const;
  // Applies one more record.
  void Apply(const Json& record);
  void Forget() { *this = {}; }
  std::uint64_t unreadable() const { return unknown; }
  // One record with the same meaning. An older belay reads it as a project that was set up.
  std::vector<Json> Snapshot(WallTime now) const;
  bool operator==(const ProjectState&) const = default;
  // Whether the records only show that belay was set up, and where.
  bool OnlySetUp() const { return repairs == 0 && edits == 0 && unknown == 0; }
};

Json InitialisedRecord(WallTime at, std::string_view root, std::string_view belay);
Json MovedRecord(WallTime at, std::string_view root);
Json RepairedRecord(WallTime at, std::string_view file, std::uint64_t lines);
Json DroppedRefRecord(WallTime at, std::string_view ref, std::string_view said);
// `first`: it wasn't known before.
Json SettingsRecord(WallTime at, std::string_view file, std::string_view sha256, bool first);
Json EditedRecord(WallTime at, std::string_view file, std::string_view kept_as);

// For project.json in the state root.
Json ProjectRendering(const ProjectState& state, std::string_view vault);

}  // namespace belay

#endif  // BELAY_MODEL_PROJECT_H_
