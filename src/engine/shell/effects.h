// What a shell command line will do: the programs it runs, the paths it reads and writes, and where
// it connects to, as far as that can be known before it runs.
//
// The line is followed as bash would run it: variables, folders and functions that it sets count
// for what comes after them, `bash -c`, eval, substitutions, here-documents and pipes into a shell
// are followed too, and so are programs that run others (env, xargs, find -exec; programs.h).
//
// clang-format off
//   certainty   means
//   ---------   ----------------------------------------------------------------------------------
//   sure        it is reached, whatever the commands before it return
//   possible    it depends on an exit code, a condition, a loop, or a file that only may be there
//   unknown     something is run or written there, and what it is can't be known
// clang-format on
//
// Scripts that the line writes itself are followed too, and those on the disk if `files` is given.
// Programs that run what their own files say (make, python x.py, an alias of git) have an unknown
// effect. Not followed: what else a program does by itself, programs that aren't in the table
// (`listed` is false), and text from elsewhere that the line evaluates as arithmetic. It is a
// forecast and a guard rail, never a boundary.
//
// Time and memory are bounded; a line that takes more ends with an effect that is unknown.

#ifndef BELAY_ENGINE_SHELL_EFFECTS_H_
#define BELAY_ENGINE_SHELL_EFFECTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "os/environment.h"
#include "os/file_system.h"

namespace belay {

enum class EffectKind { kRun, kRead, kWrite, kConnect };
std::string_view EffectKindName(EffectKind kind);  // "run"

enum class Certainty { kSure, kPossible, kUnknown };
std::string_view CertaintyName(Certainty certainty);  // "sure"

// Inside of texts, where something isn't known.
constexpr char kAnyText = '\x01';  // any text, or none
constexpr char kAnyName = '\x02';  // the same without a slash, as * matches
// What matches all that is there: find, pathspecs of git, and * with dotglob.
constexpr char kAnyPath = '\x03';     // also in folders
constexpr char kAnyFolders = '\x04';  // some folders with a slash behind each, or none
inline constexpr std::string_view kUnknownMarks = "\x01\x02\x03\x04";

struct ShellEffect {
  EffectKind kind = EffectKind::kRun;
  Certainty certainty = Certainty::kSure;
  std::string what = {};                // the program, the absolute path, or the address
  std::vector<std::string> words = {};  // kRun: the program and its arguments
  std::string input = {};               // kRun: its standard input, if that is known and short
  std::string by = {};                  // the others: the program; "the shell" for redirections
  bool builtin = false;                 // run by the shell itself
  bool listed = false;                  // its reads, writes and connections are in the list
  bool starts = false;                  // it only starts another program: env, timeout, xargs
  bool looks = false;                   // it only reads: for the phase of work
  // kWrite of a folder: only other entries say what in it; it goes with everything in it; anything
  // in it may be written.
  bool into = false;
  bool removes = false;
  bool fills = false;
  std::string from = {};  // kWrite by git: the revision that it comes from
  // kRun, if what it does with its arguments isn't known: the folder where it runs.
  std::string folder = {};
  bool on_disk = false;  // the disk may tell what isn't known: ShellWorld::files was null
  // Whether exit code 0 of the line means that it succeeded, and another one that it failed.
  bool success_tells = false;
  bool failure_tells = false;

  bool operator==(const ShellEffect&) const = default;
};

struct ShellWorld {
  std::string folder = {};            // where the line runs; empty: not known
  std::string home = {};              // the same for ~
  const FileSystem* files = nullptr;  // for patterns and scripts; null: no file is looked at
  // For variables that the line doesn't set; null: these aren't known.
  const Environment* environment = nullptr;
};

std::vector<ShellEffect> EffectsOf(std::string_view text, const ShellWorld& world);

// Whether nothing in a text is unknown.
bool IsExact(std::string_view text);

// The text with … for what isn't known.
std::string ShownText(std::string_view text);

// "a/../b" and "./b" in "/x" are "/x/b"; a path that begins with an unknown part stays.
std::string AbsoluteShellPath(std::string_view folder, std::string_view path);

// Whether a text with unknown parts can be `text`; or a path in the folder `text`.
bool CanBe(std::string_view pattern, std::string_view text);
bool CanBeInside(std::string_view pattern, std::string_view folder);

}  // namespace belay

#endif  // BELAY_ENGINE_SHELL_EFFECTS_H_
