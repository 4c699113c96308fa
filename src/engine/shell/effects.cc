#include "engine/shell/effects.h"

#include <algorithm>

#include "base/text.h"
#include "engine/shell/runner.h"

namespace belay {

std::string_view EffectKindName(EffectKind kind) {
  switch (kind) {
    case EffectKind::kRun:
      return "run";
    case EffectKind::kRead:
      return "read";
    case EffectKind::kWrite:
      return "write";
    case EffectKind::kConnect:
      return "connect";
  }
  __builtin_unreachable();
}

std::string_view CertaintyName(Certainty certainty) {
  switch (certainty) {
    case Certainty::kSure:
      return "sure";
    case Certainty::kPossible:
      return "possible";
    case Certainty::kUnknown:
      return "unknown";
  }
  __builtin_unreachable();
}

std::vector<ShellEffect> EffectsOf(std::string_view text, const ShellWorld& world) {
  return ShellRunner(world).Run(text);
}

std::string ShownText(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    if (c == kAnyText) {
      shown += "…";
    } else if (c == kAnyName) {
      shown += '*';
    } else {
      shown += c;
    }
  }
  return shown;
}

// The set of positions in `text` that a beginning of the pattern can reach.
bool CanBe(std::string_view pattern, std::string_view text) {
  std::vector<bool> reached(text.size() + 1, false);
  reached[0] = true;
  for (const char c : pattern) {
    if (c == kAnyText || c == kAnyName) {
      for (std::size_t i = 0; i < text.size(); ++i) {
        const bool hidden = text[i] == '.' && (i == 0 || text[i - 1] == '/');
        const bool passes = c == kAnyText || (text[i] != '/' && !hidden);
        if (reached[i] && passes) reached[i + 1] = true;
      }
      continue;
    }
    for (std::size_t i = text.size(); i > 0; --i) reached[i] = reached[i - 1] && text[i - 1] == c;
    reached[0] = false;
  }
  return reached[text.size()];
}

std::string AbsoluteShellPath(std::string_view folder, std::string_view path) {
  if (path.starts_with(kAnyText)) return std::string(path);
  std::string whole(path);
  if (!path.starts_with('/')) whole = std::string(folder) + "/" + whole;
  // Most paths are clean.
  const bool clean_already = whole.size() > 1 && whole[0] == '/' && !whole.ends_with('/') &&
                             whole.find("//") == std::string::npos &&
                             whole.find("/.") == std::string::npos;
  if (clean_already) return whole;
  std::vector<std::string_view> parts;
  for (const std::string_view part : Split(whole, '/')) {
    if (part.empty() || part == ".") continue;
    const bool back = part == ".." && !parts.empty() && parts.back() != ".." &&
                      parts.back().find(kAnyText) == std::string_view::npos;
    if (back) {
      parts.pop_back();
    } else if (part != ".." || !whole.starts_with('/') || !parts.empty()) {
      parts.push_back(part);
    }
  }
  std::string clean;
  for (const std::string_view part : parts) {
    if (!clean.empty() || whole.starts_with('/')) clean += '/';
    clean += part;
  }
  return clean.empty() ? "/" : clean;
}

}  // namespace belay
