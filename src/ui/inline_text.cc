#include "ui/inline_text.h"

#include <algorithm>
#include <utility>

#include "ui/width.h"
#include "ui/wrap.h"

namespace belay {
namespace {

constexpr std::string_view kBoldMark = "**";

class InlineParser {
 public:
  InlineParser(std::string_view source, Tone base, Style style)
      : rest_(source), base_(base), style_(style) {}

  InlineText Run() && {
    while (!rest_.empty()) {
      if (!TakeCode() && !TakeBoldMark()) Take(1, bold_ ? Tone::kBold : base_);
    }
    return std::move(result_);
  }

 private:
  void Take(std::size_t bytes, Tone tone) {
    result_.text += rest_.substr(0, bytes);
    result_.tones.resize(result_.text.size(), tone);
    rest_.remove_prefix(bytes);
  }

  // As many backticks end the code as began it, so that code can contain some.
  bool TakeCode() {
    const std::size_t run = std::min(rest_.find_first_not_of('`'), rest_.size());
    if (run == 0) return false;
    const std::size_t close = rest_.find(rest_.substr(0, run), run);
    const bool closed = close != std::string_view::npos;
    if (!closed) {
      Take(run, bold_ ? Tone::kBold : base_);
    } else if (style_.color) {
      rest_.remove_prefix(run);
      Take(close - run, Tone::kAccent);
      rest_.remove_prefix(run);
    } else {
      Take(close + run, Tone::kAccent);
    }
    return true;
  }

  bool TakeBoldMark() {
    if (!rest_.starts_with(kBoldMark)) return false;
    if (!bold_ && rest_.find(kBoldMark, kBoldMark.size()) == std::string_view::npos) return false;
    bold_ = !bold_;
    rest_.remove_prefix(kBoldMark.size());
    return true;
  }

  std::string_view rest_;
  Tone base_;
  Style style_;
  bool bold_ = false;
  InlineText result_;
};

void AppendPainted(std::string_view line, const Tone* tones, Style style, std::string& out) {
  for (std::size_t start = 0; start < line.size();) {
    std::size_t end = start;
    while (end < line.size() && tones[end] == tones[start]) ++end;
    out += style.Paint(tones[start], line.substr(start, end - start));
    start = end;
  }
}

// Marks that are gone leave double blanks or one at the end ("a ** **"); every blank but the first
// of a run goes, with its tone.
InlineText Collapse(const InlineText& content) {
  InlineText collapsed;
  for (std::size_t i = 0; i < content.text.size(); ++i) {
    const bool redundant =
        content.text[i] == ' ' && (collapsed.text.empty() || collapsed.text.back() == ' ');
    if (redundant) continue;
    collapsed.text.push_back(content.text[i]);
    collapsed.tones.push_back(content.tones[i]);
  }
  if (collapsed.text.ends_with(' ')) {
    collapsed.text.pop_back();
    collapsed.tones.pop_back();
  }
  return collapsed;
}

}  // namespace

InlineText ParseInline(std::string_view source, Tone base, Style style) {
  return Collapse(InlineParser(source, base, style).Run());
}

std::string RenderInline(const InlineText& content, std::size_t columns,
                         std::string_view indent_first, std::string_view indent_rest, Style style) {
  const std::string_view text = content.text;
  const std::size_t first_room = RoomAfter(DisplayWidth(indent_first), columns);
  const std::size_t rest_room = RoomAfter(DisplayWidth(indent_rest), columns);
  std::string out;
  for (const std::string_view line : WrapLines(text, first_room, rest_room)) {
    out += out.empty() ? indent_first : indent_rest;
    AppendPainted(line, content.tones.data() + (line.data() - text.data()), style, out);
    out.push_back('\n');
  }
  return out;
}

}  // namespace belay
