// In any document, an addition can be removed without a trace, and every text in between is JSON.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "codec/json_edit.h"

namespace {

using belay::Json;
using belay::JsonEditor;
using belay::JsonPlace;

// The input chooses the place to try, so that every container is tried.
void Collect(const Json& value, const JsonPlace& here, std::vector<JsonPlace>& places) {
  if (value.AsArray() == nullptr && value.AsObject() == nullptr) return;
  places.push_back(here);
  const auto visit = [&](JsonPlace::value_type step, const Json& child) {
    JsonPlace place = here;
    place.push_back(std::move(step));
    Collect(child, place, places);
  };
  for (std::size_t i = 0; value.AsArray() != nullptr && i < value.AsArray()->size(); ++i) {
    visit(i, (*value.AsArray())[i]);
  }
  if (value.AsObject() == nullptr) return;
  for (const belay::JsonMember& member : *value.AsObject()) visit(member.key, member.value);
}

void AddAndRemove(JsonEditor& editor, JsonPlace place) {
  const Json* container = editor.At(place);
  const Json added = belay::MakeObject({{"matcher", "*"}, {"hooks", Json::Array{Json(1)}}});
  const std::string key = "\x01 a key that no input has";
  const bool array = container->AsArray() != nullptr;
  if (!array && container->Find(key) != nullptr) return;
  const std::size_t count = array ? container->AsArray()->size() : 0;
  const auto outcome =
      array ? editor.AddElement(place, added) : editor.AddMember(place, key, added);
  if (!outcome) return;  // deeper than allowed
  place.push_back(array ? JsonPlace::value_type(count) : JsonPlace::value_type(key));
  BELAY_CHECK(*editor.At(place) == added);
  BELAY_CHECK(belay::JsonEditor::Open(editor.Text()).ok());
  BELAY_CHECK(editor.Remove(place).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  belay::Result<JsonEditor> editor = JsonEditor::Open(text);
  if (!editor) return 0;
  std::vector<JsonPlace> places;
  Collect(editor->value(), {}, places);
  if (places.empty()) return 0;
  AddAndRemove(*editor, places[data[0] % places.size()]);
  BELAY_CHECK(editor->Text() == text);
  return 0;
}
