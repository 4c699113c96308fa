// Foreign text in the middle of one of belay's own sentences, the only way it may stand there: one
// short line in quotes that it can't close.

#ifndef BELAY_PROMPT_QUOTED_LINE_H_
#define BELAY_PROMPT_QUOTED_LINE_H_

#include <cstddef>
#include <string>

#include "prompt/foreign_text.h"

namespace belay {

class QuotedLine {
 public:
  static constexpr std::size_t kMost = 200;  // code points between the quotes

  // Line breaks and runs of blanks become one space; double quotes of any shape become "'", and
  // angle brackets "‹" and "›", so that neither the quote nor a marker nor a tag can end or begin
  // in it. What is longer ends in "…", and a note after the quote says how much is missing.
  explicit QuotedLine(const ForeignText& foreign);

  const std::string& text() const { return text_; }  // with its quotes

 private:
  std::string text_;
};

}  // namespace belay

#endif  // BELAY_PROMPT_QUOTED_LINE_H_
