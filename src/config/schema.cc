#include "config/schema.h"

#include <array>

namespace belay {
namespace {

constexpr ConfigKey kKeys[] = {
    {"merge.target", ValueType::kLine, "main", "the branch that finished work lands on", false},
    {"merge.strategy", ValueType::kChoice, "rebase", "how it lands", false, "rebase|squash|merge"},
    {"merge.slots", ValueType::kInteger, "2", "entries tested at the same time", false, "", 1, 64},
    {"merge.gates", ValueType::kGates, "", "commands that must pass before work lands", false},
    {"context_preservation.enabled", ValueType::kBoolean, "true",
     "keep a context when a task is suspended", false},
    {"context_preservation.timeout_warning_seconds", ValueType::kInteger, "60",
     "how long before its deadline a worker is told", false, "", 0, 86400},
    {"context_preservation.max_resume_count", ValueType::kInteger, "2",
     "resumes before a task has failed for good", false, "", 0, 1000},
    {"context_preservation.context_truncate_chars", ValueType::kInteger, "4000",
     "longest working state, in characters", false, "", 1, 1000000},
    {"context_preservation.stash_on_suspend", ValueType::kBoolean, "true",
     "put the work of a suspended task away", false},
    {"context_preservation.integrity_check", ValueType::kBoolean, "true",
     "refuse a context whose checksum is wrong", false},
    {"snapshot.keep_count", ValueType::kInteger, "100", "snapshots kept of each worktree", true, "",
     1, 1000000},
    {"snapshot.keep_age", ValueType::kDuration, "30d", "how long they are kept", true},
    {"snapshot.keep_mb", ValueType::kInteger, "2048", "what those of one worktree may hold, in MiB",
     true, "", 1, 1000000000},
    {"snapshot.max_file_mb", ValueType::kInteger, "512",
     "files over this size are left out, in MiB", true, "", 1, 1000000000},
    {"snapshot.ignored", ValueType::kBoolean, "false", "capture files that git ignores too", true},
    {"snapshot.nested", ValueType::kBoolean, "false",
     "capture repositories and submodules inside the worktree", true},
    {"taint.sources", ValueType::kPatterns,
     ".env*|*.pem|*.key|*.p12|id_rsa*|id_ed25519*|credentials*|.netrc|.npmrc|.pypirc|.aws/**|"
     ".ssh/**|.gnupg/**|.secrets/**|secrets/**",
     "files that hold secrets: no snapshot has them; a list of yours replaces this one", true},
    {"ui.color", ValueType::kChoice, "auto", "colours on a terminal", true, "auto|never"},
};

constexpr std::array<std::string_view, 12> kSections = {
    "supervise", "cycle",      "hooks",      "merge",    "tasks", kSharedSection,
    "arc",       "resumption", "compaction", "snapshot", "taint", "ui"};

}  // namespace

std::span<const ConfigKey> ConfigKeys() { return kKeys; }
std::span<const std::string_view> ConfigSections() { return kSections; }

}  // namespace belay
