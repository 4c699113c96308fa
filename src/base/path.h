// Paths as text: joined and split without any access to the file system.

#ifndef BELAY_BASE_PATH_H_
#define BELAY_BASE_PATH_H_

#include <string>
#include <string_view>

namespace belay {

// "a" and "b/c" make "a/b/c"; an absolute second part replaces the first.
std::string JoinPath(std::string_view folder, std::string_view rest);

// "a/b" has the parent "a" and the name "b"; "b" has "."; "/b" and "/" have "/".
std::string_view ParentPath(std::string_view path);
std::string_view FileName(std::string_view path);

// `path` relative to `folder` when it lies inside it, else unchanged.
std::string_view RelativeTo(std::string_view folder, std::string_view path);

}  // namespace belay

#endif  // BELAY_BASE_PATH_H_
