#include "app/rules_marker.h"

#include <fmt/core.h>

#include "base/path.h"
#include "engine/resumption/orientation.h"
#include "store/document.h"

namespace belay {
namespace {

constexpr std::size_t kMostRules = std::size_t{4} << 20U;

// Replaces the file with what `edit` makes of it, if that is another text.
Result<void> EditRules(FileSystem& files, const ProjectLock& lock, const std::string& path,
                       std::string (*edit)(std::string_view)) {
  const Document rules{.root = std::string(ParentPath(path)), .name = std::string(FileName(path))};
  BELAY_TRY_ASSIGN(const DocumentText text, ReadDocument(files, rules, kMostRules));
  const std::string before = text.bytes.value_or("");
  const std::string after = edit(before);
  if (after == before) return {};
  BELAY_TRY_ASSIGN(const DocumentChange change,
                   ReplaceDocument(files, lock, rules, text.stamp, after));
  if (change == DocumentChange::kReplaced) return {};
  return Error{ErrorCode::kBusy, fmt::format("{} was changed just now", path), "run it again"};
}

}  // namespace

std::vector<std::string> RulesFiles(const FileSystem& files, const Layout& project) {
  std::vector<std::string> found;
  const auto add = [&](const std::string& path) {
    const Result<FileInfo> info = files.Inspect(path);
    if (info && info->kind == FileKind::kFile) found.push_back(path);
  };
  for (const char* name : {"CLAUDE.md", "AGENTS.md", ".claude/CLAUDE.md"}) {
    add(JoinPath(project.Root(), name));
  }
  const std::string folder = JoinPath(project.ClaudeFolder(), "rules");
  const Result<std::vector<std::string>> names = files.List(folder);
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    if (name.ends_with(".md")) add(JoinPath(folder, name));
  }
  return found;
}

// A last line without a line end stays so: WithoutMarker can then tell that there was none.
std::string WithMarker(std::string_view text) {
  std::string out(text);
  if (out.find(ReinjectMarker()) != std::string::npos) return out;
  const bool ends_line = out.empty() || out.ends_with('\n');
  if (!ends_line) out += '\n';
  out += ReinjectMarker();
  if (ends_line) out += '\n';
  return out;
}

// The last one, because it is added at the end.
std::string WithoutMarker(std::string_view text) {
  const std::string_view marker = ReinjectMarker();
  for (std::size_t at = text.rfind(marker); at != std::string_view::npos;
       at = at == 0 ? std::string_view::npos : text.rfind(marker, at - 1)) {
    const std::size_t end = at + marker.size();
    const bool begins_line = at == 0 || text[at - 1] == '\n';
    const bool is_last = end == text.size();
    if (!begins_line || (!is_last && text[end] != '\n')) continue;
    const std::string_view before = text.substr(0, is_last && at > 0 ? at - 1 : at);
    return std::string(before).append(text.substr(is_last ? end : end + 1));
  }
  return std::string(text);
}

std::string FindMarker(const FileSystem& files, const Layout& project) {
  for (std::string& path : RulesFiles(files, project)) {
    const Result<std::string> text = files.Read(path, kMostRules);
    if (text && WithoutMarker(*text) != *text) return std::move(path);
  }
  return {};
}

Result<void> AddMarker(FileSystem& files, const ProjectLock& lock, const std::string& path) {
  return EditRules(files, lock, path, WithMarker);
}

Result<void> RemoveMarker(FileSystem& files, const ProjectLock& lock, const std::string& path) {
  return EditRules(files, lock, path, WithoutMarker);
}

}  // namespace belay
