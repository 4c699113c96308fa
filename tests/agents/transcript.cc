#include "agents/transcript.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "codec/json.h"

namespace belay {

namespace fs = std::filesystem;

std::vector<std::string> TranscriptFolders(const std::string& config_folder) {
  std::vector<std::string> folders;
  std::error_code ignored;
  for (const auto& project : fs::directory_iterator(config_folder + "/projects", ignored)) {
    folders.push_back(project.path());
  }
  return folders;
}

std::vector<std::string> TranscriptPaths(const std::string& config_folder) {
  std::vector<fs::path> paths;
  std::error_code ignored;
  for (const std::string& folder : TranscriptFolders(config_folder)) {
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      const std::string name = entry.path().filename();
      const bool session = entry.path().extension() == ".jsonl" && !name.starts_with("agent-");
      if (session && entry.file_size(ignored) > 0) paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end(), [](const fs::path& one, const fs::path& other) {
    return fs::last_write_time(one) < fs::last_write_time(other);
  });
  return {paths.begin(), paths.end()};
}

std::string SessionOf(const std::string& transcript_path) {
  return fs::path(transcript_path).stem();
}

Transcript ReadTranscript(const std::string& path) {
  Transcript transcript;
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    Result<Json> value = ParseJson(line);
    if (value) {
      transcript.lines.push_back(*std::move(value));
    } else {
      transcript.torn = true;
    }
  }
  return transcript;
}

std::vector<std::string> KindsOf(const Transcript& transcript) {
  std::vector<std::string> kinds;
  for (const Json& line : transcript.lines) {
    const std::string subtype = TextIn(line, "subtype");
    kinds.push_back(TextIn(line, "type") + "/" + (subtype.empty() ? "-" : subtype));
  }
  return kinds;
}

}  // namespace belay
