// Paths as text: joined and taken apart without asking the file system.

#ifndef BELAY_BASE_PATH_H_
#define BELAY_BASE_PATH_H_

#include <string>
#include <string_view>

namespace belay {

// "a" and "b/c" make "a/b/c"; an absolute second part stands alone.
std::string JoinPath(std::string_view folder, std::string_view rest);

// "a/b" has the parent "a" and the name "b"; "b" has "."; "/b" and "/" have "/".
std::string_view ParentPath(std::string_view path);
std::string_view FileName(std::string_view path);

// `path` as seen from `folder` when it lies inside it, else as it is.
std::string_view RelativeTo(std::string_view folder, std::string_view path);

}  // namespace belay

#endif  // BELAY_BASE_PATH_H_
