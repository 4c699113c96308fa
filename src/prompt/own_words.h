// belay's own words: the only text outside of data blocks, and so the only text that a model is
// asked to follow.
//
//   OwnWords("You are a continuation of {}.", predecessor)
//
// The words are a literal, which the compiler checks; the values come from the closed list in
// `Spelling`. It takes no std::string, so untrusted text can't get in by mistake.

#ifndef BELAY_PROMPT_OWN_WORDS_H_
#define BELAY_PROMPT_OWN_WORDS_H_

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/ids.h"
#include "base/time.h"
#include "prompt/foreign_text.h"

namespace belay {

// A name inside a command that a model is asked to run, such as a branch: one short word without
// any special meaning to a shell.

class CommandWord {
 public:
  static constexpr std::size_t kLongest = 64;

  // Nothing unless it consists of a-z, A-Z, 0-9 and ./_-, doesn't begin with a dash, and is short.
  static std::optional<CommandWord> From(std::string_view name);

  const std::string& text() const { return text_; }

 private:
  explicit CommandWord(std::string_view name) : text_(name) {}

  std::string text_;
};

class OwnWords;

// What may be inserted, and how it is written. Names of other closed sets (a phase, a reason)
// become OwnWords by a switch over literals. A new kind of value is added here and nowhere else:
// this list is all that has to be reviewed.
struct Spelling {
  static std::string Of(std::integral auto number) { return std::to_string(number); }
  static std::string Of(const IdentityName& name) { return name.text(); }
  static std::string Of(const AgentId& id) { return id.text(); }
  static std::string Of(WallTime time) { return FormatUtc(time); }
  static std::string Of(const QuotedLine& line) { return line.text(); }
  static std::string Of(const CommandWord& word) { return word.text(); }
  static std::string Of(const OwnWords& words);
};

template <class T>
concept Sayable = requires(const T& value) {
  Spelling::Of(value);
};

// Declared and never defined: a literal that breaks a rule calls one of them at compile time, and
// the error names it.
void OwnWordsArePrintableAsciiOnUnmarkedLines();
void EveryPairOfBracesNeedsOneValue();

consteval void CheckOwnWords(std::string_view words, std::size_t values) {
  bool line_begins = true;
  std::size_t holes = 0;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const char c = words[at];
    const bool printable = (c >= ' ' && c <= '~') || c == '\n';
    const bool marked = (line_begins && c == '|') || words.substr(at).starts_with("<<<");
    if (!printable || marked) OwnWordsArePrintableAsciiOnUnmarkedLines();
    if (words.substr(at).starts_with("{}")) ++holes;
    line_begins = c == '\n';
  }
  if (holes != values) EveryPairOfBracesNeedsOneValue();
}

// A literal with one "{}" for each value.
template <class... Values>
class Sentence {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a literal stands where a sentence is wanted.
  consteval Sentence(const char* literal) : words_(literal) {
    CheckOwnWords(words_, sizeof...(Values));
  }
  std::string_view words() const { return words_; }

 private:
  std::string_view words_;
};

class OwnWords {
 public:
  template <Sayable... Values>
  explicit OwnWords(Sentence<std::type_identity_t<Values>...> sentence, const Values&... values)
      : text_(Fill(sentence.words(), {Spelling::Of(values)...})) {}

  const std::string& text() const { return text_; }

 private:
  static std::string Fill(std::string_view words, std::initializer_list<std::string> values);

  std::string text_;
};

}  // namespace belay

#endif  // BELAY_PROMPT_OWN_WORDS_H_
