// Doctor's checks of the project, and the list of all checks.

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "adapters/agents.h"
#include "app/doctor_checks.h"
#include "app/project_setup.h"
#include "app/settings.h"
#include "app/settings_drift.h"
#include "base/path.h"
#include "base/text.h"
#include "ledger/family_table.h"
#include "ledger/project_ledger.h"
#include "store/archive.h"
#include "store/durable_file.h"
#include "store/timeline.h"
#include "store/vault.h"

namespace belay {
namespace {

constexpr std::uint64_t kLittleSpace = std::uint64_t{256} << 20U;
constexpr std::uint32_t kOthersBits = 077;

Check Broken(std::string name, const Error& error, std::string cost) {
  return {std::move(name), Verdict::kBroken, error.message,
          std::move(cost), error.hint,       error.code};
}

// Whether belay init could do its work, according to its own checks.
Check CheckSetUp(const Layout& project, const Env& env) {
  ProjectSetup setup(env.files, env.clock, project, true);
  const Result<void> outcome = setup.SetUp();
  if (!outcome) return Broken("setup", outcome.error(), "belay init can't set up belay here");
  for (const InitChange& change : setup.changes()) {
    if (change.what == "unchanged") continue;
    const bool recorded = env.files.Inspect(project.JournalFile(kProjectJournal)).ok();
    return {"setup", Verdict::kLacking, fmt::format("incomplete: {}", change.path),
            recorded ? "some parts that belay init creates are missing or changed"
                     : "belay has recorded nothing yet",
            "run belay init"};
  }
  return {"setup", Verdict::kFine, "complete"};
}

// One of belay's folders: exists, is ours, is writable, is private, and is on a disk with working
// locks.
Check CheckFolder(std::string name, const std::string& path, std::string cost,
                  const Layout& project, const FileSystem& files) {
  const std::string_view shown = RelativeTo(project.Root(), path);
  const Result<void> folder = CheckOwnFolder(files, path, VaultUse::kWrite);
  if (IsMissing(folder)) {
    return {std::move(name), Verdict::kLacking, fmt::format("{}: missing", shown), std::move(cost),
            "see setup"};
  }
  if (!folder) return Broken(std::move(name), folder.error(), "belay's state is not safe there");
  const Result<FileInfo> info = files.Inspect(path);
  if (info && info->mode != kPrivateFolder) {
    return {std::move(name), Verdict::kLacking, fmt::format("{}: mode {:04o}", shown, info->mode),
            "other users of this machine can read it",
            fmt::format("chmod 700 {}", ShellQuoted(path))};
  }
  return {std::move(name), Verdict::kFine, std::string(shown)};
}

// Which journals other users of this machine can read if they can enter the vault.
std::optional<Check> OpenToOthers(const Layout& project, const std::vector<std::string>& names,
                                  const FileSystem& files) {
  std::vector<std::string> paths = {project.JournalFolder()};
  for (const std::string& name : names) paths.push_back(project.JournalFile(name));
  for (const std::string& path : paths) {
    const Result<FileInfo> info = files.Inspect(path);
    if (!info || (info->mode & kOthersBits) == 0) continue;
    return Check{"journals", Verdict::kLacking,
                 fmt::format("{}: mode {:04o}", RelativeTo(project.Root(), path), info->mode),
                 "other users of this machine can read it",
                 fmt::format("chmod go= {}", ShellQuoted(path))};
  }
  return std::nullopt;
}

// Complete but invalid lines at the end: from a writer that was cut off, or damaged since.
Check BadTail(const std::string& path, const Journal& journal) {
  return {"journals", Verdict::kLacking,
          fmt::format("{}: unreadable lines at the end: {}", path, journal.bad_tail_lines()),
          "they may have been records; the next record replaces them, and belay keeps a copy",
          "belay doctor --repair sets them aside"};
}

// Every journal, read from beginning to end.
Check CheckJournals(const Layout& project, FileSystem& files) {
  const std::string cost = "belay can't read the records after the damage, and adds none";
  const auto names = KnownJournals(files, project);
  if (!names) return Broken("journals", names.error(), cost);
  if (const auto lost = FindUnrecordedRenderings(files, project); !lost.empty()) {
    return Broken("journals", lost.front().error, "records are lost");
  }
  if (names->empty()) {
    return {"journals", Verdict::kLacking, "none", "belay has recorded nothing yet", "see setup"};
  }
  std::uint64_t records = 0;
  for (const std::string& name : *names) {
    if (const Result<void> there = CheckNotLost(files, project, name); !there) {
      return Broken("journals", there.error(), "belay can't read its records");
    }
    // Before the journal is read, because it may grow.
    const Result<std::uint64_t> known = LastKnownNumber(files, project, name);
    if (!known) return Broken("journals", known.error(), "belay can't read its archive");
    Journal journal(files, project.JournalFile(name), name);
    const Result<void> read =
        journal.CatchUp({.record = [&](std::uint64_t, const Json&) { ++records; }});
    if (!read) return Broken("journals", read.error(), cost);
    // It was cut, or replaced by an older copy.
    const Result<void> whole = CheckNotCut(project, name, journal.last_seq(), *known);
    if (!whole) return Broken("journals", whole.error(), "records are lost");
    if (journal.bad_tail_lines() > 0) return BadTail(project.JournalFile(name), journal);
  }
  if (const auto open = OpenToOthers(project, *names, files)) return *open;
  return {"journals", Verdict::kFine,
          fmt::format("{}: {} {}", fmt::join(*names, ", "), records,
                      records == 1 ? "record" : "records")};
}

// The archive: what belay log and belay why show of the time before journals were shortened.
Check CheckArchives(const Layout& project, FileSystem& files) {
  const auto names = KnownJournals(files, project);
  std::size_t count = 0;
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    const std::vector<ArchiveFault> faults = CheckArchive(files, project, name);
    if (!faults.empty()) {
      return Broken("archive", faults.front().error,
                    "belay log and belay why don't show these records");
    }
    const auto paths = ArchivedJournals(files, project, name);
    count += paths ? paths->size() : 0;
  }
  return {"archive", Verdict::kFine, fmt::format("{} {}", count, count == 1 ? "file" : "files")};
}

Check CheckDisk(const Layout& project, const FileSystem& files) {
  const Result<MountInfo> mount = files.InspectMount(project.Root());
  if (!mount) return Broken("disk", mount.error(), "belay can't save anything");
  const std::string found =
      fmt::format("{}, {} MB free", mount->type, mount->free_bytes / 1'000'000);
  if (mount->read_only) {
    return {"disk",
            Verdict::kBroken,
            found + ", read-only",
            "belay can't save anything",
            "mount it writable, or work elsewhere",
            ErrorCode::kUsage};
  }
  if (mount->network) {
    return {"disk",
            Verdict::kBroken,
            found + ", shared over the network",
            "locks don't work across machines, so belay's state could be corrupted",
            "keep the repository on a local disk",
            ErrorCode::kUsage};
  }
  if (mount->free_bytes < kLittleSpace) {
    return {"disk", Verdict::kLacking, found, "snapshots may fail soon", "free some space"};
  }
  return {"disk", Verdict::kFine, found};
}

Check CheckConfiguration(const Env& env, const std::optional<Layout>& project) {
  const std::string cost = "commands that need it refuse to run";
  const auto sources = ConfigSources(env, project);
  if (!sources) {
    return {"configuration", Verdict::kBroken, sources.error().message, cost,
            fmt::format("{}; name a readable file", sources.error().hint)};
  }
  const ConfigOutcome outcome = ReadConfig(*sources);
  if (!outcome.problems.empty()) {
    return {"configuration", Verdict::kBroken, outcome.problems[0].message, cost,
            "belay config check lists every mistake"};
  }
  if (!outcome.warnings.empty()) {
    return {"configuration", Verdict::kLacking, outcome.warnings[0].message,
            "belay doesn't use its settings in that file", "put them in .claude/belay.yml instead"};
  }
  std::vector<std::string_view> names;
  for (const ConfigSource& source : *sources) names.push_back(source.name);
  return {"configuration", Verdict::kFine,
          names.empty() ? "all defaults" : fmt::format("{}", fmt::join(names, ", "))};
}

void AddIfAny(std::vector<Check>& checks, std::optional<Check> check) {
  if (check) checks.push_back(*std::move(check));
}

void AddChecksOfRepository(const Layout& project, const Env& env, std::vector<Check>& checks) {
  checks.push_back(CheckRemotes(Git(env.programs, env.environment, project.Root())));
  checks.push_back(CheckOwnRefs(project, env));
  AddIfAny(checks, CheckTargetBranch(project, env));
  if (CheckVault(env.files, project, VaultUse::kRead)) {
    AddIfAny(checks, CheckProtection(project, env));
    AddIfAny(checks, CheckGates(project, env));
  }
  AddIfAny(checks, CheckInterruptedLanding(project, env));
  AddIfAny(checks, CheckLeftLocks(project, env));
}

void AddChecksOf(AgentKind kind, const Layout& project, const Env& env,
                 std::vector<Check>& checks) {
  const AgentHooks* hooks = HooksFor(kind);
  if (hooks == nullptr) return;
  for (Check& check :
       hooks->CheckInstalled({env.files, env.programs, env.clock, env.environment, project})) {
    checks.push_back(std::move(check));
  }
}

// A link in place of a folder could lead to another project, so it is not followed.
std::vector<Check> CheckFoundProject(const Layout& project, const Env& env) {
  FileSystem& files = env.files;
  std::vector<Check> checks = {
      {"project", Verdict::kFine, project.Root()},
      CheckDisk(project, files),
      CheckSetUp(project, env),
      CheckFolder("vault", project.Vault(), "belay has recorded nothing yet", project, files),
      CheckFolder("state root", project.StateRoot(), "scripts can't read belay's state", project,
                  files)};
  if (CheckVault(files, project, VaultUse::kRead)) {
    checks.push_back(CheckJournals(project, files));
    checks.push_back(CheckArchives(project, files));
    const bool own = CheckIsFolder(files, project.ClaudeFolder()).ok() &&
                     CheckIsFolder(files, project.StateRoot()).ok();
    if (own) checks.push_back(CheckStateFiles(project, env));
  }
  if (project.InRepository()) AddChecksOfRepository(project, env, checks);
  checks.push_back(CheckConfiguration(env, project));
  for (const KindOfAgent& row : KindsOfAgents()) AddChecksOf(row.kind, project, env, checks);
  if (CheckVault(files, project, VaultUse::kRead)) {
    for (Check& check : CheckLastEvents(project, env)) checks.push_back(std::move(check));
    AddIfAny(checks, CheckSettingsDrift(files, env.clock, project));
    AddIfAny(checks, CheckGuardian(project, env));
  }
  return checks;
}

// A failed repair comes first, then the first broken check.
std::optional<Error> FailureOf(const std::vector<Repair>& repairs,
                               const std::vector<Check>& checks) {
  for (const Repair& repair : repairs) {
    if (!repair.failure) continue;
    return Error{
        *repair.failure, fmt::format("could not repair {}: {}", repair.path, repair.what),
        repair.hint.empty() ? "repairs lists what was repaired and what wasn't" : repair.hint};
  }
  const auto broken = std::ranges::find(checks, Verdict::kBroken, &Check::verdict);
  if (broken == checks.end()) return std::nullopt;
  return Error{broken->code,
               fmt::format("{} checks are broken, the first is {}",
                           CountChecks(checks, Verdict::kBroken), broken->name),
               "checks lists the effect of each and how to fix it"};
}

Result<std::vector<Repair>> RepairProject(Env& env) {
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(env));
  BELAY_TRY_ASSIGN(std::vector<Repair> repairs, Repairer(env.files, env.clock, project).Run());
  if (std::optional<Repair> landing = FinishInterruptedLanding(project, env)) {
    repairs.push_back(*std::move(landing));
  }
  if (!project.InRepository()) return repairs;
  Result<std::vector<Repair>> refs = RepairOwnRefs(project, env);
  if (!refs) {
    repairs.push_back({"refs/belay/", refs.error().message, refs.error().code, refs.error().hint});
    return repairs;
  }
  std::ranges::move(*refs, std::back_inserter(repairs));
  return repairs;
}

}  // namespace

