// Random edits of a worktree, as values that can be shown and made fewer.

#ifndef BELAY_SNAPSHOT_TEST_EDITS_H_
#define BELAY_SNAPSHOT_TEST_EDITS_H_

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "adapters/git/quoted_path.h"
#include "base/split.h"
#include "testing/git_repository.h"

namespace belay {

struct Edit {
  enum class What {
    kWrite,
    kProgram,  // written, executable
    kPrivate,  // written, for nobody else
    kLink,
    kRemove,
    kRename,
    kSwitchMode,
    kAdd,
    kAddAll,
    kIntend,   // git add -N
    kUntrack,  // git rm --cached
    kDelete,   // git rm
  };
  What what = What::kWrite;
  std::string path = {};
  std::string other = {};  // content, target, or where to
};

inline std::ostream& operator<<(std::ostream& out, const Edit& edit) {
  constexpr const char* kNames[] = {"write",  "program", "private", "link",   "remove",  "rename",
                                    "switch", "add",     "add all", "intend", "untrack", "delete"};
  return out << kNames[static_cast<int>(edit.what)] << " " << QuotePath(edit.path) << " "
             << QuotePath(edit.other.substr(0, 30));
}

// Few names, so that edits meet: files where others have folders, and odd bytes.
inline rc::Gen<std::string> AnyPath() {
  return rc::gen::element<std::string>("a", "a/b", "a/b/c", "a/d", "b", "b/a", "tracked.txt", "Z",
                                       "z", "new\nline", "ü/\"q\"", "\xff\xfe", " sp ace ", "-x/*",
                                       "deep/er/and/deep/er", "link");
}

inline rc::Gen<std::string> AnyContent() {
  return rc::gen::oneOf(
      rc::gen::element<std::string>("", "x\n", "x", "y\n", "a\r\nb\r\n", "a\nb\r\n",
                                    std::string("\0\xff", 2), std::string(70'000, 'z')),
      rc::gen::container<std::string>(rc::gen::arbitrary<char>()));
}

inline rc::Gen<Edit> AnyEdit() {
  using What = Edit::What;
  const auto what = rc::gen::weightedElement<What>({{8, What::kWrite},
                                                    {2, What::kProgram},
                                                    {1, What::kPrivate},
                                                    {2, What::kLink},
                                                    {3, What::kRemove},
                                                    {2, What::kRename},
                                                    {2, What::kSwitchMode},
                                                    {4, What::kAdd},
                                                    {1, What::kAddAll},
                                                    {2, What::kIntend},
                                                    {1, What::kUntrack},
                                                    {1, What::kDelete}});
  return rc::gen::mapcat(what, [](What chosen) {
    const bool path = chosen == What::kRename || chosen == What::kLink;
    return rc::gen::build<Edit>(rc::gen::set(&Edit::what, rc::gen::just(chosen)),
                                rc::gen::set(&Edit::path, AnyPath()),
                                rc::gen::set(&Edit::other, path ? AnyPath() : AnyContent()));
  });
}

class Editor {
 public:
  explicit Editor(const GitRepository& repository) : repository_(repository) {}

  void Apply(const std::vector<Edit>& edits) const {
    for (const Edit& edit : edits) Apply(edit);
  }

  // As git would write them, whatever they were.
  void UsualModes() const {
    for (const auto& [path, file] : repository_.Files()) {
      if (S_ISREG(file.mode)) repository_.SetMode(path, (file.mode & 0100U) != 0 ? 0755 : 0644);
    }
  }

  // An entry of `git add -N` whose file is gone can't be made again: git has no command for it.
  void DropLostIntents() const {
    const std::string listed = repository_.Git({"ls-files", "-s", "-z", "--deleted"});
    for (const std::string_view line : Split(listed, '\0')) {
      if (line.find(" e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 ") == line.npos) continue;
      Git({"rm", "-q", "--cached", "--", std::string(line.substr(line.find('\t') + 1))});
    }
  }

 private:
  using What = Edit::What;

  void Apply(const Edit& edit) const {
    switch (edit.what) {
      case What::kWrite:
        return Write(edit, 0644);
      case What::kProgram:
        return Write(edit, 0755);
      case What::kPrivate:
        return Write(edit, 0600);
      case What::kLink:
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

  void Git(std::vector<std::string> words) const {
    words.insert(words.begin(), "--literal-pathspecs");
    (void)repository_.TryGit(std::move(words));  // what it doesn't know, it refuses
  }
  // Nothing, also where links go in circles.
  static std::filesystem::file_status StatusOf(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::symlink_status(path, ignored);
  }
  // Whatever is at the path goes, and files where it needs folders.
  void MakeRoom(const std::string& path) const {
    for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
      const std::filesystem::path above(repository_ / path.substr(0, at));
      const auto status = StatusOf(above);
      if (!std::filesystem::is_directory(status)) Remove(path.substr(0, at));
    }
    Remove(path);
  }
  // Also where a file stands in the place of a folder: then it isn't there.
  void Remove(const std::string& path) const {
    std::error_code ignored;
    std::filesystem::remove_all(repository_ / path, ignored);
  }
  void Write(const Edit& edit, unsigned mode) const {
    MakeRoom(edit.path);
    repository_.Write(edit.path, edit.other);
    repository_.SetMode(edit.path, mode);
  }
  void Rename(const Edit& edit) const {
    const auto status = StatusOf(repository_ / edit.path);
    const bool inside = (edit.other + "/").starts_with(edit.path + "/") ||
                        (edit.path + "/").starts_with(edit.other + "/");
    if (!std::filesystem::exists(status) || inside) return;
    MakeRoom(edit.other);
    const std::filesystem::path to(repository_ / edit.other);
    std::filesystem::create_directories(to.parent_path());
    std::filesystem::rename(repository_ / edit.path, to);
  }
  void SwitchMode(const std::string& path) const {
    struct stat info {};
    if (lstat((repository_ / path).c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
    repository_.SetMode(path, (info.st_mode & 0100U) != 0 ? 0644 : 0755);
  }

  const GitRepository& repository_;
};

// Runs a property a quarter as often as RapidCheck would: 25 times, more with
// RC_PARAMS="max_success=1000".
inline bool CheckSome(const std::function<void()>& property) {
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = std::max(1, params.maxSuccess / 4);
  const auto result = rc::detail::checkTestable(property, rc::detail::TestMetadata(), params);
  rc::detail::printResultMessage(result, std::cerr);
  std::cerr << std::endl;
  return result.template is<rc::detail::SuccessResult>();
}

}  // namespace belay

#endif  // BELAY_SNAPSHOT_TEST_EDITS_H_
