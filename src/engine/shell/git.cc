// git: its verbs, its settings, and what they run and change.

#include <algorithm>

#include "base/text.h"
#include "engine/shell/runner.h"
#include "engine/shell/words.h"

namespace belay {

namespace {

// What `git stash pop` and its like apply; without an operand at `at` the newest one.
std::string StashIn(std::span<const std::string> list, std::size_t at) {
  const std::string stash = at < list.size() ? list[at] : "0";
  const bool number = stash.find_first_not_of("0123456789") == std::string::npos;
  return number ? "stash@{" + stash + "}" : stash;
}

}  // namespace

// The index of git's verb, after its own options.
std::size_t ShellRunner::FindGitVerb(Span words, const Context& context) {
  constexpr std::string_view kWithValue[] = {
      "-C", "-c", "--git-dir", "--work-tree", "--exec-path", "--namespace", "--config-env"};
  std::size_t at = 1;
  for (; at < words.size() && words[at].starts_with('-'); ++at) {
    const std::string& word = words[at];
    UseGitOption(word);
    if (!IsIn(kWithValue, word) || ++at >= words.size()) continue;
    if (word == "-c") UseGitSetting(words[at], context);
    if (word == "-C" || word == "--work-tree") EnterFolder(words[at]);
  }
  const std::optional<Words> tree = Lookup("GIT_WORK_TREE");
  if (tree && tree->size() == 1 && !tree->front().empty()) EnterFolder(tree->front());
  if (at < words.size() && !IsExact(words[at])) AddUnknown("git " + words[at]);
  return at;
}

// An option of git itself, as far as its own word shows what it does.
void ShellRunner::UseGitOption(const std::string& word) {
  if (word.starts_with("--work-tree=")) EnterFolder(word.substr(word.find('=') + 1));
  if (word.starts_with("--exec-path=")) AddUnknown("git's programs in " + word);
  if (word.starts_with("--config-env")) AddUnknown("a setting of git");
}

// KEY=VALUE, if git runs the value.
void ShellRunner::UseGitSetting(std::string_view setting, const Context& context) {
  constexpr std::string_view kRunKeys[] = {"core.sshcommand", "core.editor",
                                           "core.pager",      "core.fsmonitor",
                                           "core.askpass",    "diff.external",
                                           "sequence.editor", "core.alternaterefscommand",
                                           "core.gitproxy",   "interactive.difffilter",
                                           "imap.tunnel",     "uploadpack.packobjectshook"};
  constexpr std::string_view kRunEnds[] = {
      ".textconv",   ".command",     ".cmd",   ".helper",      ".program",          ".driver",
      ".uploadpack", ".receivepack", ".httpd", ".sendmailcmd", ".defaultkeycommand"};
  const std::size_t equals = std::min(setting.find('='), setting.size());
  const std::string key = Lowered(setting.substr(0, equals));
  std::string_view value = setting.substr(std::min(equals + 1, setting.size()));
  const bool line = value.starts_with('!');
  if (line) value.remove_prefix(1);
  if (key == "core.hookspath") AddUnknown("the git hooks in " + std::string(value));
  const bool other = key.starts_with("include") || key == "init.templatedir" ||
                     (key.starts_with("url.") && key.find("ext::") != std::string::npos);
  if (other) AddUnknown("the settings of git in " + std::string(value));
  const bool alias = key.starts_with("alias.");
  const bool runs =
      line || alias || key.starts_with("filter.") || key.starts_with("pager.") ||
      IsIn(kRunKeys, key) ||
      std::ranges::any_of(kRunEnds, [&](std::string_view end) { return key.ends_with(end); });
  const std::string text = (alias && !line ? "git " : "") + std::string(value);
  if (runs) RunApart(text, Possible(context), {});
}

void ShellRunner::EnterFolder(const std::string& path) {
  for (std::string& folder : state_.folders) folder = AbsoluteShellPath(folder, path);
}

// Verbs that run a command of the user's.
void ShellRunner::RunGitHelpers(Span words, std::size_t verb, const Context& context) {
  const Span rest = words.subspan(verb + 1);
  if (words[verb] == "submodule") {
    const auto each = std::ranges::find(rest, "foreach");
    if (each == rest.end()) return;
    Span line(each + 1, rest.end());
    while (!line.empty() && IsOptionWord(line.front())) line = line.subspan(1);
    RunApart(JoinWords(line), Possible(context), {});
  }
  if (words[verb] == "clean") UseGitClean(rest, context);
  if (words[verb] == "bisect" && !rest.empty() && rest.front() == "run") {
    RunRest('x', rest.subspan(1), Possible(context), {});
  }
  if (words[verb] == "config") {
    for (std::size_t i = 0; i + 1 < rest.size(); ++i) {
      if (rest[i].find('.') != std::string::npos)
        UseGitSetting(rest[i] + "=" + rest[i + 1], context);
    }
  }
}

// Without a path it cleans the whole folder; -x removes ignored files too.
void ShellRunner::UseGitClean(Span words, const Context& context) {
  std::string letters;
  Words paths;
  for (const std::string& word : words) {
    if (word.starts_with("--")) {
      letters += word.substr(2, 1);
    } else if (IsOptionWord(word)) {
      letters += word.substr(1);
    } else {
      paths.push_back(word);
    }
  }
  if (letters.find('f') == std::string::npos || letters.find('n') != std::string::npos) return;
  const bool ignored = letters.find_first_of("xX") != std::string::npos;
  if (paths.empty()) paths.emplace_back(".");
  for (const std::string& path : paths) {
    AddGitPath(path, ignored ? "git clean -x" : "git clean", "", context);
  }
}

// Verbs that change files of the worktree, with the revision that these come from.
void ShellRunner::UseGitVerb(const Operands& operands, const Context& context) {
  const Span words = operands.words;
  const std::string_view verb = std::string_view(operands.by).substr(4);
  constexpr std::string_view kResets[] = {"--hard", "--merge", "--keep"};
  const std::string first = operands.list.empty() ? "" : operands.list[0];
  if (verb == "checkout" || verb == "switch") return UseGitCheckout(operands, context);
  if (verb == "restore") return UseGitRestore(operands, context);
  if (verb == "stash") return UseGitStash(operands, context);
  if (verb == "reset") {
    const bool writes =
        std::ranges::any_of(words, [&](const auto& word) { return IsIn(kResets, word); });
    if (writes) AddGitPath(".", "git reset --hard", first.empty() ? "HEAD" : first, context);
  } else if (verb == "read-tree" && HasWord(words, "-u")) {
    AddGitPath(".", "git reset --hard", first, context);
  } else if (verb == "checkout-index") {
    AddGitPath(".", "git checkout", "", context);
  } else if (verb == "mv" || verb == "rm") {
    UseGitMove(operands, context);
  }
}

// git mv and git rm.
void ShellRunner::UseGitMove(const Operands& operands, const Context& context) {
  constexpr std::string_view kKeeping[] = {"--cached", "-n", "--dry-run"};
  if (std::ranges::any_of(operands.words, [&](const auto& one) { return IsIn(kKeeping, one); })) {
    return;
  }
  for (const std::string& path : operands.list) {
    const bool target = operands.by == "git mv" && &path == &operands.list.back();
    AddPath(EffectKind::kWrite, Pathspec(path), operands.by, context, {.removes = !target});
  }
}

// git checkout [REVISION] [--] PATH..., or a branch.
void ShellRunner::UseGitCheckout(const Operands& operands, const Context& context) {
  const Span words = operands.words;
  const Span list = operands.list;
  const std::size_t before = std::min(operands.dashes, list.size());
  const bool dashes = operands.dashes <= list.size();
  const bool branch = operands.by == "git switch" || IsGitBranch(operands);
  const bool forced =
      HasWord(words, "-f") || HasWord(words, "--force") || HasWord(words, "--discard-changes");
  if (forced && list.size() <= 1 && !dashes) {
    AddGitPath(".", "git reset --hard", list.empty() ? "HEAD" : list[0], context);
  }
  if (branch) return;
  if (HasWord(words, "--pathspec-from-file")) AddGitPath(".", operands.by, "", context);
  if (dashes) {
    for (const std::string& path : list.subspan(before)) {
      AddGitPath(path, operands.by, before > 0 ? list[0] : "", context);
    }
    return;
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    AddGitPath(list[i], operands.by, "", context);
    if (i > 0) AddGitPath(list[i], operands.by, list[0], context);
  }
}

// Whether `git checkout X` can only mean a branch.
bool ShellRunner::IsGitBranch(const Operands& operands) const {
  constexpr std::string_view kMaking[] = {"-b", "-B", "--orphan", "--detach", "-t", "--track"};
  if (std::ranges::any_of(operands.words, [&](const auto& word) { return IsIn(kMaking, word); })) {
    return true;
  }
  if (operands.list.size() != 1) return operands.list.empty();
  if (operands.dashes == 0) return false;
  if (operands.dashes == 1) return true;
  const std::string path = AbsoluteShellPath(Folder(), operands.list[0]);
  return operands.list[0] == "-" ||
         (world_.files != nullptr && IsExact(path) && !world_.files->Inspect(path));
}

void ShellRunner::UseGitRestore(const Operands& operands, const Context& context) {
  std::string from;
  std::string letters;
  for (std::size_t i = 0; i < operands.words.size(); ++i) {
    const std::string& word = operands.words[i];
    const bool next = (word == "-s" || word == "--source") && i + 1 < operands.words.size();
    if (next) from = operands.words[i + 1];
    if (word.starts_with("--source=")) from = word.substr(9);
    if (word == "--staged") letters += 'S';
    if (word == "--worktree") letters += 'W';
    if (IsOptionWord(word) && word[1] != '-') letters += word.substr(1);
  }
  const bool index = letters.find('S') != std::string::npos;
  if (index && letters.find('W') == std::string::npos) return;
  if (index && from.empty()) from = "HEAD";
  for (const std::string& path : operands.list) {
    AddGitPath(path, operands.by, from, context);
  }
}

void ShellRunner::UseGitStash(const Operands& operands, const Context& context) {
  const Span words = operands.words;
  const Span list = operands.list;
  const std::string verb = list.empty() || operands.dashes == 0 ? "push" : list[0];
  if (verb == "pop" || verb == "apply" || verb == "branch") {
    const std::string stash = StashIn(list, verb == "branch" ? 2 : 1);
    return AddGitPath(".", "git stash pop", stash, context);
  }
  if (verb != "push" && verb != "save") return;
  const bool all = HasWord(words, "-a") || HasWord(words, "--all");
  const bool others = HasWord(words, "-u") || HasWord(words, "--include-untracked");
  const std::string kind = all ? "-a" : others ? "-u" : "";
  const std::size_t first = !list.empty() && list[0] == verb ? 1 : 0;
  if (list.size() <= first || verb == "save") return AddGitPath(".", "git stash", kind, context);
  for (const std::string& path : list.subspan(first)) {
    AddGitPath(path, "git stash push", kind, context);
  }
}

// A pathspec may begin at the top of the worktree: then all of it counts.
void ShellRunner::AddGitPath(const std::string& path, const std::string& by,
                             const std::string& from, const Context& context) {
  const bool named = by == "git restore";
  const Context used = named ? context : Possible(context);
  if (path.starts_with(':')) {
    return AddPath(EffectKind::kWrite, ".", "git reset --hard", used, {.from = from});
  }
  AddPath(EffectKind::kWrite, Pathspec(path), by, used, {.from = from});
}

}  // namespace belay
