#include <fmt/core.h>

#include "cli/command.h"

namespace belay {
namespace {

std::string OptionUsage(const Option& option) {
  if (option.value.empty()) return fmt::format("[{}]", option.name);
  return fmt::format("[{} {}]", option.name,
                     option.choices.empty() ? option.value : option.choices);
}

std::string OperandUsage(const Operand& operand) {
  const std::string name(operand.choices.empty() ? operand.name : operand.choices);
  const std::string dots = operand.repeated ? "..." : "";
  return operand.required ? fmt::format("{}{}", name, dots) : fmt::format("[{}{}]", name, dots);
}

std::string ForeignUsage(const Operand& operand) {
  const std::string words = fmt::format("-- {}...", operand.name);
  return operand.required ? words : fmt::format("[{}]", words);
}

std::vector<std::string> UsageParts(const Command& command) {
  std::vector<std::string> parts;
  for (const Operand& operand : command.operands) {
    if (!operand.foreign) parts.push_back(OperandUsage(operand));
  }
  for (const Option& option : command.options) parts.push_back(OptionUsage(option));
  for (const Operand& operand : command.operands) {
    if (operand.foreign) parts.push_back(ForeignUsage(operand));
  }
  return parts;
}

}  // namespace

std::string UsageLine(const Command& command) {
  std::string line = fmt::format("belay {}", command.name);
  for (const std::string& part : UsageParts(command)) line += " " + part;
  return line;
}

std::string UsageLines(const Command& command, std::size_t columns) {
  std::string line = fmt::format("belay {}", command.name);
  const std::string indent(line.size(), ' ');
  std::string lines;
  for (const std::string& part : UsageParts(command)) {
    if (line != indent && line.size() + 1 + part.size() > columns) {
      lines += line + "\n";
      line = indent;
    }
    line += " " + part;
  }
  return lines + line + "\n";
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
