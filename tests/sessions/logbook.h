// What the agents of a campaign have said about themselves, in lines of a pipe (reports.h). A line
// is in the pipe as a whole before the agent goes on, and survives it: at any kill the campaign
// knows what was done and what was under way.
//
//   start ID PID        an incarnation begins
//   double ID           it began while another one, or a child of one, still held its lock
//   begin ID SLOT N     version N of a file is being written
//   done ID SLOT N      it is written

#ifndef BELAY_SESSIONS_LOGBOOK_H_
#define BELAY_SESSIONS_LOGBOOK_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sessions/problem.h"

namespace belay {

struct Slot {
  std::uint64_t begun = 0;  // the latest version that was begun
  std::uint64_t done = 0;   // and that was finished
};

struct AgentLog {
  std::uint32_t incarnation = 0;  // the latest that began
  pid_t pid = 0;                  // of that one
  bool stopped = false;
  std::uint32_t may_start = 0;  // up to this one, although it was stopped
  std::uint64_t begun = 0;      // the highest version of all slots
  std::map<std::uint64_t, Slot> slots = {};
};

class Logbook {
 public:
  void Add(const std::string& line);
  // From now on no start of it may be told, until MayStart.
  void Stopped(const std::string& identity) { StoppedAt(identity, 0); }
  // The same, but for an incarnation that was under way already.
  void StoppedAt(const std::string& identity, std::uint32_t incarnation) {
    agents_[identity].stopped = true;
    agents_[identity].may_start = incarnation;
  }
  void MayStart(const std::string& identity) { agents_[identity].stopped = false; }

  const AgentLog& Of(const std::string& identity) { return agents_[identity]; }
  const std::map<std::string, AgentLog>& agents() const { return agents_; }
  std::size_t starts() const { return starts_; }
  Problems TakeProblems() { return std::exchange(problems_, {}); }

 private:
  void AddStart(const std::string& id, AgentLog& agent, std::uint32_t incarnation, pid_t pid);

  std::map<std::string, AgentLog> agents_;  // by identity name
  std::size_t starts_ = 0;
  Problems problems_;
};

// The bytes that an agent writes as version N of a slot. They say so themselves, from the first
// line to the last.
std::string SlotText(const std::string& identity, std::uint64_t slot, std::uint64_t version);

}  // namespace belay

#endif  // BELAY_SESSIONS_LOGBOOK_H_
