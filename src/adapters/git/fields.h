// Git's output and its quoting. Most of the output is fields that end with a space or a NUL.

#ifndef BELAY_ADAPTERS_GIT_FIELDS_H_
#define BELAY_ADAPTERS_GIT_FIELDS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/git/object_id.h"
#include "base/result.h"

namespace belay {

class Fields {
 public:
  // `what` is for messages: which command printed it.
  Fields(std::string_view text, std::string_view what) : rest_(text), what_(what) {}

  bool AtEnd() const { return rest_.empty(); }
  // What stands before the next `end`; without one: kDamaged.
  Result<std::string_view> Until(char end);
  Result<std::string_view> PathUntilNul();    // never empty
  Result<std::uint32_t> ModeUntil(char end);  // octal digits
  Result<ObjectId> IdUntil(char end);
  // As many bytes as the decimal number says; less: kDamaged.
  Result<std::string_view> Bytes(std::string_view number);
  std::string_view rest() const { return rest_; }
  // The next character; at the end: kDamaged.
  Result<char> Next();
  Error Damaged(std::string_view why) const;

 private:
  std::string_view rest_;
  std::string_view what_;
};

// Paths are bytes, and JSON, Markdown and git's streams are text: git's own quoting stands between.
//
//   src/ü.cc          stays as it is
//   "a\nb\377"        a newline, a byte that is no UTF-8: in double quotes, with C's escapes
//
// What is not quoted never starts with a double quote, so the two can be told apart.

std::string QuotePath(std::string_view path);
// What QuotePath or git made of it. A wrong escape, or a quote that is not closed: kDamaged.
Result<std::string> UnquotePath(std::string_view text);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_FIELDS_H_
