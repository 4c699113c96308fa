#include "engine/supervise/phase_inference.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace belay {
namespace {

constexpr int kSamplesAgainstSet = 3;
constexpr int kSamplesToGoBack = 2;

int LooksNeeded(const PhaseMemory& memory, WorkPhase present, WorkPhase guess) {
  if (memory.is_set) return kSamplesAgainstSet;
  return guess > present ? 1 : kSamplesToGoBack;
}

using TestWords = std::span<const std::string>;

// Programs that only run tests.
constexpr std::string_view kTesters[] = {"ava",     "bats",     "ctest",    "gotestsum",  "jest",
                                         "mocha",   "nose2",    "nox",      "phpunit",    "py.test",
                                         "pytest",  "rspec",    "tox",      "unittest",   "vitest",
                                         "test.sh", "tests.sh", "runtests", "runtests.py"};

// Programs that run tests on request, and the words that request it.
struct Tool {
  std::string_view name;
  std::string_view words;  // separated by |
  bool anywhere;           // any argument, as for targets; else only the first that is no option
};
constexpr Tool kTools[] = {
    {"bazel", "test|coverage", false},
    {"bun", "test", false},
    {"cargo", "test|nextest", false},
    {"dart", "test", false},
    {"deno", "test", false},
    {"dotnet", "test", false},
    {"flutter", "test", false},
    {"go", "test", false},
    {"gradle", "test|check", true},
    {"gradlew", "test|check", true},
    {"just", "test|check", true},
    {"make", "test|tests|check", true},
    {"manage.py", "test", false},
    {"meson", "test", false},
    {"mix", "test", false},
    {"mvn", "test|verify", true},
    {"mvnw", "test|verify", true},
    {"ninja", "test|check", true},
    {"npm", "test|t", false},
    {"pnpm", "test|t", false},
    {"rake", "test|spec", true},
    {"sbt", "test", true},
    {"swift", "test", false},
    {"yarn", "test", false},
    {"zig", "test", true},
};

// Endings of a project's own test programs and scripts.
constexpr std::string_view kTestEndings[] = {"-test",    "_test",    "-tests",    "_tests",
                                             "-test.sh", "_test.sh", "-tests.sh", "_tests.sh"};

std::string_view ProgramName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

bool IsShell(std::string_view name) {
  return name == "sh" || name == "bash" || name == "dash" || name == "zsh";
}

bool IsPython(std::string_view name) { return name.starts_with("python"); }

bool Interprets(std::string_view name) {
  return IsShell(name) || IsPython(name) || name == "node" || name == "ruby" || name == "php" ||
         name == "npx" || name == "bunx";
}

bool IsOption(std::string_view word) { return word.starts_with('-') || word.starts_with('+'); }

// `npm run test`, `yarn run test:unit`.
bool RunsTestScript(std::string_view program, TestWords arguments) {
  const bool has_scripts =
      program == "npm" || program == "pnpm" || program == "yarn" || program == "bun";
  if (!has_scripts || arguments.size() < 2) return false;
  if (arguments[0] != "run" && arguments[0] != "run-script") return false;
  return arguments[1] == "test" || arguments[1].starts_with("test:");
}

bool Matches(const Tool& tool, TestWords arguments) {
  const std::vector<std::string_view> wanted = Split(tool.words, '|');
  const auto says = [&](const std::string& word) {
    return std::ranges::find(wanted, std::string_view(word)) != wanted.end();
  };
  if (tool.anywhere) return std::ranges::any_of(arguments, says);
  const auto first = std::ranges::find_if_not(arguments, IsOption);
  if (first == arguments.end()) return false;
  return says(*first) || RunsTestScript(tool.name, {first, arguments.end()});
}

// For a program itself, however it was started.
bool IsTester(TestWords words) {
  const std::string_view name = ProgramName(words.front());
  if (std::ranges::find(kTesters, name) != std::end(kTesters)) return true;
  const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
  if (std::ranges::any_of(kTestEndings, ends)) return true;
  const auto tool = std::ranges::find(kTools, name, &Tool::name);
  return tool != std::end(kTools) && Matches(*tool, words.subspan(1));
}

// The words of a shell line up to the first with a special meaning for the shell.
std::vector<std::string> SimpleWords(std::string_view line) {
  std::vector<std::string> words;
  for (const std::string_view word : Split(line, ' ')) {
    if (word.find_first_of("|&;<>()$`\"'\\*?[]#~{}\n\t") != std::string_view::npos) break;
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

}  // namespace

// A running test is the present; a commit and changed files are the past.
std::optional<WorkPhase> GuessPhase(const WorkEvidence& evidence) {
  if (evidence.test_command_runs) return WorkPhase::kTesting;
  if (evidence.committed) return WorkPhase::kCompletion;
  if (evidence.files_changed) return WorkPhase::kImplementation;
  return std::nullopt;
}

std::optional<WorkPhase> ConsiderPhase(PhaseMemory& memory, WorkPhase present,
                                       std::optional<WorkPhase> guess) {
  if (!guess) return std::nullopt;
  memory.samples = memory.guess == guess ? memory.samples + 1 : 1;
  memory.guess = guess;
  if (*guess == present || memory.samples < LooksNeeded(memory, present, *guess)) {
    return std::nullopt;
  }
  memory.is_set = false;
  return guess;
}

// Scripts appear as their interpreter with the script as its argument.
bool IsTestCommand(std::span<const std::string> arguments) {
  if (arguments.empty()) return false;
  if (IsTester(arguments)) return true;
  const std::string_view name = ProgramName(arguments.front());
  if (!Interprets(name) || arguments.size() < 2) return false;
  if (IsShell(name) && arguments[1] == "-c" && arguments.size() > 2) {
    const std::vector<std::string> words = SimpleWords(arguments[2]);
    return !words.empty() && IsTester(words);
  }
  const bool module = IsPython(name) && arguments[1] == "-m" && arguments.size() > 2;
  if (!module && IsOption(arguments[1])) return false;
  return IsTester(arguments.subspan(module ? 2 : 1));
}

}  // namespace belay
