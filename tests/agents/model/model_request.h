// What a client asks the model, as far as a script looks at it.

#ifndef BELAY_TESTS_AGENTS_MODEL_MODEL_REQUEST_H_
#define BELAY_TESTS_AGENTS_MODEL_MODEL_REQUEST_H_

#include <string>
#include <string_view>

#include "base/result.h"
#include "codec/json.h"

namespace belay {

// Texts are decoded, and several of them are joined by line ends.
struct ModelRequest {
  Json body;
  std::string last_user;   // the last message of the user: its texts and its tools' results
  std::string system;      // the system prompt
  std::string everything;  // every text anywhere in it
  std::string model;
  bool tools = false;  // some are offered
  bool stream = false;
};

Result<ModelRequest> ReadModelRequest(std::string_view body);

}  // namespace belay

#endif  // BELAY_TESTS_AGENTS_MODEL_MODEL_REQUEST_H_
