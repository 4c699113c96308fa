#include "adapters/agent/claude_text_trace.h"

#include "adapters/agent/lines_backwards.h"
#include "codec/json.h"
#include "codec/json_member.h"

namespace belay {
namespace {

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool IsTrue(const Json& line, std::string_view key) {
  const Json* member = line.Find(key);
  const bool* value = member == nullptr ? nullptr : member->AsBool();
  return value != nullptr && *value;
}

// Not a failure of the API, nor Claude Code's own words.
bool IsAnswer(std::string_view text) {
  if (!Contains(text, R"("assistant")")) return false;
  const Result<Json> line = ParseJson(text);
  if (!line || TextIn(*line, "type") != "assistant") return false;
  if (IsTrue(*line, "isSidechain") || IsTrue(*line, "isApiErrorMessage")) return false;
  const Json* message = line->Find("message");
  return message != nullptr && !TextIn(*message, "model").starts_with('<');
}

bool IsInConversation(std::string_view text) {
  const Result<Json> line = ParseJson(text);
  if (!line || IsTrue(*line, "isSidechain")) return false;
  const std::string type = TextIn(*line, "type");
  if (type == "user") return true;
  const Json* attachment = type == "attachment" ? line->Find("attachment") : nullptr;
  return attachment != nullptr && TextIn(*attachment, "type") != "hook_success";
}

}  // namespace

TextTrace FindInClaudeTranscript(const FileSystem& files, const std::string& path,
                                 std::string_view word, std::uint64_t most_bytes) {
  if (path.empty() || word.empty()) return TextTrace::kUnreadable;
  const Result<File> file = files.OpenForReading(path);
  const Result<FileInfo> info = file ? file->Inspect() : file.error();
  if (!info || info->bytes == 0) return TextTrace::kUnreadable;
  LinesBackwards lines(*file, {.most_bytes = most_bytes});
  bool answered = false;
  for (auto line = lines.Next(); line; line = lines.Next()) {
    if (Contains(*line, word) && IsInConversation(*line)) {
      return answered ? TextTrace::kAnswered : TextTrace::kWritten;
    }
    answered = answered || IsAnswer(*line);
  }
  return info->bytes > most_bytes && answered ? TextTrace::kAnswered : TextTrace::kAbsent;
}

}  // namespace belay
