// What a command is, and the table of all commands.
//
// The table is the single source: parsing, "did you mean", help, completion and the documentation's
// list of options all read it. A command is one row, one file commands/NAME.cc and one page
// commands/NAME.md; a noun with several verbs ("config show", "config check") has one row per verb
// and one page.

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
  std::string_view excludes = {};           // the option that it can't be combined with
  char letter = '\0';                       // 'h' for -h
  std::optional<Operation> operation = {};  // if the command needs another permission with it
  bool repeated = false;                    // may be given several times (Invocation::Values)
};

struct Operand {
  std::string_view name;  // "COMMAND"
  std::string_view help;
  std::string_view choices = {};
  bool required = true;
  bool repeated = false;
  bool foreign = false;  // another program's command line: after -- and all options
};

// What people use a command for: the overview is grouped by it.
enum class Group {
  kStart,
  kWatch,
  kKeep,
  kWork,
  kLand,
  kRepair,
  kAbout,
  kMachines,  // called by programs: named last in the overview, not completed
};

// Has no default: a row that leaves it out doesn't compile.
template <typename T>
struct Required {
  constexpr Required(T given) : value(given) {}  // NOLINT(google-explicit-constructor)
  T value;
};

// Returns the exit code; the caller prints an error and turns it into its exit code.
using RunFunction = Result<int>(const Invocation&, Services&);

struct Command {
  std::string_view name;  // "config show"
  Required<Group> group;
  std::string_view summary;  // one line that starts with a verb, no full stop
  std::span<const Option> options;
  std::span<const Operand> operands;
  RunFunction* run;
  Required<Operation> operation;  // checked before the command runs (cli/authorize.h)
  // Finds the owner of what it works on, if the operation is allowed to the owner.
  Result<Owner> (*owner)(const OwnerQuestion&) = nullptr;

  constexpr std::string_view noun() const { return name.substr(0, name.find(' ')); }
};

struct Noun {
  std::string_view name;
  std::string_view summary;
};

// In the order of the overview.
std::span<const Command> Commands();

// The summary of the command's noun: "Print the settings" for "config show".
std::string_view NounSummary(const Command& command);

// The options of every command.
std::span<const Option> CommonOptions();

// The noun for a short name ("mq": "merge-queue"), else the argument itself.
std::string_view FullName(std::string_view noun);

// The help page of a noun, in Markdown; empty if there is none.
std::string_view HelpPage(std::string_view noun);

// Usage lines from the command table, for help, completion and the documentation.

// "belay init [--agent claude|codex|generic] [--yes]"
std::string UsageLine(const Command& command);
// The same in lines of at most that many columns, as far as its parts allow.
std::string UsageLines(const Command& command, std::size_t columns);

// "-h, --help", "--agent KIND"
std::string OptionLabel(const Option& option);

// The rows of a noun: "config show" and "config check" for "config".
std::vector<const Command*> CommandsOf(std::string_view noun);

}  // namespace belay

#endif  // BELAY_CLI_COMMAND_H_
