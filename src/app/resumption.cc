#include "app/resumption.h"

#include <fmt/core.h>

#include <algorithm>

#include "app/resumption_file.h"
#include "app/settings.h"
#include "base/path.h"
#include "ledger/identity_ledger.h"
#include "store/durable_file.h"
#include "store/repository.h"

namespace belay {
namespace {

constexpr std::size_t kMostNote = 4096;

// What isn't known doesn't differ.
bool IsOtherSession(const AppliedEvent& last, const DocumentSession& session) {
  const bool named = !last.session.empty() && !session.session.empty();
  if (named) return last.session != session.session;
  return !last.agent.empty() && !session.agent.empty() && last.agent != session.agent;
}

std::string NotePath(const Layout& project) { return project.ResumptionNote(); }

std::string WorktreeRoot(const FileSystem& files, const std::string& folder) {
  for (std::string at = folder; at.size() > 1; at = ParentPath(at)) {
    if (files.Inspect(JoinPath(at, ".git"))) return at;
  }
  return folder;
}

const Identity* NewestSession(const IdentityBook& book) {
  const Identity* newest = nullptr;
  for (const auto& [name, entry] : book.entries()) {
    const Identity* identity = book.Find(name);
    if (identity == nullptr || name.role() == "guardian" || name.role() == "runner") continue;
    if (newest == nullptr || identity->created_at > newest->created_at) newest = identity;
  }
  return newest;
}

}  // namespace

std::string PathOfDocument(const FileSystem& files, std::string path) {
  const Result<std::string> folder = files.Resolve(std::string(ParentPath(path)));
  if (!folder) return path;
  return JoinPath(*folder, FileName(path));
}

std::optional<std::string> FindDocument(const FileSystem& files, const Layout& project,
                                        const std::string& configured, const std::string& folder) {
  if (configured.find('/') != std::string::npos) {
    std::string path = JoinPath(project.Root(), configured);
    if (!files.Inspect(path)) return std::nullopt;
    return PathOfDocument(files, std::move(path));
  }
  const std::string_view name = configured.empty() ? kDocumentName : std::string_view(configured);
  for (std::string at = WorktreeRoot(files, folder); at.size() > 1; at = ParentPath(at)) {
    std::string path = JoinPath(at, name);
    const Result<FileInfo> info = files.Inspect(path);
    // Reading a link is refused, with that reason.
    if (info && (info->kind == FileKind::kFile || info->kind == FileKind::kLink)) {
      return PathOfDocument(files, std::move(path));
    }
  }
  return std::nullopt;
}

std::optional<std::string> FindDocumentQuickly(const FileSystem& files, const Layout& project,
                                               const std::string& folder) {
  const Result<std::string> note = files.Read(NotePath(project), kMostNote);
  return FindDocument(files, project, note ? *note : std::string(), folder);
}

Result<void> RememberDocument(FileSystem& files, const Layout& project, const Config& config) {
  const std::string& configured = config.Text("resumption.file");
  const Result<std::string> note = files.Read(NotePath(project), kMostNote);
  const bool usual = configured == kDocumentName;
  if (note ? *note == configured : usual) return {};
  if (usual) return files.RemoveFile(NotePath(project));
  return ReplaceFile(files, NotePath(project), configured);
}

Result<DocumentState> ReadDocumentState(const DocumentEnv& env, Duration stale_after) {
  BELAY_TRY_ASSIGN(DocumentFile read, ReadDocumentFile(env));
  ResumptionLedger ledger(env.files, env.clock, env.project);
  (void)ledger.CatchUpWithNote();  // without a journal, the file alone counts
  const DocumentLog* found = ledger.book().Find(env.path);
  DocumentLog log = found == nullptr ? DocumentLog{} : *found;
  // One whose updater was killed counts, if the file holds it.
  if (log.unsure && log.unsure->IsIn(read.document.section, read.digest)) {
    log.last = log.unsure->Applied();
    log.unsure.reset();
  }
  const bool other = log.last && IsOtherSession(*log.last, env.session);
  DocumentState state{.document = std::move(read.document), .staleness = {}};
  state.staleness = JudgeStaleness(state.document.section, {.now = env.clock.Wall(),
                                                            .stale_after = stale_after,
                                                            .session_start = env.session.started,
                                                            .other_session = other,
                                                            .phase_began = log.phase_began});
  state.phase_began = log.phase_began;
  state.edited_by_hand = IsHandEdited(log, read.digest);
  state.waiting = log.Pending().size();
  return state;
}

Result<DocumentSession> FindSession(const Env& env, const Layout& project) {
  IdentityLedger identities(env.files, env.clock, project);
  BELAY_TRY(identities.CatchUp());
  const IdentityBook& book = identities.book();
  const Result<AgentId> claim = AgentId::Parse(env.environment.Get("BELAY_AGENT_ID").value_or(""));
  const Identity* identity = claim ? book.Find(claim->identity()) : nullptr;
  if (identity != nullptr && identity->id != *claim) identity = nullptr;
  if (identity == nullptr) identity = NewestSession(book);
  if (identity == nullptr) return DocumentSession{};
  return DocumentSession{identity->id.text(), identity->session_id, identity->created_at};
}

Result<ResumptionPlace> FindResumptionPlace(Env& env, const std::optional<std::string>& file,
                                            VaultUse use) {
  BELAY_TRY_ASSIGN(Layout project, OpenProject(env, use));
  BELAY_TRY_ASSIGN(const auto sources, ConfigSources(env, project));
  BELAY_TRY_ASSIGN(const Config config, Accept(ReadConfig(sources)));
  if (use == VaultUse::kWrite) (void)RememberDocument(env.files, project, config);
  const Duration stale_after = config.Length("resumption.stale_after");
  if (file) {
    return ResumptionPlace{std::move(project),
                           PathOfDocument(env.files, JoinPath(env.current_folder, *file)),
                           stale_after};
  }
  const std::string& configured = config.Text("resumption.file");
  const std::string folder = env.root ? project.Root() : env.current_folder;
  std::optional<std::string> path = FindDocument(env.files, project, configured, folder);
  if (!path) {
    return Error{ErrorCode::kNotFound, fmt::format("there is no {} here", configured),
                 "name it with --file, or set resumption.file in .claude/belay.yml"};
  }
  return ResumptionPlace{std::move(project), *std::move(path), stale_after};
}

std::string BriefFor(FileSystem& files, const Clock& clock, Random& random, const Layout& project,
                     const std::string& folder) {
  const std::optional<std::string> path = FindDocumentQuickly(files, project, folder);
  if (!path) return {};
  const Result<DocumentState> state = ReadDocumentState({files, clock, project, *path});
  if (!state || !state->document.HasSection()) return {};
  return ResumptionBrief(state->document.section, state->staleness.level, random);
}

}  // namespace belay
