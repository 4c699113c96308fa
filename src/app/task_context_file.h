// The context files of tasks in this project: found, written, and searched for earlier counts.
// model/context_file.h has the format.

#ifndef BELAY_APP_TASK_CONTEXT_FILE_H_
#define BELAY_APP_TASK_CONTEXT_FILE_H_

#include <cstdint>
#include <string>

#include "app/env.h"
#include "base/result.h"
#include "model/context_file.h"
#include "model/task.h"
#include "store/document.h"
#include "store/layout.h"
#include "store/state_lock.h"

namespace belay {

// A context file by its path below the project's root, with its copy in the vault.
Document ContextDocument(const Layout& project, const std::string& name);

// The context file of a suspended or resumed task. `read`: kNotFound, it is missing, also in the
// vault; kRefused, something else is in its place; kDamaged, it can't be read as one.
struct FoundContext {
  Result<ParsedContext> read = Error{ErrorCode::kNotFound, "its context file is missing"};
  std::string stamp = {};  // for ReplaceDocument
  bool restored = false;   // it was missing, and the vault's copy is back
};
// An error says nothing about the file: the disk is full, rights are missing.
Result<FoundContext> FindContext(Env& env, const Layout& project, const StateLock& lock,
                                 const Task& task);

// The run whose folder gets the next context of the task: its own, or, where something is in the
// place of its context that can't be one, a new one.
std::string RunForContext(const Env& env, const Layout& project, Task task, WallTime now);

// Replaces the context that is there.
Result<void> WriteContext(Env& env, const StateLock& lock, const Layout& project,
                          const std::string& name, const std::string& bytes);

// The highest count of an earlier context of the same arc and task, in any run: another writer, or
// a belay whose journal was lost, may have left it. Those from before the task was reopened don't
// count.
std::uint32_t CountOfEarlierContexts(const Env& env, const Layout& project, const Task& task);

}  // namespace belay

#endif  // BELAY_APP_TASK_CONTEXT_FILE_H_
