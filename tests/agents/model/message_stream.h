// A message of the model, whole or as the events of a stream.

#ifndef BELAY_TESTS_AGENTS_MODEL_MESSAGE_STREAM_H_
#define BELAY_TESTS_AGENTS_MODEL_MESSAGE_STREAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "agents/model/model_request.h"
#include "agents/model/script.h"
#include "codec/json.h"

namespace belay {

Json WholeMessage(const Reply& reply, const ModelRequest& request, std::int64_t number);

// message_start; for each block its start, several deltas and its stop; message_delta;
// message_stop. Each as "event: ...\ndata: ...\n\n".
std::vector<std::string> StreamEvents(const Reply& reply, const ModelRequest& request,
                                      std::int64_t number);

}  // namespace belay

#endif  // BELAY_TESTS_AGENTS_MODEL_MESSAGE_STREAM_H_
