#include "app/doctor_state_files.h"

#include <fmt/core.h>

#include "app/renderings.h"
#include "app/session_place.h"
#include "base/path.h"
#include "ledger/families.h"

namespace belay {
namespace {

constexpr std::size_t kMostFilesNamed = 4;
constexpr const char* kStateFilesCheck = "state files";

std::string_view StateText(RenderingState state) {
  switch (state) {
    case RenderingState::kCurrent:
      return "as the journals say";
    case RenderingState::kMissing:
      return "not there";
    case RenderingState::kOutdated:
      return "out of date";
    case RenderingState::kEdited:
      return "edited by hand";
  }
  __builtin_unreachable();
}

std::string_view CostOf(RenderingState state) {
  switch (state) {
    case RenderingState::kCurrent:
      return "";
    case RenderingState::kMissing:
      return "scripts can't read belay's state";
    case RenderingState::kOutdated:
      return "scripts read an older state";
    case RenderingState::kEdited:
      return "scripts read what belay didn't write, and belay doesn't read it";
  }
  __builtin_unreachable();
}

Check Unreadable(const Error& error) {
  return {kStateFilesCheck, Verdict::kBroken, error.message, "scripts can't read belay's state",
          error.hint,       error.code};
}

// One that is only out of date is no finding while a guardian runs, which is about to write it.
Result<std::vector<OddRendering>> FindOdd(const Layout& project, const Env& env) {
  std::vector<OddRendering> odd;
  Ledgers ledgers(env.files, env.clock, project);
  for (AnyLedger* ledger : ledgers.all()) {
    BELAY_TRY_ASSIGN(const std::vector<OddRendering> more, FindOddRenderings(env.files, *ledger));
    odd.insert(odd.end(), more.begin(), more.end());
  }
  if (GuardianRuns(env.files, project, ledgers.Get<IdentityFamily>().book())) {
    std::erase_if(odd,
                  [](const OddRendering& one) { return one.state == RenderingState::kOutdated; });
  }
  return odd;
}

std::string Describe(const Layout& project, const std::vector<OddRendering>& odd) {
  std::string text;
  for (std::size_t i = 0; i < std::min(odd.size(), kMostFilesNamed); ++i) {
    text += fmt::format("{}{}: {}", i == 0 ? "" : "; ", RelativeTo(project.Root(), odd[i].path),
                        StateText(odd[i].state));
  }
  if (odd.size() > kMostFilesNamed)
    text += fmt::format("; and {} more", odd.size() - kMostFilesNamed);
  return text;
}

}  // namespace

Check CheckStateFiles(const Layout& project, const Env& env) {
  const Result<std::vector<OddRendering>> odd = FindOdd(project, env);
  if (!odd) return Unreadable(odd.error());
  if (odd->empty()) return {kStateFilesCheck, Verdict::kFine, "as the journals say"};
  return {kStateFilesCheck, Verdict::kLacking, Describe(project, *odd),
          std::string(CostOf(odd->front().state)),
          fmt::format("belay doctor --repair writes {} anew, and keeps what was edited",
                      odd->size() == 1 ? "it" : "them")};
}

}  // namespace belay
