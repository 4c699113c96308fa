#include "cli/services.h"

#include <fmt/core.h>

#include "ui/width.h"

namespace belay {
namespace {

constexpr int kSchemaVersion = 1;

Json WithVersion(Json record) {
  Json::Object members = {{"schema_version", kSchemaVersion}};
  for (JsonMember& member : *record.AsObject()) members.push_back(std::move(member));
  return members;
}

}  // namespace

Json ErrorRecord(const Error& error) {
  return MakeObject(
      {{"code", ErrorCodeName(error.code)}, {"message", error.message}, {"hint", error.hint}});
}

void Io::Show(Json record, std::string_view text) {
  if (json) {
    out += WriteJson(WithVersion(std::move(record)), JsonStyle::kIndented);
  } else {
    out += text;
  }
}

void Io::ShowFailure(Json record, std::string_view text, const Error& error) {
  record.Set("error", ErrorRecord(error));
  Show(std::move(record), text);
}

void Io::Say(std::string_view line) {
  if (!quiet && !json) err += fmt::format("{}\n", line);
}

void Io::ShowError(const Error& error) {
  if (json) return Show(MakeObject({{"error", ErrorRecord(error)}}), "");
  const Style style = err_screen.style;
  err += fmt::format("{} {}", style.Paint(Tone::kBad, "belay:"), Printable(error.message));
  // A typing mistake is reported in one line; other errors get a second line with the hint.
  if (!error.hint.empty() && error.code == ErrorCode::kUsage) {
    err += fmt::format("; {}", Printable(error.hint));
  } else if (!error.hint.empty()) {
    err += fmt::format("\n  {}", style.Paint(Tone::kDim, Printable(error.hint)));
  }
  err += "\n";
}

Result<void> Io::Flush() {
  if (write_err) {
    (void)write_err(err);
    err.clear();
  }
  if (!write_out) return {};
  const int error = write_out(out);
  out.clear();
  if (error != 0) return SystemError("write standard output", error);
  return {};
}

}  // namespace belay
