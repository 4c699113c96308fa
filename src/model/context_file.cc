#include "model/context_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "base/utf8.h"
#include "codec/hash.h"

namespace belay {
namespace {

constexpr std::string_view kFence = "---";
constexpr std::string_view kSchemaComment = "# Context preservation schema v";
constexpr std::string_view kHeading = "### Last Working State";
constexpr std::uint32_t kMostResumes = 1'000'000;
constexpr std::size_t kDigestLength = 64;
constexpr std::size_t kMostBlanks = 100;  // in a row; the YAML reader refuses very long runs

constexpr std::string_view kContextKeys[] = {
    "task_id",           "worker",         "status",        "timestamp",
    "timeout_reason",    "files_modified", "files_pending", "last_action",
    "resume_count",      "base_commit",    "snapshot",      "taint",
    "earlier_snapshots", "content_sha256"};

bool IsLineSeparator(char32_t value) {
  return value == 0x85 || value == 0x2028 || value == 0x2029 || value == 0xFEFF;
}

// One line that YAML can hold.
std::string OneLine(std::string_view text) {
  std::string line;
  std::size_t blanks = 0;
  while (!text.empty()) {
    const CodePoint point = DecodeUtf8(text);
    text.remove_prefix(point.bytes);
    const bool control = point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0);
    const char32_t value = control || IsLineSeparator(point.value) ? U' ' : point.value;
    blanks = value == U' ' ? blanks + 1 : 0;
    if (blanks <= kMostBlanks) AppendUtf8(value, line);
  }
  return line;
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : OneLine(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

bool IsWord(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '/' || c == '#';
  });
}

// Without quotes where every YAML reader takes it as this text, or as this number.
std::string Plain(std::string_view text) {
  constexpr std::string_view kSpecial[] = {"true", "false", "null", "yes", "no",
                                           "on",   "off",   "y",    "n"};
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  const bool letter = !lower.empty() && lower[0] >= 'a' && lower[0] <= 'z';
  const bool number = !text.empty() && text.size() < 10 && text[0] != '0' &&
                      text.find_first_not_of("0123456789") == std::string_view::npos;
  const bool plain = (letter && IsWord(text) && !IsIn(kSpecial, lower)) || number;
  return plain ? std::string(text) : Quoted(text);
}

void AppendList(std::string_view key, const std::vector<std::string>& items, std::string& out) {
  out += fmt::format("{}:{}\n", key, items.empty() ? " []" : "");
  for (const std::string& item : items) out += fmt::format("  - {}\n", Plain(item));
}

std::string Scalar(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kNull) return "null";
  return node.quoted || !IsWord(node.text) || node.text.starts_with('#') ||
                 node.text.starts_with('-')
             ? Quoted(node.text)
             : node.text;
}

bool IsScalar(const YamlNode& node) {
  return node.kind == YamlNode::Kind::kNull || node.kind == YamlNode::Kind::kScalar;
}

bool CanKeep(std::string_view key, const YamlNode& node) {
  const bool list = node.kind == YamlNode::Kind::kList &&
                    std::all_of(node.items.begin(), node.items.end(), IsScalar);
  return Plain(key) == key && (IsScalar(node) || list);
}

void AppendUnknown(const ContextFile& context, std::string& out) {
  for (const auto& [key, node] : context.unknown) {
    if (IsScalar(node)) {
      out += fmt::format("{}: {}\n", key, Scalar(node));
      continue;
    }
    out += fmt::format("{}:{}\n", key, node.items.empty() ? " []" : "");
    for (const YamlNode& item : node.items) out += fmt::format("  - {}\n", Scalar(item));
  }
}

std::string QuotedOrNull(std::string_view text) { return text.empty() ? "null" : Quoted(text); }

