#include "agents/script_writer.h"

#include <utility>

namespace belay {

ScriptStep::ScriptStep(std::string_view name)
    : step_(MakeObject({{"name", name},
                        {"match", MakeObject({{"tools", true}})},
                        {"reply", Json::EmptyObject()}})) {
  UnlessUserSays("Warmup");
}

// A member of `match` or `reply`, made if it isn't there.
Json& ScriptStep::At(std::string_view part, std::string_view key, Json empty) {
  Json& object = *step_.Find(part);
  if (object.Find(key) == nullptr) object.Set(key, std::move(empty));
  return *object.Find(key);
}

ScriptStep& ScriptStep::Match(std::string_view key, std::string_view text) {
  At("match", key, Json::EmptyArray()).Append(text);
  return *this;
}

ScriptStep& ScriptStep::Set(std::string_view key, Json value) {
  step_.Find("reply")->Set(key, std::move(value));
  return *this;
}

ScriptStep& ScriptStep::WithoutTools() {
  step_.Find("match")->Set("tools", false);
  return *this;
}

ScriptStep& ScriptStep::WithOrWithoutTools() {
  step_.Find("match")->Remove("tools");
  return *this;
}

ScriptStep& ScriptStep::Times(std::int64_t most) {
  step_.Find("match")->Set("times", most);
  return *this;
}

ScriptStep& ScriptStep::Says(std::string_view text) {
  At("reply", "content", Json::EmptyArray()).Append(MakeObject({{"text", text}}));
  return *this;
}

ScriptStep& ScriptStep::Uses(std::string_view tool, Json input) {
  At("reply", "content", Json::EmptyArray())
      .Append(MakeObject({{"tool", tool}, {"input", std::move(input)}}));
  return *this;
}

ScriptStep& ScriptStep::RunsBash(std::string_view command) {
  return Uses("Bash", MakeObject({{"command", command}, {"description", "a scripted command"}}));
}

ScriptStep& ScriptStep::Writes(std::string_view path, std::string_view content) {
  return Uses("Write", MakeObject({{"file_path", path}, {"content", content}}));
}

ScriptStep& ScriptStep::WithInputTokens(std::int64_t count) {
  At("reply", "usage", Json::EmptyObject()).Set("input_tokens", count);
  return *this;
}

ScriptStep& ScriptStep::Fails(int status, std::string_view message) {
  return Set("status", status).Set("message", message);
}

ScriptStep& ScriptStep::WithHeader(std::string_view name, std::string_view value) {
  At("reply", "headers", Json::EmptyObject()).Set(name, value);
  return *this;
}

std::string ModelScript::Text() const {
  Json list = Json::EmptyArray();
  for (const ScriptStep& step : steps_) list.Append(step.json());
  return WriteJson(list, JsonStyle::kIndented);
}

}  // namespace belay
