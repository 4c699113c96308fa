#include "cli/doctor_checks.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <charconv>

#include "base/path.h"
#include "base/utf8.h"
#include "cli/initialiser.h"
#include "cli/settings.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr auto kProgramLimit = std::chrono::seconds(10);
constexpr std::uint64_t kLittleSpace = std::uint64_t{256} << 20U;

struct ProgramNeed {
  std::string_view name;
  std::string_view version_option;
  std::string_view answer;  // begins with this
  ProgramVersion least;
  Verdict without;
  std::string_view cost_without;
  std::string_view cost_when_old;
};

constexpr ProgramNeed kProgramNeeds[] = {
    {"git",
     "--version",
     "git version ",
     {2, 38},
     Verdict::kBroken,
     "work can be neither captured nor landed",
     "branches can't be merged without a checkout"},
    {"tmux",
     "-V",
     "tmux ",
     {3, 2},
     Verdict::kLacking,
     "agents run as plain processes, not in tmux",
     "what an agent shows on its screen may be missed"},
};

Check CheckProgram(const ProgramNeed& need, Programs& programs) {
  const std::string name(need.name);
  const std::string install = fmt::format("install it: apt install {}, or your system's way", name);
  const auto result = programs.Run({name, std::string(need.version_option)}, kProgramLimit);
  if (!result || result->exit_code != 0 || !result->out.starts_with(need.answer)) {
    const std::string found = !result ? result.error().message
                              : result->exit_code != 0
                                  ? fmt::format("ends with exit code {}", result->exit_code)
                                  : fmt::format("says {}", Quote(result->out));
    return {name, need.without, found, std::string(need.cost_without), install};
  }
  const ProgramVersion version = ParseVersion(result->out);
  const std::string found = fmt::format("{}.{}", version.major, version.minor);
  if (version >= need.least) return {name, Verdict::kFine, found};
  return {name, Verdict::kLacking,
          fmt::format("{}, older than {}.{}", found, need.least.major, need.least.minor),
          std::string(need.cost_when_old), fmt::format("install a newer {}", name)};
}

Check Ability(std::string name, bool there, Verdict without, std::string found, std::string cost,
              std::string fix) {
  if (there) return {std::move(name), Verdict::kFine, std::move(found)};
  return {std::move(name), without, "not offered by this kernel", std::move(cost), std::move(fix)};
}

std::string SandboxLacks(const KernelAbilities& kernel) {
  std::vector<std::string_view> lacks;
  if (!kernel.landlock_abi) lacks.push_back("Landlock");
  if (!kernel.seccomp) lacks.push_back("seccomp");
  if (!kernel.user_namespaces) lacks.push_back("user namespaces");
  return fmt::format("{}", fmt::join(lacks, ", "));
}

Check CheckSandbox(const KernelAbilities& kernel) {
  const std::string lacks = SandboxLacks(kernel);
  if (lacks.empty()) {
    return {"network sandbox", Verdict::kFine,
            fmt::format("Landlock {}, seccomp, user namespaces", *kernel.landlock_abi)};
  }
  return {"network sandbox", Verdict::kLacking, fmt::format("without {}", lacks),
          "a session that has read secrets is held by fewer walls",
          "a newer kernel, or its settings: sysctl kernel.unprivileged_userns_clone=1"};
}

