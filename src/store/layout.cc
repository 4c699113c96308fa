#include "store/layout.h"

#include <fmt/core.h>

#include "base/path.h"
#include "codec/hash.h"

namespace belay {
namespace {

constexpr std::size_t kLongestNameOfSocket = 72;

constexpr std::string_view kOwnFolders[] = {".claude/state", "tmp/work", "workshop/sawdust"};

}  // namespace

std::string Layout::ClaudeFolder() const { return JoinPath(root_, ".claude"); }
std::string Layout::ConfigFile() const { return JoinPath(root_, ".claude/belay.yml"); }
std::string Layout::TalismanFile() const { return JoinPath(root_, ".claude/talisman.yml"); }
std::string Layout::StateRoot() const { return JoinPath(root_, ".claude/state"); }

std::string Layout::Vault() const {
  return common_folder_ ? JoinPath(*common_folder_, "belay")
                        : JoinPath(root_, ".claude/.belay-vault");
}

std::string Layout::JournalRendering(std::string_view journal) const {
  return JoinPath(StateRoot(), fmt::format("{}.json", journal));
}
std::string Layout::FormatFile() const { return JoinPath(Vault(), "format"); }
std::string Layout::RootFile() const { return JoinPath(Vault(), "root"); }
std::string Layout::JournalFolder() const { return JoinPath(Vault(), "journals"); }
std::string Layout::JournalFile(std::string_view journal) const {
  return JoinPath(JournalFolder(), fmt::format("{}{}", journal, kJournalEnd));
}
std::string Layout::LockFolder() const { return JoinPath(Vault(), "locks"); }
std::string Layout::LockFile(std::string_view journal) const {
  return JoinPath(LockFolder(), fmt::format("{}.lock", journal));
}
std::string Layout::EditedFolder() const { return JoinPath(Vault(), "edited"); }
std::string Layout::SettingsNote(std::string_view agent) const {
  return JoinPath(Vault(), std::string(agent) + "-settings.json");
}
std::string Layout::ArchiveFolder() const { return JoinPath(Vault(), "archive"); }
std::string Layout::SignalsFolder() const { return JoinPath(Vault(), "signals"); }
std::string Layout::SignalFolder(std::string_view recipient) const {
  return JoinPath(SignalsFolder(), recipient);
}

std::string Layout::RunFolder() const { return JoinPath(Vault(), "run"); }
std::string Layout::RunPath(const IdentityName& agent, std::string_view end) const {
  return JoinPath(RunFolder(), agent.text() + std::string(end));
}
std::string Layout::LaunchFile(const IdentityName& agent) const {
  return RunPath(agent, ".launch.json");
}
std::string Layout::RunFile(const IdentityName& agent) const { return RunPath(agent, ".json"); }
std::string Layout::RunLock(const IdentityName& agent) const { return RunPath(agent, ".lock"); }
std::string Layout::RunSocketName(const IdentityName& agent) const {
  if (agent.text().size() <= kLongestNameOfSocket) return agent.text() + ".sock";
  // The dot keeps it distinct from every agent's name.
  return fmt::format("long.{}.sock", Sha256Hex(agent.text()).substr(0, 32));
}
std::string Layout::RunSocket(const IdentityName& agent) const {
  return JoinPath(RunFolder(), RunSocketName(agent));
}
std::string Layout::RunLog(const IdentityName& agent) const { return RunPath(agent, ".log"); }
std::string Layout::OlderRunLog(const IdentityName& agent) const {
  return RunPath(agent, ".log.1");
}
std::string Layout::ResumeFile(const IdentityName& agent) const {
  return RunPath(agent, ".resume.md");
}
std::string Layout::AgentSettings(const IdentityName& agent) const {
  return RunPath(agent, ".settings.json");
}
std::string Layout::EventsFolder() const { return JoinPath(Vault(), "events"); }
std::string Layout::EventLog(const IdentityName& agent) const {
  return JoinPath(EventsFolder(), agent.text() + std::string(kJournalEnd));
}
std::string Layout::OlderEventLog(const IdentityName& agent) const {
  return EventLog(agent) + ".1";
}
std::string Layout::ResumptionNote() const { return JoinPath(Vault(), "resumption-file"); }
std::string Layout::ResumptionDone() const { return JoinPath(Vault(), "resumption-done"); }
std::string Layout::CheckpointFolder() const { return JoinPath(Vault(), "checkpoints"); }
std::string Layout::OutboxFolder() const { return JoinPath(Vault(), "outbox"); }
std::string Layout::OutboxFile(const IdentityName& agent) const {
  return JoinPath(OutboxFolder(), agent.text() + ".json");
}
std::string Layout::GuardianSocket() const { return JoinPath(RunFolder(), "guardian.sock"); }
std::string Layout::GuardianLock() const { return LockFile("guardian"); }

std::string Layout::IdentitiesFolder() const { return JoinPath(StateRoot(), "identities"); }
std::string Layout::IdentityRendering(const IdentityName& agent) const {
  return JoinPath(IdentitiesFolder(), agent.text() + ".json");
}
std::string Layout::IdentityHistoryFolder() const {
  return JoinPath(IdentitiesFolder(), "history");
}
std::string Layout::IdentityHistoryRendering(const AgentId& agent) const {
  return JoinPath(IdentityHistoryFolder(),
                  fmt::format("{}-{}.json", agent.identity().text(), agent.incarnation()));
}
std::string Layout::HooksFolder() const { return JoinPath(StateRoot(), "hooks"); }
std::string Layout::HookRendering(const IdentityName& agent) const {
  return JoinPath(HooksFolder(), agent.text() + ".json");
}

std::string Layout::MergeFolder() const { return JoinPath(Vault(), "merge"); }
std::string Layout::MergeScratch() const { return JoinPath(MergeFolder(), "scratch"); }
std::string Layout::MergeLogFolder() const { return JoinPath(MergeFolder(), "logs"); }
std::string Layout::CheckoutMoveNote() const { return JoinPath(MergeFolder(), "checkout-move"); }
std::string Layout::CheckoutMoveFolder() const {
  return JoinPath(MergeFolder(), "checkout-move.files");
}
std::string Layout::GuardedRefs() const { return JoinPath(MergeFolder(), "guarded-refs"); }

std::string Layout::DocumentFolder() const { return JoinPath(Vault(), "documents"); }
std::string Layout::DocumentCopy(std::string_view name) const {
  // One folder for all: the digest tells apart files with the same last name.
  constexpr std::size_t kMostOfName = 100;
  return JoinPath(DocumentFolder(), fmt::format("{}-{}", Sha256Hex(name).substr(0, 32),
                                                FileName(name).substr(0, kMostOfName)));
}

std::string Layout::NewWorktree(const IdentityName& agent) const {
  return JoinPath(root_ + ".worktrees", agent.text());
}

std::optional<std::string> Layout::GitHooksFolder() const {
  if (!common_folder_) return std::nullopt;
  return JoinPath(*common_folder_, "hooks");
}

std::optional<std::string> Layout::ExcludeFile() const {
  if (!common_folder_) return std::nullopt;
  return JoinPath(*common_folder_, "info/exclude");
}

std::span<const std::string_view> Layout::OwnNames() { return kOwnFolders; }

std::vector<std::string> Layout::OwnFolders() const {
  std::vector<std::string> folders;
  for (const std::string_view name : kOwnFolders) folders.push_back(JoinPath(root_, name));
  return folders;
}

std::vector<std::string> Layout::OwnPatterns() {
  std::vector<std::string> patterns;
  for (const std::string_view name : kOwnFolders) patterns.push_back(fmt::format("/{}/", name));
  return patterns;
}

}  // namespace belay
