#include "agents/model/http_request.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace belay {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

Error Wrong(std::string_view why) {
  return {ErrorCode::kDamaged, "HTTP request: " + std::string(why)};
}

std::string InSmallLetters(std::string_view text) {
  std::string small(text);
  for (char& c : small) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return small;
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

Result<std::size_t> Length(std::string_view text, int base) {
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length, base);
  if (error != std::errc() || end != text.data() + text.size()) return Wrong("not a length");
  if (length > kLongestHttpBody) return Wrong("the body is too long");
  return length;
}

// "POST /v1/messages?beta=true HTTP/1.1"
Result<HttpRequest> ReadRequestLine(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || last == first) return Wrong("not a request line");
  if (!line.substr(last + 1).starts_with("HTTP/1.")) return Wrong("not HTTP/1");
  const std::string_view target = line.substr(first + 1, last - first - 1);
  return HttpRequest{.method = std::string(line.substr(0, first)),
                     .path = std::string(target.substr(0, target.find('?')))};
}

// All lines before the empty one, without the last line end.
Result<HttpRequest> ReadHead(std::string_view head) {
  const std::size_t line_end = std::min(head.find(kLineEnd), head.size());
  BELAY_TRY_ASSIGN(HttpRequest request, ReadRequestLine(head.substr(0, line_end)));
  for (std::size_t at = line_end; at < head.size();) {
    at += kLineEnd.size();
    const std::size_t end = std::min(head.find(kLineEnd, at), head.size());
    const std::string_view line = head.substr(at, end - at);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return Wrong("a header without a colon");
    request.headers[InSmallLetters(line.substr(0, colon))] = Trimmed(line.substr(colon + 1));
    at = end;
  }
  return request;
}

struct Body {
  std::string bytes;
  std::size_t end;  // of it in what was received
};

Result<std::optional<Body>> ReadPlain(std::string_view received, std::size_t begin,
                                      std::string_view length_text) {
  BELAY_TRY_ASSIGN(const std::size_t length, Length(length_text, 10));
  if (received.size() - begin < length) return std::optional<Body>();
  return std::optional(Body{std::string(received.substr(begin, length)), begin + length});
}

// "5\r\nhello\r\n0\r\n\r\n"; extensions and trailers have no meaning here.
Result<std::optional<Body>> ReadChunks(std::string_view received, std::size_t begin) {
  std::string bytes;
  for (std::size_t at = begin;;) {
    const std::size_t line_end = received.find(kLineEnd, at);
    if (line_end == std::string_view::npos) return std::optional<Body>();
    const std::string_view line = received.substr(at, line_end - at);
    BELAY_TRY_ASSIGN(const std::size_t length, Length(Trimmed(line.substr(0, line.find(';'))), 16));
    const std::size_t end = line_end + kLineEnd.size() + length;
    if (received.size() < end + kLineEnd.size()) return std::optional<Body>();
    if (received.substr(end, kLineEnd.size()) != kLineEnd) return Wrong("a chunk without its end");
    if (length == 0) return std::optional(Body{std::move(bytes), end + kLineEnd.size()});
    if (bytes.size() + length > kLongestHttpBody) return Wrong("the body is too long");
    bytes.append(received.substr(line_end + kLineEnd.size(), length));
    at = end + kLineEnd.size();
  }
}

Result<std::optional<Body>> ReadBody(const HttpRequest& request, std::string_view received,
                                     std::size_t begin) {
  const auto encoding = request.headers.find("transfer-encoding");
  if (encoding != request.headers.end()) {
    if (InSmallLetters(encoding->second) != "chunked") return Wrong("an unknown encoding");
    return ReadChunks(received, begin);
  }
  const auto length = request.headers.find("content-length");
  if (length == request.headers.end()) return std::optional(Body{{}, begin});
  return ReadPlain(received, begin, length->second);
}

}  // namespace

Result<std::optional<HttpRequest>> TakeHttpRequest(std::string& received) {
  const std::size_t head_end = received.find("\r\n\r\n");
  if (std::min(head_end, received.size()) > kLongestHttpHead) return Wrong("the head is too long");
  if (head_end == std::string::npos) return std::optional<HttpRequest>();
  BELAY_TRY_ASSIGN(HttpRequest request, ReadHead(std::string_view(received).substr(0, head_end)));
  BELAY_TRY_ASSIGN(std::optional<Body> body, ReadBody(request, received, head_end + 4));
  if (!body) return std::optional<HttpRequest>();
  request.body = std::move(body->bytes);
  received.erase(0, body->end);
  return std::optional(std::move(request));
}

}  // namespace belay
