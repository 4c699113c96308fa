#include "agents/model/script.h"

#include <algorithm>
#include <utility>

namespace belay {

bool TextCondition::Holds(std::string_view text) const {
  const auto in_text = [&](const std::string& part) { return text.find(part) != text.npos; };
  return std::all_of(has.begin(), has.end(), in_text) &&
         std::none_of(lacks.begin(), lacks.end(), in_text);
}

ScriptPlayer::ScriptPlayer(std::vector<Step> steps) : steps_(std::move(steps)) {
  Step rest{.name = "default"};
  rest.reply.content.push_back({.text = "Done."});
  steps_.push_back(std::move(rest));
  used_.resize(steps_.size());
}

bool ScriptPlayer::Matches(std::size_t index, const ModelRequest& request) const {
  const Match& match = steps_[index].match;
  if (match.times && used_[index] >= *match.times) return false;
  if (match.tools && *match.tools != request.tools) return false;
  return match.last_user.Holds(request.last_user) && match.system.Holds(request.system) &&
         match.body.Holds(request.everything);
}

const Step& ScriptPlayer::Choose(const ModelRequest& request) {
  std::size_t index = 0;
  while (index + 1 < steps_.size() && !Matches(index, request)) ++index;
  ++used_[index];
  return steps_[index];
}

}  // namespace belay
