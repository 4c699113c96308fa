// Paths are bytes, but JSON, Markdown and git's streams are text: paths are quoted as git does it.
//
//   src/ü.cc          unchanged
//   "a\nb\377"        a newline, a byte that isn't UTF-8: in double quotes, with C escapes
//
// An unquoted path never starts with a double quote, so the two forms are distinct.

#ifndef BELAY_ADAPTERS_GIT_QUOTED_PATH_H_
#define BELAY_ADAPTERS_GIT_QUOTED_PATH_H_

#include <string>
#include <string_view>

#include "base/result.h"

namespace belay {

std::string QuotePath(std::string_view path);
// Reverses QuotePath and git's quoting. A wrong escape or an unclosed quote: kDamaged.
Result<std::string> UnquotePath(std::string_view text);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_QUOTED_PATH_H_
