#include "adapters/claude/transcript.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/utf8.h"
#include "codec/json_skim.h"

namespace belay {
namespace {

// Far more than any window holds, and a sum of three doesn't overflow.
constexpr std::int64_t kMostTokens = std::int64_t{1} << 50U;

bool Contains(std::string_view text, std::string_view part) {
  // The data of an empty view may be null, which memmem doesn't allow.
  return !text.empty() && memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

bool IsTrue(const Json& object, std::string_view key) {
  const Json* member = object.Find(key);
  const bool* value = member == nullptr ? nullptr : member->AsBool();
  return value != nullptr && *value;
}

std::string_view TextOf(const Json& object, std::string_view key) {
  const Json* member = object.Find(key);
  const std::string* text = member == nullptr ? nullptr : member->AsString();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

// A missing member counts as 0; nullopt when it is no number of tokens.
std::optional<std::uint64_t> Tokens(const Json& usage, std::string_view key) {
  const Json* member = usage.Find(key);
  if (member == nullptr || member->is_null()) return 0;
  const std::int64_t* value = member->AsInteger();
  if (value == nullptr || *value < 0 || *value > kMostTokens) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

// Nullopt for a line without usage.
std::optional<ContextUse> UseOf(const Json& line) {
  const Json* message = line.Find("message");
  const Json* usage = message == nullptr ? nullptr : message->Find("usage");
  if (usage == nullptr || usage->Find("input_tokens") == nullptr) return std::nullopt;
  const std::string_view model = TextOf(*message, "model");
  if (model.starts_with('<')) return std::nullopt;
  const auto input = Tokens(*usage, "input_tokens");
  const auto made = Tokens(*usage, "cache_creation_input_tokens");
  const auto read = Tokens(*usage, "cache_read_input_tokens");
  if (!input || !made || !read) return std::nullopt;
  return ContextUse{.tokens = *input + *made + *read,
                    .model = std::string(model),
                    .message_id = std::string(TextOf(*message, "id"))};
}

WallTime TimeOf(std::string_view text) {
  const Result<WallTime> time = ParseUtc(text);
  return time ? *time : WallTime();
}

struct UserLine {
  std::string session = {};  // may be empty
  ConversationState state = ConversationState::kWithinTurn;
  WallTime at = {};
  bool meta = false;  // Claude Code's own words
};

// Judged by the beginning of the message's text.
ConversationState StateOfUser(std::string_view message) {
  if (Contains(message, R"("[Request interrupted by user)")) return ConversationState::kInterrupted;
  const bool local = Contains(message, R"("content":"<local-command-stdout>)");
  return local ? ConversationState::kTurnEnded : ConversationState::kWithinTurn;
}

// A user line holds tool output, which may be large and isn't parsed. Nullopt for any other line.
std::optional<UserLine> ReadUserLine(std::string_view line) {
  JsonSkimmer members(line);
  std::string_view value;
  UserLine found;
  bool user = false;
  bool sidechain = false;
  while (members.Next()) {
    value = members.Value();
    if (members.key() == "type") user = value == R"("user")";
    if (members.key() == "isSidechain") sidechain = value == "true";
    if (members.key() == "isMeta") found.meta = value == "true";
    if (members.key() == "sessionId") found.session = members.Text().value_or(std::string_view());
    if (members.key() == "message") found.state = StateOfUser(value);
    if (members.key() == "timestamp") {
      found.at = TimeOf(members.Text().value_or(std::string_view()));
    }
  }
  // Nothing may follow the brace: no second line that lost its beginning.
  const bool whole = members.Ended() && !value.empty() && value.end() + 1 == line.end();
  if (!user || sidechain || !whole) return std::nullopt;
  return found;
}

// Reads the lines from the last one on.
class EndReader {
 public:
  // False when the rest can't change the result.
  bool Take(std::string_view line) {
    if (Contains(line, R"("assistant")") || Contains(line, R"("compact_boundary")") ||
        Contains(line, R"("local_command")")) {
      return TakeRecord(line);
    }
    if (Contains(line, R"("type":"user")")) TakeUser(line);
    return true;
  }

  ConversationEnd end() && { return std::move(end_); }

 private:
  void TakeUser(std::string_view text) {
    if (end_.has_messages && HasState()) return;
    const std::optional<UserLine> line = ReadUserLine(text);
    if (!line) return;
    if (!end_.has_messages) TakeMessage(line->session);
    if (!line->meta) TakeState(line->state, line->at);
  }

  void TakeMessage(std::string_view session) {
    end_.has_messages = true;
    if (end_.session.empty()) end_.session = session;
  }

  bool HasState() const { return end_.state != ConversationState::kEmpty; }
  // The last message counts.
  void TakeState(ConversationState state, WallTime at) {
    if (HasState()) return;
    end_.state = state;
    end_.state_at = at;
  }

  bool TakeRecord(std::string_view text) {
    const Result<Json> line = ParseJson(text);
    if (!line) {
      TakeUser(text);
      return true;
    }
    if (IsTrue(*line, "isSidechain")) return true;
    const std::string_view type = TextOf(*line, "type");
    if (type == "system") return TakeSystem(*line);
    if (type == "user") {
      TakeMessage(TextOf(*line, "sessionId"));
      TakeUser(text);
    }
    return type != "assistant" || TakeAnswer(*line);
  }

  bool TakeSystem(const Json& line) {
    const std::string_view subtype = TextOf(line, "subtype");
    if (subtype == "local_command") {
      TakeState(ConversationState::kTurnEnded, TimeOf(TextOf(line, "timestamp")));
    }
    return subtype != "compact_boundary";
  }

  bool TakeAnswer(const Json& line) {
    const bool last = !end_.has_messages;
    TakeMessage(TextOf(line, "sessionId"));
    const bool failed = IsTrue(line, "isApiErrorMessage");
    TakeStateOfAnswer(line, failed);
    if (failed) {
      if (last) end_.failure = JudgeApiError(line);
      return true;
    }
    end_.context = UseOf(line);
    return !end_.context;
  }

  // A line written before the answer is complete has no reason yet.
  void TakeStateOfAnswer(const Json& line, bool failed) {
    const Json* message = line.Find("message");
    const bool own_words = message == nullptr || TextOf(*message, "model").starts_with('<');
    if (own_words && !failed) return;
    const std::string_view reason = message == nullptr ? "" : TextOf(*message, "stop_reason");
    const bool goes_on = reason.empty() || reason == "tool_use" || reason == "pause_turn";
    TakeState(failed || !goes_on ? ConversationState::kTurnEnded : ConversationState::kWithinTurn,
              TimeOf(TextOf(line, "timestamp")));
  }

  ConversationEnd end_;
};

std::string ErrorText(const Json& line) {
  const Json* message = line.Find("message");
  const Json* content = message == nullptr ? nullptr : message->Find("content");
  std::string text(TextOf(line, "errorDetails"));
  if (content == nullptr) return text;
  if (const std::string* whole = content->AsString()) text.append("\n").append(*whole);
  if (const Json::Array* blocks = content->AsArray()) {
    for (const Json& block : *blocks) text.append("\n").append(TextOf(block, "text"));
  }
  return text;
}

// The 429 of "API Error: 429 ..."; 0 when there is none.
std::int64_t StatusIn(std::string_view text) {
  constexpr std::string_view kStart = "API Error: ";
  const std::size_t at = text.find(kStart);
  if (at == std::string_view::npos) return 0;
  const std::string_view rest = text.substr(at + kStart.size());
  std::int64_t status = 0;
  (void)std::from_chars(rest.data(), rest.data() + rest.size(), status);
  return status;
}

std::int64_t StatusOf(const Json& line, std::string_view text) {
  const Json* status = line.Find("apiErrorStatus");
  const std::int64_t* number = status == nullptr ? nullptr : status->AsInteger();
  return number == nullptr ? StatusIn(text) : *number;
}

struct Sign {
  std::string_view word;
  ApiFailure failure;
};

// Values of the member `error`.
constexpr Sign kErrorNames[] = {
    {"rate_limit", ApiFailure::kRateLimit},
    {"authentication_failed", ApiFailure::kAuth},
    {"billing_error", ApiFailure::kAuth},
    {"server_error", ApiFailure::kServer},
};

// Phrases of several versions.
constexpr Sign kPhrases[] = {
    {"limit reached", ApiFailure::kRateLimit},  {"hit your limit", ApiFailure::kRateLimit},
    {"Invalid API key", ApiFailure::kAuth},     {"/login", ApiFailure::kAuth},
    {"OAuth token", ApiFailure::kAuth},         {"Credit balance is too low", ApiFailure::kAuth},
    {"Connection error", ApiFailure::kServer},  {"Unable to connect", ApiFailure::kServer},
    {"Request timed out", ApiFailure::kServer}, {"Overloaded", ApiFailure::kServer},
};

constexpr std::string_view kTooLong[] = {"Prompt is too long", "prompt is too long",
                                         "exceed context limit", "Request too large"};

std::optional<ApiFailure> FailureOfStatus(std::int64_t status) {
  if (status == 413) return ApiFailure::kPromptTooLong;
  if (status == 429) return ApiFailure::kRateLimit;
  if (status == 401 || status == 403) return ApiFailure::kAuth;
  if (status >= 500 && status <= 599) return ApiFailure::kServer;
  return std::nullopt;
}

}  // namespace

ApiFailure JudgeApiError(const Json& line) {
  const std::string text = ErrorText(line);
  const auto said = [&](std::string_view phrase) { return Contains(text, phrase); };
  // Its status is that of any bad request.
  if (std::any_of(std::begin(kTooLong), std::end(kTooLong), said)) {
    return ApiFailure::kPromptTooLong;
  }
  const std::string_view name = TextOf(line, "error");
  for (const Sign& sign : kErrorNames) {
    if (sign.word == name) return sign.failure;
  }
  if (const auto failure = FailureOfStatus(StatusOf(line, text))) return *failure;
  for (const Sign& sign : kPhrases) {
    if (said(sign.word)) return sign.failure;
  }
  return ApiFailure::kOther;
}

Result<ConversationEnd> ReadClaudeTranscript(const FileSystem& files, const std::string& path,
                                             const BackwardLimits& limits) {
  BELAY_TRY_ASSIGN(const File file, files.OpenForReading(path));
  LinesBackwards lines(file, limits);
  EndReader reader;
  for (auto line = lines.Next(); line && reader.Take(*line);) line = lines.Next();
  return std::move(reader).end();
}

namespace {

bool HasPart(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool SaysTrue(const Json& line, std::string_view key) {
  const Json* member = line.Find(key);
  const bool* value = member == nullptr ? nullptr : member->AsBool();
  return value != nullptr && *value;
}

// The message of an answer. Excludes API failures and Claude Code's own messages.
std::optional<Json> AnswerIn(std::string_view text) {
  if (!HasPart(text, R"("assistant")")) return std::nullopt;
  const Result<Json> line = ParseJson(text);
  if (!line || TextIn(*line, "type") != "assistant") return std::nullopt;
  if (SaysTrue(*line, "isSidechain") || SaysTrue(*line, "isApiErrorMessage")) return std::nullopt;
  const Json* message = line->Find("message");
  const bool models = message != nullptr && !TextIn(*message, "model").starts_with('<');
  return models ? std::optional(*message) : std::nullopt;
}

bool IsAnswer(std::string_view text) { return AnswerIn(text).has_value(); }

// Its texts; calls of tools are among the reported actions.
std::string WordsOf(const Json& message) {
  std::string words;
  const Json* content = message.Find("content");
  if (content == nullptr || content->AsArray() == nullptr) return words;
  for (const Json& part : *content->AsArray()) {
    if (TextIn(part, "type") != "text") continue;
    words += (words.empty() ? "" : " ") + TextIn(part, "text");
  }
  return words;
}

bool IsInConversation(std::string_view text) {
  const Result<Json> line = ParseJson(text);
  if (!line || SaysTrue(*line, "isSidechain")) return false;
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
  bool keeps_contexts = true;
  for (auto line = lines.Next(); line; line = lines.Next()) {
    if (HasPart(*line, word) && IsInConversation(*line)) {
      return answered ? TextTrace::kAnswered : TextTrace::kWritten;
    }
    answered = answered || IsAnswer(*line);
    keeps_contexts = keeps_contexts && !HasPart(*line, R"("version":"2.0.)");
  }
  if (!keeps_contexts) return TextTrace::kUnreadable;
  return info->bytes > most_bytes && answered ? TextTrace::kAnswered : TextTrace::kAbsent;
}

std::vector<std::string> LastWordsInClaudeTranscript(const FileSystem& files,
                                                     const std::string& path, std::size_t most) {
  constexpr std::uint64_t kMostRead = std::uint64_t{4} << 20U;
  constexpr std::size_t kLongest = 500;  // code points
  std::vector<std::string> words;
  const Result<File> file = files.OpenForReading(path);
  if (path.empty() || !file) return words;
  LinesBackwards lines(*file, {.most_bytes = kMostRead});
  for (auto line = lines.Next(); line && words.size() < most; line = lines.Next()) {
    if (HasPart(*line, R"("compact_boundary")")) break;
    const std::optional<Json> message = AnswerIn(*line);
    std::string text = message ? WordsOf(*message) : std::string();
    std::ranges::replace_if(
        text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    if (!text.empty()) words.emplace_back(CutCodePoints(text, kLongest));
  }
  return words;
}

}  // namespace belay
