#include "merge/gates.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "adapters/git/scratch_worktree.h"
#include "base/path.h"
#include "base/text.h"
#include "engine/merge/merge_text.h"
#include "merge/failure_cause.h"

namespace belay {
namespace {

// As a file name.
std::string FileNameOf(std::string_view gate) {
  std::string name(gate.substr(0, 60));
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_';
    if (!plain) c = '_';
  }
  return name;
}

// The user's environment, without variables that would lead git or belay in a gate to another
// repository or agent.
Environment::Variables GateEnvironment(const Environment& ours) {
  Environment::Variables variables = ours.variables();
  std::erase_if(variables, [](const auto& variable) {
    return variable.first.starts_with("GIT_") || variable.first.starts_with("BELAY_");
  });
  return variables;
}

constexpr std::string_view kFolder = ".claude";
constexpr std::string_view kFile = ".claude/belay.yml";

// By git's names.
std::set<std::string, std::less<>> PathsOfSettings(const MergeEnv& env) {
  std::set<std::string, std::less<>> paths = {std::string(kFolder), std::string(kFile)};
  const Result<std::string> root = env.files.Resolve(env.project.Root());
  const Result<std::string> real = env.files.Resolve(env.project.ConfigFile());
  const bool inside = root && real && real->starts_with(*root + "/");
  if (inside) paths.insert(real->substr(root->size() + 1));
  return paths;
}

}  // namespace

std::string Gates::Mark() const { return env_.project.MergeScratch(); }

Result<void> Gates::EndLeftOnes() {
  BELAY_TRY_ASSIGN(const int ended, EndLeftGates(env_.clock, Mark()));
  if (ended > 0)
    env_.say(fmt::format("ended {} processes that an earlier gate left behind", ended));
  return {};
}

Result<std::string> Gates::CheckOut(const Subject& subject) {
  const ScratchPlace place{env_.common_folder, env_.project.MergeScratch()};
  const auto prepare = [&](const std::string& commit) -> Result<void> {
    BELAY_TRY_ASSIGN(const ObjectId id, ObjectId::Parse(commit));
    BELAY_TRY(PrepareScratch(env_.git, env_.files, place, id));
    return {};
  };
  const Result<void> prepared = prepare(subject.commit);
  if (prepared) return std::string();
  if (IsTemporary(env_, prepared.error())) return prepared.error();
  if (!prepare(subject.base)) return Error(prepared.error()).In("scratch worktree");
  return "it can't be checked out: " + OneLine(prepared.error().message);
}

Result<GateResult> Gates::RunOne(const GateRule& rule, const Subject& subject,
                                 const std::function<bool()>& cancelled) {
  const auto& [name, commit, base] = subject;
  BELAY_TRY_ASSIGN(const ObjectId id, ObjectId::Parse(commit));
  GateResult result{.name = rule.name, .commit = commit, .rule = RuleDigest(rule)};
  std::vector<GateOutcome> runs;
  GateVerdict verdict = GateVerdict::kAgain;
  while (verdict == GateVerdict::kAgain) {
    if (env_.interrupted()) {
      result.outcome = GateOutcome::kCancelled;
      return result;
    }
    BELAY_TRY_ASSIGN(result.detail, CheckOut(subject));
    if (!result.detail.empty()) {
      result.outcome = GateOutcome::kUnrunnable;
      return result;
    }
    result.log = JoinPath(env_.project.MergeLogFolder(),
                          fmt::format("{}-{}-{}-{}.log", FileNameOf(name), id.Short(),
                                      FileNameOf(rule.name), runs.size() + 1));
    const GateRequest request{rule, env_.project.MergeScratch(), result.log,
                              GateEnvironment(env_.environment), Mark()};
    const GateWatch watch{
        .progress = [&](const GateProgress& progress) { env_.progress(rule.name, progress); },
        .cancel_folder = env_.project.JournalFolder(),
        .cancelled = cancelled};
    BELAY_TRY_ASSIGN(const GateRun run, RunGate(env_.files, env_.loop, request, watch));
    runs.push_back(run.outcome);
    result.outcome = run.outcome;
    result.exit_code = run.exit_code;
    result.took = run.took;
    result.detail = run.detail;
    verdict = JudgeGate(rule, runs);
    if (verdict == GateVerdict::kAgain) {
      env_.say(fmt::format("{}: gate {}: {}, retrying", name, rule.name, run.detail));
    }
  }
  result.runs = static_cast<std::uint32_t>(runs.size());
  if (verdict == GateVerdict::kGreen || verdict == GateVerdict::kRed) {
    const bool flaky = verdict == GateVerdict::kGreen && runs.size() > 1;
    BELAY_TRY_ASSIGN(const MergeLock lock, MergeLedger::Lock(env_.files, env_.project));
    BELAY_TRY(ledger_.CountGate(lock, rule.name, flaky));
  }
  return result;
}

