#include "engine/merge/settings.h"

#include "base/check.h"
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

}  // namespace belay
