#include "codec/json_spans.h"

#include <algorithm>

namespace belay {
namespace {

// Never reads beyond the text, but of what isn't JSON it may say anything. The depth is bounded by
// the parser that took the text.
class Mapper {
 public:
  explicit Mapper(std::string_view text) : text_(text) {}

  JsonSpan Value(bool is_member) {
    SkipSpace();
    JsonSpan span{.item = at_, .begin = at_, .end = at_};
    if (is_member) {
      SkipString();
      SkipTo(':');
      SkipSpace();
      span.begin = at_;
    }
    if (At('{') || At('[')) {
      Children(At('{'), span);
    } else if (At('"')) {
      SkipString();
    } else {
      at_ = std::min(text_.find_first_of(" \t\r\n,]}", at_), text_.size());
    }
    span.end = at_;
    return span;
  }

 private:
  bool At(char c) const { return at_ < text_.size() && text_[at_] == c; }
  void SkipSpace() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  void SkipTo(char c) { at_ = std::min(text_.find(c, at_), text_.size() - 1) + 1; }

  void SkipString() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  void Children(bool members, JsonSpan& span) {
    const char close = members ? '}' : ']';
    ++at_;
    SkipSpace();
    while (at_ < text_.size() && !At(close)) {
      span.children.push_back(Value(members));
      SkipSpace();
      if (At(',')) ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

JsonSpan MapJson(std::string_view text) { return Mapper(text).Value(false); }

}  // namespace belay
