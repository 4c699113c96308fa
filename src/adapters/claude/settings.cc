#include "adapters/claude/settings.h"

#include <fmt/core.h>

#include <algorithm>

#include "adapters/claude/events.h"
#include "base/path.h"
#include "base/text.h"
#include "codec/json.h"
#include "model/stored_record.h"

namespace belay {
namespace {

constexpr std::string_view kBlank = " \t";
// Unquoted, these end the word or change its meaning; our own words are quoted.
constexpr std::string_view kSpecial = "`;|&<>()*?[#~=%!{}\n\r";

// Reads the first word as a shell does.
class WordReader {
 public:
  explicit WordReader(std::string_view text) : text_(text) {}

  // The length of the word; nullopt when it doesn't name one file.
  std::optional<std::size_t> Read() {
    while (at_ < text_.size() && kBlank.find(text_[at_]) == std::string_view::npos) {
      if (!Piece()) return std::nullopt;
    }
    return at_;
  }

  std::string value;
  bool expands = false;  // holds a variable

 private:
  bool Piece() {
    const char c = text_[at_++];
    if (c == '\'') return SingleQuoted();
    if (c == '"') return DoubleQuoted();
    if (c == '\\') {
      if (at_ == text_.size() || text_[at_] == '\n') return false;
      value += text_[at_++];
      return true;
    }
    if (kSpecial.find(c) != std::string_view::npos) return false;
    return Plain(c);
  }

  bool Plain(char c) {
    if (c == '$' && text_.substr(at_).starts_with('(')) return false;
    expands = expands || c == '$';
    value += c;
    return true;
  }

  bool SingleQuoted() {
    const std::size_t end = text_.find('\'', at_);
    if (end == std::string_view::npos) return false;
    value += text_.substr(at_, end - at_);
    at_ = end + 1;
    return true;
  }

