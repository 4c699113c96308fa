// Reads git's output field by field: most of it is fields that end with a space or a NUL.

#ifndef BELAY_ADAPTERS_GIT_FIELDS_H_
#define BELAY_ADAPTERS_GIT_FIELDS_H_

#include <cstdint>
#include <string_view>

#include "adapters/git/object_id.h"
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

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_FIELDS_H_
