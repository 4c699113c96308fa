#include "app/merge_place.h"

#include <fmt/core.h>

#include "app/settings.h"
#include "store/repository.h"

namespace belay {

MergeEnv MergePlace::MakeEnv(Env& env) const {
  return {.files = env.files,
          .clock = env.clock,
          .random = env.random,
          .project = project,
          .settings = settings,
          .git = git,
          .common_folder = common_folder,
          .environment = env.environment,
          .loop = *loop,
          .say = env.say};
}

Result<MergePlace> FindMergePlace(Env& env, VaultUse use) {
  BELAY_TRY_ASSIGN(Layout project, LocateProject(env));
  if (!project.InRepository()) {
    return Error{
        ErrorCode::kUsage,
        fmt::format("{} is no git repository, and only branches can be merged", project.Root()),
        "git init, then belay init"};
  }
  BELAY_TRY(CheckVault(env.files, project, use));
  BELAY_TRY_ASSIGN(const std::vector<ConfigSource> sources, ConfigSources(env, project));
  BELAY_TRY_ASSIGN(const Config config, Accept(ReadConfig(sources)));
  BELAY_TRY_ASSIGN(const Repository repository, FindRepository(env.files, project.Root()));
  BELAY_TRY_ASSIGN(std::unique_ptr<EventLoop> loop, env.make_loop());
  Git git(env.programs, env.environment, project.Root());
  return MergePlace{std::move(project), ReadMergeSettings(config), std::move(git),
                    repository.common_folder, std::move(loop)};
}

std::string UnpauseCommand(const MergePlace& place, const std::string& target) {
  const bool usual = target == place.settings.target;
  return "belay merge-queue unpause" + (usual ? "" : fmt::format(" --target {}", target));
}

const Identity* WhoWorksOn(const FileSystem& files, const Layout& project, const IdentityBook& book,
                           std::string_view branch) {
  const Identity* owner = nullptr;
  for (const auto& [name, entry] : book.entries()) {
    const Identity& identity = entry.present;
    const bool own = !identity.worktree_path.empty() && identity.worktree_path != project.Root() &&
                     FactsOf(identity.host).is_agent;
    if (!own || CheckedOutBranch(files, identity.worktree_path) != branch) continue;
    if (owner != nullptr) return nullptr;
    owner = &identity;
  }
  return owner;
}

std::string WhyNothingLands(const MergeSettings& settings) {
  if (!settings.gates.empty()) return {};
  return "nothing lands until merge.gates is set in .claude/belay.yml (belay help merge-queue "
         "shows "
         "how); belay merge-queue process --no-gates lands the next entry without a test";
}

std::string WhyNothingLands(const Env& env, const Layout& project) {
  const auto sources = ConfigSources(env, project);
  const Result<Config> config =
      sources ? Accept(ReadConfig(*sources)) : Result<Config>(sources.error());
  return config ? WhyNothingLands(ReadMergeSettings(*config)) : std::string();
}

}  // namespace belay
