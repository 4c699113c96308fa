#include "engine/resumption/document.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "engine/resumption/section_text.h"

namespace belay {
namespace {

Json ArchiveJson(const ResumptionArchive& archive) {
  return MakeObject({{"file", archive.file},
                     {"decisions", archive.decisions},
                     {"agents", archive.agents},
                     {"compactions", archive.compactions},
                     {"scores", archive.scores}});
}

// What belay writes into the section, in order.
struct OwnEntry {
  std::string key;
  Json value;
};

std::vector<OwnEntry> OwnEntries(const Resumption& section) {
  std::vector<OwnEntry> entries;
  if (section.keeps_v1_keys) {
    entries.push_back({"last_checkpoint", section.State("last_checkpoint")});
    entries.push_back({"next_step", section.State("next_step")});
  }
  entries.push_back({"schema_version", std::string(kResumptionVersion)});
  for (const ResumptionPart part : AllResumptionParts()) {
    entries.push_back({std::string(ResumptionPartName(part)), section[part]});
  }
  if (!section.archive.file.empty()) entries.push_back({"archive", ArchiveJson(section.archive)});
  return entries;
}

bool IsSingle(const YamlNode& node) {
  return node.kind == YamlNode::Kind::kNull || node.kind == YamlNode::Kind::kScalar;
}

class SectionWriter {
 public:
  SectionWriter(const ResumptionDocument& document, const Resumption& section, bool keep_bytes)
      : document_(document),
        outline_(document.outline),
        section_(section),
        keep_bytes_(keep_bytes),
        indent_(outline_.children.empty() ? outline_.indent + 2 : outline_.children[0].column) {}

  RenderedDocument Write() {
    const std::vector<OwnEntry> own = OwnEntries(section_);
    for (const OwnEntry& entry : own) own_keys_.insert(entry.key);
    WriteKeyLine();
    for (const SectionChild& child : outline_.children) {
      if (IsDropped(child)) Add(outline_.Lines({child.comments, child.lines.first}));
    }
    for (const OwnEntry& entry : own) WriteOwn(entry);
    for (std::size_t i = 0; i < outline_.children.size(); ++i) {
      const SectionChild& child = outline_.children[i];
      if (IsUnreadable(child)) {
        WriteRenamed(i);
      } else if (!IsOwn(child) && !IsDropped(child)) {
        Add(outline_.Lines({child.comments, EndOf(i)}));
      }
    }
    return Splice();
  }

 private:
  bool IsUnreadable(const SectionChild& child) const {
    return std::ranges::find(document_.unreadable, child.key) != document_.unreadable.end();
  }
  bool IsOwn(const SectionChild& child) const {
    return own_keys_.contains(child.key) && !IsUnreadable(child);
  }
  // Its value has moved elsewhere.
  bool IsDropped(const SectionChild& child) const {
    const YamlNode* value = document_.value.Find(child.key);
    const bool moved = document_.section.version == 1 && IsVersionOneKey(child.key);
    return moved && !IsOwn(child) && value != nullptr && IsSingle(*value);
  }

  // Up to the comments of the next one.
  std::size_t EndOf(std::size_t child) const {
    const bool last = child + 1 == outline_.children.size();
    return last ? outline_.section->end : outline_.children[child + 1].comments;
  }

  void Add(std::string_view lines) {
    if (lines.empty()) return;
    if (!text_.empty() && text_.back() != '\n' && text_.back() != '\r') text_ += outline_.line_end;
    text_ += lines;
  }

  // The line of the key stays if its value is on other lines.
  void WriteKeyLine() {
    const bool stays =
        outline_.section &&
        (!outline_.children.empty() ||
         (document_.value.kind == YamlNode::Kind::kNull && document_.value.text.empty()));
    if (stays) {
      Add(outline_.Lines({outline_.section->first, outline_.section->first + 1}));
      if (!outline_.children.empty()) {
        Add(outline_.Lines({outline_.section->first + 1, outline_.children[0].comments}));
      }
      return;
    }
    if (outline_.section && HoldsComment(outline_.Lines(*outline_.section))) {
      lost_comments_.emplace_back(kResumptionSection);
    }
    text_ += std::string(outline_.indent, ' ') + std::string(kResumptionSection) + ":" +
             outline_.line_end;
  }

