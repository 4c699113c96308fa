// The table of programs: which of their arguments are read, written, run or sent.
//
// clang-format off
//   options    separated by spaces; "-o=w": takes a value, the rest of the word or the next one;
//              "-i?": takes only the rest of the word. Options that aren't listed take none.
//   operands   a role for each; the last one is for all that follow. "r>w": the last operand has the
//              role after >, if there are several. "=x": NAME=value words come first.
//
//   role   the value is
//   ----   ----------------------------------------------------------------------------------------
//   r w    a path that is read; that is written, created, changed or removed
//   b      a path that may be read or written
//   x      a program, and the following words are its arguments
//   X      the same, with more arguments that aren't known (xargs)
//   s      a command line for a shell
//   c C    a program text; C takes the place of the first operand: python -c
//   M      no path; the same: python -m
//   e E    a script of sed; E takes the place of the first operand
//   d      the folder in which it works
//   h      an address
//   O      an option of ssh, which may be ProxyCommand=LINE
//   g v    of git: a path that may be read, also as REVISION:PATH; that may be written
//   m      HOST:PATH, or a path that may be read or written
//   @      read, if it is @PATH or NAME=@PATH
//   k      if=PATH is read, of=PATH is written
//   !      no path; the operands are written
//   i      the same if it is "inplace"
//   f      a path that is read, and takes the place of the first operand
//   F      no path; takes the place of the first operand
//   t      a folder that is written, and takes the place of the last operand
//   -      nothing of these
// clang-format on

#ifndef BELAY_ENGINE_SHELL_PROGRAMS_H_
#define BELAY_ENGINE_SHELL_PROGRAMS_H_

#include <cstdint>
#include <string_view>

namespace belay {

struct ProgramRow {
  std::string_view names;  // separated by spaces; "git push" is with its first operand
  std::string_view options = {};
  std::string_view operands = "-";
  bool connects = false;    // to other machines
  bool looks = false;       // only reads: for the phase of work
  bool interprets = false;  // a program text, if need be from standard input
};

// The row of a program, by its name without folders; null if there is none.
const ProgramRow* FindProgram(std::string_view name);
// The row of a program with verbs: "git", "push".
const ProgramRow* FindVerb(std::string_view name, std::string_view verb);

// What the row says of an option.
struct OptionUse {
  bool listed = false;
  bool value = false;  // takes one, also as the next word
  char role = '-';
};
OptionUse FindOption(const ProgramRow& row, std::string_view option);

bool IsShellProgram(std::string_view name);

// Variables whose value is a command line that programs run; and those that make programs run or
// load something else.
bool NamesCommand(std::string_view variable);
bool ChangesPrograms(std::string_view variable);

}  // namespace belay

#endif  // BELAY_ENGINE_SHELL_PROGRAMS_H_
