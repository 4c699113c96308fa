#include "cli/merge_place.h"

#include <fmt/core.h>

#include "base/utf8.h"
#include "cli/settings.h"
#include "ledger/identity_ledger.h"
#include "store/repository.h"
#include "ui/width.h"

namespace belay {

MergeDoors MergePlace::Doors(Services& services) const {
  Io& io = services.io;
  return {.files = services.files,
          .clock = services.clock,
          .random = services.random,
          .project = project,
          .settings = settings,
          .git = git,
          .common_folder = common_folder,
          .environment = services.environment,
          .loop = *loop,
          .say = [&io](std::string_view line) {
            io.Say(Printable(line));
            (void)io.Flush();  // whoever reads it wants it now; if nobody does, the work goes on
          }};
}

Result<MergePlace> FindMergePlace(const Invocation& invocation, Services& services, VaultUse use) {
  BELAY_TRY_ASSIGN(Layout project, LocateProject(invocation, services));
  if (!project.InRepository()) {
    return Error{
        ErrorCode::kUsage,
        fmt::format("{} is no git repository, and only branches can be merged", project.Root()),
        "git init, then belay init"};
  }
  BELAY_TRY(CheckVault(services.files, project, use));
  BELAY_TRY_ASSIGN(const std::vector<ConfigSource> sources,
                   ConfigSources(invocation, services, project));
  BELAY_TRY_ASSIGN(const Config config, Accept(ReadConfig(sources)));
  BELAY_TRY_ASSIGN(const Repository repository, FindRepository(services.files, project.Root()));
  BELAY_TRY_ASSIGN(std::unique_ptr<EventLoop> loop, services.make_loop());
  Git git(services.programs, services.environment, project.Root());
  return MergePlace{std::move(project), ReadMergeSettings(config), std::move(git),
                    repository.common_folder, std::move(loop)};
}

std::string TargetOf(const Invocation& invocation, const MergePlace& place) {
  return invocation.Value("--target").value_or(place.settings.target);
}

std::string UnpauseCommand(const MergePlace& place, const std::string& target) {
  const bool usual = target == place.settings.target;
  return "belay merge-queue unpause" + (usual ? "" : fmt::format(" --target {}", target));
}

Result<Caller> WhoAsks(Services& services, const Layout& project) {
  IdentityLedger identities(services.files, services.clock, project);
  BELAY_TRY(identities.CatchUp());
  return FindCaller(identities.book(), services.environment);
}

Result<void> CheckMayChangeGates(const Caller& caller) {
  if (!caller.agent) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("{} may not let work through that changes the gates", caller.Name()),
               "a person does, outside of any agent"};
}

std::string WhyNothingLands(const MergeSettings& settings) {
  if (!settings.gates.empty()) return {};
  return "nothing lands until merge.gates is set in .claude/belay.yml (belay help merge-queue "
         "shows "
         "how); belay merge-queue process --no-gates lands the next entry without a test";
}

std::string WhyNothingLands(const Invocation& invocation, const Services& services,
                            const Layout& project) {
  const auto sources = ConfigSources(invocation, services, project);
  const Result<Config> config =
      sources ? Accept(ReadConfig(*sources)) : Result<Config>(sources.error());
  return config ? WhyNothingLands(ReadMergeSettings(*config)) : std::string();
}

Result<std::uint64_t> EntryArgument(const Invocation& invocation) {
  const std::string& text = invocation.operands().front();
  if (const std::optional<std::uint64_t> number = ParseMergeEntryId(text)) return *number;
  return Error{ErrorCode::kUsage, fmt::format("{} is no entry of the queue", Quote(text)),
               "ENTRY is like m7; belay merge-queue list shows them"};
}

}  // namespace belay
