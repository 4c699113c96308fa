#include "agents/model/scripted_model.h"

#include <utility>

namespace belay {
namespace {

constexpr std::string_view kMessages = "/v1/messages";
constexpr std::string_view kCountTokens = "/v1/messages/count_tokens";
constexpr std::size_t kBytesAToken = 4;

}  // namespace

HttpServer::Planned ScriptedModel::Handle(const HttpRequest& request) {
  const std::int64_t number = ++number_;
  Json line = MakeObject({{"request", number}, {"method", request.method}, {"path", request.path}});
  Answer answer = Decide(request, line);
  line.Set("status", answer.status);
  log_(line);
  const std::string_view end = AnswerEndName(answer.end);
  return {std::move(answer), [log = log_, number, end](bool sent) {
            log(MakeObject({{"answered", number}, {"end", sent ? end : "gone"}}));
          }};
}

Answer ScriptedModel::Decide(const HttpRequest& request, Json& line) {
  const bool known = request.path == kMessages || request.path == kCountTokens;
  if (request.method != "POST" || !known) return ErrorAnswer(404, "there is nothing here");
  Result<ModelRequest> read = ReadModelRequest(request.body);
  if (!read) return ErrorAnswer(400, read.error().message);
  line.Set("stream", read->stream);
  line.Set("tools", read->tools);
  line.Set("model", read->model);
  line.Set("last_user", read->last_user);
  line.Set("system", read->system);
  line.Set("body", read->body);
  if (request.path == kMessages) return DecideMessage(*read, line);
  return JsonAnswer(200, MakeObject({{"input_tokens", request.body.size() / kBytesAToken}}));
}

Answer ScriptedModel::DecideMessage(const ModelRequest& request, Json& line) {
  const Step& step = player_.Choose(request);
  line.Set("step", step.name);
  return MakeAnswer(step.reply, request, number_);
}

}  // namespace belay
