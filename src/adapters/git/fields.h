// Git's output and its quoting. Most of the output is fields that end with a space or a NUL.

#ifndef BELAY_ADAPTERS_GIT_FIELDS_H_
#define BELAY_ADAPTERS_GIT_FIELDS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/git/git.h"
#include "base/result.h"

namespace belay {

class Fields {
 public:
  // `what` names the command in messages.
  Fields(std::string_view text, std::string_view what) : rest_(text), what_(what) {}

  bool AtEnd() const { return rest_.empty(); }
  // The text up to the next `end`, which is required: else kDamaged.
  Result<std::string_view> Until(char end);
  Result<std::string_view> PathUntilNul();    // never empty
  Result<std::uint32_t> ModeUntil(char end);  // octal digits
  Result<ObjectId> IdUntil(char end);
  // As many bytes as the decimal number tells; fewer: kDamaged.
  Result<std::string_view> Bytes(std::string_view number);
  std::string_view rest() const { return rest_; }
  // The next character; at the end: kDamaged.
  Result<char> Next();
  Error Damaged(std::string_view why) const;

 private:
  std::string_view rest_;
  std::string_view what_;
};

// Paths are bytes, but JSON, Markdown and git's streams are text: paths are quoted as git does it.
//
//   src/ü.cc          unchanged
//   "a\nb\377"        a newline, a byte that isn't UTF-8: in double quotes, with C escapes
//
// An unquoted path never starts with a double quote, so the two forms are distinct.

std::string QuotePath(std::string_view path);
std::vector<std::string> QuotePaths(const std::vector<std::string>& paths);
// Reverses QuotePath and git's quoting. A wrong escape or an unclosed quote: kDamaged.
Result<std::string> UnquotePath(std::string_view text);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_FIELDS_H_
