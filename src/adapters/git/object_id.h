// The id of a git object as a type: once parsed, it is hexadecimal digits of one of the two
// lengths.

#ifndef BELAY_ADAPTERS_GIT_OBJECT_ID_H_
#define BELAY_ADAPTERS_GIT_OBJECT_ID_H_

#include <compare>
#include <string>
#include <string_view>

#include "base/result.h"
#include "codec/hash.h"

namespace belay {

class ObjectId {
 public:
  ObjectId() = default;  // no object
  // 40 or 64 lower-case digits; all zeros mean no object. Anything else: kDamaged.
  static Result<ObjectId> Parse(std::string_view text);

  bool IsNone() const { return text_.empty(); }
  const std::string& text() const { return text_; }  // empty: no object
  std::string Short() const { return text_.substr(0, 10); }
  ObjectFormat format() const {
    return text_.size() > 40 ? ObjectFormat::kSha256 : ObjectFormat::kSha1;
  }

  bool operator==(const ObjectId&) const = default;
  std::strong_ordering operator<=>(const ObjectId& other) const { return text_ <=> other.text_; }

 private:
  std::string text_;
};

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_OBJECT_ID_H_
