// How full a context window is, and the name of that tier. Pure.
//
// clang-format off
//   filled to at least           tier
//   --------------------------   ---------
//   0 %                          NOMINAL
//   55 % (context.low)           LOW
//   70 % (context.warning)       WARNING
//   80 % (context.critical)      CRITICAL
//   88 % (context.emergency)     EMERGENCY
// clang-format on
//
// The percentage is a whole number, rounded as agents show it (half a percent up, never over 100),
// so that belay and the agent's own screen show the same figure; the tier follows from it.
//
// The window size comes from the agent's status line, else from `context.window`; a transcript
// doesn't contain it.

#ifndef BELAY_ENGINE_CONTEXT_WINDOW_CONTEXT_TIER_H_
#define BELAY_ENGINE_CONTEXT_WINDOW_CONTEXT_TIER_H_

#include <cstdint>
#include <string_view>

#include "config/config.h"

namespace belay {

// In ascending order.
enum class ContextTier { kNominal, kLow, kWarning, kCritical, kEmergency };
std::string_view ContextTierName(ContextTier tier);  // "NOMINAL"

// In percent, in ascending order; the configuration ensures that.
struct ContextLimits {
  int low = 55;
  int warning = 70;
  int critical = 80;
  int emergency = 88;
};

struct ContextSettings {
  ContextLimits limits = {};
  std::uint64_t window = 200'000;  // tokens
};
ContextSettings ReadContextSettings(const Config& config);

// From 0 to 100. A window of 0 tokens is full.
int FillPercent(std::uint64_t tokens, std::uint64_t window);

ContextTier TierOf(int percent, const ContextLimits& limits = {});

}  // namespace belay

#endif  // BELAY_ENGINE_CONTEXT_WINDOW_CONTEXT_TIER_H_
