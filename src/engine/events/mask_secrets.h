// Takes secrets out of a command line that is kept. What is masked, as *** in its place:
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
//   curl -u user:x  mysql -px  sshpass -p x               as the program takes it (secret_names.h)
//   ghp_...  sk-...  eyJ...                               known tokens, behind anything that is no
//                                                           letter, digit or _
// clang-format on
//
// A secret in one of these shapes doesn't survive, wherever it stands in the text, if the quotes
// before it are those of a shell: in other text an apostrophe may hide where a value with blanks
// ends, and its first word is masked at least. Secrets in no such shape stay, and so does what the
// line computes: $(cat token). What begins with -- is no value of the option before it, and a blank
// ends an address. In doubt it masks too much. It takes linear time, and it has to see
// the whole text: whoever wants less cuts afterwards.

#ifndef BELAY_ENGINE_EVENTS_MASK_SECRETS_H_
#define BELAY_ENGINE_EVENTS_MASK_SECRETS_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace belay {

std::string MaskSecrets(std::string_view text);

// Where a value in a command line ends, read as the shell reads it, or as whoever gets the text
// between the quotes does.
//
// In doubt a value is longer: an escaped quote never ends one, and what is quoted and doesn't end
// goes to the end of the text.

bool IsBlank(char c);  // not a line's end

// Behind blanks, and behind line ends that are escaped.
std::size_t SkipBlanks(std::string_view text, std::size_t at);

// The mark that a quoted text at `at` begins with: ", ' or, inside of another one, \". Empty: none.
std::string_view OpeningQuote(std::string_view text, std::size_t at);
// Where the mark that closes it begins; the end of the text if there is none. `at` is where
// `opening` stands.
std::size_t ClosingQuote(std::string_view text, std::size_t at, std::string_view opening);

// Behind the word at `at`, with all that is quoted in it. `enclosing` is the quote that all of it
// stands in, 0 for none; it ends the word, and ; | & ( ) < > end it only without one.
std::size_t EndOfWord(std::string_view text, std::size_t at, char enclosing);

}  // namespace belay

#endif  // BELAY_ENGINE_EVENTS_MASK_SECRETS_H_
