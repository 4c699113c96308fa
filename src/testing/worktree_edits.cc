#include "testing/worktree_edits.h"

#include <sys/stat.h>

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace belay {

namespace fs = std::filesystem;

namespace {

using What = Edit::What;

// Nothing on errors, also where links form a cycle.
fs::file_status StatusOf(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored);
}

}  // namespace

void Editor::Apply(const std::vector<Edit>& edits) const {
  for (const Edit& edit : edits) ApplyOne(edit);
}

void Editor::UsualModes() const {
  for (const auto& [path, file] : repository_.Files()) {
    if (S_ISREG(file.mode)) repository_.SetMode(path, (file.mode & 0100U) != 0 ? 0755 : 0644);
  }
}

void Editor::DropLostIntents() const {
  const std::string listed = repository_.Git({"ls-files", "-s", "-z", "--deleted"});
  for (const std::string_view line : Split(listed, '\0')) {
    const bool empty = line.find(" e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 ") != line.npos;
    if (empty) Git({"rm", "-q", "--cached", "--", std::string(line.substr(line.find('\t') + 1))});
  }
}

void Editor::ApplyOne(const Edit& edit) const {
  switch (edit.what) {
    case What::kWrite:
      return Write(edit, 0644);
    case What::kProgram:
      return Write(edit, 0755);
    case What::kPrivate:
      return Write(edit, 0600);
    case What::kLink:
      // Below a link to itself git considers every tracked file unchanged.
      if ((edit.other + "/").starts_with(edit.path + "/")) return;
      MakeRoom(edit.path);
      return repository_.MakeLink(edit.other, edit.path);
    case What::kRemove:
      return Remove(edit.path);
    case What::kRename:
      return Rename(edit);
    case What::kSwitchMode:
      return SwitchMode(edit.path);
    case What::kAdd:
      return Git({"add", "--", edit.path});
    case What::kAddAll:
      return Git({"add", "-A"});
    case What::kIntend:
      return Git({"add", "-N", "--", edit.path});
    case What::kUntrack:
      return Git({"rm", "-q", "-r", "--cached", "--", edit.path});
    case What::kDelete:
      return Git({"rm", "-q", "-r", "-f", "--", edit.path});
  }
}

// Git refuses paths that it doesn't know.
void Editor::Git(std::vector<std::string> words) const {
  words.insert(words.begin(), "--literal-pathspecs");
  (void)repository_.TryGit(std::move(words));
}

// Removes whatever is at the path, and files where it needs folders.
void Editor::MakeRoom(const std::string& path) const {
  for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
    const std::string above = path.substr(0, at);
    if (!fs::is_directory(StatusOf(repository_ / above))) Remove(above);
  }
  Remove(path);
}

// Also where a file is in the place of a folder: then the path doesn't exist.
void Editor::Remove(const std::string& path) const {
  std::error_code ignored;
  fs::remove_all(repository_ / path, ignored);
}

void Editor::Write(const Edit& edit, unsigned mode) const {
  MakeRoom(edit.path);
  repository_.Write(edit.path, edit.other);
  repository_.SetMode(edit.path, mode);
}

void Editor::Rename(const Edit& edit) const {
  const bool inside = (edit.other + "/").starts_with(edit.path + "/") ||
                      (edit.path + "/").starts_with(edit.other + "/");
  if (!fs::exists(StatusOf(repository_ / edit.path)) || inside) return;
  MakeRoom(edit.other);
  const fs::path to(repository_ / edit.other);
  fs::create_directories(to.parent_path());
  std::error_code ignored;  // MakeRoom may have removed it, through a link
  fs::rename(repository_ / edit.path, to, ignored);
}

void Editor::SwitchMode(const std::string& path) const {
  struct stat info {};
  if (lstat((repository_ / path).c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  repository_.SetMode(path, (info.st_mode & 0100U) != 0 ? 0644 : 0755);
}

}  // namespace belay
