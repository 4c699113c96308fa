// Requests of HTTP/1.1, cut out of the bytes of a connection: with Content-Length or in chunks, one
// after the other on the same connection. Only what a client of a model API sends is understood;
// anything else is an error, after which the connection is of no use.

#ifndef BELAY_TESTS_AGENTS_MODEL_HTTP_REQUEST_H_
#define BELAY_TESTS_AGENTS_MODEL_HTTP_REQUEST_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"

namespace belay {

constexpr std::size_t kLongestHttpHead = std::size_t{256} << 10U;
constexpr std::size_t kLongestHttpBody = std::size_t{64} << 20U;

struct HttpRequest {
  std::string method;
  std::string path;                                              // without what follows a '?'
  std::map<std::string, std::string, std::less<>> headers = {};  // names in small letters
  std::string body = {};
};

// Takes the first request out of `received`; nothing, and nothing taken, while it isn't complete.
Result<std::optional<HttpRequest>> TakeHttpRequest(std::string& received);

}  // namespace belay

#endif  // BELAY_TESTS_AGENTS_MODEL_HTTP_REQUEST_H_
