#include "engine/events/secret_names.h"

#include <algorithm>

#include "base/text.h"

namespace belay {
namespace {

// Endings of names, whatever precedes them: PGPASSWORD.
constexpr std::string_view kSecretEndings[] = {
    "TOKEN",      "SECRET",    "PASSWORD",  "PASSWD",     "APIKEY",      "PASSPHRASE",
    "CREDENTIAL", "SECRETKEY", "ACCESSKEY", "PRIVATEKEY", "CREDENTIALS", "AUTHKEY"};
// Last parts of names: API_KEY, apiKey, but not MONKEY.
constexpr std::string_view kParts[] = {"KEY", "PASS", "AUTH", "PWD", "AUTHORIZATION"};
constexpr std::string_view kHarmlessKeys[] = {"PUBLIC", "PRIMARY", "FOREIGN", "SORT", "CACHE"};
constexpr std::string_view kHeaders[] = {"AUTHORIZATION", "PROXY-AUTHORIZATION", "COOKIE",
                                         "SET-COOKIE"};
constexpr std::string_view kSchemes[] = {"BEARER", "BASIC",     "TOKEN", "DIGEST",
                                         "APIKEY", "NEGOTIATE", "NTLM"};

struct Token {
  std::string_view start;
  std::size_t least = 12;  // bytes; harmless names with the same beginning are shorter
  bool digit = false;      // must contain a digit
};
constexpr Token kTokens[] = {
    {"sk-ant-"},   {"sk-proj-"}, {"sk-", 12, true}, {"sk_live_"}, {"sk_test_"}, {"rk_live_"},
    {"ghp_"},      {"gho_"},     {"ghu_"},          {"ghs_"},     {"ghr_"},     {"github_pat_"},
    {"xoxb-"},     {"xoxp-"},    {"xoxa-"},         {"xoxs-"},    {"xoxr-"},    {"xoxe"},
    {"xapp-"},     {"AKIA"},     {"ASIA"},          {"glpat-"},   {"AIza"},     {"eyJ"},
    {"dckr_pat_"}, {"hf_", 20},  {"npm_", 30},      {"pypi-", 40}};

constexpr std::size_t kJudged = 64;  // bytes of a possible token

constexpr std::string_view kCurlFlags = "0123456#afgGiIjJklLnNOqRsSv";
constexpr SecretOption kOptions[] = {
    {"curl", 'u', "--user", kCurlFlags, false, true},
    {"curl", 'U', "--proxy-user", kCurlFlags, false, true},
    {"http", 'a', "--auth", "", false, true},
    {"mysql", 'p', "", "", true, false},
    {"mysqldump", 'p', "", "", true, false},
    {"mysqladmin", 'p', "", "", true, false},
    {"mariadb", 'p', "", "", true, false},
    {"sshpass", 'p', "", "ev", false, false},
    {"login", 'p', "", "", false, false},  // docker login, helm registry login
    {"redis-cli", 'a', "", "", false, false},
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
char Upper(char c) { return IsLower(c) ? static_cast<char>(c - 'a' + 'A') : c; }

bool IsTokenByte(char c) {
  const char upper = Upper(c);
  return (upper >= 'A' && upper <= 'Z') || IsDigit(c) || c == '_' || c == '-' || c == '.';
}

std::size_t TokenBytes(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), IsTokenByte) -
                                  text.begin());
}

template <std::size_t n>
bool IsOneOf(const std::string_view (&words)[n], std::string_view word) {
  return std::any_of(std::begin(words), std::end(words),
                     [&](std::string_view one) { return IsSameWord(word, one); });
}

// The name without leading dashes and a trailing number: --token, API_KEY_2.
std::string_view Bare(std::string_view name) {
  while (name.starts_with('-')) name.remove_prefix(1);
  while (!name.empty() && IsDigit(name.back())) name.remove_suffix(1);
  while (name.ends_with('_') || name.ends_with('-')) name.remove_suffix(1);
  return name;
}

bool EndsWithPart(std::string_view name, std::string_view part) {
  if (!EndsWithWord(name, part)) return false;
  const std::string_view before = name.substr(0, name.size() - part.size());
  if (before.empty()) return name != "PWD";
  const bool hump = IsLower(before.back()) && !IsLower(name[before.size()]);
  const bool harmless =
      part == "KEY" && std::any_of(std::begin(kHarmlessKeys), std::end(kHarmlessKeys),
                                   [&](auto word) { return EndsWithWord(Bare(before), word); });
  return !harmless &&
         (hump || before.back() == '_' || before.back() == '-' || before.back() == '.');
}

}  // namespace

bool IsSameWord(std::string_view word, std::string_view upper) {
  return word.size() == upper.size() && std::equal(word.begin(), word.end(), upper.begin(),
                                                   [](char a, char b) { return Upper(a) == b; });
}

bool EndsWithWord(std::string_view text, std::string_view upper) {
  return text.size() >= upper.size() && IsSameWord(text.substr(text.size() - upper.size()), upper);
}

bool NamesSecret(std::string_view name) {
  if (name.starts_with("--no-")) return false;
  name = Bare(name);
  const auto ends = [&](std::string_view ending) { return EndsWithWord(name, ending); };
  const auto ends_with_part = [&](std::string_view part) { return EndsWithPart(name, part); };
  return std::any_of(std::begin(kSecretEndings), std::end(kSecretEndings), ends) ||
         std::any_of(std::begin(kParts), std::end(kParts), ends_with_part) || IsSecretHeader(name);
}

bool IsEverydayName(std::string_view name) {
  return IsSameWord(name, "KEY") || IsSameWord(name, "AUTH");
}

bool IsSecretHeader(std::string_view name) { return IsOneOf(kHeaders, name); }

bool IsScheme(std::string_view word) { return IsOneOf(kSchemes, word); }

std::size_t LengthOfToken(std::string_view text) {
  for (const Token& token : kTokens) {
    if (!text.starts_with(token.start)) continue;
    const std::size_t length = TokenBytes(text.substr(0, kJudged));
    const std::string_view judged = text.substr(0, length);
    const bool digit = std::any_of(judged.begin(), judged.end(), IsDigit);
    return length >= token.least && (digit || !token.digit) ? TokenBytes(text) : 0;
  }
  return 0;
}

bool HasSecretOptions(std::string_view program) {
  return std::any_of(std::begin(kOptions), std::end(kOptions),
                     [&](const SecretOption& option) { return option.program == program; });
}

std::size_t LengthOfOption(const SecretOption& option, std::string_view word) {
  const bool named = !option.name.empty() && word.starts_with(option.name);
  const char behind = word.size() > option.name.size() ? word[option.name.size()] : ' ';
  if (named && (behind == ' ' || behind == '\t')) return option.name.size();
  if (named && behind == '=') return option.name.size() + 1;
  std::size_t at = 1;
  while (at < word.size() && option.flags.find(word[at]) != std::string_view::npos) ++at;
  return word.starts_with('-') && at < word.size() && word[at] == option.letter ? at + 1 : 0;
}

const SecretOption* FindSecretOption(std::span<const std::string_view> programs,
                                     std::string_view word) {
  for (const SecretOption& option : kOptions) {
    if (IsIn(programs, option.program) && LengthOfOption(option, word) != 0) return &option;
  }
  return nullptr;
}

}  // namespace belay
