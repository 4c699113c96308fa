#include "app/doctor_checks.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <charconv>

#include "base/utf8.h"

namespace belay {
namespace {

constexpr auto kProgramLimit = std::chrono::seconds(10);

struct ProgramNeed {
  std::string_view name;
  std::string_view version_option;
  std::string_view answer;  // begins with this text
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
     "belay can neither save nor land work",
     "belay can't merge branches without a checkout"},
    {"tmux",
     "-V",
     "tmux ",
     {3, 2},
     Verdict::kLacking,
     "nothing yet: this version never runs agents in tmux",
     "nothing yet: this version never runs agents in tmux"},
};

Check CheckProgram(const ProgramNeed& need, Programs& programs) {
  const std::string name(need.name);
  const std::string install =
      fmt::format("install it: apt install {}, or use your package manager", name);
  const auto result =
      programs.Run({.command = {name, std::string(need.version_option)}, .limit = kProgramLimit});
  if (!result || result->exit_code != 0 || !result->out.starts_with(need.answer)) {
    const std::string found = !result ? result.error().message
                              : result->exit_code != 0
                                  ? fmt::format("exits with code {}", result->exit_code)
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
  return {std::move(name), without, "not supported by this kernel", std::move(cost),
          std::move(fix)};
}

std::string SandboxLacks(const KernelFeatures& kernel) {
  std::vector<std::string_view> lacks;
  if (!kernel.landlock_abi) lacks.push_back("Landlock");
  if (!kernel.seccomp) lacks.push_back("seccomp");
  if (!kernel.user_namespaces) lacks.push_back("user namespaces");
  return fmt::format("{}", fmt::join(lacks, ", "));
}

Check CheckSandbox(const KernelFeatures& kernel) {
  const std::string lacks = SandboxLacks(kernel);
  if (lacks.empty()) {
    return {"network sandbox", Verdict::kFine,
            fmt::format("Landlock {}, seccomp, user namespaces", *kernel.landlock_abi)};
  }
  return {"network sandbox", Verdict::kLacking, fmt::format("without {}", lacks),
          "nothing yet: this version doesn't confine sessions that have read secrets",
          "use a newer kernel, or run sysctl kernel.unprivileged_userns_clone=1"};
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

std::vector<Check> CheckKernel(const KernelFeatures& kernel) {
  return {
      Ability("process watching", kernel.pidfd && kernel.subreaper, Verdict::kBroken,
              fmt::format("pidfd and subreaper, Linux {}", kernel.release),
              "belay can't tell when an agent dies", "use Linux 5.3 or newer"),
      Ability("exit status", kernel.pidfd_info, Verdict::kLacking, "for adopted agents too",
              "belay learns how an adopted agent ended only from its belay exec",
              "use Linux 6.15 or newer; nothing is lost without it"),
      Ability("file events", kernel.inotify, Verdict::kBroken, "inotify",
              "processes that wait for signals aren't woken",
              "raise sysctl fs.inotify.max_user_instances"),
      CheckSandbox(kernel),
  };
}

}  // namespace belay
