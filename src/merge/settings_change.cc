#include "merge/settings_change.h"

#include <fmt/core.h>

#include <set>

#include "base/text.h"

namespace belay {
namespace {

constexpr std::string_view kFolder = ".claude";
constexpr std::string_view kFile = ".claude/belay.yml";

// By git's names.
std::set<std::string, std::less<>> PathsOfSettings(const MergeDoors& doors) {
  std::set<std::string, std::less<>> paths = {std::string(kFolder), std::string(kFile)};
  const Result<std::string> root = doors.files.Resolve(doors.project.Root());
  const Result<std::string> real = doors.files.Resolve(doors.project.ConfigFile());
  const bool inside = root && real && real->starts_with(*root + "/");
  if (inside) paths.insert(real->substr(root->size() + 1));
  return paths;
}

}  // namespace

Result<bool> ChangesSettings(const MergeDoors& doors, const std::string& from,
                             const std::string& to) {
  const auto paths = PathsOfSettings(doors);
  std::vector<std::string> words = {"diff-tree",    "-r", "-z", "--name-only", "--no-renames",
                                    "--merge-base", from, to,   "--"};
  words.insert(words.end(), paths.begin(), paths.end());
  BELAY_TRY_ASSIGN(const std::string output, doors.git.Ask(std::move(words)));
  for (const std::string_view path : Split(output, '\0')) {
    if (paths.contains(path)) return true;
  }
  return false;
}

Result<std::string> WhyAskAboutSettings(const MergeDoors& doors, const MergeEntry& entry) {
  if (entry.settings_allowed == entry.head) return std::string();
  BELAY_TRY_ASSIGN(const bool changes, ChangesSettings(doors, entry.base, entry.candidate));
  if (!changes) return std::string();
  return fmt::format(
      "it changes {0}, which sets the gates, so a person decides: git diff {1}...{2} -- {0}, then "
      "belay merge-queue retry {3} --gates-change",
      kFile, entry.target, entry.branch, entry.id());
}

}  // namespace belay