Result<std::vector<Check>> CheckProject(const Env& env) {
  const Result<std::optional<Layout>> project = ProjectIfAny(env);
  if (!project && NamesProject(env)) return project.error();
  if (project && *project) return CheckFoundProject(**project, env);
  const std::string cost = "only version, help, completion and config work here";
  return std::vector<Check>{
      project ? Check{"project", Verdict::kLacking,
                      fmt::format("{} is not in a git repository", env.current_folder), cost,
                      "cd to a repository, or name the project's folder with --root"}
              : Broken("project", project.error(), cost),
      CheckConfiguration(env, std::nullopt)};
}

std::size_t CountChecks(const std::vector<Check>& checks, Verdict verdict) {
  return static_cast<std::size_t>(std::ranges::count(checks, verdict, &Check::verdict));
}

Result<DoctorOutcome> RunChecks(Env& env, const DoctorRequest& request) {
  DoctorOutcome outcome;
  if (request.repair) {
    BELAY_TRY_ASSIGN(outcome.repairs, RepairProject(env));
  }
  BELAY_TRY_ASSIGN(std::vector<Check> project, CheckProject(env));
  outcome.checks = CheckPrograms(env.programs);
  std::ranges::move(CheckKernel(env.probe_kernel()), std::back_inserter(outcome.checks));
  std::ranges::move(project, std::back_inserter(outcome.checks));
  outcome.failure = FailureOf(outcome.repairs, outcome.checks);
  return outcome;
}

}  // namespace belay
