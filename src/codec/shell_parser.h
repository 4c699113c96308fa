// The parser behind ParseShell, for codec/shell_*.cc only.

#ifndef BELAY_CODEC_SHELL_PARSER_H_
#define BELAY_CODEC_SHELL_PARSER_H_

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/shell.h"

namespace belay {

class ShellParser {
 public:
  // `line` gets the documents and the problem. `depth` is where this text stands.
  ShellParser(std::string_view text, ShellLine& line, int depth)
      : text_(text), line_(line), depth_(depth) {}

  ShellScript ReadAll();
  // The text of a here-document: only $, ` and \ are special.
  ShellWord ReadDocumentText();

 private:
  // What ends a run of parts.
  enum class Until {
    kBlank,       // a word
    kQuote,       // "
    kBrace,       // }, the operand of ${
    kBraceInner,  // the same inside double quotes
    kBracket,     // ], a subscript
    kLimit,       // limit_, an arithmetic expression or a document
  };
  // One more level for as long as it lives.
  class Level {
   public:
    explicit Level(ShellParser& parser) : parser_(parser) {
      if (++parser_.depth_ > kDeepestShell) parser_.Fail("it is nested too deep");
    }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --parser_.depth_; }

   private:
    ShellParser& parser_;
  };
  struct Pending {
    std::size_t document;
    std::string end;
    bool tabs;     // leading ones are dropped
    bool literal;  // its end mark is quoted
  };
  using Words = std::span<const std::string_view>;

  // codec/shell_words.cc
  char Peek(std::size_t ahead = 0) const;
  std::string_view Rest() const { return text_.substr(std::min(at_, text_.size())); }
  bool Ahead(std::string_view what) const { return Rest().starts_with(what); }
  void Advance(std::size_t count = 1) { at_ = std::min(at_ + count, text_.size()); }
  bool Failed() const { return !line_.problem.empty(); }
  void Fail(std::string_view why);
  void SkipContinuations();
  bool Expects(char c);
  ShellWord ReadWord();
  void ReadParts(ShellWord& word, Until until);
  bool EndsParts(Until until) const;
  void ReadPart(ShellWord& word, Until until);
  bool ReadQuote(ShellWord& word, Until until);
  void ReadEscape(ShellWord& word, Until until);
  void ReadDollar(ShellWord& word, bool quoted);
  void ReadSubstitution(ShellWord& word, bool quoted);
  void ReadAnsiQuoted(ShellWord& word);
  void ReadBacktick(ShellWord& word, bool quoted);
  void ReadExpansion(ShellWord& word, bool quoted);
  void ReadExpansionName(ShellPart& part);
  void ReadExpansionRest(ShellPart& part, bool quoted);
  void ReadArithmetic(ShellWord& word, bool quoted, std::size_t end);
  void ReadBracketGlob(ShellWord& word);
  bool ReadSpecial(ShellWord& word, Until until);
  bool ReadExtendedGlob(ShellWord& word);
  ShellScript ReadParenthesised();
  std::size_t FindClosing(std::size_t open);
  static void AddText(ShellWord& word, std::string_view text);

  // codec/shell_commands.cc, codec/shell_redirections.cc
  void SkipBlanks();
  void SkipLines();
  void EndLine();
  void ReadDocuments();
  ShellWord DocumentAt(std::size_t begin, std::size_t end, const Pending& pending);
  std::string PeekWord() const;
  bool TakeWord(std::string_view word);
  void Require(std::string_view word);
  ShellScript ReadScript(Words ends);
  bool AtEnd(Words ends) const;
  bool ReadLink(ShellScript& script, ShellStep::Link& link);
  ShellStep ReadStep(ShellStep::Link link);
  void ReadPipelinePrefix(ShellStep& step);
  ShellCommand ReadCommand();
  bool ReadCompound(ShellCommand& command);
  bool ReadBracketed(ShellCommand& command);
  void ReadIf(ShellCommand& command);
  void ReadLoop(ShellCommand& command);
  void ReadFor(ShellCommand& command);
  void ReadForWords(ShellCommand& command);
  void ReadForBody(ShellCommand& command);
  void ReadCase(ShellCommand& command);
  void ReadClause(ShellCommand& command);
  void ReadTest(ShellCommand& command);
  void ReadFunction(ShellCommand& command);
  void ReadFunctionBody(ShellCommand& command);
  void ReadCoprocess(ShellCommand& command);
  void ReadSimple(ShellCommand& command);
  bool ReadAssignment(ShellCommand& command);
  void ReadArray(ShellAssignment& assignment);
  bool DeclaresArray(const ShellCommand& command) const;
  std::size_t LengthOfAssignment() const;
  bool ReadRedirection(ShellCommand& command);
  void ExpectDocument(ShellRedirection& redirection, bool tabs);
  ShellRedirection ReadOperator();
  void ReadRedirections(ShellCommand& command);
  void AddScript(ShellCommand& command, Words ends);

  std::string_view text_;
  ShellLine& line_;
  int depth_;
  std::size_t at_ = 0;
  std::size_t limit_ = std::string_view::npos;
  std::size_t searched_ = 0;  // by FindClosing
  std::vector<Pending> pending_;
};

bool IsShellBlank(char c);
bool IsShellMeta(char c);      // ends a word
bool IsShellNameByte(char c);  // of a variable

}  // namespace belay

#endif  // BELAY_CODEC_SHELL_PARSER_H_
