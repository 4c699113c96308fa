// Shells and interpreters: the lines and scripts that they run.

#include <algorithm>
#include <utility>

#include "base/path.h"
#include "base/text.h"
#include "engine/shell/runner.h"
#include "engine/shell/words.h"

namespace belay {
namespace {

constexpr std::size_t kLongestScript = std::size_t{64} << 10U;
constexpr std::size_t kMostWritten = 20;  // files

// By its first line: #!/bin/sh -e, #!/usr/bin/env python3. Without one, a shell runs it.
std::string InterpreterOf(std::string_view text) {
  if (!text.starts_with("#!")) return "sh";
  text = text.substr(2, text.find('\n') - 2);
  std::string program;
  for (const std::string_view word : Split(text, ' ')) {
    if (word.empty() || word.starts_with('-')) continue;
    program = FileName(word);
    if (program != "env") break;
  }
  return program;
}

// An option of a shell that names a file with which it starts.
bool StartsWithFile(std::string_view word) {
  return word.starts_with("--rcfile") || word.starts_with("--init-file");
}

bool IsShellOption(std::string_view word) {
  return word.size() > 1 && (word[0] == '-' || word[0] == '+');
}

}  // namespace

// An interpreter without a script reads one from its standard input.
void ShellRunner::UseStandardInput(const std::string& by, const Context& context) {
  if (!context.piped) return;
  if (context.input) return UseCode(*context.input, by, context);
  const Written* written = FindWritten(context.input_file);
  if (written != nullptr) UseCode(written->text, by, context);
  if (written == nullptr || !written->whole) AddUnknown("a program that " + by + " reads");
}

// The index of the first word that is no option of a shell.
std::size_t ShellRunner::SkipShellOptions(Span words, ShellOptions& options) {
  for (std::size_t at = 1; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (!IsShellOption(word)) return at;
    if (word == "--") return at + 1;
    if (word.starts_with("--")) {
      const bool starts = StartsWithFile(word);
      options.file = options.file || starts;
      if (starts && word.find('=') == std::string::npos) ++at;
      continue;
    }
    options.line = options.line || word.find('c') != std::string::npos;
    const bool checks = word[0] == '-' && word.find('n') != std::string::npos;
    options.checks = options.checks || checks;
    if (word.find_first_of("oO") == std::string::npos) continue;
    ++at;  // -euo pipefail
    options.dot_globs = options.dot_globs || (at < words.size() && words[at] == "dotglob");
  }
  return words.size();
}

void ShellRunner::RunShellProgram(Span words, const Context& context) {
  ShellOptions options;
  const std::size_t at = SkipShellOptions(words, options);
  const bool line = options.line;
  if (options.file) AddUnknown("a file that the shell starts with");
  const std::string_view name = FileName(words.front());
  constexpr std::string_view kLikeBash[] = {"sh", "bash", "dash", "ash", "rbash", "busybox-sh"};
  if (!IsIn(kLikeBash, name)) AddUnknown("a line of " + std::string(name));
  // To dash, [[ a || b ]] runs b, and ((a)) runs a.
  const bool odd = name != "bash" && name != "rbash" && line && at < words.size() &&
                   (words[at].find("[[") != std::string::npos ||
                    Replaced(words[at], "$((", "").find("((") != std::string::npos);
  if (odd) AddUnknown("a line that shells read differently");
  Words rest;
  for (std::size_t i = at + (line ? 2 : 1); i < words.size(); ++i) rest.push_back(words[i]);
  if (options.checks) return;
  State saved = CopyState();
  EnterProcess(rest);
  state_.dot_globs = options.dot_globs;
  if (line && at < words.size()) {
    RunText(words[at], context);
    state_ = std::move(saved);
    return;
  }
  if (at < words.size()) {
    AddPath(EffectKind::kRead, words[at], std::string(FileName(words.front())), context);
    RunScriptFile(words[at], context, rest);
  } else if (context.input) {
    RunText(*context.input, WithoutInput(context));
  } else if (!context.input_file.empty()) {
    RunScriptFile(context.input_file, WithoutInput(context), {});
  } else if (context.piped) {
    AddUnreadFile("what the shell reads from its standard input", "");
  }
  state_ = std::move(saved);
}

// Through a link that the line has made.
std::string ShellRunner::ThroughLinks(std::string path) const {
  for (const MadeLink& link : links_) {
    if (IsAtOrBelow(path, link.path)) return link.target + path.substr(link.path.size());
  }
  return path;
}

// What the line itself wrote into a file; null: nothing that is known.
const ShellRunner::Written* ShellRunner::FindWritten(const std::string& path) const {
  if (written_.empty() || path.empty()) return nullptr;
  for (const std::string& folder : state_.folders) {
    const auto found = written_.find(ThroughLinks(AbsoluteShellPath(folder, path)));
    if (found != written_.end()) return &found->second;
  }
  return nullptr;
}

// From the disk.
std::optional<std::string> ShellRunner::FileText(const std::string& path) const {
  const std::string whole = ThroughLinks(AbsoluteShellPath(Folder(), path));
  if (world_.files == nullptr || !IsExact(whole)) return std::nullopt;
  Result<std::string> text = world_.files->Read(whole, kLongestScript);
  return text ? std::optional(*std::move(text)) : std::nullopt;
}

// Nullopt: it isn't known, or other text may be in it too.
std::optional<std::string> ShellRunner::KnownText(const std::string& path) const {
  const Written* written = FindWritten(path);
  if (written == nullptr) return FileText(path);
  return written->whole ? std::optional(written->text) : std::nullopt;
}

std::optional<std::string> ShellRunner::InputText(const Context& context) const {
  if (context.input || context.input_file.empty()) return context.input;
  return KnownText(context.input_file);
}

// `text`: what a command prints into the file; `sure`: it does in any case. A path with unknown
// parts may be another one than before.
void ShellRunner::NoteWritten(const std::string& path, const std::string& text, bool append,
                              bool sure) {
  if (path.empty() || text.size() > kLongestScript || written_.size() >= kMostWritten) return;
  for (const std::string& folder : state_.folders) {
    const std::string whole = ThroughLinks(AbsoluteShellPath(folder, path));
    const bool exact = IsExact(whole);
    const auto old = written_.find(whole);
    const bool known = old != written_.end();
    const bool adds = (append || !sure || !exact) && known;
    Written now{.text = (adds ? old->second.text : "") + text};
    const bool begins = !append || (known && old->second.whole);
    now.whole = sure && exact && state_.folders.size() == 1 && begins;
    written_[whole] = std::move(now);
  }
}

// Other programs may write these files too.
void ShellRunner::DoubtWritten(const ShellEffect& effect) {
  const bool unknown = effect.kind == EffectKind::kRun && !effect.builtin &&
                       (!effect.listed || effect.certainty == Certainty::kUnknown);
  const bool writes = effect.kind == EffectKind::kWrite;
  if (!unknown && !writes) return;
  for (auto& [path, written] : written_) {
    const bool meant = unknown || !IsExact(effect.what) || IsAtOrBelow(path, effect.what);
    if (meant) written.whole = false;
  }
}

void ShellRunner::RunScriptFile(const std::string& path, const Context& context, Words arguments) {
  const Words outer = std::exchange(state_.arguments, std::move(arguments));
  const Written* written = FindWritten(path);
  const bool whole = written != nullptr && written->whole;
  const std::optional<std::string> text = whole ? std::nullopt : FileText(path);
  if (written != nullptr) RunText(std::string(written->text), whole ? context : Possible(context));
  if (text) RunText(*text, written == nullptr ? context : Possible(context));
  const Words given = std::exchange(state_.arguments, outer);
  if (!whole && (!text || written != nullptr)) AddUnreadFile("the script " + path, path, given);
}

// ./x: a script that the line wrote, or a shell script on the disk. False: it is neither.
bool ShellRunner::RunOwnScript(Span words, const Context& context) {
  const std::string& path = words.front();
  const Written* written = FindWritten(path);
  const std::optional<std::string> text =
      written != nullptr ? std::optional(written->text) : FileText(path);
  if (!text || text->find('\0') != std::string::npos) return false;  // not a script
  const std::string program = InterpreterOf(*text);
  if (!IsShellProgram(program) && written == nullptr) return false;
  static constexpr ProgramRow kScript = {.names = "script"};
  AddRun(words, {.row = &kScript}, context);
  if (!IsShellProgram(program)) {
    UseCode(*text, program, context);
    if (!written->whole) AddUnknown("the program " + path);
    return true;
  }
  State saved = CopyState();
  Words arguments(words.begin() + 1, words.end());
  EnterProcess(arguments);
  RunScriptFile(path, Inner(context), std::move(arguments));
  state_ = std::move(saved);
  return true;
}

}  // namespace belay
