// The only builder of texts for models: resume texts, injected contexts, re-orientation, briefs.
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
// gives paragraphs and data blocks (data_block.h) in this order. Before the first block, a sentence
// explains that blocks are data and hold no instructions to follow. All sizes are in code points.

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
  std::size_t least = 200;   // with less room than this, it is left out rather than cut
  std::size_t most = 4'000;  // of the text itself, even if there is more room
};

// The author of a passage.
enum class Speaker { kUser, kBelay };

// Text of the user or of belay that a model may follow and that is not a literal: it appears in
// full between markers with their own nonce, so that nothing in it can end the passage.
struct Passage {
  Speaker speaker;
  ForeignText text;
};

class PromptBuilder {
 public:
  // `most` for the whole text. belay's own words always appear in full, so they must fit, along
  // with a line for each part that may be left out; everything else gives way.
  explicit PromptBuilder(std::size_t most) : most_(most) {}

  template <Sayable... Values>
  PromptBuilder& Say(Sentence<std::type_identity_t<Values>...> sentence, const Values&... values) {
    pieces_.emplace_back(OwnWords(sentence, values...));
    return *this;
  }

  // A cut part is followed by a line that counts the missing characters; a part that is left out is
  // replaced by that line. The line names the command that shows everything.
  PromptBuilder& Show(DataPart part);

  // A sentence before it must name the author.
  PromptBuilder& Quote(Passage passage);

  // Each call draws a new nonce, after all texts are known; otherwise the same parts give the same
  // text. It is valid UTF-8 without control characters except tabs and line breaks.
  std::string Build(Random& random) const;

 private:
  using Piece = std::variant<OwnWords, DataPart, Passage>;

  std::string DrawNonceFor(Random& random, std::string_view other) const;
  bool HasPassages() const;

  std::size_t most_;
  std::vector<Piece> pieces_;
};

// Distributes limited room: pure arithmetic, in the caller's unit.

struct Demand {
  int rank;              // 1 is the most important; among equals the earlier one
  std::size_t left_out;  // size of the note that it was left out
  std::size_t least;     // less isn't useful
  std::size_t wanted;    // at least `least`
};

// The share of each demand, from `least` to `wanted`, in their order; nothing for those left out.
//
// A demand is left out only when its least doesn't fit although all less important ones are left
// out. The rest goes to the most important ones, up to what they want: so the least important are
// cut first. The sum, with `left_out` for those left out, exceeds `room` only if leaving out all of
// them would.
std::vector<std::optional<std::size_t>> ShareOut(std::span<const Demand> demands, std::size_t room);

}  // namespace belay

#endif  // BELAY_PROMPT_PROMPT_BUILDER_H_
