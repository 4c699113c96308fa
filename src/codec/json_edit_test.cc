#include "codec/json_edit.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace belay {
namespace {

// Writes documents with strange white space everywhere; the root is an object or an array.
class Scribe {
 public:
  std::string Document() {
    std::string text = Space();
    Value(3, text);
    return text + Space();
  }

 private:
  static std::string Space() {
    return *rc::gen::element<std::string>("", "", " ", "\n", "\r\n", "\t", "  \n\n    ", "\r", " ");
  }
  static std::string Scalar() {
    return *rc::gen::element<std::string>("1", "-0", "1.10", "true", "null", R"("a,]}\"\\")",
                                          R"("\u00e9{")", "\"\xC3\xBC\"", "\"\"");
  }
  void Value(int depth, std::string& text) {
    const int kind = depth == 0   ? 0
                     : depth == 3 ? *rc::gen::element(1, 2)
                                  : *rc::gen::element(0, 1, 2);
    if (kind == 0) {
      text += Scalar();
      return;
    }
    const int count = *rc::gen::element(0, 1, 2, 3);
    text += kind == 1 ? "{" + Space() : "[" + Space();
    for (int i = 0; i < count; ++i) {
      if (i > 0) text += Space() + "," + Space();
      if (kind == 1) text += "\"k" + std::to_string(i) + "\"" + Space() + ":" + Space();
      Value(depth - 1, text);
    }
    if (count > 0) text += Space();
    text += kind == 1 ? "}" : "]";
  }
};

void CollectPlaces(const Json& value, const JsonPlace& here, std::vector<JsonPlace>& places) {
  places.push_back(here);
  const auto visit = [&](JsonPlace::value_type step, const Json& child) {
    JsonPlace place = here;
    place.push_back(std::move(step));
    CollectPlaces(child, place, places);
  };
  if (value.AsArray() != nullptr) {
    for (std::size_t i = 0; i < value.AsArray()->size(); ++i) visit(i, (*value.AsArray())[i]);
  }
  if (value.AsObject() != nullptr) {
    for (const JsonMember& member : *value.AsObject()) visit(member.key, member.value);
  }
}

std::vector<JsonPlace> PlacesOf(const JsonEditor& editor) {
  std::vector<JsonPlace> places;
  CollectPlaces(editor.value(), {}, places);
  return places;
}

Json SomeValue() {
  const Json entry = MakeObject(
      {{"matcher", "*"}, {"hooks", Json::Array{MakeObject({{"type", "command"}, {"n", 1}})}}});
  return *rc::gen::element(entry, Json::EmptyArray(), Json::EmptyObject(), Json("x,\"y"), Json(1),
                           Json(Json::Array{Json(1), entry}));
}

// Puts something new at the end of the container; gives its place.
JsonPlace Add(JsonEditor& editor, const JsonPlace& container, int number, const Json& value) {
  JsonPlace added = container;
  if (const Json::Array* items = editor.At(container)->AsArray()) {
    added.emplace_back(items->size());
    EXPECT_TRUE(editor.AddElement(container, value).ok());
  } else {
    const std::string key = "new " + std::to_string(number);
    added.emplace_back(key);
    EXPECT_TRUE(editor.AddMember(container, key, value).ok());
  }
  return added;
}

JsonPlace SomeContainer(const JsonEditor& editor) {
  std::vector<JsonPlace> places = PlacesOf(editor);
  std::erase_if(places, [&](const JsonPlace& place) {
    const Json* value = editor.At(place);
    return value->AsArray() == nullptr && value->AsObject() == nullptr;
  });
  return *rc::gen::elementOf(places);
}

bool IsInside(const JsonPlace& place, const JsonPlace& container) {
  return place.size() >= container.size() &&
         std::equal(container.begin(), container.end(), place.begin());
}

