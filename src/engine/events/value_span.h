// Where a value in a command line ends, read as the shell reads it, or as whoever gets the text
// between the quotes does.
//
// In doubt a value is longer: an escaped quote never ends one, and what is quoted and doesn't end
// goes to the end of the text.

#ifndef BELAY_ENGINE_EVENTS_VALUE_SPAN_H_
#define BELAY_ENGINE_EVENTS_VALUE_SPAN_H_

#include <cstddef>
#include <string_view>

namespace belay {

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

#endif  // BELAY_ENGINE_EVENTS_VALUE_SPAN_H_
