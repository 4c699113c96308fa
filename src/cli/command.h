// What a command is, and the table of all of them.
//
// The table is the single source: parsing, "did you mean", help, completion and the documentation's
// list of options all read it. A command is one row here, one file commands/NAME.cc and one page
// commands/NAME.md; a noun with several verbs ("config show", "config check") is one row per verb
// in the same file and page.

#ifndef BELAY_CLI_COMMAND_H_
#define BELAY_CLI_COMMAND_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/authority.h"
#include "base/result.h"

namespace belay {

class Invocation;
struct OwnerQuestion;
struct Services;

struct Option {
  std::string_view name;                    // "--root"
  std::string_view value;                   // "DIR": what it takes; empty for a switch
  std::string_view help;                    // one line, no full stop
  std::string_view choices = {};            // "one|another" when only these are allowed
  std::string_view excludes = {};           // the option that it can't stand beside
  char letter = '\0';                       // 'h' for -h
  std::optional<Operation> operation = {};  // what the command does with it, where that is another
};

struct Operand {
  std::string_view name;  // "COMMAND"
  std::string_view help;
  std::string_view choices = {};
  bool required = true;
  bool repeated = false;
  bool foreign = false;  // the words of another program's command: behind --, after all options
};

// Has no default: a command that names no operation doesn't compile.
struct NamedOperation {
  constexpr NamedOperation(Operation named)
      : value(named) {}  // NOLINT(google-explicit-constructor)
  Operation value;
};

struct Command {
  std::string_view name;     // "config show"
  std::string_view summary;  // one line, no full stop
  std::span<const Option> options;
  std::span<const Operand> operands;
  // Gives the exit code; an error is printed and turned into its exit code by the caller.
  Result<int> (*run)(const Invocation&, Services&);
  NamedOperation operation;  // by which the caller is judged before it runs (cli/authorize.h)
  // Whose things it is about, where the operation is allowed to their owner.
  Result<Owner> (*owner)(const OwnerQuestion&) = nullptr;
  bool internal = false;  // belay's own: neither in the overview nor completed

  std::string_view noun() const { return name.substr(0, name.find(' ')); }
};

// In the order of the overview.
std::span<const Command> Commands();

// What every command takes.
std::span<const Option> CommonOptions();

// The noun that a short name stands for ("mq": "merge-queue"), else the same again.
std::string_view FullName(std::string_view noun);

// The page of a noun, in Markdown; empty when there is none.
std::string_view HelpPage(std::string_view noun);

// How a command is written, from the table: for help, completion and the documentation.

// "belay init [--agent claude|codex|generic] [--yes]"
std::string UsageLine(const Command& command);
// The same in lines of at most that many columns, where its parts allow it.
std::string UsageLines(const Command& command, std::size_t columns);

// "-h, --help", "--agent KIND"
std::string OptionLabel(const Option& option);

// The rows of a noun: "config show" and "config check" for "config".
std::vector<const Command*> CommandsOf(std::string_view noun);

}  // namespace belay

#endif  // BELAY_CLI_COMMAND_H_
