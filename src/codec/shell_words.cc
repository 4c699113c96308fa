// Words and their parts.

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "codec/shell_parser.h"

namespace belay {
namespace {

using PartKind = ShellPart::Kind;

bool IsShellDigit(char c) { return c >= '0' && c <= '9'; }
int HexDigit(char c) {
  if (IsShellDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// $1, $@, $?
bool IsSpecialParameter(char c) {
  return IsShellDigit(c) || std::string_view("@*#?-$!").find(c) != std::string_view::npos;
}

// The operator of ${NAME OP WORD} at the beginning: 0 if there is none.
std::size_t SizeOfOperator(std::string_view text) {
  if (text.empty() || std::string_view(":-=?+#%/^,@").find(text[0]) == text.npos) return 0;
  constexpr std::string_view kLong[] = {":-", ":=", ":?", ":+", "##", "%%",
                                        "//", "/#", "/%", "^^", ",,"};
  return std::ranges::find(kLong, text) != std::end(kLong) ? 2 : 1;
}

// The number at `at` with up to `most` digits, and moves past it.
unsigned ReadNumber(std::string_view text, std::size_t& at, std::size_t most, int base) {
  unsigned value = 0;
  for (; most > 0 && at < text.size(); --most, ++at) {
    const int digit = HexDigit(text[at]);
    if (digit < 0 || digit >= base) break;
    value = value * static_cast<unsigned>(base) + static_cast<unsigned>(digit);
  }
  return value;
}

// The escapes of $'...'; `at` is behind the backslash.
void DecodeEscape(std::string_view text, std::size_t& at, std::string& out) {
  constexpr std::string_view kLetters = "abeEfnrtv";
  constexpr std::string_view kMeanings = "\a\b\x1B\x1B\f\n\r\t\v";
  const char c = text[at++];
  if (const std::size_t letter = kLetters.find(c); letter != std::string_view::npos) {
    out += kMeanings[letter];
  } else if (IsShellDigit(c) && c < '8') {
    --at;
    out += static_cast<char>(ReadNumber(text, at, 3, 8));
  } else if (c == 'x') {
    out += static_cast<char>(ReadNumber(text, at, 2, 16));
  } else if (c == 'u' || c == 'U') {
    const unsigned code = ReadNumber(text, at, c == 'u' ? 4 : 8, 16);
    const bool valid = code < 0xD800 || (code > 0xDFFF && code <= 0x10FFFF);
    AppendUtf8(valid ? code : 0xFFFDU, out);
  } else if (c == 'c' && at < text.size()) {
    out += static_cast<char>(static_cast<unsigned char>(text[at++]) & 0x1FU);
  } else {
    if (std::string_view("\\'\"?").find(c) == std::string_view::npos) out += '\\';
    out += c;
  }
}

}  // namespace

bool IsShellBlank(char c) { return c == ' ' || c == '\t'; }
bool IsShellMeta(char c) {
  return IsShellBlank(c) || std::string_view("\n;&|<>()").find(c) != std::string_view::npos;
}
bool IsShellNameByte(char c) {
  return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || IsShellDigit(c);
}

ShellPart MakeShellPart(ShellPart::Kind kind, std::string text, bool quoted, std::string op) {
  ShellPart part;
  part.kind = kind;
  part.quoted = quoted;
  part.text = std::move(text);
  part.op = std::move(op);
  return part;
}

std::optional<std::string_view> ShellWord::Literal() const {
  if (parts.empty()) return std::string_view();
  if (parts.size() > 1 || parts.front().kind != PartKind::kText) return std::nullopt;
  return parts.front().text;
}

char ShellParser::Peek(std::size_t ahead) const {
  return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
}

// Nothing is read after it.
void ShellParser::Fail(std::string_view why) {
  if (!Failed()) line_.problem = why;
  at_ = text_.size();
}

bool ShellParser::Expects(char c) {
  if (at_ < text_.size() && Peek() == c) {
    Advance();
    return true;
  }
  Fail(std::string(1, c) + " is missing");
  return false;
}

void ShellParser::SkipContinuations() {
  while (Ahead("\\\n")) Advance(2);
}

void ShellParser::AddText(ShellWord& word, std::string_view text) {
  if (text.empty()) return;
  if (word.parts.empty() || word.parts.back().kind != PartKind::kText) {
    word.parts.push_back(MakeShellPart(PartKind::kText));
  }
  word.parts.back().text.append(text);
}

ShellWord ShellParser::ReadWord() {
  ShellWord word{.begin = at_};
  if (Peek() == '~') {
    std::size_t end = at_ + 1;
    if (Peek(1) == '+') ++end;  // the current folder
    while (end < text_.size() && (IsShellNameByte(text_[end]) || text_[end] == '-')) ++end;
    if (end == text_.size() || text_[end] == '/' || IsShellMeta(text_[end])) {
      word.parts.push_back(
          MakeShellPart(PartKind::kTilde, std::string(text_.substr(at_ + 1, end - at_ - 1))));
      at_ = end;
    }
  }
  ReadParts(word, Until::kBlank);
  word.end = at_;
  return word;
}

ShellWord ShellParser::ReadDocumentText() {
  ShellWord word{.quoted = true};
  limit_ = text_.size();
  ReadParts(word, Until::kLimit);
  return word;
}

bool ShellParser::EndsParts(Until until) const {
  switch (until) {
    case Until::kBlank:
      return IsShellMeta(Peek()) && !((Peek() == '<' || Peek() == '>') && Peek(1) == '(');
    case Until::kQuote:
      return Peek() == '"';
    case Until::kBrace:
    case Until::kBraceInner:
      return Peek() == '}';
    case Until::kBracket:
      return Peek() == ']';
    case Until::kLimit:
      return at_ >= limit_;
  }
  __builtin_unreachable();
}

void ShellParser::ReadParts(ShellWord& word, Until until) {
  const Level level(*this);
  while (at_ < text_.size() && !EndsParts(until)) ReadPart(word, until);
}

void ShellParser::ReadPart(ShellWord& word, Until until) {
  const char c = Peek();
  const bool quoted =
      until == Until::kQuote || until == Until::kBraceInner || until == Until::kLimit;
  if (c == '\\') return ReadEscape(word, until);
  if (c == '$') return ReadDollar(word, quoted);
  if (c == '`') return ReadBacktick(word, quoted);
  if (ReadQuote(word, until)) return;
  if (!quoted && ReadSpecial(word, until)) return;
  // As much as has no meaning.
  std::size_t end = at_ + 1;
  constexpr std::string_view kMeaning = "\\$`'\"*?[]{},}()<>|&;~=:@+! \t\n";
  while (end < text_.size() && kMeaning.find(text_[end]) == std::string_view::npos) ++end;
  if (until == Until::kLimit) end = std::min(end, limit_);
  AddText(word, text_.substr(at_, end - at_));
  at_ = end;
}

// Returns whether a quote was read. Inside double quotes an apostrophe means nothing.
bool ShellParser::ReadQuote(ShellWord& word, Until until) {
  const char c = Peek();
  if (c == '\'' && until != Until::kBlank && until != Until::kBrace && until != Until::kBracket) {
    return false;
  }
  if (c == '"' && (until == Until::kLimit || until == Until::kQuote)) return false;
  if (c != '\'' && c != '"') return false;
  word.quoted = true;
  Advance();
  if (c == '"') {
    ReadParts(word, Until::kQuote);
    Expects('"');
    return true;
  }
  const std::size_t end = text_.find('\'', at_);
  if (end == std::string_view::npos) {
    Fail("' is missing");
    return true;
  }
  AddText(word, text_.substr(at_, end - at_));
  at_ = end + 1;
  return true;
}

void ShellParser::ReadEscape(ShellWord& word, Until until) {
  if (Peek(1) == '\n') {
    Advance(2);
    return;
  }
  const bool few = until == Until::kQuote || until == Until::kLimit || until == Until::kBraceInner;
  const bool marks = until == Until::kQuote || until == Until::kBraceInner;
  std::string_view special = marks ? "$`\"\\" : "$`\\";
  if (until == Until::kBraceInner) special = "$`\"\\}";
  if (at_ + 1 >= text_.size()) {
    AddText(word, "\\");
    Advance();
    return;
  }
  if (few && special.find(Peek(1)) == std::string_view::npos) {
    AddText(word, "\\");
    Advance();
    return;
  }
  word.quoted = true;
  AddText(word, text_.substr(at_ + 1, 1));
  Advance(2);
}

// $((...)) or $(...), at the first parenthesis.
void ShellParser::ReadSubstitution(ShellWord& word, bool quoted) {
  const std::size_t close = Peek(1) == '(' ? FindClosing(at_ + 1) : std::string_view::npos;
  if (close != std::string_view::npos && close + 1 < text_.size() && text_[close + 1] == ')') {
    Advance();
    return ReadArithmetic(word, quoted, close);
  }
  ShellPart part = MakeShellPart(PartKind::kCommand, {}, quoted);
  part.scripts.push_back(ReadParenthesised());
  word.parts.push_back(std::move(part));
}

void ShellParser::ReadDollar(ShellWord& word, bool quoted) {
  Advance();
  SkipContinuations();
  const char c = Peek();
  if (c == '(') {
    ReadSubstitution(word, quoted);
  } else if (c == '{') {
    ReadExpansion(word, quoted);
  } else if (c == '\'' && !quoted) {
    ReadAnsiQuoted(word);
  } else if (c == '"' && !quoted) {
    (void)ReadQuote(word, Until::kBlank);
  } else if (c == '[') {  // the old form of $((...))
    ShellPart part = MakeShellPart(PartKind::kArithmetic, {}, quoted);
    Advance();
    part.words.emplace_back();
    ReadParts(part.words.back(), Until::kBracket);
    Expects(']');
    word.parts.push_back(std::move(part));
  } else if (IsShellNameByte(c) || IsSpecialParameter(c)) {
    std::size_t end = at_ + 1;
    if (IsShellNameByte(c) && !IsShellDigit(c)) {
      while (end < text_.size() && IsShellNameByte(text_[end])) ++end;
    }
    word.parts.push_back(
        MakeShellPart(PartKind::kVariable, std::string(text_.substr(at_, end - at_)), quoted));
    at_ = end;
  } else {
    AddText(word, "$");
  }
}

void ShellParser::ReadAnsiQuoted(ShellWord& word) {
  word.quoted = true;
  std::string out;
  for (Advance(); at_ < text_.size() && Peek() != '\'';) {
    if (Peek() == '\\' && at_ + 1 < text_.size()) {
      Advance();
      DecodeEscape(text_, at_, out);
    } else {
      out += text_[at_++];
    }
  }
  if (!Expects('\'')) return;
  AddText(word, std::string_view(out).substr(0, out.find('\0')));
}

// Its text is a script of its own, after its backslashes are gone.
void ShellParser::ReadBacktick(ShellWord& word, bool quoted) {
  std::string inner;
  for (Advance(); at_ < text_.size() && Peek() != '`'; ++at_) {
    const std::string_view special = quoted ? "$`\\\"" : "$`\\";
    if (Peek() == '\\' && special.find(Peek(1)) != std::string_view::npos &&
        at_ + 1 < text_.size()) {
      Advance();
    }
    inner += Peek();
  }
  if (!Expects('`')) return;
  const Level level(*this);
  ShellPart part = MakeShellPart(PartKind::kCommand, {}, quoted);
  part.scripts.push_back(Failed() ? ShellScript() : ShellParser(inner, line_, depth_).ReadAll());
  word.parts.push_back(std::move(part));
}

// ${ ... }, after the $.
void ShellParser::ReadExpansion(ShellWord& word, bool quoted) {
  const Level level(*this);
  Advance();
  ShellPart part = MakeShellPart(PartKind::kVariable, {}, quoted);
  if ((Peek() == '#' || Peek() == '!') && Peek(1) != '}' &&
      (IsShellNameByte(Peek(1)) || IsSpecialParameter(Peek(1)))) {
    part.op = Peek() == '#' ? "length" : "!";
    Advance();
  }
  ReadExpansionName(part);
  if (part.text.empty()) return Fail("an expansion has no name");
  ReadExpansionRest(part, quoted);
  Expects('}');
  word.parts.push_back(std::move(part));
}

void ShellParser::ReadExpansionName(ShellPart& part) {
  std::size_t end = at_;
  while (end < text_.size() && IsShellNameByte(text_[end])) ++end;
  if (end == at_ && IsSpecialParameter(Peek())) ++end;
  part.text = text_.substr(at_, end - at_);
  at_ = end;
}

void ShellParser::ReadExpansionRest(ShellPart& part, bool quoted) {
  if (Peek() == '[') {
    Advance();
    part.words.resize(2);
    ReadParts(part.words[1], Until::kBracket);
    if (!Expects(']')) return;
  }
  if (Peek() == '}' || at_ >= text_.size()) return;
  const std::size_t sign = SizeOfOperator(text_.substr(at_, 2));
  if (part.op.empty()) part.op = text_.substr(at_, sign);
  for (std::size_t i = 0; i < sign; ++i) Advance();
  if (part.op.empty()) return Fail("an expansion isn't understood");
  if (part.words.empty()) part.words.resize(1);
  // In a pattern quotes count, whatever is around.
  const bool pattern = std::string_view("#%/^,").find(part.op.front()) != std::string_view::npos;
  ReadParts(part.words[0], quoted && !pattern ? Until::kBraceInner : Until::kBrace);
}

// `at_` is at the second parenthesis of $((, `end` at the first closing one of )).
void ShellParser::ReadArithmetic(ShellWord& word, bool quoted, std::size_t end) {
  ShellPart part = MakeShellPart(PartKind::kArithmetic, {}, quoted);
  Advance();
  part.words.emplace_back();
  const std::size_t outer = std::exchange(limit_, end);
  ReadParts(part.words.back(), Until::kLimit);
  limit_ = outer;
  if (Failed()) return;
  at_ = end + 2;
  word.parts.push_back(std::move(part));
}

// [a-z]; a [ without its end is text.
void ShellParser::ReadBracketGlob(ShellWord& word) {
  std::size_t end = at_ + 1;
  while (end < text_.size() && (text_[end] == '!' || text_[end] == '^')) ++end;
  if (end < text_.size() && text_[end] == ']') ++end;
  constexpr std::string_view kStops = "]$`'\"\\/ \t\n;&|<>()";
  constexpr std::size_t kLongest = 200;
  while (end < text_.size() && end < at_ + kLongest &&
         kStops.find(text_[end]) == std::string_view::npos) {
    ++end;
  }
  const bool whole = end < text_.size() && text_[end] == ']';
  if (!whole) {
    // With quotes or variables inside, or very long, it may still be a pattern.
    const bool maybe =
        end >= at_ + kLongest ||
        (end < text_.size() && std::string_view("$`'\"\\").find(text_[end]) != text_.npos);
    if (maybe) {
      word.parts.push_back(MakeShellPart(PartKind::kGlob, "["));
    } else {
      AddText(word, "[");
    }
    Advance();
    return;
  }
  word.parts.push_back(
      MakeShellPart(PartKind::kGlob, std::string(text_.substr(at_, end + 1 - at_))));
  at_ = end + 1;
}

// What isn't quoted and means something: patterns, braces, <(...), ~ after = and :.
bool ShellParser::ReadSpecial(ShellWord& word, Until until) {
  const char c = Peek();
  if (ReadExtendedGlob(word)) return true;
  if (c == '*' || c == '?') {
    word.parts.push_back(MakeShellPart(PartKind::kGlob, std::string(1, c)));
    Advance();
    return true;
  }
  if (c == '[' && until == Until::kBlank) {
    ReadBracketGlob(word);
    return true;
  }
  if (until == Until::kBlank && (c == '{' || c == '}' || c == ',')) {
    word.parts.push_back(MakeShellPart(PartKind::kBrace, std::string(1, c)));
    Advance();
    return true;
  }
  if (until == Until::kBlank && (c == '<' || c == '>')) {
    ShellPart part = MakeShellPart(PartKind::kProcess, {}, false, std::string(1, c));
    Advance();
    part.scripts.push_back(ReadParenthesised());
    word.parts.push_back(std::move(part));
    return true;
  }
  return false;
}

// @(a|b) inside a word. At the beginning of one, bash takes it for other syntax unless extglob is
// set.
bool ShellParser::ReadExtendedGlob(ShellWord& word) {
  if (Peek(1) != '(' || word.parts.empty()) return false;
  if (std::string_view("@?*+!").find(Peek()) == std::string_view::npos) return false;
  const std::size_t close = FindClosing(at_ + 1);
  if (close == std::string_view::npos) return false;
  const std::string_view inside = text_.substr(at_, close + 1 - at_);
  if (inside.find_first_of("$`") != std::string_view::npos) Fail("a pattern isn't understood");
  word.parts.push_back(MakeShellPart(PartKind::kGlob, std::string(inside)));
  at_ = Failed() ? text_.size() : close + 1;
  return true;
}

// ( script ), of a substitution.
ShellScript ShellParser::ReadParenthesised() {
  const Level level(*this);
  Advance();
  std::vector<Pending> outer = std::exchange(pending_, {});
  const std::size_t limit = std::exchange(limit_, std::string_view::npos);
  ShellScript script = ReadScript({});
  if (!pending_.empty()) Fail("a here-document is cut off by )");
  pending_ = std::move(outer);
  limit_ = limit;
  Expects(')');
  return script;
}

// The parenthesis that closes the one at `open`, as bash searches for it in arithmetic.
std::size_t ShellParser::FindClosing(std::size_t open) {
  int depth = 0;
  // Unbalanced text is searched again and again; there is an end to that.
  constexpr std::size_t kMostSearched = 16 * kLongestShellText;
  if (searched_ > kMostSearched) Fail("it has too many parentheses");
  if (Failed()) return std::string_view::npos;
  for (std::size_t at = open; at < text_.size(); ++at) {
    const char c = text_[at];
    ++searched_;
    if (c == '\\') {
      ++at;
    } else if (c == '\'' || c == '"') {
      std::size_t end = at + 1;
      while (end < text_.size() && text_[end] != c) end += c == '"' && text_[end] == '\\' ? 2 : 1;
      searched_ += end - at;
      at = end;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')' && --depth == 0) {
      return at;
    }
  }
  return std::string_view::npos;
}

}  // namespace belay
