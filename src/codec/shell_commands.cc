// Commands and lists.

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "codec/shell_parser.h"

namespace belay {
namespace {

using CommandKind = ShellCommand::Kind;
using Link = ShellStep::Link;

constexpr std::string_view kThen[] = {"then"};
constexpr std::string_view kDo[] = {"do"};
constexpr std::string_view kDone[] = {"done"};
constexpr std::string_view kCloseBrace[] = {"}"};
constexpr std::string_view kAfterThen[] = {"elif", "else", "fi"};
constexpr std::string_view kFi[] = {"fi"};
constexpr std::string_view kEsac[] = {"esac"};
// Words that can't begin a command of their own.
constexpr std::string_view kMisplaced[] = {"then", "elif", "else", "fi", "do", "done", "esac", "}"};
constexpr std::size_t kLongestKeyword = 8;

bool IsPlainCommand(const ShellStep& step) {
  return step.command.kind == CommandKind::kSimple && !step.negated && !step.background;
}

// These only prepare what follows.
constexpr std::string_view kPreparing[] = {"cd",    "export", "source", ".",     "set",
                                           "pushd", "popd",   "echo",   "mkdir", "true"};

bool OnlyPrepares(const ShellStep& step) {
  const std::vector<ShellWord>& words = step.command.words;
  const std::optional<std::string_view> name =
      words.empty() ? std::nullopt : words.front().Literal();
  return name && IsIn(kPreparing, *name);
}

}  // namespace

ShellScript::ShellScript() = default;
ShellScript::ShellScript(const ShellScript&) = default;
ShellScript::ShellScript(ShellScript&&) noexcept = default;
ShellScript& ShellScript::operator=(const ShellScript&) = default;
ShellScript& ShellScript::operator=(ShellScript&&) noexcept = default;
ShellScript::~ShellScript() = default;

ShellLine ParseShell(std::string_view text) {
  ShellLine line;
  if (text.size() > kLongestShellText) {
    line.problem = "it is too long";
    return line;
  }
  line.script = ShellParser(text, line, 0).ReadAll();
  const bool odd =
      text.find('\0') != std::string_view::npos || FindInvalidUtf8(text) != std::string_view::npos;
  if (odd && line.problem.empty()) line.problem = "it isn't UTF-8 text";
  return line;
}

std::vector<ShellVerdict> VerdictsOf(const ShellScript& script) {
  const std::vector<ShellStep>& steps = script.steps;
  std::vector<ShellVerdict> verdicts(steps.size());
  if (!std::ranges::all_of(steps, IsPlainCommand)) return verdicts;
  // After it only commands that run on success.
  for (std::size_t i = steps.size(); i-- > 0;) {
    verdicts[i].success = true;
    if (i > 0 && steps[i].link != Link::kAnd) break;
  }
  // An earlier || may have skipped it.
  bool skipped = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    skipped = skipped || (i > 0 && steps[i].link == Link::kOr);
    if (skipped) verdicts[i].success = false;
  }
  if (steps.empty() || !verdicts.back().success) return verdicts;
  bool only = true;  // nothing before it can be what has failed
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    if (steps[i + 1].link == Link::kAnd && !OnlyPrepares(steps[i])) only = false;
  }
  verdicts.back().failure = only;
  return verdicts;
}

ShellScript ShellParser::ReadAll() {
  const Level level(*this);
  ShellScript script = ReadScript({});
  if (at_ < text_.size()) Fail("a ) or ;; is misplaced");
  return script;
}

