#include "snapshot/restore_index.h"

#include <fmt/core.h>

namespace belay {
namespace {

void Put(const GitEntry& entry, std::size_t stage, const std::string& path, std::string& out) {
  if (!entry.IsThere()) return;
  out += fmt::format("{:o} {} {}\t", entry.mode, entry.id.text(), stage);
  out += path;
  out += '\0';
}

}  // namespace

// Everything goes before anything comes, so that a file can become a folder.
std::string IndexInfo(const std::vector<PlannedIndex>& changes, ObjectFormat format) {
  const std::string none(format == ObjectFormat::kSha256 ? 64 : 40, '0');
  std::string text;
  for (const PlannedIndex& change : changes) {
    text += fmt::format("0 {}\t", none);
    text += change.path;
    text += '\0';
  }
  for (const PlannedIndex& change : changes) {
    Put(change.state.entry, 0, change.path, text);
    for (std::size_t i = 0; i < change.state.stages.size(); ++i) {
      Put(change.state.stages[i], i + 1, change.path, text);
    }
  }
  return text;
}

Result<void> ChangeIndex(const Git& git, const std::vector<PlannedIndex>& changes,
                         ObjectFormat format) {
  if (changes.empty()) return {};
  BELAY_TRY(git.Run({.arguments = {"update-index", "-z", "--index-info"},
                     .input = InputOf(IndexInfo(changes, format))}));
  std::string intents;
  for (const PlannedIndex& change : changes) {
    if (change.state.intent_to_add) intents += change.path + '\0';
  }
  if (intents.empty()) return {};
  BELAY_TRY(git.Run({.arguments = {"add", "--intent-to-add", "--force", "--sparse",
                                   "--pathspec-from-file=-", "--pathspec-file-nul"},
                     .input = InputOf(std::move(intents))}));
  return {};
}

}  // namespace belay
