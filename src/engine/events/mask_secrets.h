// Masks the secrets in a command line before it is stored, with ***:
//
// clang-format off
//   shape                                                 masked
//   ---------------------------------------------------   -----------------------------------------
//   NAME=x  NAME='a b'  "NAME=a b"  NAME: x  NAME := x    the value, if NAME names a secret
//   --NAME=x  --NAME x  -NAME "a b c"  ["--NAME","x"]       (secret_names.h): a whole shell word
//   ?NAME=x&...                                           up to the next & of the address
//   {"NAME": "x"}  'NAME' => 'x'  {\"NAME\":\"x\"}        between the quotes
//   Authorization: SCHEME x, cookies                      all but the scheme, to the end of the
//                                                           quotes or of the word
//   Bearer x                                              the word
//   scheme://user:x@host  http(s)://x@host                up to the last @ before the path
//   curl -u user:x  mysql -px  sshpass -p x               as the program reads it (secret_names.h)
//   ghp_...  sk-...  eyJ...                               known tokens, after anything that is no
//                                                           letter, digit or _
// clang-format on
//
// A secret in one of these shapes is masked anywhere in the text, if the quotes before it are those
// of a shell: in other text an apostrophe may hide the end of a value with blanks; then at least
// its first word is masked. Secrets in other shapes stay, and so does what the line computes: $(cat
// token). A word that begins with -- is no value of the option before it, and a blank ends an
// address. In doubt it masks too much. It takes linear time, and needs the whole text: cut it
// afterwards.
//
// In a shell line the programs' own arguments count too, whatever their quotes: cu''rl '-u' me:x,
// and what they read: echo x | docker login --password-stdin, sudo -S <<< x.

#ifndef BELAY_ENGINE_EVENTS_MASK_SECRETS_H_
#define BELAY_ENGINE_EVENTS_MASK_SECRETS_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/shell/effects.h"

namespace belay {

std::string MaskSecrets(std::string_view text);

// The secrets among what a shell line passes to programs; and the text without them.
std::vector<std::string> SecretsOf(std::span<const ShellEffect> effects);
std::string WithoutSecrets(std::string text, std::span<const std::string> secrets);

// Where a value in a command line ends, as the shell reads it, or as the reader of the quoted text
// does.
//
// In doubt a value is longer: an escaped quote never ends one, and an unclosed quote extends to the
// end of the text.

bool IsBlank(char c);  // not a line end

// Skips blanks and escaped line ends.
std::size_t SkipBlanks(std::string_view text, std::size_t at);

// The mark that starts a quoted text at `at`: ", ' or, inside of another one, \". Empty: none.
std::string_view OpeningQuote(std::string_view text, std::size_t at);
// Where the closing mark begins; the end of the text if there is none. `opening` is at `at`.
std::size_t ClosingQuote(std::string_view text, std::size_t at, std::string_view opening);

// The end of the word at `at`, including its quoted parts. `enclosing` is the quote around all of
// it, 0 for none; it ends the word, and ; | & ( ) < > end it only without one.
std::size_t EndOfWord(std::string_view text, std::size_t at, char enclosing);

}  // namespace belay

#endif  // BELAY_ENGINE_EVENTS_MASK_SECRETS_H_
