#include "model/migration.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace belay {
namespace {

// A toy: version 2 renames `colour`, version 3 adds `size`, version 4 refuses what has no name.
Result<Json> RenameColour(Json toy) {
  if (const Json* colour = toy.Find("colour")) {
    const Json value = *colour;
    toy.Set("paint", value);
    toy.Remove("colour");
  }
  return toy;
}
Result<Json> AddSize(Json toy) {
  if (toy.Find("size") == nullptr) toy.Set("size", 1);
  return toy;
}
Result<Json> WantName(Json toy) {
  if (toy.Find("name") == nullptr) return Error{ErrorCode::kDamaged, "it has no name"};
  return toy;
}

Result<Json> RecordInheritance(Json record) { return record; }

constexpr Migration kToySteps[] = {{1, RenameColour}, {2, AddSize}, {3, WantName}};
constexpr RecordFormat kToy = {"toy", 4, kToySteps};

constexpr Migration kHole[] = {{1, RenameColour}, {3, WantName}};
constexpr Migration kTwice[] = {{1, RenameColour}, {1, RenameColour}, {2, AddSize}};
constexpr Migration kUnordered[] = {{2, AddSize}, {1, RenameColour}, {3, WantName}};
constexpr Migration kNothing[] = {{1, nullptr}};
constexpr Migration kPassedOn[] = {{1, RecordInheritance}};

static_assert(IsWhole(kToy));
static_assert(IsWhole({"new", 1}));
static_assert(!IsWhole({"a hole", 4, kHole}));
static_assert(!IsWhole({"a hole that the count doesn't show", 3, kHole}));
static_assert(!IsWhole({"a step twice", 4, kTwice}));
static_assert(!IsWhole({"out of order", 4, kUnordered}));
static_assert(!IsWhole({"no function", 2, kNothing}));
static_assert(!IsWhole({"ends too early", 5, kToySteps}));
static_assert(!IsWhole({"ends too late", 3, kToySteps}));
static_assert(!IsWhole({"no version", 0}));

// As in stored_record.h: an incomplete table doesn't compile.
template <const RecordFormat& format>
requires(IsWhole(format)) struct Checked {
};
template <const RecordFormat& format>
concept Compiles = requires {
  typename Checked<format>;
};
constexpr RecordFormat kWithHole = {"hole", 3, kHole};
static_assert(Compiles<kToy>);
static_assert(!Compiles<kWithHole>);

Json Parsed(std::string_view text) { return *ParseJson(text); }
std::string Migrated(std::string_view text) {
  const Result<Json> record = Migrate(kToy, Parsed(text));
  return record ? WriteJson(*record) : record.error().message;
}

TEST(MigrationTest, BringsEveryVersionToTheNewest) {
  EXPECT_EQ(Migrated(R"({"name":"a","colour":"red"})"),
            R"({"name":"a","paint":"red","size":1,"schema_version":4})");
  EXPECT_EQ(Migrated(R"({"schema_version":1,"name":"a","colour":"red"})"),
            R"({"schema_version":4,"name":"a","paint":"red","size":1})");
  EXPECT_EQ(Migrated(R"({"schema_version":2,"name":"a","paint":"red"})"),
            R"({"schema_version":4,"name":"a","paint":"red","size":1})");
  EXPECT_EQ(Migrated(R"({"schema_version":3,"name":"a","size":7})"),
            R"({"schema_version":4,"name":"a","size":7})");
}

TEST(MigrationTest, LeavesTheNewestAsItIs) {
  const char* const newest = R"({"schema_version":4,"colour":"red"})";
  EXPECT_EQ(Migrated(newest), newest);
}

TEST(MigrationTest, KeepsUnknownMembersInTheirOrder) {
  EXPECT_EQ(
      Migrated(R"({"zebra":[1.10],"schema_version":2,"name":"a","paint":"x","ape":{"b":null}})"),
      R"({"zebra":[1.10],"schema_version":4,"name":"a","paint":"x","ape":{"b":null},"size":1})");
}

TEST(MigrationTest, ANewerVersionIsRefusedAndBothAreNamed) {
  const Result<Json> newer = Migrate(kToy, Parsed(R"({"schema_version":5})"));
  ASSERT_FALSE(newer.ok());
  EXPECT_EQ(newer.error().code, ErrorCode::kDamaged);
  EXPECT_EQ(newer.error().message,
            "toy: written by a newer belay (version 5, this one knows up to 4)");
  EXPECT_FALSE(newer.error().hint.empty());
}

TEST(MigrationTest, WhatIsNoVersionIsRefused) {
  for (const char* version : {"0", "-1", "1.0", "\"1\"", "null", "[]", "true"}) {
    const std::string text = std::string("{\"schema_version\":") + version + "}";
    const Result<Json> record = Migrate(kToy, Parsed(text));
    ASSERT_FALSE(record.ok()) << version;
    EXPECT_EQ(record.error().code, ErrorCode::kDamaged);
  }
}

TEST(MigrationTest, WithoutAVersionARecordIsTheFirstUnlessItAlwaysHadOne) {
  EXPECT_EQ(*VersionOf(kToy, Parsed("{}")), 1);
  EXPECT_FALSE(VersionOf({"strict", 4, kToySteps, Unversioned::kDamaged}, Parsed("{}")).ok());
}

TEST(MigrationTest, AStepThatRefusesIsNamed) {
  EXPECT_EQ(Migrated(R"({"schema_version":2})"), "toy: version 3 to 4: it has no name");
}

TEST(MigrationTest, WhatIsNoObjectNeverGetsAVersion) {
  for (const char* text : {"1", "[]", "null", "\"x\""}) {
    EXPECT_FALSE(Migrate({"thing", 2, kPassedOn}, Parsed(text)).ok()) << text;
  }
}

TEST(MigrationTest, ReadsTheNewestInPlaceAndOlderOnesMigrated) {
  const Json newest = Parsed(R"({"schema_version":4})");
  const Json* read = nullptr;
  const auto look = [&](const Json& record) {
    read = &record;
    return Result<std::string>(WriteJson(record));
  };
  EXPECT_TRUE(ReadRecord(kToy, newest, look).ok());
  EXPECT_EQ(read, &newest);
  EXPECT_EQ(*ReadRecord(kToy, Parsed(R"({"name":"a"})"), look),
            R"({"name":"a","size":1,"schema_version":4})");
  EXPECT_FALSE(ReadRecord(kToy, Parsed(R"({"schema_version":5})"), look).ok());
}

}  // namespace
}  // namespace belay
