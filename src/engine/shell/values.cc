// What the value of an option or an operand means, by its role (programs.h).

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "engine/shell/runner.h"
#include "engine/shell/words.h"

namespace belay {
namespace {

constexpr std::string_view kEditorBlanks = " \t\n|\"'()";

}  // namespace

void ShellRunner::UseValue(char role, const std::string& value, const std::string& by,
                           const Context& context) {
  switch (role) {
    case 'r':
    case 'f':
    case 'w':
    case 'b':
    case '@':
    case 'k':
      return UsePlainPath(role, value, by, context);
    case 's':  // tar --checkpoint-action=exec=LINE
      return RunApart(value.starts_with("exec=") ? value.substr(5) : value, context, {});
    case 'c':
    case 'C':
      return UseCode(value, by, context);
    case 'e':
    case 'E':
      return UseSedScript(value, by, context);
    case 'h':
      return AddConnection(value, by, context);
    case 'm':
    case 'n':
      return UseRemote(role, value, by, context);
    case 'g': {
      const std::size_t colon = value.find(':');  // REVISION:PATH
      return AddPath(EffectKind::kRead, value.substr(colon + 1), by, Possible(context));
    }
    case 'R':
      return AddPath(EffectKind::kWrite, value, by, context, {.removes = true});
    case 'a':
      return AddPath(EffectKind::kWrite, value, by, Possible(context), {.fills = true});
    default:
      return UseSpecialValue(role, value, by, context);
  }
}

// A command line that stands behind something.
void ShellRunner::UseSpecialValue(char role, const std::string& value, const std::string& by,
                                  const Context& context) {
  const std::string lower = Lowered(value.substr(0, 8));
  switch (role) {
    case 'P':
      return UseProgramIn(value, by, context);
    case 'q':
      return UseEditorCommand(value, by, context);
    case 'Q':
      AddUnknown("what " + by + " runs", Words{value});
      if (value.find(' ') != std::string::npos) RunApart(value, Possible(context), {});
      return;
    case 'O':
      return UseSshOption(value, context);
    case 'G':
      return UseGitSetting(value, context);
    case 'W':
      if (!value.starts_with('+')) return UsePlainPath('w', value, by, context);
      if (value.find_first_not_of("+0123456789") == std::string::npos) return;
      return UseEditorCommand(value, by, context);
    case 'A':
      AddConnection(value, by, context);
      if (lower.starts_with("exec:")) RunApart(value.substr(5), context, {});
      if (lower.starts_with("system:")) RunApart(value.substr(7), context, {});
      return;
    case 'l':
      if (lower.starts_with("ext::")) RunApart(value.substr(5), context, {});
      return;
    default:
      return;
  }
}

// A file with a script of sed or a program of awk.
void ShellRunner::UseProgramIn(const std::string& path, const std::string& by,
                               const Context& context) {
  AddPath(EffectKind::kRead, path, by, context);
  const Written* written = FindWritten(path);
  const std::optional<std::string> text =
      written != nullptr ? std::optional(written->text) : FileText(path);
  if (!text || (written != nullptr && !written->whole)) {
    AddUnreadFile("the program " + path + " for " + by, path);
  }
  if (!text) return;
  if (by.ends_with("sed")) return UseSedScript(*text, by, context);
  UseCode(*text, by, context);
}

// NAME=VALUE, or with a blank.
void ShellRunner::UseSshOption(const std::string& value, const Context& context) {
  const std::size_t end = std::min(value.find_first_of("= \t"), value.size());
  if (Lowered(value.substr(0, end)).ends_with("command") && end < value.size()) {
    RunApart(value.substr(end + 1), context, {});
  }
}

void ShellRunner::UsePlainPath(char role, const std::string& value, const std::string& by,
                               const Context& context) {
  if (role == 'r' || role == 'f') return AddPath(EffectKind::kRead, value, by, context);
  if (role == 'w') return AddPath(EffectKind::kWrite, value, by, context);
  if (role == 'b') {
    AddPath(EffectKind::kRead, value, by, Possible(context));
    return AddPath(EffectKind::kWrite, value, by, Possible(context));
  }
  if (role == 'k') {
    if (value.starts_with("if=")) AddPath(EffectKind::kRead, value.substr(3), by, context);
    if (value.starts_with("of=")) AddPath(EffectKind::kWrite, value.substr(3), by, context);
    return;
  }
  const std::size_t sign = value.find('@');
  const bool file = sign == 0 || (sign != std::string::npos && sign > 0 && value[sign - 1] == '=');
  if (file) AddPath(EffectKind::kRead, value.substr(sign + 1), by, context);
}

// HOST:PATH.
bool ShellRunner::IsRemotePath(std::string_view value) {
  const std::size_t colon = value.find(':');
  return colon != std::string_view::npos && colon < value.find('/');
}

void ShellRunner::UseRemote(char role, const std::string& value, const std::string& by,
                            const Context& context) {
  if (IsRemotePath(value)) return AddConnection(value, by, context);
  AddPath(role == 'm' ? EffectKind::kRead : EffectKind::kWrite, value, by, context);
}

// A command of an editor may run anything, and write any path that it names.
void ShellRunner::UseEditorCommand(std::string_view text, const std::string& by,
                                   const Context& context) {
  AddUnknown("what " + by + " runs");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(kEditorBlanks, at);
    if (begin == std::string_view::npos) return;
    const std::size_t end = std::min(text.find_first_of(kEditorBlanks, begin), text.size());
    const std::string word(text.substr(begin, end - begin));
    const bool path = word.find_first_of("./") != std::string::npos && word.size() > 2;
    if (path && IsExact(word)) AddPath(EffectKind::kWrite, word, by, Possible(context));
    at = end;
  }
}

}  // namespace belay
