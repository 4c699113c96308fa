#include "app/control.h"

#include <fmt/core.h>

#include "base/utf8.h"
#include "os/socket.h"

namespace belay {
namespace {

Result<ErrorCode> CodeNamed(std::string_view name) {
  for (const ErrorCode code : {ErrorCode::kFailed, ErrorCode::kUsage, ErrorCode::kNotFound,
                               ErrorCode::kRefused, ErrorCode::kDamaged, ErrorCode::kBusy}) {
    if (ErrorCodeName(code) == name) return code;
  }
  return Error{ErrorCode::kDamaged, fmt::format("unknown error code: {}", Quote(name))};
}

Result<Json> Unpack(Json answer) {
  const Json* error = answer.Find("error");
  if (error == nullptr || error->AsObject() == nullptr) return answer;
  BELAY_TRY_ASSIGN(const ErrorCode code, CodeNamed(TextIn(*error, "code")));
  return Error{code, TextIn(*error, "message"), TextIn(*error, "hint")};
}

}  // namespace

Json ControlGreeting() { return MakeObject({{"belay", "control"}, {"version", kControlVersion}}); }

Result<void> CheckControlGreeting(const Json& greeting) {
  const Json* version = greeting.Find("version");
  const bool control = TextIn(greeting, "belay") == "control" && version != nullptr &&
                       version->AsInteger() != nullptr;
  if (control && *version->AsInteger() == kControlVersion) return {};
  const std::string theirs =
      control ? fmt::format("version {}", *version->AsInteger()) : "something else";
  return Error{ErrorCode::kDamaged,
               fmt::format("this belay uses version {} of the control protocol, the other one {}",
                           kControlVersion, theirs),
               "use the same version of belay for both, or restart the guardian"};
}

Result<std::optional<Json>> AskGuardian(const Layout& project, const Json& request,
                                        Duration limit) {
  BELAY_TRY_ASSIGN(std::optional<LineSocket> socket,
                   IfThere(LineSocket::Connect(project.GuardianSocket(), limit)));
  if (!socket) return std::optional<Json>();
  BELAY_TRY(socket->Send(WriteJson(ControlGreeting()) + "\n" + WriteJson(request) + "\n"));
  BELAY_TRY_ASSIGN(const std::string greeting_line, socket->ReceiveLine(kLongestControlLine));
  BELAY_TRY_ASSIGN(const Json greeting, ParseJson(greeting_line));
  BELAY_TRY(CheckControlGreeting(greeting));
  BELAY_TRY_ASSIGN(const std::string line, socket->ReceiveLine(kLongestControlLine));
  BELAY_TRY_ASSIGN(Json answer, ParseJson(line));
  BELAY_TRY_ASSIGN(answer, Unpack(std::move(answer)));
  return std::optional<Json>(std::move(answer));
}

}  // namespace belay
