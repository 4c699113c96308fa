// Suspending and resuming a task, as far as it is decided without touching anything: the settings,
// the checks of a context file, and the text for the worker that continues.
//
// The checks before a resume, in this order; the first that fails decides:
//
//   check                                              fails: then
//   ------------------------------------------------ ---------------------------------------------
//   the path is the task's own, below tmp/work/        cold start
//   the file exists, also as a copy in the vault       cold start
//   it can be read, and its version isn't newer        cold start
//   it is `suspended`, and names this task             cold start
//   its checksum fits (unless integrity_check: false)  cold start
//   fewer resumes than max_resume_count                the task has failed for good
//   base commit and files are as they were             the text is advisory
//
// A cold start: the task is pending again, without a context; its snapshot is kept and named.

#ifndef BELAY_ENGINE_TASK_TASK_CONTEXT_H_
#define BELAY_ENGINE_TASK_TASK_CONTEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "model/context_file.h"
#include "model/task.h"
#include "os/random.h"

namespace belay {

// The section context_preservation, of belay.yml or talisman.yml.
struct TaskContextSettings {
  bool enabled = true;
  Duration warning = std::chrono::seconds(60);  // before a deadline
  std::uint32_t max_resume_count = 2;
  std::size_t truncate_chars = kMostContextChars;
  bool stash_on_suspend = true;
  bool integrity_check = true;

  bool operator==(const TaskContextSettings&) const = default;
};
TaskContextSettings ReadTaskContextSettings(const Config& config);

// "tmp/work/RUN/context/ARC/ID.md", below the project's root.
std::string ContextPath(const Task& task);
// Whether a recorded path is that of this task's context, in any run.
bool IsContextPathOf(const Task& task, std::string_view path);

// Why the context can't be used; empty: it can. `count` isn't part of it.
std::string WhyColdStart(const Task& task, const Result<ParsedContext>& read,
                         const TaskContextSettings& settings);

enum class ResumeMode { kResume, kAdvisory, kCold };
std::string_view ResumeModeName(ResumeMode mode);  // "advisory"

struct TaskResumeFacts {
  const Task& task;            // as recorded after the resume
  const ContextFile& context;  // what the earlier worker wrote
  std::uint32_t max_resume_count = 2;
  std::size_t truncate_chars = kMostContextChars;
  bool base_moved = false;                // HEAD isn't the commit that it worked on
  bool worktree_gone = false;             // the one in which its work stayed
  std::vector<std::string> changed = {};  // its files that changed since
  std::optional<WallTime> deadline = {};
  std::vector<std::string> earlier = {};  // ids of snapshots with work that was never put back
};
bool IsAdvisory(const TaskResumeFacts& facts);

// Begins with the line "ANCHOR -- TRUTHBINDING PROTOCOL", and has the line "RE-ANCHOR -- ..." after
// everything that the earlier worker wrote, which is in data blocks.
std::string TaskResumeText(const TaskResumeFacts& facts, Random& random);

// For a worker that is started for a task: which one, its deadline, and how to report.
std::string TaskSpawnText(const Task& task, std::optional<WallTime> deadline, Duration warning,
                          Random& random);

}  // namespace belay

#endif  // BELAY_ENGINE_TASK_TASK_CONTEXT_H_
