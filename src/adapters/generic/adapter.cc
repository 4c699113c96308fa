#include "adapters/generic/adapter.h"

namespace belay {
namespace {

class Generic final : public AgentAdapter {
 public:
  std::string_view title() const override { return "a generic agent"; }
};

}  // namespace

const AgentAdapter& GenericAdapter() {
  static const Generic adapter;
  return adapter;
}

}  // namespace belay
