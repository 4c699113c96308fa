// The one builder of every text that is put before a model: resume texts, injected contexts,
// re-orientation, briefs.
//
//   PromptBuilder text(8'000);
//   text.Say("You are a continuation of {}.", predecessor);
//   text.Show({.label = "files modified",
//              .text = ForeignText::Lines(files),
//              .shown_by = OwnWords("belay hook show {}", predecessor.identity()),
//              .rank = 1});
//   text.Say("Continue where it stopped.");
//   const std::string prompt = text.Build(random);
//
// gives paragraphs and data blocks (data_block.h) in this order. Before the first block stands a
// sentence which says that blocks are data and hold no instructions to follow. All sizes are in
// code points.

#ifndef BELAY_PROMPT_PROMPT_BUILDER_H_
#define BELAY_PROMPT_PROMPT_BUILDER_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "os/random.h"
#include "prompt/foreign_text.h"
#include "prompt/own_words.h"

namespace belay {

struct DataPart {
  Label label;
  ForeignText text;
  OwnWords shown_by;         // the command that shows all of it
  int rank;                  // 1 matters most: the last to be cut or left out
  std::size_t least = 200;   // with less of it than this, it is left out rather than cut
  std::size_t most = 4'000;  // of the text itself, however much room there is
};

// Whose words a passage is.
enum class Speaker { kUser, kBelay };

// Words that a model may follow, said by the user or by belay, which are no literals: they stand in
// full between markers with a nonce of their own, so that nothing in them can end the passage.
struct Passage {
  Speaker speaker;
  ForeignText text;
};

class PromptBuilder {
 public:
  // `most` for the whole text. belay's own words always stand in full, so they must fit, along with
  // a line for each part that may be left out; everything else gives way.
  explicit PromptBuilder(std::size_t most) : most_(most) {}

  template <Sayable... Values>
  PromptBuilder& Say(Sentence<std::type_identity_t<Values>...> sentence, const Values&... values) {
    pieces_.emplace_back(OwnWords(sentence, values...));
    return *this;
  }

  // A part that was cut is followed by a line that says how much is missing, one that was left out
  // is replaced by it; the line names the command that shows it.
  PromptBuilder& Show(DataPart part);

  // A sentence before it has to say whose it is.
  PromptBuilder& Quote(Passage passage);

  // Each call draws a new nonce, after all texts are known; otherwise the same pieces give the same
  // text. It is valid UTF-8 without control characters but tabs and line breaks.
  std::string Build(Random& random) const;

 private:
  using Piece = std::variant<OwnWords, DataPart, Passage>;

  std::string DrawNonceFor(Random& random, std::string_view other) const;
  bool HasPassages() const;

  std::size_t most_;
  std::vector<Piece> pieces_;
};

// Who gets how much of too little room: pure arithmetic, in whatever unit the caller counts.

struct Demand {
  int rank;              // 1 matters most; among equals the earlier one does
  std::size_t left_out;  // what it takes to say that it was left out
  std::size_t least;     // less isn't worth having
  std::size_t wanted;    // at least `least`
};

// What each demand gets, from `least` to `wanted`, in their order; nothing for those left out.
//
// A demand is left out only when its least doesn't fit although all that matter less are left out.
// What remains then goes to those that matter most, up to what they want: so the least important
// are cut first. The sum, with `left_out` for those left out, exceeds `room` only if all of them
// left out would.
std::vector<std::optional<std::size_t>> ShareOut(std::span<const Demand> demands, std::size_t room);

}  // namespace belay

#endif  // BELAY_PROMPT_PROMPT_BUILDER_H_
