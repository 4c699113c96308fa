// Any text is parsed and followed in bounded time; what isn't understood has an unknown effect.

#include <algorithm>
#include <cstdint>

#include "base/check.h"
#include "codec/shell.h"
#include "engine/shell/effects.h"
#include "engine/shell/guarded_paths.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const belay::ShellLine line = belay::ParseShell(text);
  BELAY_CHECK(belay::VerdictsOf(line.script).size() == line.script.steps.size());
  const std::vector<belay::ShellEffect> effects =
      belay::EffectsOf(text, {.folder = "/w", .home = "/h"});
  const bool unknown = std::any_of(effects.begin(), effects.end(), [](const auto& effect) {
    return effect.certainty == belay::Certainty::kUnknown;
  });
  BELAY_CHECK(line.problem.empty() || unknown);
  for (const belay::ShellEffect& effect : effects) (void)belay::CanBe(effect.what, "/w/a.yml");
  const belay::GuardedPaths guarded = {.root = "/w",
                                       .paths = {{"/w/.c/a.yml"}, {"/w/.git/b", true}}};
  (void)belay::GuardedByLine(guarded, effects, text);
  return 0;
}
