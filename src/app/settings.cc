#include "app/settings.h"

#include <fmt/core.h>

#include "base/path.h"

namespace belay {
namespace {

constexpr std::size_t kMostConfigBytes = std::size_t{1} << 20U;

struct NamedFile {
  std::string path;
  std::string_view by;
};

std::optional<NamedFile> NamedConfig(const Env& env) {
  if (const auto named = env.config) return NamedFile{*named, "--config"};
  if (const auto named = env.environment.Get("BELAY_CONFIG")) {
    return NamedFile{*named, "BELAY_CONFIG"};
  }
  return std::nullopt;
}

Error Unreadable(const Error& error, std::string_view by) {
  return {ErrorCode::kUsage, error.message, fmt::format("{} points to this file", by)};
}

// Configuration belongs to the user: links are followed, as people keep it elsewhere and link it.
Result<std::string> ReadFollowing(const FileSystem& files, const std::string& path) {
  BELAY_TRY_ASSIGN(const std::string real, files.Resolve(path));
  return files.Read(real, kMostConfigBytes);
}

Result<void> AddIfThere(const Env& env, const Layout& project, const std::string& path, bool shared,
                        std::vector<ConfigSource>& sources) {
  Result<std::string> text = ReadFollowing(env.files, path);
  const bool dangling = !text && env.files.Inspect(path);
  if (IsMissing(text) && !dangling) return {};
  if (!text && shared) {
    env.say(fmt::format("not used: {}", text.error().message));
    return {};
  }
  if (!text) return Error{ErrorCode::kUsage, text.error().message, "make it readable, or move it"};
  sources.push_back({std::string(RelativeTo(project.Root(), path)), *std::move(text), shared});
  return {};
}

ProjectClues CluesOf(const Env& env) {
  std::optional<std::string> state = env.environment.Get("BELAY_STATE");
  if (state && state->empty()) state.reset();
  return {env.root, std::move(state), env.current_folder};
}

}  // namespace

Result<Layout> LocateProject(const Env& env) { return LocateProject(env.files, CluesOf(env)); }

Result<Layout> OpenProject(const Env& env, VaultUse use) {
  BELAY_TRY_ASSIGN(Layout project, LocateProject(env));
  BELAY_TRY(CheckVault(env.files, project, use));
  return project;
}

Result<std::optional<Layout>> ProjectIfAny(const Env& env) {
  return FindProject(env.files, CluesOf(env));
}

bool NamesSettings(const Env& env) { return NamedConfig(env).has_value(); }

bool NamesProject(const Env& env) {
  const ProjectClues clues = CluesOf(env);
  return clues.root || clues.state;
}

Result<std::vector<ConfigSource>> ConfigSources(const Env& env,
                                                const std::optional<Layout>& project) {
  std::vector<ConfigSource> sources;
  if (project) {
    BELAY_TRY(AddIfThere(env, *project, project->TalismanFile(), true, sources));
  }
  if (const std::optional<NamedFile> named = NamedConfig(env)) {
    Result<std::string> text = ReadFollowing(env.files, named->path);
    if (!text) return Unreadable(text.error(), named->by);
    sources.push_back({named->path, *std::move(text), false});
  } else if (project) {
    BELAY_TRY(AddIfThere(env, *project, project->ConfigFile(), false, sources));
  }
  return sources;
}

Result<ConfigRead> ReadConfigHere(const Env& env) {
  BELAY_TRY_ASSIGN(const std::optional<Layout> project, ProjectIfAny(env));
  BELAY_TRY_ASSIGN(std::vector<ConfigSource> sources, ConfigSources(env, project));
  ConfigOutcome outcome = ReadConfig(sources);
  return ConfigRead{std::move(sources), std::move(outcome)};
}

}  // namespace belay
