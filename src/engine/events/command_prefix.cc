#include "engine/events/command_prefix.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/is_in.h"
#include "base/split.h"

namespace belay {
namespace {

struct Prefix {
  std::string_view program;
  std::string_view with_value;  // options whose value is the next word, separated by |
  std::size_t words = 0;        // of its own, behind its options
};
constexpr Prefix kPrefixes[] = {
    {"builtin", ""},
    {"chronic", ""},
    {"command", ""},
    {"env", "-u|--unset|-C|--chdir"},
    {"exec", "-a"},
    {"ionice", "-c|-n|--class|--classdata"},
    {"nice", "-n|--adjustment"},
    {"nohup", ""},
    {"setsid", ""},
    {"stdbuf", "-i|-o|-e|--input|--output|--error"},
    {"sudo", "-u|-g|-h|-p|-C|-D|-R|-T|-r|-t|--user|--group|--chdir"},
    {"time", "-f|-o|--format|--output"},
    {"timeout", "-k|-s|--kill-after|--signal", 1},
    {"unbuffer", ""},
    {"xargs", "-a|-d|-E|-I|-L|-n|-P|-s|--max-args|--max-procs|--delimiter|--arg-file"},
    {"xvfb-run", "-e|-f|-n|-p|-s|-w|--error-file|--auth-file|--server-num|--server-args|--wait"},
};

// NAME=value, as it may stand in front of a command.
bool IsAssignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), [](char c) {
    return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  });
}

// `command -v x` and `sudo -l` run nothing.
bool OnlyAsks(std::string_view program, std::string_view option) {
  return (program == "command" && (option == "-v" || option == "-V")) ||
         (program == "sudo" && (option == "-l" || option == "-v"));
}

// How many words the prefix at the front of `words` has; 0 if there is none.
std::size_t WordsOfPrefix(std::span<const std::string> words) {
  const std::string_view name = std::string_view(words[0]).substr(words[0].rfind('/') + 1);
  const auto prefix = std::ranges::find(kPrefixes, name, &Prefix::program);
  if (prefix == std::end(kPrefixes)) return 0;
  const std::vector<std::string_view> with_value = Split(prefix->with_value, '|');
  std::size_t at = 1;
  while (at < words.size() && words[at].size() > 1 && words[at].starts_with('-')) {
    if (OnlyAsks(name, words[at])) return 0;
    const bool last = words[at] == "--";
    at += IsIn(with_value, words[at]) ? 2 : 1;
    if (last) break;
  }
  return std::min(at + prefix->words, words.size());
}

}  // namespace

std::size_t WordsBeforeCommand(std::span<const std::string> words) {
  std::size_t before = 0;
  while (before < words.size()) {
    const std::size_t more = IsAssignment(words[before]) ? 1 : WordsOfPrefix(words.subspan(before));
    if (more == 0) break;
    before += more;
  }
  return before;
}

}  // namespace belay
