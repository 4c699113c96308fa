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

bool IsExact(std::string_view text) {
  return text.find_first_of(kUnknownMarks) == std::string_view::npos;
}

std::string ShownText(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    if (c == kAnyText || c == kAnyPath) {
      shown += "…";
    } else if (c == kAnyFolders) {
      shown += "…/";
    } else if (c == kAnyName) {
      shown += '*';
    } else {
      shown += c;
    }
  }
  return shown;
}

namespace {

// The positions in `text` that a beginning of a pattern can reach.
class ReachedPositions {
 public:
  explicit ReachedPositions(std::string_view text) : text_(text), reached_(text.size() + 1, false) {
    reached_[0] = true;
  }

  void Pass(char c) {
    if (c == kAnyText || c == kAnyName || c == kAnyPath) return PassAny(c == kAnyName);
    if (c == kAnyFolders) return PassFolders();
    for (std::size_t i = text_.size(); i > 0; --i) {
      reached_[i] = reached_[i - 1] && text_[i - 1] == c;
    }
    reached_[0] = false;
  }
  bool All() const { return reached_[text_.size()]; }

 private:
  void PassAny(bool name) {
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const bool hidden = text_[i] == '.' && (i == 0 || text_[i - 1] == '/');
      const bool passes = !name || (text_[i] != '/' && !hidden);
      if (reached_[i] && passes) reached_[i + 1] = true;
    }
  }

  void PassFolders() {
    bool before = false;  // something before here is reached
    for (std::size_t i = 0; i < text_.size(); ++i) {
      before = before || reached_[i];
      if (before && text_[i] == '/') reached_[i + 1] = true;
    }
  }

  std::string_view text_;
  std::vector<bool> reached_;
};

}  // namespace

bool CanBe(std::string_view pattern, std::string_view text) {
  ReachedPositions positions(text);
  for (const char c : pattern) positions.Pass(c);
  return positions.All();
}

bool CanBeInside(std::string_view pattern, std::string_view folder) {
  const std::string inside = std::string(folder) + "/";
  ReachedPositions positions(inside);
  for (const char c : pattern) {
    positions.Pass(c);
    if (positions.All()) return true;  // whatever comes after it
  }
  return false;
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
                      (IsExact(parts.back()) || parts.back() == std::string_view(&kAnyName, 1));
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