// For a command that somebody may paste into a shell.
std::string ShellQuoted(std::string_view path) {
  std::string quoted = "'";
  for (const char c : path) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// Whether belay init could do its work, as it sees it itself.
Check CheckSetUp(const Layout& project, FileSystem& files) {
  Initialiser initialiser(files, project, true);
  const Result<void> outcome = initialiser.SetUp();
  if (!outcome) {
    return {"set-up", Verdict::kBroken, outcome.error().message, "belay init can't do its work",
            outcome.error().hint};
  }
  for (const InitChange& change : initialiser.changes()) {
    if (change.what == "unchanged") continue;
    return {"set-up", Verdict::kLacking, "not complete", "nothing is recorded yet",
            "run belay init"};
  }
  return {"set-up", Verdict::kFine, "complete"};
}

// A folder of belay's own: there, ours, closed to others, writable, on a disk that locks can trust.
Check CheckOwnFolder(std::string name, const std::string& path, const Layout& project,
                     const FileSystem& files) {
  const std::string_view shown = RelativeTo(project.Root(), path);
  const std::string cost = "belay's state is not safe there";
  const Result<FileInfo> info = files.Inspect(path);
  if (!info && info.error().code == ErrorCode::kNotFound) {
    return {std::move(name), Verdict::kLacking, fmt::format("{}: not there", shown),
            "nothing is recorded yet", "see set-up"};
  }
  if (!info)
    return {std::move(name), Verdict::kBroken, info.error().message, cost, "make it readable"};
  if (info->kind != FileKind::kFolder) {
    return {std::move(name), Verdict::kBroken, fmt::format("{}: no folder", shown), cost,
            "move it away, then run belay init"};
  }
  if (!info->ours) {
    return {std::move(name), Verdict::kBroken,
            fmt::format("{}: owned by user {}", shown, info->owner), cost,
            "run belay as that user, or give the folder back: chown"};
  }
  if (!files.IsWritable(path)) {
    return {std::move(name), Verdict::kBroken, fmt::format("{}: not writable", shown), cost,
            fmt::format("chmod 700 {}", ShellQuoted(path))};
  }
  if (info->mode != kPrivateFolder) {
    return {std::move(name), Verdict::kLacking, fmt::format("{}: mode {:04o}", shown, info->mode),
            "others on this machine can look in", fmt::format("chmod 700 {}", ShellQuoted(path))};
  }
  return {std::move(name), Verdict::kFine, std::string(shown)};
}

Check CheckDisk(const Layout& project, const FileSystem& files) {
  const Result<MountInfo> mount = files.InspectMount(project.Root());
  if (!mount) return {"disk", Verdict::kBroken, mount.error().message, "nothing can be kept", ""};
  const std::string found =
      fmt::format("{}, {} MB free", mount->type, mount->free_bytes / 1'000'000);
  if (mount->read_only) {
    return {"disk", Verdict::kBroken, found + ", read-only", "nothing can be kept",
            "mount it writable, or work elsewhere"};
  }
  if (mount->network) {
    return {"disk", Verdict::kBroken, found + ", shared over the network",
            "locks between machines don't hold, so state could be torn",
            "keep the repository on a local disk"};
  }
  if (mount->free_bytes < kLittleSpace) {
    return {"disk", Verdict::kLacking, found, "snapshots may fail soon", "free some space"};
  }
  return {"disk", Verdict::kFine, found};
}

Check CheckConfiguration(const Invocation& invocation, const Services& services,
                         const std::optional<Layout>& project) {
  const std::string cost = "commands that need it will refuse to run";
  const auto sources = ConfigSources(invocation, services, project);
  if (!sources) {
    return {"configuration", Verdict::kBroken, sources.error().message, cost,
            fmt::format("{}; give it a file that can be read", sources.error().hint)};
  }
  const ConfigOutcome outcome = ReadConfig(*sources);
  if (!outcome.problems.empty()) {
    return {"configuration", Verdict::kBroken, outcome.problems[0].message, cost,
            "belay config check lists every mistake"};
  }
  if (!outcome.warnings.empty()) {
    return {"configuration", Verdict::kLacking, outcome.warnings[0].message,
            "what that file says of belay is not used", "write it in .claude/belay.yml instead"};
  }
  std::vector<std::string_view> names;
  for (const ConfigSource& source : *sources) names.push_back(source.name);
  return {"configuration", Verdict::kFine,
          names.empty() ? "all defaults" : fmt::format("{}", fmt::join(names, ", "))};
}

}  // namespace

ProgramVersion ParseVersion(std::string_view text) {
  const std::size_t digit = text.find_first_of("0123456789");
  if (digit == std::string_view::npos) return {0, 0};
  ProgramVersion version{0, 0};
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data() + digit, end, version.major);
  if (major.ptr != end && *major.ptr == '.') {
    (void)std::from_chars(major.ptr + 1, end, version.minor);
  }
  return version;
}

std::vector<Check> CheckPrograms(Programs& programs) {
  std::vector<Check> checks;
  for (const ProgramNeed& need : kProgramNeeds) checks.push_back(CheckProgram(need, programs));
  return checks;
}

std::vector<Check> CheckKernel(const KernelAbilities& kernel) {
  return {
      Ability("process watching", kernel.pidfd && kernel.subreaper, Verdict::kBroken,
              fmt::format("pidfd and subreaper, Linux {}", kernel.release),
              "the death of an agent can't be seen", "Linux 5.3 or newer"),
      Ability("exit status", kernel.pidfd_info, Verdict::kLacking, "also of adopted agents",
              "how an adopted agent ended is known only from its own helper",
              "Linux 6.15 or newer; nothing is lost without it"),
      Ability("file events", kernel.inotify, Verdict::kBroken, "inotify",
              "signals don't wake their readers", "raise sysctl fs.inotify.max_user_instances"),
      CheckSandbox(kernel),
  };
}

Result<std::vector<Check>> CheckProject(const Invocation& invocation, const Services& services) {
  std::vector<Check> checks;
  const Result<Layout> project = LocateProject(invocation, services);
  if (!project && invocation.Has("--root")) return project.error();
  if (!project) {
    checks.push_back({"project", Verdict::kLacking, project.error().message,
                      "only version, help, completion and config work here", project.error().hint});
    checks.push_back(CheckConfiguration(invocation, services, std::nullopt));
    return checks;
  }
  checks.push_back({"project", Verdict::kFine, project->Root()});
  checks.push_back(CheckDisk(*project, services.files));
  checks.push_back(CheckSetUp(*project, services.files));
  checks.push_back(CheckOwnFolder("vault", project->Vault(), *project, services.files));
  checks.push_back(CheckOwnFolder("state root", project->StateRoot(), *project, services.files));
  checks.push_back(CheckConfiguration(invocation, services, *project));
  return checks;
}

}  // namespace belay
