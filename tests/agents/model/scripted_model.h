// The model's side of the Messages API: chooses the step that answers, and logs every request.
//
// The log has one JSON line a request, written before it is answered:
//   {"request": 1, "method", "path", "step", "status", "stream", "tools", "model",
//    "last_user", "system", "body"}
// and one when all that is to be sent was sent, or the client was gone before:
//   {"answered": 1, "end": "whole" | "cut" | "stalled" | "gone"}

#ifndef BELAY_TESTS_AGENTS_MODEL_SCRIPTED_MODEL_H_
#define BELAY_TESTS_AGENTS_MODEL_SCRIPTED_MODEL_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "agents/model/http_request.h"
#include "agents/model/script.h"
#include "agents/model/server.h"
#include "codec/json.h"

namespace belay {

class ScriptedModel {
 public:
  using Log = std::function<void(const Json& line)>;

  ScriptedModel(std::vector<Step> steps, Log log)
      : player_(std::move(steps)), log_(std::move(log)) {}

  HttpServer::Planned Handle(const HttpRequest& request);

 private:
  Answer Decide(const HttpRequest& request, Json& line);
  Answer DecideMessage(const ModelRequest& request, Json& line);

  ScriptPlayer player_;
  Log log_;
  std::int64_t number_ = 0;
};

}  // namespace belay

#endif  // BELAY_TESTS_AGENTS_MODEL_SCRIPTED_MODEL_H_