// From the frontmatter's first line to the line of the checksum, without it.
std::string Frontmatter(const ContextFile& context) {
  std::string out = fmt::format("{}\n{}{}\n", kFence, kSchemaComment, kContextVersion);
  out += fmt::format("task_id: {}\n", Plain(context.task_id.text()));
  out += fmt::format("worker: {}\n", Plain(context.worker));
  out += "status: suspended\n";
  out += fmt::format("timestamp: {}\n", FormatUtc(context.timestamp));
  out += fmt::format("timeout_reason: {}\n", SuspendReasonName(context.reason));
  AppendList("files_modified", context.files_modified, out);
  AppendList("files_pending", context.files_pending, out);
  const std::string action = OneLine(context.last_action);
  out += fmt::format("last_action: {}\n", Quoted(CutCodePoints(action, kLongestLastAction)));
  out += fmt::format("resume_count: {}\n", context.resume_count);
  out += fmt::format("base_commit: {}\n", QuotedOrNull(context.base_commit));
  out += fmt::format("snapshot: {}\n", QuotedOrNull(context.snapshot));
  out += fmt::format("taint: {}\n", context.tainted ? "tainted" : "clean");
  if (!context.earlier_snapshots.empty()) {
    out += "earlier_snapshots:\n";
    for (const std::string& one : context.earlier_snapshots) {
      out += fmt::format("  - {}\n", Quoted(one));
    }
  }
  AppendUnknown(context, out);
  return out;
}

std::string_view TrimLines(std::string_view text) {
  while (text.starts_with('\n')) text.remove_prefix(1);
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

Error Damaged(std::string_view why) {
  return {ErrorCode::kDamaged, fmt::format("not a context file: {}", why)};
}

// The frontmatter with its fences, and the rest.
struct Parts {
  std::size_t begin;  // of the frontmatter, after the first fence
  std::size_t end;    // of the frontmatter: of the last fence
  std::string_view body;
};

Result<Parts> TakeApart(std::string_view bytes) {
  const std::string fence_line = std::string(kFence) + "\n";
  if (!bytes.starts_with(fence_line)) return Damaged("it doesn't begin with ---");
  for (std::size_t at = fence_line.size(); at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    const std::string_view line = bytes.substr(at, end - at);
    if (line == kFence)
      return Parts{fence_line.size(), at, bytes.substr(std::min(end + 1, bytes.size()))};
    at = end + 1;
  }
  return Damaged("its frontmatter has no end");
}

Result<void> CheckSchema(std::string_view front) {
  const std::string_view line = front.substr(0, front.find('\n'));
  if (!line.starts_with(kSchemaComment)) return Damaged("it doesn't name its schema");
  const std::string_view number = line.substr(kSchemaComment.size());
  int version = 0;
  const auto end = std::from_chars(number.data(), number.data() + number.size(), version);
  const bool whole = end.ec == std::errc() && end.ptr == number.data() + number.size();
  if (!whole || version < 1) return Damaged(fmt::format("its schema is {}", Quote(number)));
  if (version <= kContextVersion) return {};
  return Error{ErrorCode::kDamaged,
               fmt::format("it is a context file of version {}, and this belay reads {}", version,
                           kContextVersion),
               "use the belay that wrote it"};
}

// Reads the frontmatter's values; the first mistake counts.
class FrontReader {
 public:
  explicit FrontReader(const YamlNode& front) : front_(front) {}

  std::string Text(std::string_view key, bool required) {
    const YamlNode* node = front_.Find(key);
    if (node != nullptr && node->kind == YamlNode::Kind::kScalar) return node->text;
    const bool missing = node == nullptr || node->kind == YamlNode::Kind::kNull;
    if (required || !missing) Fail(key);
    return {};
  }
  std::vector<std::string> Texts(std::string_view key) {
    std::vector<std::string> texts;
    const YamlNode* node = front_.Find(key);
    if (node == nullptr || node->kind == YamlNode::Kind::kNull) return texts;
    if (node->kind != YamlNode::Kind::kList) Fail(key);
    for (const YamlNode& item : node->items) {
      if (item.kind != YamlNode::Kind::kScalar) Fail(key);
      texts.push_back(item.text);
    }
    return texts;
  }
  std::uint32_t Count(std::string_view key) {
    const std::string text = Text(key, true);
    std::uint32_t count = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), count);
    const bool whole = end.ec == std::errc() && end.ptr == text.data() + text.size();
    if (!whole || count > kMostResumes) Fail(key);
    return count;
  }
  void Fail(std::string_view key) {
    if (!error_) error_ = Damaged(fmt::format("its {} is missing or makes no sense", key));
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  const YamlNode& front_;
  std::optional<Error> error_;
};

