#include "app/session_place.h"

#include <fmt/core.h>

#include "app/resumption.h"
#include "app/settings.h"
#include "base/text.h"
#include "base/utf8.h"
#include "codec/hash.h"
#include "host/host.h"
#include "os/process_identity.h"

namespace belay {
namespace {

Result<SuperviseSettings> ReadSettings(const Env& env, const Layout& project, VaultUse use) {
  BELAY_TRY_ASSIGN(const auto sources, ConfigSources(env, project));
  BELAY_TRY_ASSIGN(const Config config, Accept(ReadConfig(sources)));
  // For the hooks, which read no settings.
  if (use == VaultUse::kWrite) (void)RememberDocument(env.files, project, config);
  return ReadSuperviseSettings(config);
}

constexpr std::size_t kMostMachineIdBytes = 4096;

// A hash, not the id itself, which should stay on the machine.
std::string MachineDigest(const FileSystem& files) {
  const Result<std::string> real = files.Resolve("/etc/machine-id");
  const Result<std::string> id = real ? files.Read(*real, kMostMachineIdBytes) : real;
  return id ? Sha256Hex("belay " + *id).substr(0, 16) : "unknown";
}

Result<void> CatchUpWithSome(IdentityLedger& ledger) {
  BELAY_TRY(ledger.CatchUp());
  if (!ledger.book().entries().empty()) return {};
  return Error{ErrorCode::kNotFound, "this project has no agents", "belay spawn starts one"};
}

}  // namespace

Result<SessionPlace> FindSessionPlace(Env& env, VaultUse use, Mistakes mistakes) {
  BELAY_TRY_ASSIGN(Layout project, LocateProject(env));
  BELAY_TRY(CheckVault(env.files, project, use));
  Result<SuperviseSettings> settings = ReadSettings(env, project, use);
  SessionPlace place{std::move(project)};
  if (settings) {
    place.settings = *std::move(settings);
    return place;
  }
  // The user just typed --config, so a mistake in it is an error.
  if (mistakes == Mistakes::kRefuse || env.config) return settings.error();
  place.warnings.push_back(fmt::format("{}; using the defaults", settings.error().message));
  env.say(place.warnings.back());
  return place;
}

std::string DisplayName(const std::string& who) { return who == "person" ? "a person" : who; }

std::string SpawnAgainCommand(const FileSystem& files, const Layout& project,
                              const Identity& identity) {
  const std::string& folder = identity.worktree_path;
  const bool own = !folder.empty() && folder != project.Root() && files.Inspect(folder).ok();
  return fmt::format("belay spawn --role {} --name {}{} -- COMMAND", identity.id.identity().role(),
                     identity.id.identity().name(),
                     own ? " --worktree " + ShellQuoted(folder) : std::string());
}

bool GuardianRuns(const FileSystem& files, const Layout& project, const IdentityBook& book) {
  const Identity* guardian = book.Find(*IdentityName::Make("guardian", "main"));
  if (guardian == nullptr || !guardian->process || !IsRunning(guardian->status)) return false;
  if (!IsOurs(*guardian, OurLease(files, project))) return false;
  if (!CheckInSight(files, project, *guardian)) return true;
  return IsAlive(
      {static_cast<pid_t>(guardian->process->pid), guardian->process->start, guardian->boot_id});
}

Json OurLease(const FileSystem& files, const Layout& project) {
  return MakeObject(
      {{"machine", MachineDigest(files)}, {"vault", ReplaceInvalidUtf8(project.Vault())}});
}

bool IsOurs(const Identity& identity, const Json& our_lease) {
  return identity.lease.is_null() || identity.lease == our_lease;
}

Result<AgentId> ResolveIncarnation(const IdentityBook& book, std::string_view argument) {
  const std::size_t hash = argument.find('#');
  BELAY_TRY_ASSIGN(const IdentityName name, ResolveAgent(book, argument.substr(0, hash)));
  AgentId present = book.Find(name)->id;
  if (hash == std::string_view::npos) return present;
  BELAY_TRY_ASSIGN(AgentId named,
                   AgentId::Parse(fmt::format("{}{}", name.text(), argument.substr(hash))));
  if (named.incarnation() <= present.incarnation()) return named;
  return Error{ErrorCode::kNotFound, fmt::format("{} doesn't exist yet", named.text()),
               fmt::format("the current one is {}", present.text())};
}

Result<IdentityName> ResolvePresent(const IdentityBook& book, std::string_view argument) {
  BELAY_TRY_ASSIGN(const AgentId named, ResolveIncarnation(book, argument));
  const AgentId& present = book.Find(named.identity())->id;
  if (named == present) return named.identity();
  return Error{ErrorCode::kNotFound,
               fmt::format("{} has ended; the current one is {}", named.text(), present.text()),
               fmt::format("belay why {} shows what happened to it", named.text())};
}

Result<IdentityName> FindAgent(IdentityLedger& ledger, std::string_view argument) {
  BELAY_TRY(CatchUpWithSome(ledger));
  return ResolvePresent(ledger.book(), argument);
}

Result<AgentId> FindIncarnation(IdentityLedger& ledger, std::string_view argument) {
  BELAY_TRY(CatchUpWithSome(ledger));
  return ResolveIncarnation(ledger.book(), argument);
}

}  // namespace belay
