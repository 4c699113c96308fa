#include "engine/resumption/section_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "model/resumption.h"

namespace belay {
namespace {

constexpr std::size_t kLongestLine = 96;  // of a list on one line

std::string QuotedYaml(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string KeyYaml(std::string_view key) {
  constexpr std::string_view kWords[] = {"true", "false", "null", "yes", "no",
                                         "on",   "off",   "y",    "n"};
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const bool plain = !key.empty() && letter(key.front()) && std::ranges::all_of(key, [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '-';
  });
  std::string lower(key);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return plain && !IsIn(kWords, lower) ? std::string(key) : QuotedYaml(key);
}

std::string FlowYaml(const Json& value) {
  if (const std::string* text = value.AsString()) return QuotedYaml(*text);
  if (const Json::Array* items = value.AsArray()) {
    std::string out = "[";
    for (const Json& item : *items) out += (out.size() > 1 ? ", " : "") + FlowYaml(item);
    return out + "]";
  }
  if (const Json::Object* members = value.AsObject()) {
    std::string out = "{";
    for (const JsonMember& member : *members) {
      out += fmt::format("{}{}: {}", out.size() > 1 ? ", " : "", KeyYaml(member.key),
                         FlowYaml(member.value));
    }
    return out + "}";
  }
  return WriteJson(value);
}

bool IsFlat(const Json& value) {
  const auto scalar = [](const Json& one) {
    return one.AsArray() == nullptr && one.AsObject() == nullptr;
  };
  if (value.AsObject() != nullptr) return value.AsObject()->empty();
  if (value.AsArray() == nullptr) return true;
  return std::ranges::all_of(*value.AsArray(), scalar) && FlowYaml(value).size() <= kLongestLine;
}

class BlockWriter {
 public:
  explicit BlockWriter(std::string_view line_end) : line_end_(line_end) {}

  void Entry(std::string_view key, const Json& value, std::size_t indent) {
    out_.append(indent, ' ');
    out_ += KeyYaml(key) + ":";
    Value(value, indent);
  }

  void Item(const Json& item, std::size_t indent) {
    out_.append(indent, ' ');
    out_ += "-";
    const Json::Object* members = item.AsObject();
    if (members == nullptr || members->empty()) {
      out_ += " " + FlowYaml(item);
      out_ += line_end_;
      return;
    }
    for (std::size_t i = 0; i < members->size(); ++i) {
      const JsonMember& member = (*members)[i];
      if (i == 0) {
        out_ += " " + KeyYaml(member.key) + ":";
        Value(member.value, indent + 2);
      } else {
        Entry(member.key, member.value, indent + 2);
      }
    }
  }

  std::string Take() && { return std::move(out_); }

 private:
  // Behind a colon.
  void Value(const Json& value, std::size_t indent) {
    if (IsFlat(value)) {
      out_ += " " + FlowYaml(value);
      out_ += line_end_;
      return;
    }
    out_ += line_end_;
    if (value.AsObject() != nullptr) {
      for (const JsonMember& member : *value.AsObject()) {
        Entry(member.key, member.value, indent + 2);
      }
      return;
    }
    for (const Json& item : *value.AsArray()) Item(item, indent + 2);
  }

  std::string_view line_end_;
  std::string out_;
};

// What names an entry of a list, whatever else about it changes.
std::string NameOfItem(const Json& item) {
  for (const std::string_view key : {"id", "path", "pattern"}) {
    std::string name = TextIn(item, key);
    if (!name.empty()) return name;
  }
  return {};
}

class EntryMerger {
 public:
  explicit EntryMerger(const YamlOutline& outline) : outline_(outline) {}

  void Entry(const WrittenEntry& old, const Json& value) {
    if (JsonOfYaml(old.value) == value) return Add(outline_.Lines(old.lines));
    if (IsMap(old) && value.AsObject() != nullptr && !value.AsObject()->empty()) {
      Add(outline_.Lines({old.lines.first, old.lines.first + 1}));
      return Members(old.value, 0, *value.AsObject(), old.lines.first + 1);
    }
    if (IsList(old) && value.AsArray() != nullptr && !value.AsArray()->empty()) {
      Add(outline_.Lines({old.lines.first, old.lines.first + 1}));
      return Items(old.value, *value.AsArray(), old.lines.first + 1);
    }
    Lose(old.lines, old.value.block);
    Add(RenderYamlEntry(old.key, value, old.indent, outline_.line_end));
  }

  MergedEntry Take() && { return {std::move(text_), lost_}; }

 private:
  void Add(std::string_view lines) {
    if (lines.empty()) return;
    if (!text_.empty() && text_.back() != '\n' && text_.back() != '\r') text_ += outline_.line_end;
    text_ += lines;
  }
  void Lose(YamlLines lines, bool block = false) {
    lost_ = lost_ || HoldsComment(outline_.Lines(lines), block);
  }

  // An item that is no longer there, with what stands above it. Gives the line behind it.
  std::size_t Drop(std::size_t above, const YamlNode& item) {
    Lose({above, LinesOf(item).end});
    return LinesOf(item).end;
  }

  // How far a line is indented.
  std::size_t IndentOf(std::size_t line) const {
    const std::string_view text = outline_.Lines({line, line + 1});
    return std::min(text.find_first_not_of(' '), text.size());
  }
  static YamlLines LinesOf(std::size_t first, const YamlNode& value) {
    return {first, std::max(value.last_line, first + 1)};
  }
  static YamlLines LinesOf(const YamlEntry& entry) {
    return LinesOf(entry.key_position.line - 1, entry.value);
  }
  static YamlLines LinesOf(const YamlNode& item) { return LinesOf(item.position.line - 1, item); }

  // Each of its entries begins a line below the key's.
  bool IsMap(const WrittenEntry& old) const {
    if (old.value.kind != YamlNode::Kind::kMap || old.value.flow) return false;
    return !old.value.entries.empty() && HaveLines(old.value, 0, old.lines.first + 1);
  }
  bool HaveLines(const YamlNode& map, std::size_t from, std::size_t line) const {
    for (std::size_t i = from; i < map.entries.size(); ++i) {
      const YamlEntry& entry = map.entries[i];
      const std::size_t first = entry.key_position.line - 1;
      if (first < line || IndentOf(first) != entry.key_position.column - 1) return false;
      line = LinesOf(entry).end;
    }
    return true;
  }
  bool IsList(const WrittenEntry& old) const {
    if (old.value.kind != YamlNode::Kind::kList || old.value.flow) return false;
    std::size_t line = old.lines.first + 1;
    for (const YamlNode& item : old.value.items) {
      const YamlLines lines = LinesOf(item);
      const std::string_view text = outline_.Lines({lines.first, lines.first + 1});
      const std::size_t dash = IndentOf(lines.first);
      if (lines.first < line || dash >= text.size() || text[dash] != '-') return false;
      line = lines.end;
    }
    return !old.value.items.empty();
  }

  // The entries of a map from index `from` on; `line` is behind what comes before them. What stands
  // between two entries belongs to the second.
  void Members(const YamlNode& map, std::size_t from, const Json::Object& members,
               std::size_t line) {
    const std::size_t indent =
        map.entries[from == map.entries.size() ? 0 : from].key_position.column;
    std::vector<std::size_t> above;
    for (std::size_t i = from; i < map.entries.size(); ++i) {
      const YamlEntry& entry = map.entries[i];
      above.push_back(line);
      line = LinesOf(entry).end;
      const bool stays = std::ranges::find(members, entry.key, &JsonMember::key) != members.end();
      if (!stays) Lose({above.back(), line});
    }
    for (const JsonMember& member : members) {
      const auto found = std::ranges::find(map.entries, member.key, &YamlEntry::key);
      const auto index = static_cast<std::size_t>(found - map.entries.begin());
      if (index < from) continue;
      if (found == map.entries.end()) {
        Add(RenderYamlEntry(member.key, member.value, indent - 1, outline_.line_end));
        continue;
      }
      const YamlLines lines = LinesOf(*found);
      Add(outline_.Lines({above[index - from], lines.first}));
      Entry({found->key, lines, found->value, indent - 1}, member.value);
    }
  }

  void Items(const YamlNode& list, const Json::Array& items, std::size_t line) {
    const std::size_t indent = IndentOf(LinesOf(list.items.front()).first);
    std::vector<Json> old;
    for (const YamlNode& item : list.items) old.push_back(JsonOfYaml(item));
    std::size_t next = 0;
    for (const Json& item : items) {
      const std::size_t found = FindItem(old, next, item);
      if (found == old.size()) {
        AddItem(item, indent);
        continue;
      }
      for (; next < found; ++next) line = Drop(line, list.items[next]);
      const YamlLines lines = LinesOf(list.items[next++]);
      Add(outline_.Lines({line, lines.first}));
      Item(list.items[found], lines, old[found], item, indent);
      line = lines.end;
    }
    for (; next < old.size(); ++next) line = Drop(line, list.items[next]);
  }

  // The one that is the same from `next` on, else the one of that name.
  static std::size_t FindItem(const std::vector<Json>& old, std::size_t next, const Json& item) {
    const auto start = old.begin() + static_cast<std::ptrdiff_t>(next);
    auto found = std::find(start, old.end(), item);
    const std::string name = NameOfItem(item);
    if (found == old.end() && !name.empty())
      found = std::ranges::find(start, old.end(), name, NameOfItem);
    return static_cast<std::size_t>(found - old.begin());
  }

  void Item(const YamlNode& node, YamlLines lines, const Json& old, const Json& item,
            std::size_t indent) {
    if (old == item) return Add(outline_.Lines(lines));
    const Json::Object* members = item.AsObject();
    const bool map = node.kind == YamlNode::Kind::kMap && !node.flow && !node.entries.empty();
    // The first member shares the line of the dash.
    const YamlLines first = map ? LinesOf(node.entries.front()) : lines;
    const bool keeps = map && members != nullptr && first.first == lines.first &&
                       MemberOf(item, node.entries.front().key) == (*old.AsObject())[0].value &&
                       HaveLines(node, 1, first.end);
    if (!keeps) {
      Lose(lines);
      return AddItem(item, indent);
    }
    Add(outline_.Lines(first));
    Members(node, 1, *members, first.end);
  }
  void AddItem(const Json& item, std::size_t indent) {
    BlockWriter writer(outline_.line_end);
    writer.Item(item, indent);
    Add(std::move(writer).Take());
  }

  const YamlOutline& outline_;
  std::string text_;
  bool lost_ = false;
};

}  // namespace

std::string RenderYamlEntry(std::string_view key, const Json& value, std::size_t indent,
                            std::string_view line_end) {
  BlockWriter writer(line_end);
  writer.Entry(key, value, indent);
  return std::move(writer).Take();
}

MergedEntry MergeYamlEntry(const YamlOutline& outline, const WrittenEntry& old, const Json& value) {
  EntryMerger merger(outline);
  merger.Entry(old, value);
  return std::move(merger).Take();
}

bool HoldsComment(std::string_view lines, bool block) {
  if (block) lines = lines.substr(0, lines.find_first_of("\r\n"));
  constexpr std::string_view kBefore = " \t\r\n[{,:";  // an opening quote, a comment
  char quote = '\0';
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const char c = lines[at];
    const bool starts = at == 0 || kBefore.find(lines[at - 1]) != kBefore.npos;
    if (quote == '"' && c == '\\') {
      ++at;
    } else if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if ((c == '"' || c == '\'') && starts) {
      quote = c;
    } else if (c == '#' &&
               (at == 0 || std::string_view(" \t\r\n").find(lines[at - 1]) != kBefore.npos)) {
      return true;
    }
  }
  return false;
}

}  // namespace belay
