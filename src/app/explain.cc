#include "app/explain.h"

#include "base/text.h"

namespace belay {

ExplainOutcome ExplainLine(const Env& env, std::span<const std::string> words) {
  ExplainOutcome outcome;
  for (const std::string& word : words) {
    if (words.size() == 1) {
      outcome.line = word;
    } else {
      outcome.line += (outcome.line.empty() ? "" : " ") + ShellQuoted(word);
    }
  }
  outcome.effects = EffectsOf(outcome.line, {.folder = env.current_folder,
                                             .home = env.environment.Get("HOME").value_or(""),
                                             .files = &env.files});
  std::erase_if(outcome.effects, [](const ShellEffect& effect) { return effect.builtin; });
  return outcome;
}

}  // namespace belay
