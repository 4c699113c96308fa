#include "codec/yaml.h"

#include <algorithm>

#include "codec/yaml_events.h"
#include "codec/yaml_source.h"
#include "codec/yaml_tree.h"

namespace belay {

const YamlNode* YamlNode::Find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const YamlEntry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

Result<YamlNode> ParseYaml(std::string_view text, const YamlLimits& limits) {
  BELAY_TRY_ASSIGN(const std::string prepared, yaml::Prepare(text, limits));
  const yaml::Places places(prepared);
  const TextPosition end = places.At(prepared.size() - 1);
  yaml::EventStream events(prepared);
  yaml::TreeBuilder builder(prepared, places, limits);
  while (const yaml::Event event = events.Next()) BELAY_TRY(builder.Take(*event));
  if (auto problem = events.Problem(end)) return *std::move(problem);
  if (events.failed() || !builder.complete())
    return yaml::ErrorAt(end, "the text can't be parsed beyond this point");
  return std::move(builder).Root();
}

}  // namespace belay
