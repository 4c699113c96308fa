// The notes of several writers, each numbering its own from 1, against the journal of hooks.

#ifndef BELAY_SESSIONS_NOTE_TALLY_H_
#define BELAY_SESSIONS_NOTE_TALLY_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "codec/json.h"
#include "sessions/problem.h"

namespace belay {

class NoteTally {
 public:
  // Of varying length; the writer and the number stand at its beginning and its end.
  static std::string Text(std::size_t writer, std::uint64_t number);

  // It was said to be on the disk.
  void Acknowledge(std::size_t writer, std::uint64_t number) {
    acknowledged_.insert({writer, number});
  }
  // A record of the journal, as it comes. Notes that it has and none before it had must be the next
  // of their writers.
  void Follow(const Json& record);
  // Everything that was acknowledged was recorded.
  Problems Judge() const;

  std::size_t acknowledged() const { return acknowledged_.size(); }

 private:
  using Key = std::pair<std::size_t, std::uint64_t>;

  void FollowNote(const std::string& text);

  std::set<Key> acknowledged_;
  std::set<Key> recorded_;
  std::map<std::size_t, std::uint64_t> latest_;  // of each writer
  Problems problems_;
};

}  // namespace belay

#endif  // BELAY_SESSIONS_NOTE_TALLY_H_
