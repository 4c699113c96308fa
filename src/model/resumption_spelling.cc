#include "model/resumption_spelling.h"

#include <algorithm>
#include <string>

namespace belay {
namespace {

using enum ResumptionPart;

// A plain text of YAML is a number if it looks like one.
Json AsPlain(const std::string& text) {
  YamlNode node;
  node.kind = YamlNode::Kind::kScalar;
  node.text = text;
  return JsonOfYaml(node);
}

Json AsText(const Json& value) {
  const bool scalar =
      value.AsInteger() != nullptr || value.AsDecimal() != nullptr || value.AsBool() != nullptr;
  return scalar ? Json(WriteJson(value)) : value;
}

Json AsMeant(const Json& value, FieldType type) {
  const std::string* text = value.AsString();
  if (type == FieldType::kText) return AsText(value);
  if (type == FieldType::kStatus && text != nullptr) {
    const std::optional<std::string_view> status = NormalStatus(*text);
    return status ? Json(*status) : value;
  }
  const bool number = type == FieldType::kCount || type == FieldType::kFraction;
  return number && text != nullptr ? AsPlain(*text) : value;
}

void ReadObject(Json& object, std::string_view of) {
  if (object.AsObject() == nullptr) return;
  for (const FieldRule& rule : ResumptionFields()) {
    if (rule.of != of) continue;
    Json* value = object.Find(rule.name);
    if (value == nullptr) continue;
    if (value->is_null() && !rule.nullable) {
      object.Remove(rule.name);
    } else {
      *value = AsMeant(*value, rule.type);
    }
  }
}

void ReadItems(Json* list, std::string_view of) {
  if (list == nullptr || list->AsArray() == nullptr) return;
  for (Json& item : *list->AsArray()) ReadObject(item, of);
}

void ReadMember(Json& part, std::string_view key, std::string_view of) {
  if (part.AsObject() != nullptr) ReadItems(part.Find(key), of);
}

}  // namespace

void ReadSpellings(Resumption& section) {
  for (const ResumptionPart part : AllResumptionParts()) {
    const std::string name(ResumptionPartName(part));
    ReadObject(section[part], name);
    ReadItems(&section[part], name + "[]");
  }
  ReadMember(section[kDefectSummary], "recurring_patterns", "defect_summary.recurring_patterns[]");
  ReadMember(section[kCompactionEvents], "events", "compaction_events.events[]");
  if (Json::Object* summaries = section[kAgentSummaries].AsObject()) {
    for (JsonMember& member : *summaries) member.value = AsText(member.value);
  }
}

}  // namespace belay
