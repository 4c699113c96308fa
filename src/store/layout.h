// Every path that belay reads or writes is built here and nowhere else; only an adapter knows the
// files of its agent program.
//
// clang-format off
//   ROOT/.claude/belay.yml      configuration, written by people
//   ROOT/.claude/talisman.yml   another program's; one section of it is read
//   ROOT/.claude/state/         the state root: renderings for people and scripts, written again when lost
//   GIT/belay/                  the vault: the truth, in git's common folder, so that `git clean -fdx`
//                               and `rm -rf .claude` in the worktree lose nothing
//   GIT/belay/format            the version of everything in the vault
//   GIT/belay/root              the path of ROOT, so that every worktree finds the same one
//   GIT/belay/journals/         one journal for each family of records
//   GIT/belay/locks/            one lock for each journal; `project` is also taken for setup and repair
//   GIT/belay/edited/           copies of renderings that a user edited, and of users' files before belay
//                               edited them
//   GIT/belay/KIND-settings.json  the settings of that kind of agent before belay's hooks were
//                               added
//   GIT/belay/archive/          journals as they were before compaction, the latest few
//   GIT/belay/signals/WHO/      the inbox of each recipient
//   GIT/belay/run/              of each agent: ROLE-NAME.launch.json (what to start), .json (what runs
//                               or ran), .lock (held as long as it runs), .sock, .log, .log.1,
//                               .resume.md (its resume text), .settings.json (the hooks that it
//                               gets where its worktree has none); of the guardian: guardian.sock
//   GIT/belay/events/           of each agent with hooks: ROLE-NAME.jsonl and .jsonl.1, the events
//   GIT/belay/outbox/           of each agent with messages: ROLE-NAME.json (for its next hook), .taken-*
//                               (a hook delivers it), .done-* (delivered), .text-* (a long message)
//   GIT/belay/merge/            of the merge queue: scratch/ (the worktree that gates run in), logs/,
//                               guarded-refs
//   GIT/belay/resumption-file   the resumption document that the settings name, if they do
//   GIT/belay/resumption-done   the last update of a resumption document that was finished
//   GIT/belay/checkpoints/      what a session did when its context was compacted
//   GIT/belay/documents/        the last versions of documents (store/document.h) that belay wrote
//   GIT/info/exclude            git's own list of ignored files
//   GIT/hooks/                  git's own hooks, belay's among them
// clang-format on
//
// ROOT is the main worktree, also when belay runs in a linked one. Outside a repository the vault
// is ROOT/.claude/.belay-vault/.

#ifndef BELAY_STORE_LAYOUT_H_
#define BELAY_STORE_LAYOUT_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace belay {

constexpr std::string_view kJournalEnd = ".jsonl";       // of the files in Layout::JournalFolder
constexpr std::string_view kProjectJournal = "project";  // the history of belay itself

class Layout {
 public:
  // `root` is absolute; no `common_folder` means that it isn't a repository.
  Layout(std::string root, std::optional<std::string> common_folder)
      : root_(std::move(root)), common_folder_(std::move(common_folder)) {}

  const std::string& Root() const { return root_; }
  bool InRepository() const { return common_folder_.has_value(); }

  std::string ClaudeFolder() const;
  std::string ConfigFile() const;
  std::string TalismanFile() const;
  std::string StateRoot() const;
  // For a journal whose rendering is a single file.
  std::string JournalRendering(std::string_view journal) const;
  std::string Vault() const;
  std::string FormatFile() const;
  std::string RootFile() const;
  std::string JournalFolder() const;
  std::string JournalFile(std::string_view journal) const;
  std::string LockFolder() const;
  std::string LockFile(std::string_view journal) const;
  std::string EditedFolder() const;
  std::string SettingsNote(std::string_view agent) const;
  std::string ArchiveFolder() const;
  std::string SignalsFolder() const;
  std::string SignalFolder(std::string_view recipient) const;
  std::string RunFolder() const;
  std::string LaunchFile(const IdentityName& agent) const;
  std::string RunFile(const IdentityName& agent) const;
  std::string RunLock(const IdentityName& agent) const;
  // Short enough for a socket, however long the agent's name is (os/socket.h).
  std::string RunSocketName(const IdentityName& agent) const;
  std::string RunSocket(const IdentityName& agent) const;
  std::string RunLog(const IdentityName& agent) const;
  std::string OlderRunLog(const IdentityName& agent) const;
  std::string ResumeFile(const IdentityName& agent) const;
  std::string AgentSettings(const IdentityName& agent) const;
  std::string EventsFolder() const;
  std::string EventLog(const IdentityName& agent) const;
  std::string OlderEventLog(const IdentityName& agent) const;
  // Of resumption documents: the path that the settings name, the last update that was finished,
  // and the checkpoints of compactions.
  std::string ResumptionNote() const;
  std::string ResumptionDone() const;
  std::string CheckpointFolder() const;
  std::string OutboxFolder() const;
  std::string OutboxFile(const IdentityName& agent) const;
  std::string GuardianSocket() const;
  std::string GuardianLock() const;
  std::string IdentitiesFolder() const;
  std::string IdentityRendering(const IdentityName& agent) const;
  std::string IdentityHistoryFolder() const;
  std::string IdentityHistoryRendering(const AgentId& agent) const;
  std::string HooksFolder() const;
  std::string HookRendering(const IdentityName& agent) const;
  // The scratch worktrees and the logs of gates; the lock that landing on a target takes.
  std::string MergeFolder() const;
  std::string MergeScratch() const;
  std::string MergeLogFolder() const;
  // Exists while checkouts of the target are moved with it: the move in progress, and the new
  // files.
  std::string CheckoutMoveNote() const;
  std::string CheckoutMoveFolder() const;
  // The names of the guarded refs, one on each line: a git hook can quickly see that a ref isn't
  // one of them.
  std::string GuardedRefs() const;
  // The vault's copy of a document (store/document.h), by its name below ROOT.
  std::string DocumentFolder() const;
  std::string DocumentCopy(std::string_view name) const;
  // Beside ROOT: a worktree that belay creates for an agent.
  std::string NewWorktree(const IdentityName& agent) const;
  std::optional<std::string> ExcludeFile() const;
  // git's own folder for hooks, unless core.hooksPath names another.
  std::optional<std::string> GitHooksFolder() const;

  // belay's own folders inside a worktree: never part of a snapshot, a cleanup or a list of
  // modified files. Relative to its root, as paths, and as patterns for git.
  static std::span<const std::string_view> OwnNames();
  std::vector<std::string> OwnFolders() const;
  static std::vector<std::string> OwnPatterns();

 private:
  std::string RunPath(const IdentityName& agent, std::string_view end) const;

  std::string root_;
  std::optional<std::string> common_folder_;
};

}  // namespace belay

#endif  // BELAY_STORE_LAYOUT_H_