Result<ParsedContext> ReadFront(const YamlNode& front) {
  FrontReader read(front);
  const Result<TaskId> id = TaskId::Parse(read.Text("task_id", true));
  if (!id) return Damaged("its task_id is missing or makes no sense");
  ParsedContext parsed{.context = {.task_id = *id}, .status = read.Text("status", true)};
  ContextFile& context = parsed.context;
  context.worker = read.Text("worker", false);
  const Result<WallTime> time = ParseUtc(read.Text("timestamp", true));
  if (!time) read.Fail("timestamp");
  if (time) context.timestamp = *time;
  const auto reason = ParseSuspendReason(read.Text("timeout_reason", true));
  if (!reason) read.Fail("timeout_reason");
  context.reason = reason.value_or(SuspendReason::kSignal);
  context.files_modified = read.Texts("files_modified");
  context.files_pending = read.Texts("files_pending");
  context.last_action = read.Text("last_action", false);
  context.resume_count = read.Count("resume_count");
  context.base_commit = read.Text("base_commit", false);
  context.snapshot = read.Text("snapshot", false);
  const std::string taint = read.Text("taint", false);
  if (taint != "" && taint != "clean" && taint != "tainted") read.Fail("taint");
  context.tainted = taint == "tainted";
  context.earlier_snapshots = read.Texts("earlier_snapshots");
  for (const YamlEntry& entry : front.entries) {
    if (IsIn(kContextKeys, entry.key) || !CanKeep(entry.key, entry.value)) continue;
    context.unknown.emplace_back(entry.key, entry.value);
  }
  if (read.error()) return *read.error();
  return parsed;
}

// The bytes of a value of the frontmatter, as an offset in the file and a length.
struct Span {
  std::size_t at;
  std::size_t size;
};
// Where a plain or quoted value on one line stands that is spelled `spelling`.
std::optional<Span> FindValue(std::string_view bytes, const Parts& parts, const YamlNode& node,
                              std::string_view spelling) {
  std::size_t at = parts.begin;
  for (std::size_t line = 1; line < node.position.line; ++line) {
    at = bytes.find('\n', at);
    if (at == std::string_view::npos) return std::nullopt;
    ++at;
  }
  at += CutCodePoints(bytes.substr(at), node.position.column - 1).size();
  const bool there = at < parts.end && bytes.substr(at).starts_with(spelling);
  return there ? std::optional(Span{at, spelling.size()}) : std::nullopt;
}