  bool IsUnchanged(const OwnEntry& entry, const YamlNode& value) const {
    if (entry.key == "schema_version") return value.text.starts_with("2");
    return JsonOfYaml(value) == entry.value;
  }

  void WriteOwn(const OwnEntry& entry) {
    const auto& children = outline_.children;
    const auto found = std::ranges::find(children, entry.key, &SectionChild::key);
    if (found == children.end() || !IsOwn(*found)) {
      return Add(RenderYamlEntry(entry.key, entry.value, indent_, outline_.line_end));
    }
    const auto index = static_cast<std::size_t>(found - children.begin());
    Add(outline_.Lines({found->comments, found->lines.first}));
    WriteChanged(entry, *found);
    Add(outline_.Lines({found->lines.end, EndOf(index)}));
  }

  void WriteChanged(const OwnEntry& entry, const SectionChild& child) {
    const YamlNode* value = document_.value.Find(entry.key);
    const std::string_view old = outline_.Lines(child.lines);
    if (keep_bytes_ && value != nullptr && IsUnchanged(entry, *value)) return Add(old);
    if (keep_bytes_ && value != nullptr) {
      const MergedEntry merged =
          MergeYamlEntry(outline_, {entry.key, child.lines, *value, child.column}, entry.value);
      if (merged.lost_comments) lost_comments_.push_back(entry.key);
      return Add(merged.text);
    }
    if (HoldsComment(old)) lost_comments_.push_back(entry.key);
    Add(RenderYamlEntry(entry.key, entry.value, indent_, outline_.line_end));
  }

  void WriteRenamed(std::size_t index) {
    const SectionChild& child = outline_.children[index];
    std::string name = child.key + "_before";
    for (int n = 2; document_.value.Find(name) != nullptr; ++n) {
      name = fmt::format("{}_before_{}", child.key, n);
    }
    const std::string_view lines = outline_.Lines({child.lines.first, EndOf(index)});
    const std::size_t colon = lines.find(':', child.column + child.key.size());
    Add(outline_.Lines({child.comments, child.lines.first}));
    Add(std::string(child.column, ' ') + name + std::string(lines.substr(colon)));
  }

  void EndLine() {
    if (!text_.empty() && text_.back() != '\n' && text_.back() != '\r') text_ += outline_.line_end;
  }

  void CutLastLineEnd() {
    if (text_.ends_with(outline_.line_end)) text_.resize(text_.size() - outline_.line_end.size());
  }

  RenderedDocument Splice() {
    const std::string_view all = outline_.bytes;
    const std::string_view before = outline_.Before();
    const std::string_view behind = outline_.Behind();
    const bool open = !all.empty() && behind.empty() && all.back() != '\n' && all.back() != '\r';
    EndLine();
    if (open) CutLastLineEnd();
    std::string bytes(before);
    const bool unended = before.size() > outline_.line_starts.front() && before.back() != '\n' &&
                         before.back() != '\r';
    if (unended) bytes += outline_.line_end;
    bytes += text_;
    bytes += behind;
    return {.bytes = std::move(bytes), .lost_comments = std::move(lost_comments_)};
  }

