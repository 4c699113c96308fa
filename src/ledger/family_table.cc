#include "ledger/family_table.h"

#include <algorithm>
#include <array>

namespace belay {
namespace {

template <class F>
RecordText LogTextOf(const Json& record) {
  if (IsEditedNote(record)) return PlainRecordText(record);
  if constexpr (requires { F::LogText(record); }) return F::LogText(record);
  return PlainRecordText(record);
}

template <class F>
std::optional<RecordText> WhyTextOf(const Json& record) {
  std::optional<RecordText> text;
  if constexpr (requires { F::WhyText(record); }) {
    text = F::WhyText(record);
  } else {
    text = LogTextOf<F>(record);
  }
  if (!text) return text;
  text->what = std::string(F::kWhyPrefix) + text->what;
  const std::size_t hash = text->who.find('#');
  if (text->identity.empty() && hash != std::string::npos)
    text->identity = text->who.substr(0, hash);
  return text;
}

template <class... F>
constexpr std::array<Family, sizeof...(F)> TableOf(FamilyNames<F...>) {
  return {Family{.journal = F::kJournal,
                 .rendered = HasRenderings<F>,
                 .follow = F::kFollow,
                 .smallest_compacted = F::kSmallestCompacted,
                 .folders = F::Folders,
                 .log_text = LogTextOf<F>,
                 .why_text = WhyTextOf<F>}...};
}

constexpr auto kFamilies = TableOf(FamilyList());

}  // namespace

std::span<const Family> Families() { return kFamilies; }

const Family* FindFamily(std::string_view journal) {
  const auto found = std::ranges::find(kFamilies, journal, &Family::journal);
  return found == kFamilies.end() ? nullptr : &*found;
}

RecordText ReadRecordText(std::string_view journal, const Json& record) {
  const Family* family = FindFamily(journal);
  return family != nullptr ? family->log_text(record) : PlainRecordText(record);
}

RenderingPlace RenderingPlaceOf(const Layout& project, std::string_view journal) {
  const Family* family = FindFamily(journal);
  return {project.JournalRendering(journal),
          family != nullptr ? family->folders(project) : std::vector<std::string>()};
}

std::vector<UnrecordedRenderings> FindUnrecordedRenderings(FileSystem& files,
                                                           const Layout& project) {
  std::vector<UnrecordedRenderings> found;
  for (const Family& family : kFamilies) {
    Result<void> recorded = CheckRenderingsRecorded(files, project, family.journal,
                                                    RenderingPlaceOf(project, family.journal));
    if (!recorded) found.push_back({family.journal, std::move(recorded).error()});
  }
  return found;
}

std::vector<std::string> RenderingFolders(const Layout& project) {
  std::vector<std::string> folders = {project.StateRoot()};
  for (const Family& family : kFamilies) {
    for (std::string& folder : family.folders(project)) folders.push_back(std::move(folder));
  }
  return folders;
}

}  // namespace belay
