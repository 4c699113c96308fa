#include "engine/events/mask_secrets.h"

#include <algorithm>

namespace belay {
namespace {

constexpr std::string_view kMask = "***";
constexpr std::string_view kNames[] = {"KEY",    "TOKEN", "SECRET",     "PASSWORD",
                                       "PASSWD", "PASS",  "CREDENTIAL", "AUTH"};
constexpr std::string_view kTokens[] = {"sk-",  "ghp_", "gho_",   "ghs_", "github_pat_", "xox",
                                        "AKIA", "ASIA", "glpat-", "npm_", "AIza",        "eyJ"};
constexpr std::size_t kShortestToken = 12;

bool IsBreak(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\'' || c == '"';
}

std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

bool NamesSecret(std::string_view name) {
  const std::string upper = Upper(name);
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view secret) { return upper.ends_with(secret); });
}

bool IsToken(std::string_view word) {
  return word.size() >= kShortestToken &&
         std::any_of(std::begin(kTokens), std::end(kTokens),
                     [&](std::string_view start) { return word.starts_with(start); });
}

// https://me:secret@host
std::string MaskAddress(std::string_view word) {
  const std::size_t scheme = word.find("://");
  const std::size_t at = scheme == std::string_view::npos ? scheme : word.find('@', scheme);
  if (at == std::string_view::npos) return std::string(word);
  const std::size_t colon = word.find(':', scheme + 3);
  if (colon >= at) return std::string(word);
  return std::string(word.substr(0, colon + 1)) + std::string(kMask) + std::string(word.substr(at));
}

// Whether the next word is the secret: "Bearer", "--token", "Authorization:".
bool IsFollowedByOne(std::string_view word) {
  const std::string upper = Upper(word);
  if (upper == "BEARER" || upper == "BASIC") return true;
  const bool option = word.starts_with('-') || word.ends_with(':');
  while (word.ends_with(':')) word.remove_suffix(1);
  return option && NamesSecret(word);
}

std::string MaskWord(std::string_view word) {
  const std::size_t value = word.find_first_of("=:");
  const bool named = value != std::string_view::npos && value + 1 < word.size() &&
                     NamesSecret(word.substr(0, value));
  if (named) return std::string(word.substr(0, value + 1)) + std::string(kMask);
  return IsToken(word) ? std::string(kMask) : MaskAddress(word);
}

}  // namespace

std::string MaskSecrets(std::string_view text) {
  std::string masked;
  bool secret = false;
  for (std::size_t at = 0; at < text.size();) {
    if (IsBreak(text[at])) {
      masked += text[at++];
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !IsBreak(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    // A header may name the kind first: "Authorization: Bearer X".
    const bool kind = Upper(word) == "BEARER" || Upper(word) == "BASIC";
    masked += secret && !kind ? std::string(kMask) : MaskWord(word);
    secret = (secret && kind) || IsFollowedByOne(word);
    at = end;
  }
  return masked;
}

}  // namespace belay
