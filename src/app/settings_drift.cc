#include "app/settings_drift.h"

#include <fmt/core.h>

#include <algorithm>

#include "adapters/agents.h"
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "codec/hash.h"
#include "ledger/project_ledger.h"

namespace belay {
namespace {

constexpr std::size_t kLongestSettings = std::size_t{1} << 20U;

std::vector<std::string> WatchedFiles(const Layout& project) {
  std::vector<std::string> files = {project.ConfigFile()};
  for (const KindOfAgent& row : KindsOfAgents()) {
    const AgentHooks* hooks = HooksFor(row.kind);
    if (hooks == nullptr) continue;
    std::ranges::move(hooks->SettingsFiles(project), std::back_inserter(files));
  }
  if (const std::optional<std::string> folder = project.GitHooksFolder()) {
    files.push_back(JoinPath(*folder, "reference-transaction"));
  }
  return files;
}

// A recorded time without its microseconds.
std::string ToSeconds(const std::string& time) { return time.substr(0, time.find('.')) + "Z"; }

// Empty: there is none. A link counts as what it leads to; what can't be read is one more state.
std::string DigestOf(const FileSystem& files, const std::string& path) {
  const Result<std::string> real = files.Resolve(path);
  const Result<std::string> text = real ? files.Read(*real, kLongestSettings) : real;
  if (text) return Sha256Hex(*text);
  return IsMissing(text) && IsMissing(files.Inspect(path)) ? "" : Sha256Hex("unreadable");
}

}  // namespace

std::string SettingsChange::Text() const {
  return fmt::format("{} {} since {}", file,
                     sha256.empty() ? "is gone, it was there" : "has changed", ToSeconds(since));
}

std::vector<SettingsChange> FindSettingsChanges(const FileSystem& files, const Layout& project,
                                                const ProjectState& state) {
  std::vector<SettingsChange> changes;
  for (const std::string& path : WatchedFiles(project)) {
    const std::string digest = DigestOf(files, path);
    const std::string name = ReplaceInvalidUtf8(RelativeTo(project.Root(), path));
    const auto seen = state.settings.find(name);
    const bool known = seen != state.settings.end();
    if (known && seen->second.sha256 == digest) continue;
    changes.push_back({name, digest, known ? seen->second.at : ""});
  }
  return changes;
}

Result<std::vector<SettingsChange>> RecordSettingsChanges(FileSystem& files, const Clock& clock,
                                                          const Layout& project, Duration limit) {
  ProjectLedger ledger(files, clock, project);
  BELAY_TRY_ASSIGN(const ProjectState state, ledger.Load());
  std::vector<SettingsChange> changes = FindSettingsChanges(files, project, state);
  if (changes.empty()) return changes;
  BELAY_TRY_ASSIGN(const ProjectLock lock, ProjectLedger::Lock(files, project, limit));
  for (const SettingsChange& one : changes) {
    BELAY_TRY(ledger.RecordSettings(lock, one.file, one.sha256));
  }
  std::erase_if(changes, [](const SettingsChange& one) { return one.since.empty(); });
  return changes;
}

std::optional<Check> CheckSettingsDrift(FileSystem& files, const Clock& clock,
                                        const Layout& project) {
  ProjectLedger ledger(files, clock, project);
  const Result<ProjectState> state = ledger.Load();
  if (!state || state->settings.empty()) return std::nullopt;
  const std::vector<SettingsChange> changes = FindSettingsChanges(files, project, *state);
  if (!changes.empty()) {
    return Check{"settings", Verdict::kLacking,
                 Join(changes, "; ", [](const SettingsChange& one) { return one.Text(); }),
                 "these files decide how agents' work is judged",
                 "check that the change is yours; the guardian records it"};
  }
  const auto last =
      std::ranges::max_element(state->settings, {}, [](const auto& one) { return one.second.at; });
  return Check{"settings", Verdict::kFine,
               fmt::format("unchanged since {} ({})", ToSeconds(last->second.at), last->first)};
}

}  // namespace belay