TEST(JsonEditTest, KeepsTheTextOfWhatItOpens) {
  EXPECT_TRUE(rc::check("a document is the same when nothing is done", [] {
    const std::string text =
        *rc::gen::element<std::string>("", "\xEF\xBB\xBF") + Scribe().Document();
    const Result<JsonEditor> editor = JsonEditor::Open(text);
    RC_ASSERT(editor.ok());
    RC_ASSERT(editor->Text() == text);
  }));
}

TEST(JsonEditTest, WhatWasAddedGoesWithoutATrace) {
  EXPECT_TRUE(rc::check("adding several and removing them in any order restores every byte", [] {
    const std::string text = Scribe().Document();
    JsonEditor editor = *JsonEditor::Open(text);
    const Json before = editor.value();
    const JsonPlace container = SomeContainer(editor);
    const int count = *rc::gen::element(1, 2, 3, 4);
    const Json* there = editor.At(container);
    const std::size_t old = there->AsArray() ? there->AsArray()->size() : there->AsObject()->size();
    std::vector<JsonPlace> added;
    for (int i = 0; i < count; ++i) added.push_back(Add(editor, container, i, SomeValue()));
    while (!added.empty()) {
      const auto which = *rc::gen::inRange<std::size_t>(0, added.size());
      JsonPlace place = added[which];
      if (std::holds_alternative<std::size_t>(place.back())) place.back() = old + which;
      RC_ASSERT(editor.Remove(place).ok());
      added.erase(added.begin() + static_cast<std::ptrdiff_t>(which));
    }
    RC_ASSERT(editor.Text() == text);
    RC_ASSERT(editor.value() == before);
  }));
}

TEST(JsonEditTest, ContainersThatWereAddedForWhatIsInThemGoToo) {
  EXPECT_TRUE(rc::check("a path of new containers restores every byte", [] {
    const std::string text = Scribe().Document();
    JsonEditor editor = *JsonEditor::Open(text);
    JsonPlace place = SomeContainer(editor);
    std::vector<JsonPlace> added;
    for (int i = 0; i < 3; ++i) {
      const Json empty = *rc::gen::element(Json::EmptyArray(), Json::EmptyObject());
      place = Add(editor, place, i, empty);
      added.push_back(place);
    }
    for (; !added.empty(); added.pop_back()) RC_ASSERT(editor.Remove(added.back()).ok());
    RC_ASSERT(editor.Text() == text);
  }));
}

TEST(JsonEditTest, AnAdditionChangesNothingElse) {
  EXPECT_TRUE(rc::check("the rest stays byte for byte, and the value is as asked for", [] {
    const std::string text = Scribe().Document();
    JsonEditor editor = *JsonEditor::Open(text);
    const JsonPlace container = SomeContainer(editor);
    const std::vector<JsonPlace> before = PlacesOf(editor);
    const JsonEditor old = editor;
    const Json value = SomeValue();
    const JsonPlace added = Add(editor, container, 0, value);
    RC_ASSERT(*editor.At(added) == value);
    for (const JsonPlace& place : before) {
      if (IsInside(container, place)) continue;
      RC_ASSERT(*editor.At(place) == *old.At(place));
    }
    const std::string now = editor.Text();
    const auto same = static_cast<std::size_t>(
        std::mismatch(text.begin(), text.end(), now.begin()).first - text.begin());
    RC_ASSERT(now.ends_with(text.substr(same)));  // one insertion
  }));
}

