#include "agents/model_log.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "codec/json.h"

namespace belay {
namespace {

bool Holds(const Json& value, std::string_view text) {
  if (const std::string* string = value.AsString()) return string->find(text) != string->npos;
  if (const Json::Array* items = value.AsArray()) {
    return std::any_of(items->begin(), items->end(),
                       [&](const Json& item) { return Holds(item, text); });
  }
  const Json::Object* members = value.AsObject();
  return members != nullptr &&
         std::any_of(members->begin(), members->end(),
                     [&](const JsonMember& member) { return Holds(member.value, text); });
}

}  // namespace

std::string ModelLog::Text(const Json& record, std::string_view key) { return TextIn(record, key); }

void ModelLog::CatchUp() {
  std::ifstream file(path_, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(read_));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::size_t at = 0;
  for (std::size_t end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    Result<Json> line = ParseJson(std::string_view(text).substr(at, end - at));
    if (!line) continue;
    if (line->Find("answered") != nullptr) {
      answered_.push_back(*std::move(line));
    } else if (Text(*line, "path") == "/v1/messages") {
      requests_.push_back(*std::move(line));
    }
  }
  read_ += at;
}

const std::vector<Json>& ModelLog::Requests() {
  CatchUp();
  return requests_;
}

std::vector<Json> ModelLog::AnsweredBy(std::string_view step) {
  std::vector<Json> found;
  for (const Json& request : Requests()) {
    if (Text(request, "step") == step) found.push_back(request);
  }
  return found;
}

bool ModelLog::Answered(std::int64_t request, std::string_view end) {
  CatchUp();
  for (const Json& line : answered_) {
    if (*line.Find("answered") == Json(request) && Text(line, "end") == end) return true;
  }
  return false;
}

bool ModelLog::Answered(std::string_view step, std::string_view end) {
  for (const Json& request : AnsweredBy(step)) {
    if (Answered(*request.Find("request")->AsInteger(), end)) return true;
  }
  return false;
}

bool ModelLog::Tells(const Json& request, std::string_view text) {
  const Json* body = request.Find("body");
  const Json* messages = body != nullptr ? body->Find("messages") : nullptr;
  return messages != nullptr && Holds(*messages, text);
}

bool ModelLog::WasSent(std::string_view text) {
  const std::vector<Json>& requests = Requests();
  return std::any_of(requests.begin(), requests.end(),
                     [&](const Json& request) { return Tells(request, text); });
}

std::string ModelLog::Summary() {
  std::string summary;
  for (const Json& request : Requests()) {
    const std::string said = Text(request, "last_user");
    const std::size_t from = said.size() > 300 ? said.size() - 300 : 0;
    summary += fmt::format("step {}: ...{}\n", Text(request, "step"), said.substr(from));
  }
  return summary;
}

}  // namespace belay
