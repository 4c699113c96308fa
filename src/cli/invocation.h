// A parsed command line: which command, which options, which operands. Nothing is run here, and the
// system is not accessed.
//
// Options may come anywhere after the command, common ones before it too; `--name=value` and
// `--name value` are the same; `--` ends them. Every mistake is one kUsage error with the nearest
// correct spelling as its hint.

#ifndef BELAY_CLI_INVOCATION_H_
#define BELAY_CLI_INVOCATION_H_

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/command.h"

namespace belay {

class Invocation {
 public:
  // `arguments` without the program's own name. A line without a command is "help".
  static Result<Invocation> Parse(std::span<const Command> commands,
                                  std::span<const std::string_view> arguments);

  const Command& command() const { return *command_; }
  const std::vector<std::string>& operands() const { return operands_; }

  // False for "config --help", which is about all of its verbs.
  bool names_one() const { return names_one_; }

  bool Has(std::string_view option) const { return options_.contains(option); }
  std::optional<std::string> Value(std::string_view option) const;
  // All of an option that may be given several times, in order.
  std::vector<std::string> Values(std::string_view option) const;

 private:
  friend class InvocationParser;

  const Command* command_ = nullptr;
  bool names_one_ = true;
  std::map<std::string, std::string, std::less<>> options_;  // of a repeated one: the first
  std::map<std::string, std::vector<std::string>, std::less<>> repeated_;
  std::vector<std::string> operands_;
};

// Whether the line asks for JSON, even if the rest of it is invalid.
bool AsksForJson(std::span<const std::string_view> arguments);

}  // namespace belay

#endif  // BELAY_CLI_INVOCATION_H_