  const ResumptionDocument& document_;
  const YamlOutline& outline_;
  const Resumption& section_;
  bool keep_bytes_;
  std::size_t indent_;
  std::set<std::string, std::less<>> own_keys_;
  std::vector<std::string> lost_comments_;
  std::string text_;
};

bool SameOutside(const YamlNode& before, const YamlNode& after) {
  std::vector<const YamlEntry*> theirs;
  for (const YamlEntry& entry : after.entries) {
    if (entry.key != kResumptionSection) theirs.push_back(&entry);
  }
  std::size_t next = 0;
  for (const YamlEntry& entry : before.entries) {
    if (entry.key == kResumptionSection) continue;
    if (next == theirs.size() || theirs[next]->key != entry.key) return false;
    if (!SameYaml(theirs[next++]->value, entry.value)) return false;
  }
  return next == theirs.size();
}

// Keys of other authors have their values as before.
bool SameForeign(const YamlNode& before, const YamlNode& after, const Resumption& section) {
  std::set<std::string, std::less<>> own;
  for (const OwnEntry& entry : OwnEntries(section)) own.insert(entry.key);
  return std::ranges::all_of(before.entries, [&](const YamlEntry& entry) {
    if (own.contains(entry.key) || IsVersionOneKey(entry.key)) return true;
    const YamlNode* now = after.Find(entry.key);
    return now != nullptr && SameYaml(*now, entry.value);
  });
}

std::string WhyNotSame(const ResumptionDocument& document, const Resumption& section,
                       const RenderedDocument& rendered) {
  YamlRefusal refusal{};
  const Result<YamlOutline> outline = OutlineYaml(rendered.bytes, kResumptionSection, refusal);
  if (!outline) return "the result doesn't parse: " + outline.error().message;
  if (!SameOutside(document.outline.root, outline->root)) {
    return "something outside of the section would change";
  }
  const Result<YamlNode> value =
      ParseSection(*outline, kResumptionSection, IsResumptionKey, refusal);
  if (!value) return "the section doesn't parse: " + value.error().message;
  const Result<ResumptionRead> read = ReadResumption(*value);
  if (!read) return read.error().message;
  if (!read->problems.empty()) return read->problems.front();
  Resumption wanted = section;
  wanted.version = 2;
  if (!(read->section == wanted)) return "the section doesn't read back as it was written";
  if (!SameForeign(document.value, *value, section)) return "a key of another author would change";
  return {};
}

void Refuse(DocumentRefusal* refusal, std::string_view reason) {
  if (refusal != nullptr) refusal->reason = reason;
}

}  // namespace

std::string_view ResumptionDocument::SectionBytes() const {
  return outline.section ? outline.Lines(*outline.section) : std::string_view();
}

Result<ResumptionDocument> ReadResumptionDocument(std::string bytes, std::string_view name,
                                                  DocumentRefusal* refusal) {
  YamlRefusal why = YamlRefusal::kSyntax;
  Result<YamlOutline> outline = OutlineYaml(std::move(bytes), kResumptionSection, why);
  if (!outline) {
    Refuse(refusal, YamlRefusalName(why));
    return std::move(outline).error();
  }
  ResumptionDocument document{.outline = *std::move(outline)};
  Result<YamlNode> value = ParseSection(document.outline, kResumptionSection, IsResumptionKey, why);
  if (!value) {
    Refuse(refusal, YamlRefusalName(why));
    return std::move(value).error();
  }
  document.value = *std::move(value);
  Result<ResumptionRead> read = ReadResumption(document.value);
  if (!read) {
    Refuse(refusal, "unknown version");
    return std::move(read).error();
  }
  document.section = std::move(read->section);
  document.problems = std::move(read->problems);
  document.unreadable = std::move(read->unreadable);
  document.facts = ReadWorkflow(document.outline.root);
  if (!document.HasSection()) document.section.version = 0;
  Complete(document.section, name);
  for (std::string& one : RepairInvariants(document.section)) {
    document.problems.push_back(std::move(one));
  }
  return document;
}

Result<RenderedDocument> RenderDocument(const ResumptionDocument& document,
                                        const Resumption& section) {
  std::string why;
  for (const bool keep_bytes : {true, false}) {
    RenderedDocument rendered = SectionWriter(document, section, keep_bytes).Write();
    why = WhyNotSame(document, section, rendered);
    if (why.empty()) return rendered;
  }
  return Error{ErrorCode::kDamaged,
               fmt::format("the section can't be written without changing other things: {}", why),
               "nothing was changed"};
}

}  // namespace belay
