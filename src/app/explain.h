// Explains what a shell command line would do, without running it.

#ifndef BELAY_APP_EXPLAIN_H_
#define BELAY_APP_EXPLAIN_H_

#include <span>
#include <string>
#include <vector>

#include "app/env.h"
#include "engine/shell/effects.h"

namespace belay {

struct ExplainOutcome {
  std::string line;
  std::vector<ShellEffect> effects = {};  // builtins without an effect of their own are left out
};

// One word is a whole command line, several are a program and its arguments. Patterns and scripts
// are looked up in the current folder.
ExplainOutcome ExplainLine(const Env& env, std::span<const std::string> words);

}  // namespace belay

#endif  // BELAY_APP_EXPLAIN_H_