bool IsDigest(std::string_view text) {
  return text.size() == kDigestLength &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Other writers raised the count without a new checksum: then it fits an earlier count.
bool IsIntact(std::string_view bytes, const Parts& parts, const YamlNode& front,
              std::uint32_t count) {
  constexpr std::uint32_t kMostTried = 100;
  const YamlNode* digest = front.Find("content_sha256");
  const YamlNode* counted = front.Find("resume_count");
  if (digest == nullptr || counted == nullptr || !IsDigest(digest->text)) return false;
  const auto sum = FindValue(bytes, parts, *digest, fmt::format("\"{}\"", digest->text));
  const auto number = FindValue(bytes, parts, *counted, counted->text);
  if (!sum || !number) return false;
  std::string hashed(bytes);
  hashed.replace(sum->at, sum->size, "\"\"");
  if (Sha256Hex(hashed) == digest->text) return true;
  const std::size_t shift = number->at > sum->at ? sum->size - 2 : 0;
  for (std::uint32_t earlier = count; earlier > 0 && count - earlier < kMostTried; --earlier) {
    std::string with = hashed;
    with.replace(number->at - shift, number->size, std::to_string(earlier - 1));
    if (Sha256Hex(with) == digest->text) return true;
  }
  return false;
}

std::string_view WithoutHeading(std::string_view body) {
  body = TrimLines(body);
  const std::string_view first = body.substr(0, body.find('\n'));
  if (first == kHeading) body = TrimLines(body.substr(first.size()));
  return body;
}

std::string_view TrimBlanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// "- `src/a.cc`: why" gives src/a.cc.
std::string_view PathOfItem(std::string_view item) {
  item = TrimBlanks(item);
  if (item.starts_with('`')) {
    item.remove_prefix(1);
    return item.substr(0, item.find('`'));
  }
  item = item.substr(0, std::min(item.find(": "), item.find(" (")));
  return TrimBlanks(item);
}

}  // namespace

std::string WriteContextFile(const ContextFile& context, std::size_t most_body) {
  const std::string front = Frontmatter(context);
  const std::string clean = ReplaceInvalidUtf8(TrimLines(context.body));
  const std::string_view body = TrimLines(CutCodePoints(clean, most_body));
  const std::string rest =
      fmt::format("\n{}\n\n{}\n{}{}", kFence, kHeading, body.empty() ? "" : "\n", body) +
      (body.empty() ? "" : "\n");
  const std::string placeholder = front + "content_sha256: \"\"" + rest;
  return front + fmt::format("content_sha256: \"{}\"", Sha256Hex(placeholder)) + rest;
}

Result<ParsedContext> ParseContextFile(std::string_view bytes) {
  BELAY_TRY_ASSIGN(const Parts parts, TakeApart(bytes));
  const std::string_view front = bytes.substr(parts.begin, parts.end - parts.begin);
  if (front.find('\r') != std::string_view::npos) return Damaged("its lines end with CR");
  BELAY_TRY(CheckSchema(front));
  const Result<YamlNode> yaml = ParseYaml(front);
  if (!yaml) return Damaged(yaml.error().message);
  if (yaml->kind != YamlNode::Kind::kMap) return Damaged("its frontmatter has no keys");
  BELAY_TRY_ASSIGN(ParsedContext parsed, ReadFront(*yaml));
  parsed.intact = IsIntact(bytes, parts, *yaml, parsed.context.resume_count);
  parsed.context.body = WithoutHeading(parts.body);
  return parsed;
}

namespace {

void AddPathOf(std::string_view item, std::vector<std::string>& paths) {
  if (const std::string_view path = PathOfItem(item); !path.empty()) paths.emplace_back(path);
}

// What stands behind the title "File Ownership:", also as a heading or in bold; nullopt: another
// line.
std::optional<std::string_view> BehindTitle(std::string_view line) {
  constexpr std::string_view kTitle = "File Ownership:";
  line.remove_prefix(std::min(line.find_first_not_of("*# "), line.size()));
  if (!line.starts_with(kTitle)) return std::nullopt;
  line.remove_prefix(kTitle.size());
  line.remove_prefix(std::min(line.find_first_not_of('*'), line.size()));
  return TrimBlanks(line);
}

}  // namespace

std::vector<std::string> FileOwnership(std::string_view description) {
  std::vector<std::string> paths;
  bool inside = false;
  for (std::string_view line : Split(description, '\n')) {
    line = TrimBlanks(line);
    if (!inside) {
      const std::optional<std::string_view> rest = BehindTitle(line);
      if (!rest) continue;
      inside = true;
      for (const std::string_view item : Split(*rest, ',')) AddPathOf(item, paths);
      continue;
    }
    if (line.empty() && paths.empty()) continue;
    if (!line.starts_with("- ") && !line.starts_with("* ")) break;
    AddPathOf(line.substr(2), paths);
  }
  return paths;
}

}  // namespace belay
