#include "model/migration.h"

#include <fmt/core.h>

#include <utility>

namespace belay {
namespace {

Error NoVersion(const RecordFormat& format) {
  return {ErrorCode::kDamaged, fmt::format("{}: \"{}\" isn't a version", format.name, kVersionKey)};
}

}  // namespace

Result<void> CheckVersion(const RecordFormat& format, std::int64_t version) {
  if (version < 1) return NoVersion(format);
  if (version <= format.newest) return {};
  return Error{ErrorCode::kDamaged,
               fmt::format("{}: written by a newer belay (version {}, this one knows up to {})",
                           format.name, version, format.newest),
               "use that version of belay, or a newer one"};
}

Result<int> VersionOf(const RecordFormat& format, const Json& record) {
  if (record.AsObject() == nullptr) return NoVersion(format);
  const Json* value = record.Find(kVersionKey);
  if (value == nullptr && format.unversioned == Unversioned::kFirst) return 1;
  const std::int64_t* version = value != nullptr ? value->AsInteger() : nullptr;
  if (version == nullptr) return NoVersion(format);
  BELAY_TRY(CheckVersion(format, *version));
  return static_cast<int>(*version);
}

Result<Json> Migrate(const RecordFormat& format, Json record) {
  BELAY_TRY_ASSIGN(const int version, VersionOf(format, record));
  if (version == format.newest) return record;
  for (const Migration& one : format.steps.subspan(static_cast<std::size_t>(version) - 1)) {
    Result<Json> next = one.step(std::move(record));
    if (!next) {
      return std::move(next).error().In(
          fmt::format("{}: version {} to {}", format.name, one.from, one.from + 1));
    }
    record = *std::move(next);
  }
  record.Set(kVersionKey, format.newest);
  return record;
}

}  // namespace belay
