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
    case RenderingState::kReplaced:
      return "no file that can be read";
  }
  __builtin_unreachable();
}

std::string_view CostOf(RenderingState state) {
  switch (state) {
    case RenderingState::kCurrent:
      return "";
    case RenderingState::kMissing:
    case RenderingState::kReplaced:
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

// Each file, with how it is.
struct OddFile {
  std::string path;
  std::string_view how;
  std::string_view cost;
};

// One that is only out of date is no finding while a guardian runs, which is about to write it.
Result<std::vector<OddFile>> FindOdd(const Layout& project, const Env& env) {
  Ledgers ledgers(env.files, env.clock, project);
  std::vector<OddRendering> renderings;
  for (AnyLedger* ledger : ledgers.all()) {
    BELAY_TRY_ASSIGN(const std::vector<OddRendering> more, FindOddRenderings(env.files, *ledger));
    renderings.insert(renderings.end(), more.begin(), more.end());
  }
  BELAY_TRY_ASSIGN(const std::vector<StrayFile> strays,
                   FindStrays(env.files, project, ledgers.all()));
  const bool guarded = GuardianRuns(env.files, project, ledgers.Get<IdentityFamily>().book());
  std::vector<OddFile> odd;
  for (const OddRendering& one : renderings) {
    if (guarded && one.state == RenderingState::kOutdated) continue;
    odd.push_back({one.path, StateText(one.state), CostOf(one.state)});
  }
  for (const StrayFile& one : strays) {
    if (one.ours && guarded) continue;
    odd.push_back({one.path, one.ours ? "not recorded any more" : "not belay's",
                   CostOf(one.ours ? RenderingState::kOutdated : RenderingState::kEdited)});
  }
  return odd;
}

std::string Describe(const Layout& project, const std::vector<OddFile>& odd) {
  std::string text;
  for (std::size_t i = 0; i < std::min(odd.size(), kMostFilesNamed); ++i) {
    text += fmt::format("{}{}: {}", i == 0 ? "" : "; ", RelativeTo(project.Root(), odd[i].path),
                        odd[i].how);
  }
  if (odd.size() > kMostFilesNamed)
    text += fmt::format("; and {} more", odd.size() - kMostFilesNamed);
  return text;
}

}  // namespace

Check CheckStateFiles(const Layout& project, const Env& env) {
  const Result<std::vector<OddFile>> odd = FindOdd(project, env);
  if (!odd) return Unreadable(odd.error());
  if (odd->empty()) return {kStateFilesCheck, Verdict::kFine, "as the journals say"};
  return {kStateFilesCheck, Verdict::kLacking, Describe(project, *odd),
          std::string(odd->front().cost),
          fmt::format("belay doctor --repair writes {} again, and keeps what isn't belay's",
                      odd->size() == 1 ? "it" : "them")};
}

}  // namespace belay
