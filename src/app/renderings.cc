#include "app/renderings.h"

#include <set>

#include "base/path.h"
#include "ledger/families.h"

namespace belay {
namespace {

constexpr std::string_view kPreviousEnd = ".prev";

bool IsPreviousOf(const std::set<std::string>& renderings, std::string_view path) {
  if (!path.ends_with(kPreviousEnd)) return false;
  path.remove_suffix(kPreviousEnd.size());
  return renderings.contains(std::string(path));
}

Result<std::vector<std::string>> FilesAmongRenderings(const FileSystem& files,
                                                      const std::vector<std::string>& folders) {
  std::vector<std::string> paths;
  for (const std::string& folder : folders) {
    const Result<std::vector<std::string>> names = files.List(folder);
    if (!names && names.error().code == ErrorCode::kNotFound) continue;
    if (!names) return names.error();
    for (const std::string& name : *names) {
      if (!IsTemporaryName(name)) paths.push_back(JoinPath(folder, name));
    }
  }
  return paths;
}

}  // namespace

Result<std::vector<OddRendering>> FindOddRenderings(const FileSystem& files, AnyLedger& ledger) {
  BELAY_TRY(ledger.CatchUp());
  std::vector<OddRendering> odd;
  BELAY_TRY(ledger.EachRendering([&](const Rendering& one) -> Result<void> {
    BELAY_TRY_ASSIGN(const RenderingState state, InspectRendering(files, one.path, one.record()));
    if (state != RenderingState::kCurrent) odd.push_back({one.path, state});
    return {};
  }));
  return odd;
}

// The files first, then the journals: what is rendered in between is recorded already.
Result<std::vector<StrayFile>> FindStrays(const FileSystem& files, const Layout& project,
                                          std::span<AnyLedger* const> ledgers) {
  const std::vector<std::string> folders = RenderingFolders(project);
  BELAY_TRY_ASSIGN(const std::vector<std::string> paths, FilesAmongRenderings(files, folders));
  std::set<std::string> known(folders.begin(), folders.end());
  for (AnyLedger* ledger : ledgers) {
    BELAY_TRY(ledger->CatchUp());
    BELAY_TRY(ledger->EachRendering([&](const Rendering& one) -> Result<void> {
      known.insert(one.path);
      return {};
    }));
  }
  std::vector<StrayFile> strays;
  for (const std::string& path : paths) {
    if (known.contains(path) || IsPreviousOf(known, path)) continue;
    BELAY_TRY_ASSIGN(const RenderingState state,
                     InspectRendering(files, path, Json::EmptyObject()));
    if (state == RenderingState::kMissing) continue;
    strays.push_back({path, state == RenderingState::kOutdated});
  }
  return strays;
}

}  // namespace belay
