// Redirections, here-documents and assignments.

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "codec/shell_parser.h"

namespace belay {
namespace {

using RedirectKind = ShellRedirection::Kind;

struct RedirectionOperator {
  std::string_view sign;
  RedirectKind kind;
};
// Longer ones first.
constexpr RedirectionOperator kOperators[] = {
    {"&>>", RedirectKind::kBoth},       {"&>", RedirectKind::kBoth},
    {"<<<", RedirectKind::kHereString}, {"<<-", RedirectKind::kDocument},
    {"<<", RedirectKind::kDocument},    {"<>", RedirectKind::kReadWrite},
    {"<&", RedirectKind::kCopy},        {">&", RedirectKind::kCopy},
    {">>", RedirectKind::kAppend},      {">|", RedirectKind::kWrite},
    {"<", RedirectKind::kRead},         {">", RedirectKind::kWrite},
};

}  // namespace

void ShellParser::ReadDocuments() {
  for (const Pending& pending : std::exchange(pending_, {})) {
    const std::size_t begin = at_;
    std::size_t end = text_.size();
    bool joined = false;  // to the line before it, by a backslash
    while (at_ < text_.size()) {
      const std::size_t stop = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, stop - at_);
      const std::size_t start = at_;
      at_ = std::min(stop + 1, text_.size());
      while (pending.tabs && line.starts_with('\t')) line.remove_prefix(1);
      if (!joined && line == pending.end) {
        end = start;
        break;
      }
      const std::size_t last = line.find_last_not_of('\\');
      const std::size_t slashes = line.size() - (last == std::string_view::npos ? 0 : last + 1);
      joined = !pending.literal && slashes % 2 == 1;
    }
    line_.documents[pending.document] = DocumentAt(begin, end, pending);
  }
}

ShellWord ShellParser::DocumentAt(std::size_t begin, std::size_t end, const Pending& pending) {
  std::string body;
  while (pending.tabs && begin < end) {
    begin = std::min(text_.find_first_not_of('\t', begin), end);
    const std::size_t stop = std::min(text_.find('\n', begin), end);
    body += text_.substr(begin, std::min(stop + 1, end) - begin);
    begin = stop + 1;
  }
  if (!pending.tabs) body = text_.substr(begin, end - begin);
  ShellWord word{.quoted = true};
  if (pending.literal) {
    AddText(word, body);
    return word;
  }
  const Level level(*this);
  return Failed() ? word : ShellParser(body, line_, depth_).ReadDocumentText();
}

void ShellParser::ReadRedirections(ShellCommand& command) {
  for (SkipBlanks(); ReadRedirection(command); SkipBlanks()) {
  }
}

// declare NAME=(...): only these builtins take an array.
bool ShellParser::DeclaresArray(const ShellCommand& command) const {
  constexpr std::string_view kDeclaring[] = {"declare", "typeset", "local", "export", "readonly"};
  const std::string_view rest = Rest().substr(LengthOfAssignment());
  return (rest.starts_with("=(") || rest.starts_with("+=(")) &&
         IsIn(kDeclaring, command.words.front().Literal().value_or(""));
}

// The length of NAME, NAME[index] before = or +=; 0 if that isn't ahead.
std::size_t ShellParser::LengthOfAssignment() const {
  std::size_t at = at_;
  while (at < text_.size() && IsShellNameByte(text_[at])) ++at;
  if (at == at_ || (Peek() >= '0' && Peek() <= '9') || at >= text_.size()) return 0;
  const std::string_view rest = text_.substr(at);
  return rest.starts_with('=') || rest.starts_with("+=") || rest.starts_with('[') ? at - at_ : 0;
}

bool ShellParser::ReadAssignment(ShellCommand& command) {
  const std::size_t length = LengthOfAssignment();
  if (length == 0) return false;
  const std::size_t begin = at_;
  ShellAssignment assignment{.name = std::string(text_.substr(at_, length))};
  Advance(length);
  if (Peek() == '[') {
    Advance();
    ReadParts(assignment.index.emplace_back(), Until::kBracket);
    const bool assigns = Ahead("]=") || Ahead("]+=");
    if (!assigns) {
      if (Failed()) return true;
      at_ = begin;  // a pattern: a[b]c
      return false;
    }
    Advance();
  }
  assignment.append = Peek() == '+';
  Advance(assignment.append ? 2 : 1);
  if (Peek() == '(') {
    ReadArray(assignment);
  } else {
    assignment.words.push_back(ReadWord());
  }
  command.assignments.push_back(std::move(assignment));
  return true;
}

void ShellParser::ReadArray(ShellAssignment& assignment) {
  assignment.array = true;
  Advance();
  for (SkipLines(); at_ < text_.size() && Peek() != ')'; SkipLines()) {
    if (EndsParts(Until::kBlank)) return Fail("an array isn't understood");
    assignment.words.push_back(ReadWord());
  }
  Expects(')');
}

namespace {

// The end of the number or {name} that begins at `at`; npos: there is "{" without a name.
std::size_t EndOfDescriptor(std::string_view text, std::size_t at) {
  std::size_t end = at;
  if (at >= text.size() || text[at] != '{') {
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    return end;
  }
  ++end;
  while (end < text.size() && IsShellNameByte(text[end])) ++end;
  if (end < text.size() && text[end] == '}') ++end;
  return end == at + 1 ? std::string_view::npos : end;
}

}  // namespace

// The text comes after the end of the line. Its end mark isn't expanded: $X is the mark $X.
void ShellParser::ExpectDocument(ShellRedirection& redirection, bool tabs) {
  redirection.document = line_.documents.size();
  line_.documents.emplace_back();
  const ShellWord& target = redirection.target;
  std::string end(target.Literal().value_or(""));
  if (!target.Literal()) end = text_.substr(target.begin, target.end - target.begin);
  if (!target.Literal() && target.quoted) Fail("the end of a here-document isn't understood");
  pending_.push_back({redirection.document, std::move(end), tabs, target.quoted});
}

// Returns whether a redirection was read. A number or {name} directly before it belongs to it.
bool ShellParser::ReadRedirection(ShellCommand& command) {
  if (Failed()) return false;
  const std::size_t sign = EndOfDescriptor(text_, at_);
  if (sign == std::string_view::npos) return false;
  const std::string_view ahead = text_.substr(sign);
  const bool angle = ahead.starts_with('<') || ahead.starts_with('>');
  const bool both = sign == at_ && ahead.starts_with("&>");
  const bool process = ahead.size() > 1 && ahead[1] == '(' && sign == at_;
  if ((!angle && !both) || process) return false;
  const std::string_view number = text_.substr(at_, sign - at_);
  at_ = sign;
  const bool tabs = Ahead("<<-");
  ShellRedirection redirection = ReadOperator();
  if (!number.empty() && number.size() < 5 && number.front() != '{') {
    redirection.descriptor = std::stoi(std::string(number));
  }
  SkipBlanks();
  if (at_ >= text_.size() || EndsParts(Until::kBlank)) {
    Fail("a redirection has no target");
    return true;
  }
  redirection.target = ReadWord();
  if (redirection.kind == RedirectKind::kDocument) ExpectDocument(redirection, tabs);
  command.redirections.push_back(std::move(redirection));
  return true;
}

ShellRedirection ShellParser::ReadOperator() {
  ShellRedirection redirection;
  for (const RedirectionOperator& row : kOperators) {
    if (!Ahead(row.sign)) continue;
    Advance(row.sign.size());
    redirection.kind = row.kind;
    redirection.output = row.sign.front() == '>';
    break;
  }
  return redirection;
}

}  // namespace belay
