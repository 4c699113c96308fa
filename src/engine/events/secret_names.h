// Which words of a command line announce a secret next to them, or are one.
//
// Names are judged by their last part, so that API_KEY, apiKey and X-Api-Key are secrets, while
// KEYBOARD, MONKEY, --author, KEY_FILE, max_tokens, PUBLIC_KEY and PWD are not.

#ifndef BELAY_ENGINE_EVENTS_SECRET_NAMES_H_
#define BELAY_ENGINE_EVENTS_SECRET_NAMES_H_

#include <cstddef>
#include <span>
#include <string_view>

namespace belay {

// Case-insensitive.
bool IsSameWord(std::string_view word, std::string_view upper);
bool EndsWithWord(std::string_view text, std::string_view upper);

// API_KEY, --password, DB_PASS2.
bool NamesSecret(std::string_view name);
// Only "key" or "auth", which before a colon usually mean something else: key:generate, auth: fix.
bool IsEverydayName(std::string_view name);
// Authorization and cookies: all that follows is the value.
bool IsSecretHeader(std::string_view name);
// The word before the credential in such a header: Bearer, Basic, Token.
bool IsScheme(std::string_view word);

// The length of the known token that `text` begins with; 0 if there is none. Words that only begin
// like one, such as sk-learn and npm_config_cache, are excluded by their length, or for having no
// digit.
std::size_t LengthOfToken(std::string_view text);

// An option of one program that takes a secret.
struct SecretOption {
  std::string_view program;
  char letter;             // -p
  std::string_view name;   // --user, if there is one
  std::string_view flags;  // letters that may precede it in one word: -su
  bool attached;           // -pX only: the next word is something else
  bool pair;               // user:password, where only the password is secret
};
bool HasSecretOptions(std::string_view program);
// The option of one of these programs that `word` begins with; null if none.
const SecretOption* FindSecretOption(std::span<const std::string_view> programs,
                                     std::string_view word);
// The length of the option without its value: 2 for -pX, 3 for -su.
std::size_t LengthOfOption(const SecretOption& option, std::string_view word);

}  // namespace belay

#endif  // BELAY_ENGINE_EVENTS_SECRET_NAMES_H_
