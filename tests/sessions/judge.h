// Compares what is there with what was said. Pure, or only reading, so that judge_test.cc can show
// it a fault of every kind.

#ifndef BELAY_SESSIONS_JUDGE_H_
#define BELAY_SESSIONS_JUDGE_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "codec/json.h"
#include "os/file_system.h"
#include "sessions/census.h"
#include "sessions/logbook.h"
#include "sessions/problem.h"

namespace belay {

// A rendering of belay's is there, whole, and has the digest that it names.
Problems JudgeStateFile(const FileSystem& files, const std::string& path);
// The same for one that needn't be there.
Problems JudgeIfThere(const FileSystem& files, const std::string& path);

// What an agent wrote, after its end. A slot holds what was finished last; one that was under way
// the beginning of that, or still what was there before.
Problems JudgeWork(const FileSystem& files, const std::string& folder, const std::string& identity,
                   const AgentLog& agent);
// A snapshot of the same moment has the same bytes. `listing` is what `git ls-tree -r` says.
Problems JudgeSnapshot(const FileSystem& files, const std::string& folder,
                       const std::string& listing, const AgentLog& agent);

// No identity in two incarnations, none of them twice. What was seen is looked at again, since it
// wasn't seen all at once.
Problems JudgeLiving(const std::vector<Living>& living,
                     const std::function<bool(const ProcessIdentity&)>& is_alive);

// `belay agents --all --json` before and after: every incarnation is still there, unless so many
// came after it that it was dropped, and what had ended is as it was.
Problems JudgeAgents(const Json& before, const Json& after);
// `belay hook show --json`: every note is there, in order, but for the oldest beyond the bound.
Problems JudgeNotes(const Json& before, const Json& after);

}  // namespace belay

#endif  // BELAY_SESSIONS_JUDGE_H_
