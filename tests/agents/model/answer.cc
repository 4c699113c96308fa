#include "agents/model/answer.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "agents/model/message_stream.h"

namespace belay {
namespace {

std::string_view ErrorTypeOf(int status) {
  switch (status) {
    case 400:
      return "invalid_request_error";
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 413:
      return "request_too_large";
    case 429:
      return "rate_limit_error";
    case 529:
      return "overloaded_error";
    default:
      return "api_error";
  }
}

Json ErrorBody(int status, std::string_view message, std::string_view type) {
  const std::string_view named = type.empty() ? ErrorTypeOf(status) : type;
  return MakeObject({{"type", "error"},
                     {"error", MakeObject({{"type", named}, {"message", message}})},
                     {"request_id", "req_script"}});
}

using Headers = std::map<std::string, std::string>;

std::string Head(int status, const Headers& headers) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", status, status == 200 ? "OK" : "Error");
  for (const auto& [name, value] : headers) head += fmt::format("{}: {}\r\n", name, value);
  return head + "\r\n";
}

std::string PlainBytes(int status, const Json& body, Headers headers) {
  const std::string text = WriteJson(body);
  headers["content-type"] = "application/json";
  headers["content-length"] = fmt::format("{}", text.size());
  return Head(status, headers) + text;
}

std::string Chunk(std::string_view bytes) {
  return fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes);
}

// The first `most` events, and the end of the body if these are all.
std::string StreamBytes(const std::vector<std::string>& events, std::size_t most, Headers headers) {
  headers["content-type"] = "text/event-stream";
  headers["transfer-encoding"] = "chunked";
  std::string bytes = Head(200, headers);
  for (std::size_t i = 0; i < std::min(most, events.size()); ++i) bytes += Chunk(events[i]);
  if (most >= events.size()) bytes += "0\r\n\r\n";
  return bytes;
}

}  // namespace

std::string_view AnswerEndName(AnswerEnd end) {
  switch (end) {
    case AnswerEnd::kWhole:
      return "whole";
    case AnswerEnd::kCut:
      return "cut";
    case AnswerEnd::kStall:
      return "stalled";
  }
  return "";
}

Answer JsonAnswer(int status, const Json& body) {
  return {.bytes = PlainBytes(status, body, {}), .status = status};
}

Answer ErrorAnswer(int status, std::string_view message, std::string_view type) {
  return JsonAnswer(status, ErrorBody(status, message, type));
}

Answer MakeAnswer(const Reply& reply, const ModelRequest& request, std::int64_t number) {
  Answer answer{.delay = reply.delay, .status = reply.status};
  if (reply.stall) {
    answer.end = AnswerEnd::kStall;
    return answer;
  }
  if (reply.cut_after) answer.end = AnswerEnd::kCut;
  if (reply.stall_after) answer.end = AnswerEnd::kStall;
  const std::size_t most = reply.cut_after.value_or(reply.stall_after.value_or(SIZE_MAX - 1));
  if (reply.status != 200) {
    const std::string message = reply.message.empty() ? "scripted" : reply.message;
    answer.bytes =
        PlainBytes(reply.status, ErrorBody(reply.status, message, reply.error_type), reply.headers);
  } else if (request.stream) {
    // One that is to be broken off lacks at least its end.
    const std::vector<std::string> events = StreamEvents(reply, request, number);
    const std::size_t longest = answer.end == AnswerEnd::kWhole ? SIZE_MAX : events.size() - 1;
    answer.bytes = StreamBytes(events, std::min(most, longest), reply.headers);
  } else if (most > 0) {
    answer.bytes = PlainBytes(200, WholeMessage(reply, request, number), reply.headers);
  }
  return answer;
}

}  // namespace belay
