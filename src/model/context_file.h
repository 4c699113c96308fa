// A context file: where the worker of a suspended task stopped. Its one writer and its one reader;
// docs/formats/context-file.md describes the format, schemas/context-file.json its frontmatter.
//
//   ---
//   # Context preservation schema v1
//   task_id: t7
//   ...
//   content_sha256: "a3f1..."
//   ---
//
//   ### Last Working State
//
//   What the worker wrote.
//
// Everything in it except times, counts and ids is foreign text: data, whatever it looks like. The
// frontmatter ends at the first line that is exactly `---`; no search ever runs over the body.

#ifndef BELAY_MODEL_CONTEXT_FILE_H_
#define BELAY_MODEL_CONTEXT_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "codec/yaml.h"
#include "model/task.h"

namespace belay {

constexpr int kContextVersion = 1;
constexpr std::size_t kLongestLastAction = 200;   // code points
constexpr std::size_t kMostContextChars = 4'000;  // of the body, unless the settings differ

struct ContextFile {
  TaskId task_id;
  std::string worker = {};
  WallTime timestamp = {};
  SuspendReason reason = SuspendReason::kSignal;
  std::vector<std::string> files_modified = {};
  std::vector<std::string> files_pending = {};
  std::string last_action = {};
  std::uint32_t resume_count = 0;
  std::string base_commit = {};  // empty: unknown, or no commit yet
  std::string snapshot = {};     // empty: none
  bool tainted = false;
  // Commits of snapshots with earlier work of the task that was never put back.
  std::vector<std::string> earlier_snapshots = {};
  // Of a later belay or another program: plain values and lists of them.
  std::vector<std::pair<std::string, YamlNode>> unknown = {};
  std::string body = {};  // without its heading
};

// The bytes of the file, with their checksum. Cuts the last action and the body (to `most_body`
// code points), and replaces what YAML or UTF-8 can't hold.
std::string WriteContextFile(const ContextFile& context, std::size_t most_body = kMostContextChars);

struct ParsedContext {
  ContextFile context;
  std::string status;  // "suspended" in every valid one
  // The checksum fits, or fitted before the count was raised without a new one, as the protocol of
  // other writers does.
  bool intact = false;
};

// kDamaged: not a context file, or a newer version. Never refused for its length.
Result<ParsedContext> ParseContextFile(std::string_view bytes);

// The paths in the list after the line "File Ownership:" of a task's description: "- src/a.cc" or
// "* `src/a.cc`: reason", up to the first other line; or on that line itself, separated by commas.
std::vector<std::string> FileOwnership(std::string_view description);

}  // namespace belay

#endif  // BELAY_MODEL_CONTEXT_FILE_H_
