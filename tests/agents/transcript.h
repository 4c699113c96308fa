// The transcripts that Claude Code writes: one JSON line for each thing that was said or done.

#ifndef BELAY_TESTS_AGENTS_TRANSCRIPT_H_
#define BELAY_TESTS_AGENTS_TRANSCRIPT_H_

#include <string>
#include <string_view>
#include <vector>

#include "codec/json.h"

namespace belay {

// One for each folder that an agent worked in.
std::vector<std::string> TranscriptFolders(const std::string& config_folder);

// Those of sessions, not of their sub-agents, that hold anything; the one written to last comes
// last.
std::vector<std::string> TranscriptPaths(const std::string& config_folder);

// Its session's id.
std::string SessionOf(const std::string& transcript_path);

// The lines that can be read; `torn` says whether there are others.
struct Transcript {
  std::vector<Json> lines;
  bool torn = false;
};
Transcript ReadTranscript(const std::string& path);

// "user/-", "assistant/-", "system/api_error", ...: what the lines are, in order.
std::vector<std::string> KindsOf(const Transcript& transcript);

}  // namespace belay

#endif  // BELAY_TESTS_AGENTS_TRANSCRIPT_H_
