#include "cli/doctor_landing.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/path.h"
#include "cli/merge_place.h"
#include "ledger/merge_ledger.h"
#include "merge/checkout_move.h"
#include "store/repository.h"

namespace belay {
namespace {

constexpr auto kLong = std::chrono::seconds(5);       // it takes milliseconds
constexpr auto kLeftAfter = std::chrono::minutes(1);  // no git holds these so long
constexpr int kDeepest = 16;

// Files in a folder of git's that end in .lock, and have been there for long.
// NOLINTNEXTLINE(misc-no-recursion): kDeepest at most.
void FindLeftLocks(const Services& services, const std::string& folder, int depth,
                   std::vector<std::string>& found) {
  const Result<std::vector<std::string>> names = services.files.List(folder);
  if (!names) return;
  for (const std::string& name : *names) {
    const std::string path = JoinPath(folder, name);
    const Result<FileInfo> info = services.files.Inspect(path);
    if (!info) continue;
    if (info->kind == FileKind::kFolder && depth > 0) {
      FindLeftLocks(services, path, depth - 1, found);
    }
    const WallTime written{std::chrono::nanoseconds(info->modified)};
    const bool left = services.clock.Wall() - written > kLeftAfter;
    if (info->kind == FileKind::kFile && left && name.ends_with(".lock")) found.push_back(path);
  }
}

}  // namespace

std::optional<Check> CheckCutOffLanding(const Layout& project, const Services& services) {
  const Result<FileInfo> note = services.files.Inspect(project.CheckoutMoveNote());
  if (!note) return std::nullopt;
  const WallTime written{std::chrono::nanoseconds(note->modified)};
  if (services.clock.Wall() - written < kLong) return std::nullopt;
  return Check{"landing", Verdict::kBroken, "one was cut off while it moved a checkout",
               "git refuses to work in that checkout: its index is locked",
               "belay doctor --repair, or belay merge-queue process"};
}

std::optional<Check> CheckLeftLocks(const Layout& project, const Services& services) {
  const Result<Repository> repository = FindRepository(services.files, project.Root());
  if (!repository) return std::nullopt;
  std::vector<std::string> found;
  FindLeftLocks(services, repository->common_folder, 0, found);
  FindLeftLocks(services, JoinPath(repository->common_folder, "refs/heads"), kDeepest, found);
  if (found.empty()) return std::nullopt;
  std::string all;
  for (const std::string& path : found) {
    all += (all.empty() ? "" : ", ") + std::string(RelativeTo(project.Root(), path));
  }
  return Check{"git locks", Verdict::kBroken, all,
               "git refuses to commit or to move a branch, and nothing lands",
               "if no git runs in this repository, remove them: a killed git left them"};
}

std::optional<Check> CheckGates(const Layout& project, const Invocation& invocation,
                                const Services& services) {
  if (WhyNothingLands(invocation, services, project).empty()) return std::nullopt;
  MergeLedger ledger(services.files, services.clock, project);
  if (!ledger.CatchUp()) return std::nullopt;  // which is a finding of its own
  const auto waiting = std::ranges::count_if(
      ledger.book().entries(), [](const auto& one) { return IsInLine(one.second.status); });
  if (waiting == 0) return std::nullopt;
  return Check{"merge gates", Verdict::kLacking,
               fmt::format("none are configured, and {} {} in the queue", waiting,
                           waiting == 1 ? "entry waits" : "entries wait"),
               "nothing lands: belay lands no work that it hasn't tested",
               "set merge.gates in .claude/belay.yml, or belay merge-queue process --no-gates"};
}

std::optional<Repair> EndCutOffLanding(const Layout& project, Services& services) {
  const Result<Repository> repository = FindRepository(services.files, project.Root());
  if (!repository || !IsMoveUnfinished(services.files, project)) return std::nullopt;
  const Git git(services.programs, services.environment, project.Root());
  const Result<std::string> ended =
      EndCutOffMove({services.files, git, project, repository->common_folder});
  Repair repair{.path = std::string(RelativeTo(project.Root(), project.CheckoutMoveNote())),
                .what = ended ? *ended : ended.error().message};
  if (!ended) repair.failure = ended.error().code;
  if (!ended) repair.hint = ended.error().hint;
  if (repair.what.empty()) repair.what = "what a landing left was removed";
  return repair;
}

}  // namespace belay
