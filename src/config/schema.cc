#include "config/schema.h"

#include <array>

namespace belay {
namespace {

constexpr std::string_view kPolicies = "respawn|wait|ask|leave";

// Milliseconds. Intervals and timeouts have a minimum, so that belay doesn't spin, and all
// durations have a maximum, so that adding one to the time of day can't overflow.
constexpr std::int64_t kInstant = 10;
constexpr std::int64_t kSecond = 1'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::int64_t kMonth = 30 * kDay;

constexpr ConfigKey kKeys[] = {
    {"merge.target", ValueType::kLine, "main", "the branch that finished work lands on", true},
    {"merge.strategy", ValueType::kChoice, "rebase", "how it lands", true, "rebase|squash|merge"},
    {"merge.slots", ValueType::kInteger, "2", "entries tested at the same time", false, "", 1, 64},
    {"merge.gates", ValueType::kGates, "", "commands that must pass before work lands", true},
    {"merge.committer", ValueType::kChoice, "landing",
     "committer date of the commits that landing creates: their build time, or the original one",
     true, "landing|keep"},
    {"merge.dirty_checkout", ValueType::kChoice, "wait",
     "what to do when a checkout of the target has changes in the same files", true, "wait|land"},
    {"merge.most_attempts", ValueType::kInteger, "3",
     "failed attempts sent back to the agent before a person is asked", true, "", 1, 100},
    {"merge.keep_age", ValueType::kDuration, "30d",
     "how long to keep gate logs and the last commits of landed or removed branches", true},
    {"context_preservation.enabled", ValueType::kBoolean, "true",
     "save a context when a task is suspended", true},
    {"context_preservation.timeout_warning_seconds", ValueType::kInteger, "60",
     "seconds before its deadline to warn a worker", false, "", 0, 86400},
    {"context_preservation.max_resume_count", ValueType::kInteger, "2",
     "resumes before a task counts as failed", true, "", 0, 1000},
    {"context_preservation.context_truncate_chars", ValueType::kInteger, "4000",
     "longest stored working state, in characters", true, "", 1, 1000000},
    {"context_preservation.stash_on_suspend", ValueType::kBoolean, "true",
     "stash the work of a suspended task", true},
    {"context_preservation.integrity_check", ValueType::kBoolean, "true",
     "refuse a context whose checksum is wrong", true},
    {"context.low", ValueType::kInteger, "55", "percent at which the context counts as low", false,
     "", 1, 100},
    {"context.warning", ValueType::kInteger, "70", "percent at which the agent saves its state",
     false, "", 1, 100},
    {"context.critical", ValueType::kInteger, "80", "percent at which the agent hands off", false,
     "", 1, 100},
    {"context.emergency", ValueType::kInteger, "88", "percent at which the agent must hand off",
     false, "", 1, 100},
    {"context.window", ValueType::kInteger, "200000",
     "size of the context in tokens, if the agent doesn't report it", false, "", 1000, 100000000},
    {"resumption.file", ValueType::kLine, "ORCHESTRATION.yaml",
     "the resumption document: a path in the project, or a name to look for at and above the "
     "root of the worktree",
     true},
    {"resumption.stale_after", ValueType::kDuration, "30m",
     "age at which a resumption document is stale", true, "", kSecond, kMonth},
    {"snapshot.keep_count", ValueType::kInteger, "100", "snapshots to keep per worktree", true, "",
     1, 1000000},
    {"snapshot.keep_age", ValueType::kDuration, "30d", "how long to keep them", true},
    {"snapshot.keep_mb", ValueType::kInteger, "2048",
     "total size of a worktree's snapshots, in MiB", true, "", 1, 1000000000},
    {"snapshot.max_file_mb", ValueType::kInteger, "512", "leave out files over this size, in MiB",
     true, "", 1, 1000000000},
    {"snapshot.ignored", ValueType::kBoolean, "false", "also capture files that git ignores", true},
    {"snapshot.nested", ValueType::kBoolean, "false",
     "capture repositories and submodules inside the worktree", true},
    {"supervise.on_crash", ValueType::kChoice, "respawn", "after an agent crashes", true,
     kPolicies},
    {"supervise.on_killed", ValueType::kChoice, "respawn", "after a signal ends it", true,
     kPolicies},
    {"supervise.on_oom", ValueType::kChoice, "respawn", "after the machine runs out of memory",
     true, kPolicies},
    {"supervise.on_unknown", ValueType::kChoice, "respawn", "after it ends in an unknown way", true,
     kPolicies},
    {"supervise.on_hung", ValueType::kChoice, "ask", "after three probes without activity", true,
     kPolicies},
    {"supervise.on_context_exhausted", ValueType::kChoice, "respawn", "after its context fills up",
     true, kPolicies},
    {"supervise.on_rate_limit", ValueType::kChoice, "wait", "after it reaches a rate limit", true,
     kPolicies},
    {"supervise.on_auth", ValueType::kChoice, "ask", "after it asks for a login", true, kPolicies},
    {"supervise.most_crashes", ValueType::kInteger, "5",
     "crashes within the window that quarantine it", true, "", 1, 100},
    {"supervise.crash_window", ValueType::kDuration, "15m", "the window in which crashes count",
     true, "", kSecond, kMonth},
    {"supervise.healthy_after", ValueType::kDuration, "10m",
     "running this long clears older crashes", true, "", kSecond, kMonth},
    {"supervise.first_backoff", ValueType::kDuration, "1s", "delay after the second crash", true,
     "", kInstant, kMonth},
    {"supervise.longest_backoff", ValueType::kDuration, "5m", "the delay doubles up to this", true,
     "", kInstant, kMonth},
    {"supervise.wait_length", ValueType::kDuration, "15m", "delay for the wait policy", true, "",
     kSecond, kMonth},
    {"supervise.silent_after", ValueType::kDuration, "5m",
     "silence after which an agent is suspect", true, "", kSecond, kMonth},
    {"supervise.resume_via", ValueType::kChoice, "auto", "how a successor gets its resume text",
     true, "auto|file|argument|typed"},
    {"supervise.heartbeat", ValueType::kDuration, "60s",
     "longest time between two checks that an agent is alive", true, "", kSecond, kMinute},
    {"supervise.snapshot_every", ValueType::kDuration, "60s",
     "how often to take a snapshot while files change", true, "", kSecond, kMonth},
    {"supervise.spawn_deadline", ValueType::kDuration, "10s", "how long an agent may take to start",
     true, "", kSecond, kMonth},
    {"supervise.undelivered_after", ValueType::kDuration, "5m",
     "report a message to the user if it waits longer", true, "", kSecond, kMonth},
    {"supervise.stop_grace", ValueType::kDuration, "10s",
     "time between SIGTERM and SIGKILL in a stop", true, "", 0, kMonth},
    {"taint.sources", ValueType::kPatterns,
     ".env*|*.pem|*.key|*.p12|id_rsa*|id_ed25519*|credentials*|.netrc|.npmrc|.pypirc|.aws/**|"
     ".ssh/**|.gnupg/**|.secrets/**|secrets/**",
     "files with secrets, left out of snapshots; your list replaces this one", true},
    {"ui.color", ValueType::kChoice, "auto", "colours on a terminal", true, "auto|never"},
};

constexpr std::array<std::string_view, 13> kSections = {
    "supervise",  "cycle",      "hooks",    "merge", "tasks", kSharedSection, "context", "arc",
    "resumption", "compaction", "snapshot", "taint", "ui"};

constexpr std::string_view kRising[] = {"context.low", "context.warning", "context.critical",
                                        "context.emergency"};

}  // namespace

std::span<const ConfigKey> ConfigKeys() { return kKeys; }
std::span<const std::string_view> ConfigSections() { return kSections; }
std::span<const std::string_view> RisingKeys() { return kRising; }

}  // namespace belay
