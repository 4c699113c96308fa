// Random edits of a worktree that RapidCheck can show and shrink.

#ifndef BELAY_SNAPSHOT_TEST_EDITS_H_
#define BELAY_SNAPSHOT_TEST_EDITS_H_

#include <rapidcheck.h>

#include <ostream>
#include <string>

#include "adapters/git/fields.h"
#include "testing/worktree_edits.h"

namespace belay {

inline std::ostream& operator<<(std::ostream& out, const Edit& edit) {
  constexpr const char* kNames[] = {"write",  "program", "private", "link",   "remove",  "rename",
                                    "switch", "add",     "add all", "intend", "untrack", "delete"};
  return out << kNames[static_cast<int>(edit.what)] << " " << QuotePath(edit.path) << " "
             << QuotePath(edit.other.substr(0, 30));
}

// Few names, so that edits collide: files where others have folders, and unusual bytes.
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

}  // namespace belay

#endif  // BELAY_SNAPSHOT_TEST_EDITS_H_
