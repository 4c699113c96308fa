#include "agents/model/model_request.h"

#include "codec/json.h"

namespace belay {
namespace {

void AddLine(std::string_view text, std::string& out) {
  if (!out.empty()) out += '\n';
  out += text;
}

// Every text in it, in order.
void AddTexts(const Json& value, std::string& out) {
  if (const std::string* text = value.AsString()) return AddLine(*text, out);
  if (const Json::Array* items = value.AsArray()) {
    for (const Json& item : *items) AddTexts(item, out);
  }
  if (const Json::Object* members = value.AsObject()) {
    for (const JsonMember& member : *members) AddTexts(member.value, out);
  }
}

// A text, or a list of blocks that have one in `text` (said) or `content` (a tool's result).
void AddContent(const Json& content, std::string& out) {
  if (const std::string* text = content.AsString()) return AddLine(*text, out);
  const Json::Array* blocks = content.AsArray();
  if (blocks == nullptr) return;
  for (const Json& block : *blocks) {
    for (const std::string_view key : {"text", "content"}) {
      if (const Json* inner = block.Find(key)) AddContent(*inner, out);
    }
  }
}

std::string LastUserMessage(const Json& body) {
  std::string text;
  const Json* messages = body.Find("messages");
  if (messages == nullptr || messages->AsArray() == nullptr) return text;
  const Json::Array& list = *messages->AsArray();
  for (auto message = list.rbegin(); message != list.rend(); ++message) {
    if (TextIn(*message, "role") != "user") continue;
    if (const Json* content = message->Find("content")) AddContent(*content, text);
    break;
  }
  return text;
}

bool HasTools(const Json& body) {
  const Json* tools = body.Find("tools");
  return tools != nullptr && tools->AsArray() != nullptr && !tools->AsArray()->empty();
}

bool IsTrue(const Json* value) {
  return value != nullptr && value->AsBool() != nullptr && *value->AsBool();
}

}  // namespace

Result<ModelRequest> ReadModelRequest(std::string_view body) {
  ModelRequest request;
  BELAY_TRY_ASSIGN(request.body, ParseJson(body));
  if (request.body.AsObject() == nullptr) {
    return Error{ErrorCode::kDamaged, "the request is not an object"};
  }
  request.last_user = LastUserMessage(request.body);
  if (const Json* system = request.body.Find("system")) AddContent(*system, request.system);
  AddTexts(request.body, request.everything);
  request.model = TextIn(request.body, "model");
  request.tools = HasTools(request.body);
  request.stream = IsTrue(request.body.Find("stream"));
  return request;
}

}  // namespace belay
