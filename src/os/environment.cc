#include "os/environment.h"

#include <unistd.h>

namespace belay {

Environment Environment::OfThisProcess() {
  Variables variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return Environment(std::move(variables));
}

std::optional<std::string> Environment::Get(std::string_view name) const {
  const auto at = variables_.find(name);
  if (at == variables_.end() || at->second.empty()) return std::nullopt;
  return at->second;
}

}  // namespace belay
