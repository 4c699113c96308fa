#include <fmt/core.h>

#include "app/history.h"
#include "app/settings.h"
#include "cli/commands/commands.h"
#include "cli/text.h"
#include "ledger/family_table.h"
#include "ui/width.h"

namespace belay {
namespace {

constexpr std::size_t kFlushLogAt = std::size_t{64} << 10U;

// "2h" ago, or a time.
Result<WallTime> ParseSince(const std::string& text, WallTime now) {
  if (const Result<Duration> ago = ParseDuration(text)) {
    return *ago > now.time_since_epoch() ? WallTime() : now - *ago;
  }
  if (const Result<WallTime> time = ParseUtc(text)) return *time;
  return Error{ErrorCode::kUsage, fmt::format("--since {} is neither a duration nor a time", text),
               "write it like 2h, 1h30m or 2026-11-15T06:36:00Z"};
}

// On a terminal, a long text continues below the column of what happened.
std::string WrapWhy(const std::string& why, std::size_t before, std::size_t columns) {
  constexpr std::size_t kIndent = 33;  // the time and the journal
  const std::string collapsed = CollapseBlanks(why);
  std::string text;
  for (const std::string_view line :
       WrapLines(collapsed, RoomAfter(before, columns), RoomAfter(kIndent, columns))) {
    if (!text.empty()) text += "\n" + std::string(kIndent, ' ');
    text += line;
  }
  return text;
}

// One line for people: when, which journal, what, the agent or entry, why.
std::string Line(const TimelineEntry& entry, const Screen& screen) {
  const RecordText text = ReadRecordText(entry.journal, entry.record);
  const std::string time = TimeText(entry.at);
  const std::string journal = fmt::format("  {:<10}  ", Printable(entry.journal));
  const std::string what = Printable(text.what.empty() ? "?" : text.what);
  const std::string who = text.who.empty() ? "" : "  " + Printable(text.who);
  std::string why = Printable(text.why);
  const std::size_t before = DisplayWidth(time + journal + what + who) + 2;
  if (screen.columns) why = WrapWhy(why, before, *screen.columns);
  return fmt::format("{}{}{}{}{}{}\n", screen.style.Paint(Tone::kDim, time), journal,
                     screen.style.Paint(Tone::kBold, what), who, why.empty() ? "" : "  ", why);
}

// A record that stands alone gets the schema_version of the output instead of its own.
Json RecordOf(const TimelineEntry& entry, bool alone) {
  Json::Object members;
  if (alone) members.push_back({"schema_version", 1});
  members.push_back({"journal", entry.journal});
  members.push_back({"seq", entry.seq});
  for (const JsonMember& member : *entry.record.AsObject()) {
    if (!alone || member.key != "schema_version") members.push_back(member);
  }
  return members;
}

// Writes entries as they come, in the requested form.
class LogPrinter {
 public:
  LogPrinter(Io& io, bool follow) : io_(io), follow_(follow) {}

  void Begin() {
    if (io_.json && !follow_) io_.out += R"({"schema_version":1,"records":[)";
  }

  Result<void> Print(const TimelineEntry& entry) {
    if (!io_.json) {
      io_.out += Line(entry, io_.screen);
    } else if (follow_) {
      io_.out += WriteJson(RecordOf(entry, true)) + "\n";
    } else {
      io_.out += (printed_ == 0 ? "\n" : ",\n") + WriteJson(RecordOf(entry, false));
    }
    ++printed_;
    return io_.out.size() < kFlushLogAt ? Result<void>() : io_.Flush();
  }

  // With JSON an error becomes part of the object that was begun.
  Result<int> End(const Result<void>& outcome) {
    if (!io_.json || follow_) {
      BELAY_TRY(outcome);
      if (printed_ == 0 && !follow_) io_.Say("no records in that time");
      return 0;
    }
    io_.out += "\n]";
    if (!outcome) io_.out += fmt::format(",\"error\":{}", WriteJson(ErrorRecord(outcome.error())));
    io_.out += "}\n";
    return outcome ? 0 : ExitCode(outcome.error().code);
  }

 private:
  Io& io_;
  bool follow_;
  std::uint64_t printed_ = 0;
};

}  // namespace

Result<int> RunLog(const Invocation& invocation, Services& services) {
  WallTime since{};
  if (const auto text = invocation.Value("--since")) {
    BELAY_TRY_ASSIGN(since, ParseSince(*text, services.clock.Wall()));
  }
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(services, VaultUse::kRead));
  const bool follow = invocation.Has("--follow");
  LogPrinter printer(services.io, follow);
  printer.Begin();
  return printer.End(
      ReadLog(services, project,
              {.since = since,
               .follow = follow,
               .out_pipe = services.io.out_pipe,
               .take = [&](const TimelineEntry& entry) { return printer.Print(entry); },
               .caught_up = [&] { return services.io.Flush(); }}));
}

}  // namespace belay
