// The table of programs (program_table.h): which of their arguments are read, written, run or sent.
//
// clang-format off
//   options    separated by spaces; "-o=w": takes a value, the rest of the word or the next one;
//              "-i?": takes only the rest of the word. Options that aren't listed take none.
//   operands   a role for each; the last one is for all that follow. "r>w": the last operand has the
//              role after >, if there are several. "=x": NAME=value words come first.
//
//   notes      kConnects: to other machines. kLooks: it only reads. kInterprets: a program text, if
//              need be from standard input. kBuilds: it runs what its own files say. kFills: it may
//              write anything in its folder. kPatches: it changes the files that a patch names, if
//              need be from standard input.
//
//   role   the value is
//   ----   ----------------------------------------------------------------------------------------
//   r w    a path that is read; that is written, created, changed or removed
//   R      a path that is removed or moved, with everything in it
//   a      a folder that is filled with anything
//   D      a patch, which is read
//   W      a path that is written, or +LINE for an editor
//   b      a path that may be read or written
//   x      a program, and the following words are its arguments
//   Q      it may make the program run anything
//   q      a command of an editor: the same, and it may write the paths that it names
//   j      all operands together are a command line for a shell
//   S      the same for an option, with the operands that follow: env -S
//   z      variables of the environment are unset
//   p      the text in the operands that stands for an unknown one: xargs -I{}
//   X      the same, with more arguments that aren't known (xargs)
//   s      a command line for a shell
//   c C    a program text; C takes the place of the first operand: python -c
//   M      a module that is run; the same: python -m
//   e E    a script of sed; E takes the place of the first operand
//   d      the folder in which it works
//   h      an address
//   O      an option of ssh, which may be ProxyCommand=LINE
//   A      an address of socat, which may be EXEC:LINE
//   l G    a remote of git, which may be ext::LINE; a setting of git, KEY=VALUE
//   g      of git: a path that may be read, also as REVISION:PATH
//   V      of git: the verb has rules of its own (git.cc)
//   m n    HOST:PATH, or a path that is read; that is written
//   @      read, if it is @PATH or NAME=@PATH
//   k      if=PATH is read, of=PATH is written
//   !      no path; the operands are written
//   i      the same if it is "inplace"
//   f      a path that is read, and takes the place of the first operand
//   F      no path; takes the place of the first operand
//   P      a path with the program text; takes the place of the first operand
//   y      no value; the operands before the last one aren't changed: ln -s
//   Y      no value; the values of -s are relative to the current folder: ln -r
//   v      no value; the operands are written with everything in them
//   U      no value; the operands that are read are removed
//   u o    an address, and the file of its name is written; all operands are such: curl -O
//   t      a folder into which the operands are written, in place of the last operand
//   -      nothing of these
// clang-format on

#ifndef BELAY_ENGINE_SHELL_PROGRAMS_H_
#define BELAY_ENGINE_SHELL_PROGRAMS_H_

#include <cstdint>
#include <string_view>

namespace belay {

enum ProgramNotes : unsigned {
  kConnects = 1,
  kLooks = 2,
  kInterprets = 4,
  kBuilds = 8,
  kFills = 16,
  kPatches = 32
};

struct ProgramRow {
  std::string_view names;  // separated by spaces, or by | if they have verbs: "git push|git pull"
  std::string_view options = {};
  std::string_view operands = "-";
  unsigned notes = 0;

  constexpr bool Has(ProgramNotes note) const { return (notes & note) != 0; }
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
// Variables that bash itself changes.
bool SetByShell(std::string_view variable);

}  // namespace belay

#endif  // BELAY_ENGINE_SHELL_PROGRAMS_H_
