#include "cli/usage.h"

#include <fmt/core.h>

namespace belay {
namespace {

std::string OptionUsage(const Option& option) {
  if (option.value.empty()) return fmt::format(" [{}]", option.name);
  return fmt::format(" [{} {}]", option.name,
                     option.choices.empty() ? option.value : option.choices);
}

std::string OperandUsage(const Operand& operand) {
  const std::string name(operand.choices.empty() ? operand.name : operand.choices);
  const std::string dots = operand.repeated ? "..." : "";
  return operand.required ? fmt::format(" {}{}", name, dots) : fmt::format(" [{}{}]", name, dots);
}

}  // namespace

std::string UsageLine(const Command& command) {
  std::string line = fmt::format("belay {}", command.name);
  for (const Operand& operand : command.operands) line += OperandUsage(operand);
  for (const Option& option : command.options) line += OptionUsage(option);
  return line;
}

std::string OptionLabel(const Option& option) {
  std::string label;
  if (option.letter != '\0') label = fmt::format("-{}, ", option.letter);
  label += option.name;
  if (!option.value.empty()) label += fmt::format(" {}", option.value);
  return label;
}

std::vector<const Command*> CommandsOf(std::string_view noun) {
  std::vector<const Command*> found;
  for (const Command& command : Commands()) {
    if (command.noun() == noun) found.push_back(&command);
  }
  return found;
}

}  // namespace belay
