// What a command may use: the interfaces to the system (app/env.h), and the output to the user.

#ifndef BELAY_CLI_SERVICES_H_
#define BELAY_CLI_SERVICES_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/env.h"
#include "base/result.h"
#include "codec/json.h"
#include "ui/style.h"
#include "ui/table.h"

namespace belay {

// How output may look.
struct Screen {
  std::optional<std::size_t> columns;  // nothing: not a terminal, so nothing is cut
  Style style;

  // For prose, which needs some width: a terminal's, or 80.
  std::size_t ProseColumns() const { return columns.value_or(80); }
};

// Data goes to `out`, messages to `err`. Both are buffered until Flush, or until the command ends.
struct Io {
  Screen screen;      // of the standard output
  Screen err_screen;  // of the standard error
  bool json = false;
  bool quiet = false;
  std::string out = {};
  std::string err = {};
  // Where Flush writes to; returns an errno, or 0. Without them everything is buffered.
  std::function<int(std::string_view)> write_out = {};
  std::function<int(std::string_view)> write_err = {};
  // The standard input to its end; what exceeds the limit is read and dropped.
  std::function<Result<std::string>(std::size_t)> read_in = {};
  std::function<bool()> go_on_in_background = [] { return true; };  // os/this_process.h
  std::optional<int> out_pipe = {};  // the standard output, if it is a pipe

  // The outcome of a command: the record with --json, else the text. The record gets
  // `schema_version` as its first member.
  void Show(Json record, std::string_view text);
  // The same for a command that found a problem: with --json the record also has an error.
  void ShowFailure(Json record, std::string_view text, const Error& error);
  // Messages: nothing with --quiet or --json.
  void Say(std::string_view line);
  void ShowError(const Error& error);
  // Writes what is there: for output that comes in pieces, or is too large to buffer.
  Result<void> Flush();
};

// {"code", "message", "hint"}: the value of "error" in a record.
Json ErrorRecord(const Error& error);

struct Services : Env {
  Io& io;
};

}  // namespace belay

#endif  // BELAY_CLI_SERVICES_H_
