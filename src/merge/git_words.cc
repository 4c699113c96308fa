#include "merge/git_words.h"

#include <algorithm>
#include <vector>

#include "base/is_in.h"
#include "base/path.h"
#include "base/split.h"

namespace belay {
namespace {

// "-m", "-M", "-fm", "--move"
bool IsMove(std::string_view word) {
  if (word.starts_with("--")) return word == "--move";
  return word.starts_with('-') && word.find_first_of("mM") != std::string_view::npos;
}

}  // namespace

std::string GitSubcommand(std::string_view command_line) {
  constexpr std::string_view kTakesValue[] = {"-C",          "-c",          "--git-dir",
                                              "--work-tree", "--namespace", "--config-env"};
  const std::vector<std::string_view> words = Split(command_line, '\0');
  if (words.empty()) return {};
  const std::string_view name = FileName(words[0]);
  if (name.starts_with("git-")) return std::string(name.substr(4));
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (IsIn(kTakesValue, words[i])) {
      ++i;
    } else if (!words[i].starts_with('-')) {
      return std::string(words[i]);
    }
  }
  return {};
}

bool IsWholeRebase(std::string_view command_line) {
  constexpr std::string_view kParts[] = {"-i",     "--interactive", "--continue",
                                         "--skip", "--edit-todo",   "--abort"};
  const std::vector<std::string_view> words = Split(command_line, '\0');
  return GitSubcommand(command_line) == "rebase" &&
         std::none_of(words.begin(), words.end(),
                      [&](std::string_view word) { return IsIn(kParts, word); });
}

std::string_view RenamedTo(std::string_view command_line) {
  if (GitSubcommand(command_line) != "branch") return {};
  while (command_line.ends_with('\0')) command_line.remove_suffix(1);
  const std::vector<std::string_view> words = Split(command_line, '\0');
  return std::any_of(words.begin(), words.end(), IsMove) ? words.back() : std::string_view();
}

}  // namespace belay
