#include "engine/context_window/context_tier.h"

namespace belay {
namespace {

constexpr ContextTier kTiers[] = {ContextTier::kNominal, ContextTier::kLow, ContextTier::kWarning,
                                  ContextTier::kCritical, ContextTier::kEmergency};

}  // namespace

std::string_view ContextTierName(ContextTier tier) {
  switch (tier) {
    case ContextTier::kNominal:
      return "NOMINAL";
    case ContextTier::kLow:
      return "LOW";
    case ContextTier::kWarning:
      return "WARNING";
    case ContextTier::kCritical:
      return "CRITICAL";
    case ContextTier::kEmergency:
      return "EMERGENCY";
  }
  __builtin_unreachable();
}

ContextSettings ReadContextSettings(const Config& config) {
  const auto percent = [&](std::string_view key) { return static_cast<int>(config.Integer(key)); };
  ContextSettings settings;
  settings.limits = {.low = percent("context.low"),
                     .warning = percent("context.warning"),
                     .critical = percent("context.critical"),
                     .emergency = percent("context.emergency")};
  settings.window = static_cast<std::uint64_t>(config.Integer("context.window"));
  return settings;
}

int FillPercent(std::uint64_t tokens, std::uint64_t window) {
  if (tokens >= window) return 100;
  // If the product would overflow, the last digits don't matter.
  while (window > (std::uint64_t{1} << 55U)) {
    tokens /= 2;
    window /= 2;
  }
  return static_cast<int>((200 * tokens + window) / (2 * window));
}

ContextTier TierOf(int percent, const ContextLimits& limits) {
  if (percent >= limits.emergency) return ContextTier::kEmergency;
  if (percent >= limits.critical) return ContextTier::kCritical;
  if (percent >= limits.warning) return ContextTier::kWarning;
  if (percent >= limits.low) return ContextTier::kLow;
  return ContextTier::kNominal;
}

}  // namespace belay
