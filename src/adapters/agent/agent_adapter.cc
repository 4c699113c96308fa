#include "adapters/agent/agent_adapter.h"

namespace belay {

std::string_view ApiFailureName(ApiFailure failure) {
  switch (failure) {
    case ApiFailure::kNone:
      return "none";
    case ApiFailure::kRateLimit:
      return "rate_limit";
    case ApiFailure::kAuth:
      return "auth";
    case ApiFailure::kServer:
      return "server";
    case ApiFailure::kPromptTooLong:
      return "prompt_too_long";
    case ApiFailure::kOther:
      return "other";
  }
  __builtin_unreachable();
}

}  // namespace belay
