// Compares what a fresh reader finds in a folder with what the workers had said of it. Nobody else
// uses the folder meanwhile.
//
//   files      hold the last acknowledged version or the one that was under way, whole; a .prev the
//              one before, or the same if the kill came between the two
//   journal    holds every acknowledged record once, in the order of its stream, under the number
//              that was given for it; of those under way all, a first part or none
//   inbox      holds, in order, every message that was delivered and not acknowledged; an
//              acknowledged one isn't handed out again; a sender's next one not before it; nothing
//              is handed out twice within the time of its lease
//   folder     has no temporary file left after cleaning, no message set aside as unreadable, no
//              lock that is still held; and all operations work on it

#ifndef BELAY_KILLS_JUDGE_H_
#define BELAY_KILLS_JUDGE_H_

#include <string>
#include <vector>

#include "kills/ledger.h"
#include "os/file_system.h"

namespace belay {

struct Problem {
  enum class Kind {
    kLost,   // acknowledged, and not there
    kTorn,   // there, but not whole
    kWrong,  // any other broken promise
  };
  Kind kind;
  std::string text;
};
using Problems = std::vector<Problem>;

Problems JudgeFiles(const FileSystem& files, const std::string& folder, const Ledger& ledger);
Problems JudgeJournal(FileSystem& files, const std::string& folder, const Ledger& ledger);
Problems JudgeInbox(FileSystem& files, const std::string& folder, const Ledger& ledger);
// The last of all, since it changes what is there.
Problems JudgeFolder(FileSystem& files, const std::string& folder);

// All of these, and what the workers themselves had to complain about.
Problems Judge(FileSystem& files, const std::string& folder, const Ledger& ledger);

}  // namespace belay

#endif  // BELAY_KILLS_JUDGE_H_