TEST(JsonEditTest, AReplacementAndARemovalChangeNothingElse) {
  EXPECT_TRUE(rc::check("all others keep their values", [] {
    JsonEditor editor = *JsonEditor::Open(Scribe().Document());
    const JsonEditor old = editor;
    const JsonPlace target = *rc::gen::elementOf(PlacesOf(editor));
    const Json value = SomeValue();
    RC_ASSERT(editor.Replace(target, value).ok());
    RC_ASSERT(*editor.At(target) == value);
    for (const JsonPlace& place : PlacesOf(old)) {
      if (IsInside(target, place) || IsInside(place, target)) continue;
      RC_ASSERT(*editor.At(place) == *old.At(place));
    }
    if (target.empty()) return;
    const JsonPlace parent(target.begin(), target.end() - 1);
    Json wanted = *editor.At(parent);
    if (Json::Array* items = wanted.AsArray()) {
      items->erase(items->begin() +
                   static_cast<std::ptrdiff_t>(std::get<std::size_t>(target.back())));
    } else {
      wanted.Remove(std::get<std::string>(target.back()));
    }
    RC_ASSERT(editor.Remove(target).ok());
    RC_ASSERT(*editor.At(parent) == wanted);
  }));
}

std::string WithHook(std::string_view text) {
  JsonEditor editor = *JsonEditor::Open(text);
  const Json entry = MakeObject({{"matcher", "*"}, {"n", Json::Array{Json(1)}}});
  if (editor.At({"hooks"}) == nullptr) {
    EXPECT_TRUE(editor.AddMember({}, "hooks", Json::EmptyArray()).ok());
  }
  EXPECT_TRUE(editor.AddElement({"hooks"}, entry).ok());
  return editor.Text();
}

TEST(JsonEditTest, TakesTheMannerOfTheDocument) {
  EXPECT_EQ(WithHook("{}\n"),
            "{\n  \"hooks\": [\n    {\n      \"matcher\": \"*\",\n      \"n\": [\n        1\n"
            "      ]\n    }\n  ]\n}\n");
  EXPECT_EQ(
      WithHook("{\r\n\t\"a\": 1\r\n}\r\n"),
      "{\r\n\t\"a\": 1,\r\n\t\"hooks\": [\r\n\t\t{\r\n\t\t\t\"matcher\": \"*\",\r\n\t\t\t\"n\": "
      "[\r\n\t\t\t\t1\r\n\t\t\t]\r\n\t\t}\r\n\t]\r\n}\r\n");
  EXPECT_EQ(WithHook("{\"a\":1}"), "{\"a\":1,\"hooks\":[{\"matcher\":\"*\",\"n\":[1]}]}");
  EXPECT_EQ(WithHook("{\"a\": 1}"), "{\"a\": 1, \"hooks\": [{\"matcher\": \"*\", \"n\": [1]}]}");
  EXPECT_EQ(WithHook("{\n    \"hooks\": [\n        1\n    ]\n}"),
            "{\n    \"hooks\": [\n        1,\n        {\n            \"matcher\": \"*\",\n"
            "            \"n\": [\n                1\n            ]\n        }\n    ]\n}");
}

TEST(JsonEditTest, FindsThePositionOfAValue) {
  const JsonEditor editor = *JsonEditor::Open("\xEF\xBB\xBF{\n  \"a\": [1, {}]\n}");
  EXPECT_EQ(editor.PositionOf({"a"}).line, 2u);
  EXPECT_EQ(editor.PositionOf({"a"}).column, 8u);
  EXPECT_EQ(editor.PositionOf({"a", std::size_t{1}}).column, 12u);
  EXPECT_EQ(editor.At({"a", std::size_t{2}}), nullptr);
  EXPECT_EQ(editor.At({"a", "b"}), nullptr);
}

TEST(JsonEditTest, WhatTheParserRefusesChangesNothing) {
  EXPECT_FALSE(JsonEditor::Open("{\"a\":1,\"a\":2}").ok());
  JsonEditor editor = *JsonEditor::Open("[[]]", {.max_depth = 2});
  EXPECT_FALSE(editor.AddElement({std::size_t{0}}, Json::EmptyArray()).ok());
  EXPECT_EQ(editor.Text(), "[[]]");
  EXPECT_TRUE(editor.AddElement({std::size_t{0}}, 1).ok());
}

}  // namespace
}  // namespace belay
