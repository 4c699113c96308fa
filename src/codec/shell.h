// Parses a shell command line the way bash does, without running or expanding anything.
//
// The result is a tree: a script is a list of steps, a step is a command with the operator before
// it, a command has words, redirections and, if it is a compound one, scripts of its own. A word is
// a list of parts: quotes are gone, and what bash would expand is a part of its own.
//
// clang-format off
//   cu''rl                     one word with the text curl
//   "$HOME"/.env               variable HOME (quoted), text /.env
//   $(a | b) `a`  <(a)         a script, in a part of the word
//   {a,b}* ~                   braces, a pattern and a home folder: marked, not expanded
//   <<EOF ... EOF              the text is in ShellLine::documents
// clang-format on
//
// An own parser: tree-sitter-bash has no static library, keeps quotes in its words (cu''rl), and
// recovers from errors by guessing.
//
// Any text takes linear time, apart from nested "((", and bounded memory and stack. What isn't
// understood, is too long or too deep sets `problem`; the steps before it are in the tree. bash may
// run those too: it reads a script line by line.

#ifndef BELAY_CODEC_SHELL_H_
#define BELAY_CODEC_SHELL_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay {

struct ShellStep;
struct ShellWord;

// Its members are defined elsewhere, where its steps are known.
struct ShellScript {
  ShellScript();
  ShellScript(const ShellScript&);
  ShellScript(ShellScript&&) noexcept;
  ShellScript& operator=(const ShellScript&);
  ShellScript& operator=(ShellScript&&) noexcept;
  ~ShellScript();

  std::vector<ShellStep> steps;
};

struct ShellPart {
  enum class Kind {
    kText,
    kVariable,    // text: its name; op and words: ${NAME OP WORD[0]}; ${NAME[WORD[1]]}
    kCommand,     // $(script)
    kProcess,     // op < or >: <(script)
    kArithmetic,  // $((words[0]))
    kGlob,        // text: *, ?, [a-z] or @(a|b)
    kTilde,       // text: the user's name, or empty
    kBrace,       // text: one of { , } which were not quoted
  };
  Kind kind = Kind::kText;
  bool quoted = false;  // inside double quotes: the value stays one word
  std::string text = {};
  std::string op = {};
  std::vector<ShellWord> words;
  std::vector<ShellScript> scripts;  // one, of kCommand and kProcess
};

struct ShellWord {
  std::vector<ShellPart> parts = {};
  std::size_t begin = 0;  // in the text that was parsed; 0 and 0 inside `...` and documents
  std::size_t end = 0;
  bool quoted = false;  // some of it was: '' is a word

  // Its text, if nothing in it has to be expanded.
  std::optional<std::string_view> Literal() const;
};

// NAME=value, NAME+=value, NAME[index]=value, NAME=(elements).
struct ShellAssignment {
  std::string name;
  bool append = false;
  bool array = false;
  std::vector<ShellWord> words = {};  // the value or the elements
  std::vector<ShellWord> index = {};  // none or one
};

struct ShellRedirection {
  enum class Kind {
    kRead,        // <
    kWrite,       // > and >|
    kAppend,      // >>
    kReadWrite,   // <>
    kBoth,        // &> and &>>
    kCopy,        // <& and >&: a descriptor, - or, for >&, a file
    kDocument,    // << and <<-
    kHereString,  // <<<
  };
  Kind kind = Kind::kRead;
  bool output = false;       // of kCopy
  int descriptor = -1;       // -1: the usual one
  ShellWord target = {};     // of a document: its end mark
  std::size_t document = 0;  // index in ShellLine::documents
};

struct ShellCommand {
  enum class Kind {
    kSimple,      // assignments and words
    kSubshell,    // ( )
    kGroup,       // { }
    kIf,          // scripts: condition, then, ..., else
    kLoop,        // while, until: condition, body
    kFor,         // for and select: name, words (without `in`: "$@"), body
    kForArith,    // for ((words[0])): body
    kCase,        // words: subject and patterns; one script for each clause
    kFunction,    // name; its body is a script of one step
    kArithmetic,  // ((words[0]))
    kTest,        // [[ words ]]
    kCoprocess,   // its command is a script of one step
  };
  Kind kind = Kind::kSimple;
  std::string name = {};
  std::vector<ShellAssignment> assignments = {};
  std::vector<ShellWord> words = {};
  std::vector<ShellRedirection> redirections = {};
  std::vector<ShellScript> scripts;
};

struct ShellStep {
  enum class Link { kNothing, kSemicolon, kAnd, kOr, kPipe };  // a new line is a semicolon

  Link link = Link::kNothing;  // the operator before it
  bool negated = false;        // the pipeline that it begins
  bool background = false;     // the list that it is part of
  ShellCommand command = {};
};

struct ShellLine {
  ShellScript script = {};
  std::vector<ShellWord> documents = {};  // the texts of here-documents
  std::string problem = {};               // empty: all of it was understood
};

ShellPart MakeShellPart(ShellPart::Kind kind, std::string text = {}, bool quoted = false,
                        std::string op = {});

constexpr std::size_t kLongestShellText = std::size_t{256} << 10U;
constexpr int kDeepestShell = 100;  // scripts, quotes and expansions in each other

ShellLine ParseShell(std::string_view text);

// Whether exit code 0 of the script means that this step succeeded; and whether another code means
// that it failed. Never for a script with compound commands, ! or &.
struct ShellVerdict {
  bool success = false;
  bool failure = false;
};
std::vector<ShellVerdict> VerdictsOf(const ShellScript& script);  // one for each step

}  // namespace belay

#endif  // BELAY_CODEC_SHELL_H_
