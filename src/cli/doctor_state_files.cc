#include "cli/doctor_state_files.h"

#include <fmt/core.h>

#include "base/path.h"
#include "cli/agent_renderings.h"
#include "cli/session_place.h"
#include "ledger/project_ledger.h"

namespace belay {
namespace {

constexpr std::size_t kMostNamed = 4;
constexpr const char* kName = "state files";

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
  return {kName,      Verdict::kBroken, error.message, "scripts can't read belay's state",
          error.hint, error.code};
}

Result<std::vector<OddRendering>> FindOdd(const Layout& project, const Services& services) {
  std::vector<OddRendering> odd;
  ProjectLedger ledger(services.files, services.clock, project);
  BELAY_TRY_ASSIGN(const RenderingState own, ledger.InspectRendering());
  if (own != RenderingState::kCurrent) odd.push_back({project.ProjectRendering(), own});
  AgentRenderings agents(services.files, services.clock, project);
  BELAY_TRY_ASSIGN(std::vector<OddRendering> more, agents.Inspect());
  if (GuardianRuns(services.files, project, agents.book())) {
    std::erase_if(more,
                  [](const OddRendering& one) { return one.state == RenderingState::kOutdated; });
  }
  odd.insert(odd.end(), more.begin(), more.end());
  return odd;
}

std::string Describe(const Layout& project, const std::vector<OddRendering>& odd) {
  std::string text;
  for (std::size_t i = 0; i < std::min(odd.size(), kMostNamed); ++i) {
    text += fmt::format("{}{}: {}", i == 0 ? "" : "; ", RelativeTo(project.Root(), odd[i].path),
                        StateText(odd[i].state));
  }
  if (odd.size() > kMostNamed) text += fmt::format("; and {} more", odd.size() - kMostNamed);
  return text;
}

}  // namespace

Check CheckStateFiles(const Layout& project, const Services& services) {
  const Result<std::vector<OddRendering>> odd = FindOdd(project, services);
  if (!odd) return Unreadable(odd.error());
  if (odd->empty()) return {kName, Verdict::kFine, "as the journals say"};
  return {kName, Verdict::kLacking, Describe(project, *odd),
          std::string(CostOf(odd->front().state)),
          fmt::format("belay doctor --repair writes {} anew, and keeps what was edited",
                      odd->size() == 1 ? "it" : "them")};
}

}  // namespace belay
