// The steps of a landing, each recorded before the next begins (engine/merge/landing_step.h).

#include <fmt/core.h>

#include <algorithm>

#include "adapters/git/branch_uses.h"
#include "adapters/git/objects.h"
#include "adapters/git/replay.h"
#include "base/path.h"
#include "engine/merge/merge_text.h"
#include "merge/checkout_move.h"
#include "merge/entry_refs.h"
#include "merge/failure_cause.h"
#include "merge/gates.h"
#include "merge/landing.h"
#include "merge/merge_env.h"

namespace belay {

Result<MergeEntry> Lander::StartOver(const MergeEntry& entry) {
  env_.say(fmt::format("{}: {} has moved, starting over", entry.id(), entry.target));
  BELAY_TRY_ASSIGN(MergeEntry again, Update(entry, "the target has moved",
                                            [](MergeEntry& changed, MergeTarget& target) {
                                              changed.status = MergeStatus::kTargetMoved;
                                              changed.built_at = {};
                                              target.move.reset();
                                              return Result<void>();
                                            }));
  BELAY_TRY(NoticeDrift(env_, ledger_, gates_, entry.target));
  return again;
}

Result<MergeEntry> Lander::BeginRebuild(const MergeEntry& entry) {
  env_.say(fmt::format("{}: objects of the candidate are lost, rebuilding it", entry.id()));
  return Update(entry, "the candidate is lost", [](MergeEntry& changed, MergeTarget& target) {
    changed.status = MergeStatus::kRebasing;
    target.move.reset();
    return Result<void>();
  });
}

Result<MergeEntry> Lander::TakeNewHead(const MergeEntry& entry, const std::string& tip) {
  env_.say(fmt::format("{}: {} has moved; its new head {} will land", entry.id(), entry.branch,
                       tip.substr(0, 10)));
  BELAY_TRY(KeepCommit(env_, EntryRef(entry, "head"), tip));
  return Update(entry, "the branch has moved", [&](MergeEntry& changed, MergeTarget&) {
    changed.head = tip;
    changed.status = MergeStatus::kQueued;
    changed.base.clear();
    changed.candidate.clear();
    changed.built_at = {};
    changed.gate_results.clear();
    return Result<void>();
  });
}

// Git may build on unreferenced objects that are pruned before they are in the pack; then the next
// try writes them itself.
Result<Replay> Lander::BuildCandidate(const MergeEntry& entry) {
  constexpr int kMostBuilds = 10;  // on a busy machine, repeated prunes may defeat several in a row
  BELAY_TRY_ASSIGN(const ObjectId target, ObjectId::Parse(entry.base));
  BELAY_TRY_ASSIGN(const ObjectId head, ObjectId::Parse(entry.head));
  const MergeRoom::Place place{env_.common_folder, JoinPath(env_.project.MergeFolder(), "room")};
  ReplayRequest request{head, entry.branch, StrategyOf(env_.settings.strategy)};
  if (env_.settings.committer == CommitterDate::kLanding) request.committed_at = entry.built_at;
  for (int tries = 1;; ++tries) {
    BELAY_TRY_ASSIGN(MergeRoom room, MergeRoom::Open(env_.git, env_.files, place, target));
    Result<Replay> replay = ReplayBranch(room, request);
    const bool again = !replay && tries < kMostBuilds && !IsTemporary(env_, replay.error()) &&
                       !IsCausedByWork(replay.error());
    if (!again) return replay;
  }
}

Result<MergeEntry> Lander::KeepCandidate(const MergeEntry& entry, const Replay& replay) {
  BELAY_TRY(KeepCommit(env_, EntryRef(entry, "candidate"), replay.candidate.text()));
  if (!replay.keep_file.empty()) BELAY_TRY(ReleasePack(env_.files, replay.keep_file));
  whole_ = replay.candidate.text();
  return Update(entry, "it applies to the target", [&](MergeEntry& changed, const MergeTarget&) {
    changed.status = MergeStatus::kTesting;
    changed.candidate = replay.candidate.text();
    return Result<void>();
  });
}

Result<MergeEntry> Lander::Build(const MergeEntry& entry, const std::string& target_tip) {
  if (ledger_.book().Target(entry.target).commit != target_tip) {
    BELAY_TRY(NoticeDrift(env_, ledger_, gates_, entry.target));
    BELAY_TRY_ASSIGN(const ObjectId tip, BranchTip(env_, entry.target));
    if (tip.text() != target_tip) return StartOver(entry);
  }
  BELAY_TRY_ASSIGN(const MergeEntry begun,
                   Update(entry, "its turn has come", [&](MergeEntry& changed, const MergeTarget&) {
                     changed.status = MergeStatus::kRebasing;
                     const bool again =
                         changed.base == target_tip && changed.built_at != WallTime();
                     if (!again) changed.built_at = env_.clock.Wall();
                     changed.base = target_tip;
                     changed.candidate.clear();
                     changed.gate_results.clear();
                     return Result<void>();
                   }));
  if (begun.status != MergeStatus::kRebasing) return begun;
  BELAY_TRY(KeepCommit(env_, EntryRef(begun, "head"), begun.head));
  const Result<Replay> replay = BuildCandidate(begun);
  if (!replay && replay.error().code == ErrorCode::kRefused) {
    return Park(begun, MergeStatus::kConflict, OneLine(replay.error().message));
  }
  if (!replay) return replay.error();
  switch (replay->end) {
    case Replay::End::kConflict:
      return Update(begun, "it conflicts with the target",
                    [&](MergeEntry& changed, const MergeTarget&) {
                      changed.status = MergeStatus::kConflict;
                      changed.conflict = ReportOf(*replay->conflict);
                      changed.last_error = ConflictLine(changed);
                      ++changed.attempts;
                      changed.reported = false;
                      return Result<void>();
                    });
    case Replay::End::kContained:
      return Finish(begun, target_tip, std::string(LandingProofName(replay->landing)));
    case Replay::End::kEmpty:
      return Park(
          begun, MergeStatus::kCancelled,
          fmt::format("nothing to land: it wouldn't change {}{}", begun.target,
                      replay->landing == LandingProof::kNoChange
                          ? ", but belay can't prove that its commits are there; the branch stays"
                          : ""));
    case Replay::End::kBuilt:
      return KeepCandidate(begun, *replay);
  }
  __builtin_unreachable();
}

Result<std::vector<GateResult>> Lander::RunGates(const MergeEntry& entry) {
  if (entry.no_gates) return std::vector<GateResult>();
  const auto cancelled = [&] {
    if (!ledger_.CatchUp()) return false;
    const MergeEntry* now = ledger_.book().Find(entry.number);
    return now == nullptr || now->status != MergeStatus::kTesting;
  };
  BELAY_TRY_ASSIGN(std::vector<GateResult> results,
                   gates_.Judge({entry.id(), entry.candidate, entry.base}, cancelled));
  for (const GateResult& result : results) {
    const auto rule = std::ranges::find(env_.settings.gates, result.name, &GateRule::name);
    if (rule != env_.settings.gates.end() && !rule->quality_gate.empty()) {
      env_.judged(entry, *rule, result);
    }
  }
  return results;
}

Result<MergeEntry> Lander::Test(const MergeEntry& entry) {
  BELAY_TRY_ASSIGN(const std::string ask, SettingsQuestion(env_, entry));
  if (!ask.empty()) return Park(entry, MergeStatus::kGateUnrunnable, ask);
  BELAY_TRY_ASSIGN(std::vector<GateResult> results, RunGates(entry));
  const MergeStatus status = StatusAfterGates(results);
  if (status == MergeStatus::kMerging || status == MergeStatus::kGateUnrunnable) {
    // The tested commit must be the requested one, on this base, and complete: otherwise nothing is
    // announced.
    BELAY_TRY_ASSIGN(const LandingFacts facts, ReadLandingFacts(env_, entry));
    const LandingStep step = NextLandingStep(entry, facts);
    const bool again = status == MergeStatus::kMerging ? step != LandingStep::kTest
                                                       : step == LandingStep::kRebuild;
    if (again) return entry;
    whole_ = entry.candidate;
  }
  bool target_red = false;
  if (status == MergeStatus::kGateFailed) {
    BELAY_TRY_ASSIGN(target_red, gates_.IsTargetRed(entry, results.back()));
  }
  if (env_.interrupted()) return entry;  // some gates may not have finished
  const std::string why = results.empty()                   ? "without gates"
                          : status == MergeStatus::kMerging ? "the gates passed"
                                                            : GateLine(results.back());
  return Update(entry, why, [&](MergeEntry& changed, MergeTarget& target) {
    changed.gate_results = results;
    // by the process that cancelled it
    if (status == MergeStatus::kCancelled) return Result<void>();
    changed.status = status;
    if (status == MergeStatus::kMerging) {
      // Announced before the move: the guard of the target reads it.
      target.move = TargetMove{changed.base, changed.candidate};
      return Result<void>();
    }
    changed.last_error = GateLine(results.back());
    if (status == MergeStatus::kGateFailed && !target_red) ++changed.attempts;
    changed.reported = false;
    return Result<void>();
  });
}

Result<MergeEntry> Lander::Finish(const MergeEntry& entry, const std::string& commit,
                                  const std::string& proof) {
  BELAY_TRY_ASSIGN(const ObjectId tip, BranchTip(env_, entry.target));
  return Update(
      entry, MergedWhy(entry.target, proof), [&](MergeEntry& changed, MergeTarget& target) {
        changed.status = MergeStatus::kMerged;
        changed.merged_as = commit;
        changed.proof = proof;
        changed.last_error.clear();
        changed.conflict = {};
        changed.reported = false;
        target.move.reset();
        if (proof != "landed") return Result<void>();
        const bool judged = !changed.gate_results.empty();
        target.commit = commit;
        target.green = judged && tip.text() == commit ? std::optional(true) : std::nullopt;
        target.red_gate.clear();
        for (const GateResult& result : changed.gate_results) target.Remember(result);
        return Result<void>();
      });
}

// The last step of a landing: the target moves, with its checkouts; or the entry waits for one.

namespace {

Result<TargetAdvance> AdvanceOf(const MergeEnv& env, const MergeEntry& entry) {
  BELAY_TRY_ASSIGN(ObjectId from, ObjectId::Parse(entry.base));
  BELAY_TRY_ASSIGN(ObjectId to, ObjectId::Parse(entry.candidate));
  return TargetAdvance{.target = entry.target,
                       .from = std::move(from),
                       .to = std::move(to),
                       .reason = fmt::format("belay: {} lands {}", entry.id(), entry.branch),
                       .keep_blocked = env.settings.dirty_checkout == DirtyCheckout::kLand};
}

std::string TroubleLine(const std::string& trouble) {
  return trouble + "; the entry lands automatically once that is fixed";
}

}  // namespace

Result<MergeEntry> Lander::Advance(const MergeEntry& entry) {
  BELAY_TRY_ASSIGN(const TargetAdvance advance, AdvanceOf(env_, entry));
  BELAY_TRY_ASSIGN(std::vector<GitWorktree> worktrees,
                   ListWorktrees(env_.git, env_.files, env_.common_folder));
  const Result<AdvanceEnd> end = AdvanceWithCheckouts(env_, advance, worktrees);
  if (end && end->kind == AdvanceEnd::Kind::kMoved) {
    worktrees_ = std::move(worktrees);
    return Finish(entry, entry.candidate, "landed");
  }
  if (end && end->kind == AdvanceEnd::Kind::kWaits) return WaitForCheckout(entry, end->why);
  // Another process was faster; or it is impossible now, and the next run tries again.
  BELAY_TRY_ASSIGN(const LandingFacts facts, ReadLandingFacts(env_, entry));
  if (facts.target_tip != entry.base || facts.candidate_lost) return entry;
  if (!end) return end.error();
  if (end->kind == AdvanceEnd::Kind::kCantFollow)
    return WaitForCheckout(entry, TroubleLine(end->why));
  return WaitForCheckout(
      entry, fmt::format("a checkout of {} is being switched; the entry lands automatically",
                         entry.target));
}

Result<MergeEntry> Lander::TryCheckout(const MergeEntry& entry, const std::string& target_tip) {
  BELAY_TRY_ASSIGN(const TargetAdvance advance, AdvanceOf(env_, entry));
  BELAY_TRY_ASSIGN(const std::vector<GitWorktree> worktrees,
                   ListWorktrees(env_.git, env_.files, env_.common_folder));
  // Checked before it is tested again on a moved target: those tests would be wasted.
  const WaitCheck check = target_tip == entry.base ? WaitCheck::kStage : WaitCheck::kInspect;
  const Result<std::string> why = WhyCheckoutsWait(env_, advance, worktrees, check);
  if (!why) {
    if (AffectsEveryEntry(env_, why.error()) || WasKilled(why.error())) return why.error();
    BELAY_TRY_ASSIGN(const std::string missing, MissingOf(env_, entry.candidate, entry.base));
    if (!missing.empty()) return why.error();  // it will be built again
    return WaitForCheckout(entry, TroubleLine(why.error().message));
  }
  if (!why->empty()) return WaitForCheckout(entry, *why);
  if (target_tip != entry.base) return StartOver(entry);
  return Update(entry, "the checkout can be updated now",
                [](MergeEntry& changed, MergeTarget& target) {
                  changed.status = MergeStatus::kMerging;
                  changed.last_error.clear();
                  target.move = TargetMove{changed.base, changed.candidate};
                  return Result<void>();
                });
}

// The user gets one report; if belay is killed right after it, two.
Result<MergeEntry> Lander::WaitForCheckout(const MergeEntry& entry, const std::string& why) {
  waited_.insert(entry.number);
  if (IsWaiting(entry.status) && entry.last_error == why) return entry;
  const std::string text = fmt::format("{}: {} waits: {}", entry.id(), entry.branch, why);
  env_.say(text);
  if (!entry.reported) NotifyPerson(env_, text);
  return Update(entry, why, [&](MergeEntry& changed, MergeTarget& target) {
    changed.status = MergeStatus::kWaitingCheckout;
    changed.last_error = why;
    changed.reported = true;
    target.move.reset();
    return Result<void>();
  });
}

}  // namespace belay