Result<std::vector<GateResult>> Gates::Judge(const Subject& subject,
                                             const std::function<bool()>& cancelled) {
  std::vector<GateResult> results;
  for (const GateRule& rule : env_.settings.gates) {
    BELAY_TRY_ASSIGN(GateResult result, RunOne(rule, subject, cancelled));
    results.push_back(std::move(result));
    if (results.back().outcome != GateOutcome::kPassed) break;
  }
  return results;
}

Result<bool> Gates::IsTargetRed(const MergeEntry& entry, GateResult& red) {
  const std::optional<bool> known =
      ledger_.book().Target(entry.target).Answer(red.name, red.rule, entry.base);
  bool green = known.value_or(false);
  if (!known) {
    const auto rule = std::ranges::find(env_.settings.gates, red.name, &GateRule::name);
    if (rule == env_.settings.gates.end()) return false;
    env_.say(fmt::format("{}: running gate {} on {} itself", entry.id(), red.name, entry.target));
    BELAY_TRY_ASSIGN(const GateResult targets,
                     RunOne(*rule, {entry.target, entry.base, {}}, [] { return false; }));
    const bool unknown =
        targets.outcome == GateOutcome::kUnrunnable || targets.outcome == GateOutcome::kCancelled;
    if (unknown) return false;
    green = targets.outcome == GateOutcome::kPassed;
    BELAY_TRY_ASSIGN(const MergeLock lock, MergeLedger::Lock(env_.files, env_.project));
    BELAY_TRY(ledger_.ChangeTarget(lock, entry.target, fmt::format("gate {} was run", red.name),
                                   [&](MergeTarget& changed) { changed.Remember(targets); }));
  }
  red.target_is_red = !green;
  red.detail +=
      green ? fmt::format("; {} passes it", entry.target)
            : fmt::format("; {} is red, too, at {}", entry.target, entry.base.substr(0, 10));
  return !green;
}

Result<void> Gates::JudgeTarget(const std::string& target, const std::string& commit) {
  BELAY_TRY_ASSIGN(const std::vector<GateResult> results,
                   Judge({target, commit, {}}, [] { return false; }));
  const MergeStatus status = StatusAfterGates(results);
  BELAY_TRY_ASSIGN(const MergeLock lock, MergeLedger::Lock(env_.files, env_.project));
  // Stopped: the next run tests it.
  if (status == MergeStatus::kCancelled) return {};
  BELAY_TRY(ledger_.ChangeTarget(lock, target, "tested", [&](MergeTarget& changed) {
    if (changed.commit != commit) return;
    changed.untested = false;
    if (status == MergeStatus::kMerging || status == MergeStatus::kGateFailed) {
      changed.green = status == MergeStatus::kMerging;
    }
    changed.red_gate = changed.green == false ? results.back().name : "";
    for (const GateResult& result : results) changed.Remember(result);
    if (status == MergeStatus::kMerging) return;
    changed.news = fmt::format("{} {} at {}: {}", target,
                               changed.green == false ? "is red" : "could not be tested",
                               commit.substr(0, 10), GateLine(results.back()));
  }));
  return {};
}

Result<bool> ChangesSettings(const MergeEnv& env, const std::string& from, const std::string& to) {
  const auto paths = PathsOfSettings(env);
  std::vector<std::string> words = {"diff-tree",    "-r", "-z", "--name-only", "--no-renames",
                                    "--merge-base", from, to,   "--"};
  words.insert(words.end(), paths.begin(), paths.end());
  BELAY_TRY_ASSIGN(const std::string output, env.git.Ask(std::move(words)));
  for (const std::string_view path : Split(output, '\0')) {
    if (paths.contains(path)) return true;
  }
  return false;
}

Result<std::string> SettingsQuestion(const MergeEnv& env, const MergeEntry& entry) {
  if (entry.settings_allowed == entry.head) return std::string();
  BELAY_TRY_ASSIGN(const bool changes, ChangesSettings(env, entry.base, entry.candidate));
  if (!changes) return std::string();
  return fmt::format(
      "it changes {0}, which sets the gates, so a person must approve it: review git diff "
      "{1}...{2} -- {0}, then run belay merge-queue retry {3} {4}",
      kFile, ShellWord(entry.target), ShellWord(entry.branch), entry.id(), kApproveOption);
}

}  // namespace belay
