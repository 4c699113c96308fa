// Paths are bytes, and JSON, Markdown and git's streams are text: git's own quoting stands between.
//
//   src/ü.cc          stays as it is
//   "a\nb\377"        a newline, a byte that is no UTF-8: in double quotes, with C's escapes
//
// What is not quoted never starts with a double quote, so the two can be told apart.

#ifndef BELAY_ADAPTERS_GIT_QUOTED_PATH_H_
#define BELAY_ADAPTERS_GIT_QUOTED_PATH_H_

#include <string>
#include <string_view>

#include "base/result.h"

namespace belay {

std::string QuotePath(std::string_view path);
// What QuotePath or git made of it. A wrong escape, or a quote that is not closed: kDamaged.
Result<std::string> UnquotePath(std::string_view text);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_QUOTED_PATH_H_
