#include "engine/merge/settings.h"

#include "base/check.h"
#include "codec/hash.h"
#include "codec/json.h"
#include "model/json_fields.h"

namespace belay {
namespace {

MergeStrategy StrategyNamed(std::string_view name) {
  if (name == "squash") return MergeStrategy::kSquash;
  return name == "merge" ? MergeStrategy::kMerge : MergeStrategy::kRebase;
}

// The schema guarantees the shape.
GateRule ReadGate(const Json& gate) {
  JsonFields fields(gate, "gate");
  GateRule rule{fields.Text("name"), fields.Text("run")};
  rule.timeout = fields.Length("timeout");
  rule.retries = fields.Count("retries");
  rule.quality_gate = fields.Text("quality_gate");
  BELAY_CHECK(fields.ok());
  return rule;
}

}  // namespace

MergeSettings ReadMergeSettings(const Config& config) {
  MergeSettings settings;
  settings.target = config.Text("merge.target");
  settings.strategy = StrategyNamed(config.Text("merge.strategy"));
  settings.committer =
      config.Text("merge.committer") == "keep" ? CommitterDate::kKeep : CommitterDate::kLanding;
  settings.dirty_checkout =
      config.Text("merge.dirty_checkout") == "land" ? DirtyCheckout::kLand : DirtyCheckout::kWait;
  settings.most_attempts = static_cast<std::uint32_t>(config.Integer("merge.most_attempts"));
  settings.keep_age = config.Length("merge.keep_age");
  for (const Json& gate : config.Gates("merge.gates")) settings.gates.push_back(ReadGate(gate));
  return settings;
}

std::string RuleDigest(const GateRule& rule) {
  constexpr std::size_t kEnough = 16;
  return Sha256Hex(WriteJson(MakeObject({{"name", rule.name},
                                         {"run", rule.run},
                                         {"timeout", FormatDuration(rule.timeout)},
                                         {"retries", std::int64_t{rule.retries}}})))
      .substr(0, kEnough);
}

GateOutcome OutcomeOf(int exit_code, bool timed_out) {
  if (timed_out) return GateOutcome::kTimedOut;
  if (exit_code == 0) return GateOutcome::kPassed;
  const bool unrunnable = exit_code == 126 || exit_code == 127;
  return unrunnable ? GateOutcome::kUnrunnable : GateOutcome::kFailed;
}

GateVerdict JudgeGate(const GateRule& rule, std::span<const GateOutcome> runs) {
  if (runs.empty()) return GateVerdict::kAgain;
  switch (runs.back()) {
    case GateOutcome::kPassed:
      return GateVerdict::kGreen;
    case GateOutcome::kUnrunnable:
      return GateVerdict::kUnrunnable;
    case GateOutcome::kCancelled:
      return GateVerdict::kCancelled;
    case GateOutcome::kFailed:
    case GateOutcome::kTimedOut:
      return runs.size() <= rule.retries ? GateVerdict::kAgain : GateVerdict::kRed;
  }
  __builtin_unreachable();
}

MergeStatus StatusAfterGates(std::span<const GateResult> results) {
  for (const GateResult& result : results) {
    switch (result.outcome) {
      case GateOutcome::kPassed:
        continue;
      case GateOutcome::kUnrunnable:
        return MergeStatus::kGateUnrunnable;
      case GateOutcome::kCancelled:
        return MergeStatus::kCancelled;
      case GateOutcome::kFailed:
      case GateOutcome::kTimedOut:
        return MergeStatus::kGateFailed;
    }
  }
  return MergeStatus::kMerging;
}

}  // namespace belay
