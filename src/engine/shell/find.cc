// find: what it removes, and what it runs.

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "engine/shell/runner.h"
#include "engine/shell/words.h"

namespace belay {
namespace {

const std::string kAny(1, kAnyText);
const std::string kAll(1, kAnyPath);
constexpr std::size_t kMostFound = 200;

bool IsExpression(std::string_view word) {
  return word.starts_with('-') || word == "(" || word == "!" || word == ")";
}

bool IsRootOption(std::string_view word) {
  constexpr std::string_view kOptions[] = {"-H", "-L", "-P"};
  return IsIn(kOptions, word);
}

// Tests that not every file passes.
bool IsFilter(std::string_view word) {
  constexpr std::string_view kOthers[] = {"-delete",   "-exec",  "-execdir", "-ok",      "-okdir",
                                          "-type",     "-depth", "-print",   "-print0",  "-xdev",
                                          "-mount",    "-quit",  "-fprint",  "-fprint0", "-fls",
                                          "-mindepth", "-ls",    "-printf",  "-fprintf", "-a"};
  return word.size() > 1 && word.starts_with('-') && !IsIn(kOthers, word);
}

// A pattern of -name: its first * also stands for folders, the others don't.
std::string NamePattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    const char any = pattern.empty() ? kAnyPath : kAnyName;
    pattern += c == '*' || c == '?' ? any : c;
  }
  return pattern;
}

// The paths that match the test at `at`, if it asks for a name or a path.
std::vector<std::string> PathsOfTest(std::span<const std::string> words, std::size_t at,
                                     const std::vector<std::string>& roots) {
  constexpr std::string_view kNameTests[] = {"-name", "-iname"};
  constexpr std::string_view kPathTests[] = {"-path", "-wholename", "-ipath"};
  const bool path = IsIn(kPathTests, words[at]);
  const bool negated = words[at - 1] == "!" || words[at - 1] == "-not";
  if ((!path && !IsIn(kNameTests, words[at])) || negated || at + 1 >= words.size()) return {};
  const bool any_case = words[at].starts_with("-i");
  const std::string text = any_case ? Lowered(words[at + 1]) : words[at + 1];
  if (path) {
    const std::string pattern = Replaced(Replaced(text, "*", kAll), "?", kAll);
    return {pattern.starts_with(kAnyPath) ? roots[0] + "/" + pattern : pattern};
  }
  const std::string pattern = NamePattern(text);
  std::vector<std::string> paths;
  for (const std::string& root : roots) {
    const bool open = pattern.starts_with(kAnyPath);
    paths.push_back(root + "/" + (open ? std::string() : std::string(1, kAnyFolders)) + pattern);
  }
  return paths;
}

// Whether an action isn't under the tests before it: find -name x -o -delete.
bool HasAlternatives(std::span<const std::string> words) {
  int depth = 0;
  for (const std::string& word : words) {
    depth += word == "(" ? 1 : word == ")" ? -1 : 0;
    if (depth == 0 && (word == "-o" || word == "-or" || word == ",")) return true;
  }
  return false;
}

// -maxdepth with -type f leaves out what is in folders.
bool LeavesOut(std::span<const std::string> words, std::size_t at) {
  const bool depth = words[at] == "-maxdepth" && !HasWord(words, "-type");
  return IsFilter(words[at]) && !depth;
}

bool IsAction(std::string_view word) {
  return word.starts_with("-exec") || word.starts_with("-ok");
}

}  // namespace

// The paths that it may find. One with unknown parts for each name or path that it asks for;
// without any test its roots themselves.
ShellRunner::FoundFiles ShellRunner::FilesOfFind(Span words) {
  Words roots;
  std::size_t first = 1;
  while (first < words.size() && IsRootOption(words[first])) ++first;
  while (first < words.size() && !IsExpression(words[first])) roots.push_back(words[first++]);
  if (roots.empty()) roots.emplace_back(".");
  FoundFiles found{.paths = {}, .first = first};
  const bool alternatives = HasAlternatives(words.subspan(first));
  bool filtered = alternatives;
  for (std::size_t i = first; i < words.size() && !IsAction(words[i]); ++i) {
    std::vector<std::string> paths = PathsOfTest(words, i, roots);
    filtered = filtered || (paths.empty() && LeavesOut(words, i));
    found.paths.insert(found.paths.end(), paths.begin(), paths.end());
    if (found.paths.size() > kMostFound) {
      found.paths = {kAny};
      return found;
    }
  }
  if (alternatives || (found.paths.empty() && filtered)) {
    for (const std::string& root : roots) found.paths.push_back(root + "/" + kAny);
  }
  // Other tests may leave out any of them.
  for (std::string& path : found.paths) {
    if (filtered) path = Replaced(Replaced(path, kAll, kAny), std::string(1, kAnyFolders), kAny);
  }
  if (!found.paths.empty()) return found;
  found.all = true;
  found.paths = std::move(roots);
  return found;
}

void ShellRunner::RunFind(Span words, const Context& context) {
  const FoundFiles found = FilesOfFind(words);
  for (std::size_t i = found.first; i < words.size(); ++i) {
    for (const std::string& path : words[i] == "-delete" ? found.paths : Words()) {
      AddPath(EffectKind::kWrite, path, "find", context, {.removes = true});
    }
    const bool prints = words[i].starts_with("-fprint") || words[i] == "-fls";
    if (prints && i + 1 < words.size()) {
      AddPath(EffectKind::kWrite, words[i + 1], "find", context);
    }
    i = RunFindAction(words, i, found, context);
  }
}

// -exec and its like. Returns the index of its last word.
std::size_t ShellRunner::RunFindAction(Span words, std::size_t at, const FoundFiles& found,
                                       const Context& context) {
  constexpr std::string_view kActions[] = {"-exec", "-execdir", "-ok", "-okdir"};
  if (!IsIn(kActions, words[at])) return at;
  std::size_t end = at + 1;
  while (end < words.size() && words[end] != ";" && (words[end] != "+" || words[end - 1] != "{}")) {
    ++end;
  }
  Words paths = found.paths;
  for (const std::string& root : found.all ? found.paths : Words()) {
    paths.push_back(root + "/" + kAll);
  }
  for (const std::string& path : paths) {
    Words command;
    for (const std::string& word : words.subspan(at + 1, end - at - 1)) {
      command.push_back(Replaced(word, "{}", path));
    }
    const bool known = !command.empty() && words[at + 1].find("{}") == std::string::npos;
    if (!known) AddUnknown("what find runs");
    RunRest('x', command, Possible(context), {});
  }
  return end;
}

}  // namespace belay