  bool DoubleQuoted() {
    while (at_ < text_.size() && text_[at_] != '"') {
      char c = text_[at_++];
      if (c == '`') return false;
      const bool escapes = c == '\\' && at_ < text_.size() &&
                           std::string_view("$`\"\\").find(text_[at_]) != std::string_view::npos;
      if (escapes) {
        value += text_[at_++];
      } else if (!Plain(c)) {
        return false;
      }
    }
    return at_++ < text_.size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Removes a word from the front, and the blanks before it.
std::string_view TakeWord(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlank));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

std::optional<HookCommand> ReadHookCommand(std::string_view command) {
  const std::size_t start = std::min(command.find_first_not_of(kBlank), command.size());
  WordReader reader(command.substr(start));
  const std::optional<std::size_t> length = reader.Read();
  if (!length || FileName(reader.value) != "belay") return std::nullopt;
  std::string_view rest = command.substr(start + *length);
  HookCommand found{.word = std::string(command.substr(0, start + *length)),
                    .rest = std::string(rest),
                    .program = reader.value,
                    .event = {},
                    .by_hand = reader.expands || reader.value.find('/') == std::string::npos};
  if (TakeWord(rest) != "event") return std::nullopt;
  found.event = TakeWord(rest);
  if (found.event.empty() || !std::ranges::all_of(found.event, IsLetter)) return std::nullopt;
  if (!TakeWord(rest).empty()) return std::nullopt;
  return found;
}

std::string WriteHookCommand(std::string_view program, std::string_view event) {
  return fmt::format("{} event {}", ShellQuoted(program), event);
}

namespace {

constexpr int kTimeLimit = 10;  // seconds; ours needs milliseconds
constexpr std::string_view kHooks = "hooks";

bool IsBlank(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

bool IsListed(const std::vector<std::string>& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

Json Entry(const std::string& program, const std::string& event) {
  const Json hook = MakeObject({{"type", "command"},
                                {"command", WriteHookCommand(program, event)},
                                {"timeout", kTimeLimit}});
  const ClaudeEvent* known = FindClaudeEvent(event);
  if (known != nullptr && known->has_matcher()) {
    return MakeObject({{"matcher", "*"}, {kHooks, Json::Array{hook}}});
  }
  return MakeObject({{kHooks, Json::Array{hook}}});
}

bool IsEmpty(const Json& container) {
  return container.AsArray() != nullptr ? container.AsArray()->empty()
                                        : container.AsObject()->empty();
}

}  // namespace

std::string FoundBefore::Text() const {
  Json record = MakeObject({{kVersionKey, NewestVersion(StoredRecord::kSettingsBefore)},
                            {"no_file", no_file},
                            {"empty", MakeArray(empty)}});
  if (blank) record.Set("blank", *blank);
  return WriteJson(record, JsonStyle::kIndented);
}

FoundBefore FoundBefore::Parse(std::string_view text) {
  FoundBefore before;
  Result<Json> record = ParseJson(text);
  if (record) record = Migrate(FormatOf(StoredRecord::kSettingsBefore), *std::move(record));
  if (!record || record->AsObject() == nullptr) return before;
  const Json* no_file = record->Find("no_file");
  before.no_file = no_file != nullptr && no_file->AsBool() != nullptr && *no_file->AsBool();
  const Json* blank = record->Find("blank");
  if (blank != nullptr && blank->AsString() != nullptr && IsBlank(*blank->AsString())) {
    before.blank = *blank->AsString();
  }
  const Json* names = record->Find("empty");
  if (names == nullptr || names->AsArray() == nullptr) return before;
  for (const Json& name : *names->AsArray()) {
    if (name.AsString() != nullptr) before.empty.push_back(*name.AsString());
  }
  return before;
}

Result<ClaudeSettings> ClaudeSettings::Open(std::string_view text) {
  const bool blank = IsBlank(text);
  BELAY_TRY_ASSIGN(JsonEditor editor, JsonEditor::Open(blank ? "{}\n" : text));
  ClaudeSettings settings(std::move(editor),
                          blank ? std::optional<std::string>(text) : std::nullopt);
  if (settings.editor_.value().AsObject() == nullptr) return settings.Wrong({}, "it", "an object");
  return settings;
}

Error ClaudeSettings::Wrong(const JsonPlace& place, std::string_view what,
                            std::string_view wanted) const {
  const TextPosition position = editor_.PositionOf(place);
  return {ErrorCode::kDamaged,
          fmt::format("line {}, column {}: {} is {}, not {}", position.line, position.column, what,
                      editor_.At(place)->TypeName(), wanted)};
}

std::vector<std::string> ClaudeSettings::Events() const {
  std::vector<std::string> names;
  const Json* hooks = editor_.At({std::string(kHooks)});
  if (hooks == nullptr || hooks->AsObject() == nullptr) return names;
  for (const JsonMember& event : *hooks->AsObject()) names.push_back(event.key);
  return names;
}

bool ClaudeSettings::HooksAreOff() const {
  const Json* off = editor_.value().Find("disableAllHooks");
  return off != nullptr && off->AsBool() != nullptr && *off->AsBool();
}

// In the order of the text. An entry with an unexpected shape isn't ours.
std::vector<ClaudeSettings::Found> ClaudeSettings::FindOurs() const {
  std::vector<Found> found;
  for (const std::string& event : Events()) {
    const JsonPlace list = {std::string(kHooks), event};
    const Json::Array* groups = editor_.At(list)->AsArray();
    for (std::size_t i = 0; groups != nullptr && i < groups->size(); ++i) {
      const Json* hooks = (*groups)[i].Find(kHooks);
      const Json::Array* items = hooks == nullptr ? nullptr : hooks->AsArray();
      for (std::size_t j = 0; items != nullptr && j < items->size(); ++j) {
        const auto command = ReadHookCommand(TextIn((*items)[j], "command"));
        if (!command) continue;
        found.push_back(
            {{event, *command}, {std::string(kHooks), event, i, std::string(kHooks), j}});
      }
    }
  }
  return found;
}

std::vector<ClaudeHook> ClaudeSettings::OurHooks() const {
  std::vector<ClaudeHook> hooks;
  for (Found& found : FindOurs()) hooks.push_back(std::move(found.hook));
  return hooks;
}

Result<void> ClaudeSettings::Install(const HooksWish& wish, FoundBefore& before) {
  const bool first = FindOurs().empty();
  if (first) before = {.no_file = before.no_file, .blank = blank_};
  if (!wish.unwanted.empty()) BELAY_TRY(TakeOutIf(before, &wish.unwanted));
  BELAY_TRY(FixPaths(wish.program));
  for (const std::string& event : wish.events) BELAY_TRY(Add(wish.program, event, before));
  return {};
}

Result<void> ClaudeSettings::FixPaths(const std::string& program) {
  for (const Found& found : FindOurs()) {
    const HookCommand& command = found.hook.command;
    if (command.by_hand || command.program == program) continue;
    JsonPlace place = found.place;
    place.emplace_back("command");
    // Quoted as we write it; the rest stays as it was.
    const std::string ours = WriteHookCommand(program, "");
    const std::string word = ours.substr(0, ours.size() - std::string_view(" event ").size());
    BELAY_TRY(editor_.Replace(place, word + command.rest));
  }
  return {};
}

Result<void> ClaudeSettings::Add(const std::string& program, const std::string& event,
                                 FoundBefore& before) {
  const bool there = std::ranges::any_of(FindOurs(), [&](const Found& found) {
    return found.hook.event == event && found.hook.command.event == event;
  });
  if (there) return {};
  const JsonPlace hooks = {std::string(kHooks)};
  const JsonPlace list = {std::string(kHooks), event};
  const auto remember = [&](const JsonPlace& place, const std::string& name) {
    if (IsEmpty(*editor_.At(place)) && !IsListed(before.empty, name)) before.empty.push_back(name);
  };
  if (editor_.At(hooks) == nullptr) {
    BELAY_TRY(editor_.AddMember({}, kHooks, Json::EmptyObject()));
  } else if (editor_.At(hooks)->AsObject() == nullptr) {
    return Wrong(hooks, "\"hooks\"", "an object");
  } else {
    remember(hooks, std::string(kHooks));
  }
  const Json entry = Entry(program, event);
  if (editor_.At(list) == nullptr) return editor_.AddMember(hooks, event, Json::Array{entry});
  if (editor_.At(list)->AsArray() == nullptr) {
    return Wrong(list, fmt::format("\"{}\"", event), "a list");
  }
  remember(list, event);
  return editor_.AddElement(list, entry);
}

Result<std::optional<std::string>> ClaudeSettings::TakeOut(const FoundBefore& before) {
  if (FindOurs().empty()) return std::optional(blank_.value_or(Text()));
  BELAY_TRY(TakeOutIf(before, nullptr));
  const bool nothing = editor_.value().AsObject()->empty();
  if (nothing && before.no_file) return std::optional<std::string>();
  return std::optional(nothing && before.blank ? *before.blank : Text());
}

// Last to first, so that the positions of the others stay valid.
Result<void> ClaudeSettings::TakeOutIf(const FoundBefore& before,
                                       const std::vector<std::string>* only) {
  const std::vector<Found> ours = FindOurs();
  bool taken = false;
  for (auto found = ours.rbegin(); found != ours.rend(); ++found) {
    if (only != nullptr && !IsListed(*only, found->hook.event)) continue;
    BELAY_TRY(TakeOutOne(*found, before));
    taken = true;
  }
  return taken ? RemoveIfEmpty({std::string(kHooks)}, kHooks, before) : Result<void>();
}

Result<void> ClaudeSettings::TakeOutOne(const Found& found, const FoundBefore& before) {
  BELAY_TRY(editor_.Remove(found.place));
  const JsonPlace items(found.place.begin(), found.place.end() - 1);
  const JsonPlace group(found.place.begin(), found.place.end() - 2);
  if (!IsEmpty(*editor_.At(items))) return {};
  BELAY_TRY(editor_.Remove(group));
  return RemoveIfEmpty({std::string(kHooks), found.hook.event}, found.hook.event, before);
}

Result<void> ClaudeSettings::RemoveIfEmpty(const JsonPlace& place, std::string_view name,
                                           const FoundBefore& before) {
  if (!IsEmpty(*editor_.At(place)) || IsListed(before.empty, name)) return {};
  return editor_.Remove(place);
}

}  // namespace belay