void ShellParser::SkipBlanks() {
  while (at_ < text_.size()) {
    if (IsShellBlank(Peek())) {
      Advance();
    } else if (Ahead("\\\n")) {
      Advance(2);
    } else {
      break;
    }
  }
  if (Peek() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
}

void ShellParser::SkipLines() {
  for (SkipBlanks(); Peek() == '\n'; SkipBlanks()) EndLine();
}

void ShellParser::EndLine() {
  Advance();
  if (!pending_.empty()) ReadDocuments();
}

// The word ahead if it could be a keyword: only characters without a meaning, few of them.
std::string ShellParser::PeekWord() const {
  std::string word;
  std::size_t at = at_;
  for (; at < text_.size() && word.size() <= kLongestKeyword; ++at) {
    const char c = text_[at];
    if (c == '\\' && at + 1 < text_.size() && text_[at + 1] == '\n') {
      ++at;
    } else if (IsShellMeta(c)) {
      break;
    } else if ((c < 'a' || c > 'z') && std::string_view("{}![]").find(c) == std::string::npos) {
      return {};
    } else {
      word += c;
    }
  }
  return word;
}

bool ShellParser::TakeWord(std::string_view word) {
  SkipBlanks();
  if (PeekWord() != word) return false;
  for (std::size_t left = word.size(); left > 0;) {
    if (Ahead("\\\n")) {
      Advance(2);
    } else {
      Advance();
      --left;
    }
  }
  return true;
}

void ShellParser::Require(std::string_view word) {
  SkipLines();
  if (!TakeWord(word)) Fail(std::string(word) + " is missing");
}

bool ShellParser::AtEnd(Words ends) const {
  if (at_ >= text_.size() || Peek() == ')') return true;
  if (Ahead(";;") || Ahead(";&")) return true;
  return !ends.empty() && IsIn(ends, PeekWord());
}

// Up to one of the words `ends`, a ), a ;; or the end; the caller checks which.
ShellScript ShellParser::ReadScript(Words ends) {
  const Level level(*this);
  ShellScript script;
  Link link = Link::kNothing;
  while (!Failed()) {
    SkipLines();
    if (AtEnd(ends)) {
      const bool open = link == Link::kAnd || link == Link::kOr || link == Link::kPipe;
      if (open) Fail("a command is missing");
      break;
    }
    ShellStep step = ReadStep(link);
    if (Failed()) break;
    script.steps.push_back(std::move(step));
    if (!ReadLink(script, link)) break;
  }
  return script;
}

// The operator after a step; false if there is none.
bool ShellParser::ReadLink(ShellScript& script, Link& link) {
  SkipBlanks();
  if (Peek() == '\n') {
    link = Link::kSemicolon;
    return true;  // SkipLines reads it
  }
  if (Ahead(";;") || Ahead(";&")) return false;
  if (Ahead("&&") || Ahead("||")) {
    link = Peek() == '&' ? Link::kAnd : Link::kOr;
    Advance(2);
  } else if (Peek() == '|') {
    link = Link::kPipe;
    Advance(Peek(1) == '&' ? 2 : 1);
  } else if (Peek() == ';' || Peek() == '&') {
    link = Link::kSemicolon;
    for (auto step = script.steps.rbegin(); Peek() == '&' && step != script.steps.rend(); ++step) {
      step->background = true;
      if (step->link == Link::kSemicolon || step->link == Link::kNothing) break;
    }
    Advance();
  } else {
    return false;
  }
  return true;
}

ShellStep ShellParser::ReadStep(Link link) {
  ShellStep step{.link = link};
  if (link != Link::kPipe) ReadPipelinePrefix(step);
  SkipBlanks();
  const std::size_t begin = at_;
  const bool alone = at_ >= text_.size() || Peek() == '\n' || Peek() == ';';
  if (alone && step.negated) return step;  // "!" and "time" alone are commands
  step.command = ReadCommand();
  if (at_ == begin && !Failed()) Fail("a command is missing");
  return step;
}

// ! and time. A pipeline that is only timed counts as it is.
void ShellParser::ReadPipelinePrefix(ShellStep& step) {
  for (;;) {
    if (TakeWord("!")) {
      step.negated = true;
    } else if (TakeWord("time")) {
      SkipBlanks();
      if (Ahead("-p") && (IsShellMeta(Peek(2)) || at_ + 2 >= text_.size())) Advance(2);
      SkipBlanks();
      if (Ahead("--") && (IsShellMeta(Peek(2)) || at_ + 2 >= text_.size())) Advance(2);
      SkipBlanks();
      if (at_ >= text_.size() || Peek() == '\n' || Peek() == ';') step.negated = true;
    } else {
      return;
    }
  }
}

ShellCommand ShellParser::ReadCommand() {
  const Level level(*this);
  ShellCommand command;
  if (Failed()) return command;
  if (!ReadCompound(command)) ReadSimple(command);
  return command;
}

// Returns whether a compound command was read.
bool ShellParser::ReadCompound(ShellCommand& command) {
  if (Peek() == '(') return ReadBracketed(command);
  const std::string word = PeekWord();
  if (word.empty()) return false;
  if (word == "{") {
    (void)TakeWord(word);
    command.kind = CommandKind::kGroup;
    AddScript(command, kCloseBrace);
    Require("}");
  } else if (word == "if") {
    ReadIf(command);
  } else if (word == "while" || word == "until") {
    ReadLoop(command);
  } else if (word == "for" || word == "select") {
    ReadFor(command);
  } else if (word == "case") {
    ReadCase(command);
  } else if (word == "[[") {
    ReadTest(command);
  } else if (word == "function") {
    ReadFunction(command);
    return true;
  } else if (word == "coproc") {
    ReadCoprocess(command);
    return true;
  } else {
    if (IsIn(kMisplaced, word)) Fail("a keyword is misplaced");
    return Failed();
  }
  ReadRedirections(command);
  return true;
}

// ( script ) and ((expression)).
bool ShellParser::ReadBracketed(ShellCommand& command) {
  const std::size_t close = Peek(1) == '(' ? FindClosing(at_ + 1) : std::string_view::npos;
  if (close != std::string_view::npos && close + 1 < text_.size() && text_[close + 1] == ')') {
    ShellWord word;
    Advance();
    ReadArithmetic(word, false, close);
    command.kind = CommandKind::kArithmetic;
    if (!word.parts.empty()) command.words = std::move(word.parts.front().words);
  } else {
    command.kind = CommandKind::kSubshell;
    Advance();
    AddScript(command, {});
    Expects(')');
  }
  ReadRedirections(command);
  return true;
}

void ShellParser::AddScript(ShellCommand& command, Words ends) {
  ShellScript script = ReadScript(ends);
  if (script.steps.empty()) Fail("a command is missing");
  command.scripts.push_back(std::move(script));
}

void ShellParser::ReadIf(ShellCommand& command) {
  command.kind = CommandKind::kIf;
  (void)TakeWord("if");
  do {
    AddScript(command, kThen);
    Require("then");
    AddScript(command, kAfterThen);
    SkipLines();
  } while (!Failed() && TakeWord("elif"));
  if (!Failed() && TakeWord("else")) AddScript(command, kFi);
  Require("fi");
}

void ShellParser::ReadLoop(ShellCommand& command) {
  command.kind = CommandKind::kLoop;
  if (!TakeWord("while")) (void)TakeWord("until");
  AddScript(command, kDo);
  ReadForBody(command);
}

void ShellParser::ReadForBody(ShellCommand& command) {
  SkipLines();
  if (TakeWord("{")) {
    AddScript(command, kCloseBrace);
    return Require("}");
  }
  Require("do");
  AddScript(command, kDone);
  Require("done");
}

void ShellParser::ReadFor(ShellCommand& command) {
  if (!TakeWord("for")) (void)TakeWord("select");
  SkipBlanks();
  if (Ahead("((")) {
    command.kind = CommandKind::kForArith;
    const std::size_t close = FindClosing(at_ + 1);
    if (close == std::string_view::npos || Failed()) return Fail(") is missing");
    ShellWord word;
    Advance();
    ReadArithmetic(word, false, close);
    if (!word.parts.empty()) command.words = std::move(word.parts.front().words);
    SkipBlanks();
    if (Peek() == ';') Advance();
    return ReadForBody(command);
  }
  command.kind = CommandKind::kFor;
  const ShellWord name = ReadWord();
  command.name = name.Literal().value_or("");
  if (command.name.empty()) return Fail("a loop has no variable");
  ReadForWords(command);
  ReadForBody(command);
}

void ShellParser::ReadForWords(ShellCommand& command) {
  SkipLines();
  if (TakeWord("in")) {
    for (SkipBlanks(); at_ < text_.size() && !EndsParts(Until::kBlank); SkipBlanks()) {
      command.words.push_back(ReadWord());
    }
  } else {
    ShellWord all;
    all.parts.push_back(MakeShellPart(ShellPart::Kind::kVariable, "@", true));
    command.words.push_back(std::move(all));
  }
  SkipBlanks();
  if (Peek() == ';') Advance();
}

void ShellParser::ReadCase(ShellCommand& command) {
  command.kind = CommandKind::kCase;
  (void)TakeWord("case");
  SkipBlanks();
  command.words.push_back(ReadWord());
  Require("in");
  for (SkipLines(); !Failed() && at_ < text_.size() && PeekWord() != "esac"; SkipLines()) {
    ReadClause(command);
  }
  Require("esac");
}

void ShellParser::ReadClause(ShellCommand& command) {
  if (Peek() == '(') Advance();
  for (;;) {
    SkipBlanks();
    if (at_ >= text_.size() || EndsParts(Until::kBlank)) return Fail("a pattern is missing");
    command.words.push_back(ReadWord());
    SkipBlanks();
    if (Peek() != '|') break;
    Advance();
  }
  if (!Expects(')')) return;
  command.scripts.push_back(ReadScript(kEsac));
  SkipLines();
  for (const std::string_view end : {";;&", ";;", ";&"}) {
    if (!Ahead(end)) continue;
    Advance(end.size());
    return;
  }
  if (PeekWord() != "esac") Fail("esac is missing");
}

// [[ ... ]]: operators and parentheses are skipped; only what is expanded matters.
void ShellParser::ReadTest(ShellCommand& command) {
  command.kind = CommandKind::kTest;
  (void)TakeWord("[[");
  for (SkipLines(); at_ < text_.size() && PeekWord() != "]]"; SkipLines()) {
    if (EndsParts(Until::kBlank)) {
      if (Peek() == ';') return Fail("]] is missing");
      Advance();
    } else {
      command.words.push_back(ReadWord());
    }
  }
  Require("]]");
}

void ShellParser::ReadFunction(ShellCommand& command) {
  (void)TakeWord("function");
  SkipBlanks();
  const ShellWord name = ReadWord();
  command.name = name.Literal().value_or("");
  if (command.name.empty()) return Fail("a function has no name");
  SkipBlanks();
  if (Peek() == '(') {
    Advance();
    SkipBlanks();
    if (!Expects(')')) return;
  }
  ReadFunctionBody(command);
}

void ShellParser::ReadFunctionBody(ShellCommand& command) {
  command.kind = CommandKind::kFunction;
  SkipLines();
  ShellStep body;
  if (at_ < text_.size() && !ReadCompound(body.command)) return Fail("a function has no body");
  if (at_ >= text_.size() && body.command.scripts.empty() && body.command.words.empty()) {
    return Fail("a function has no body");
  }
  command.scripts.emplace_back().steps.push_back(std::move(body));
}

void ShellParser::ReadCoprocess(ShellCommand& command) {
  command.kind = CommandKind::kCoprocess;
  (void)TakeWord("coproc");
  SkipBlanks();
  ShellStep body;
  const std::size_t begin = at_;
  // NAME is one only before a compound command.
  const ShellWord name = ReadWord();
  SkipBlanks();
  const bool compound = name.Literal() && !name.quoted &&
                        (Peek() == '(' || PeekWord() == "{" || PeekWord() == "while" ||
                         PeekWord() == "if" || PeekWord() == "for" || PeekWord() == "until");
  if (!compound) at_ = begin;
  body.command = ReadCommand();
  command.scripts.emplace_back().steps.push_back(std::move(body));
}

void ShellParser::ReadSimple(ShellCommand& command) {
  for (SkipBlanks(); at_ < text_.size() && !Failed(); SkipBlanks()) {
    if (ReadRedirection(command)) continue;
    if (EndsParts(Until::kBlank)) break;
    const bool first = command.words.empty();
    if ((first || DeclaresArray(command)) && ReadAssignment(command)) continue;
    command.words.push_back(ReadWord());
    if (command.words.size() > 1 || !command.assignments.empty()) continue;
    SkipBlanks();
    if (Peek() != '(') continue;
    Advance();
    SkipBlanks();
    if (!Expects(')')) return;
    command.name = command.words.front().Literal().value_or("");
    if (command.name.empty()) return Fail("a function has no name");
    command.words.clear();
    return ReadFunctionBody(command);
  }
  if (Peek() == '(') Fail("a ( is misplaced");
}

}  // namespace belay
