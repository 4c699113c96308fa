#include "cli/settings.h"

#include <fmt/core.h>

#include "base/path.h"
#include "ui/width.h"

namespace belay {
namespace {

constexpr std::size_t kMostConfigBytes = std::size_t{1} << 20U;

struct NamedFile {
  std::string path;
  std::string_view by;
};

std::optional<NamedFile> NamedConfig(const Invocation& invocation, const Services& services) {
  if (const auto named = invocation.Value("--config")) return NamedFile{*named, "--config"};
  if (const auto named = services.environment.Get("BELAY_CONFIG")) {
    return NamedFile{*named, "BELAY_CONFIG"};
  }
  return std::nullopt;
}

Error Unreadable(const Error& error, std::string_view by) {
  return {ErrorCode::kUsage, error.message, fmt::format("{} names this file", by)};
}

// Configuration is the user's own: links to it are followed, as people keep it elsewhere and link
// it.
Result<std::string> ReadFollowing(const FileSystem& files, const std::string& path) {
  BELAY_TRY_ASSIGN(const std::string real, files.Resolve(path));
  return files.Read(real, kMostConfigBytes);
}

Result<void> AddIfThere(const Services& services, const Layout& project, const std::string& path,
                        bool shared, std::vector<ConfigSource>& sources) {
  Result<std::string> text = ReadFollowing(services.files, path);
  const bool dangling = !text && services.files.Inspect(path);
  if (!text && text.error().code == ErrorCode::kNotFound && !dangling) return {};
  if (!text && shared) {
    services.io.Say(fmt::format("not used: {}", Printable(text.error().message)));
    return {};
  }
  if (!text) return Error{ErrorCode::kUsage, text.error().message, "make it readable, or move it"};
  sources.push_back({std::string(RelativeTo(project.Root(), path)), *std::move(text), shared});
  return {};
}

ProjectClues CluesOf(const Invocation& invocation, const Services& services) {
  std::optional<std::string> state = services.environment.Get("BELAY_STATE");
  if (state && state->empty()) state.reset();
  return {invocation.Value("--root"), std::move(state), services.current_folder};
}

}  // namespace

Result<Layout> LocateProject(const Invocation& invocation, const Services& services) {
  return LocateProject(services.files, CluesOf(invocation, services));
}

Result<std::optional<Layout>> ProjectIfAny(const Invocation& invocation, const Services& services) {
  return FindProject(services.files, CluesOf(invocation, services));
}

bool NamesProject(const Invocation& invocation, const Services& services) {
  const ProjectClues clues = CluesOf(invocation, services);
  return clues.root || clues.state;
}

Result<std::vector<ConfigSource>> ConfigSources(const Invocation& invocation,
                                                const Services& services,
                                                const std::optional<Layout>& project) {
  std::vector<ConfigSource> sources;
  if (project) {
    BELAY_TRY(AddIfThere(services, *project, project->TalismanFile(), true, sources));
  }
  if (const std::optional<NamedFile> named = NamedConfig(invocation, services)) {
    Result<std::string> text = ReadFollowing(services.files, named->path);
    if (!text) return Unreadable(text.error(), named->by);
    sources.push_back({named->path, *std::move(text), false});
  } else if (project) {
    BELAY_TRY(AddIfThere(services, *project, project->ConfigFile(), false, sources));
  }
  return sources;
}

}  // namespace belay
