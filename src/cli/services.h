// What a command may use: the doors to the system (app/env.h), and the way to speak to the user.

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

// Data goes to `out`, talk to `err`. Both are kept here until Flush, or until the command ends.
struct Io {
  Screen screen;      // of the standard output
  Screen err_screen;  // of the standard error
  bool json = false;
  bool quiet = false;
  std::string out = {};
  std::string err = {};
  // Where Flush writes to; gives an errno, or 0. Without them everything is kept.
  std::function<int(std::string_view)> write_out = {};
  std::function<int(std::string_view)> write_err = {};
  // The standard input to its end; what goes beyond so many bytes is read and dropped.
  std::function<Result<std::string>(std::size_t)> read_in = {};
  std::function<bool()> go_on_in_background = [] { return true; };  // os/this_process.h
  std::optional<int> out_pipe = {};  // the standard output, when somebody reads it through a pipe

  // The outcome of a command: the record with --json, else the text. The record gets
  // `schema_version` as its first member.
  void Show(Json record, std::string_view text);
  // The same of a command that found something wrong: with --json the record says so as an error
  // too.
  void ShowFailure(Json record, std::string_view text, const Error& error);
  // Talk: nothing with --quiet or --json.
  void Say(std::string_view line);
  void ShowError(const Error& error);
  // Writes what is there: for output that comes bit by bit, or is too much to be kept.
  Result<void> Flush();
};

// {"code", "message", "hint"}: what stands under "error" in a record.
Json ErrorRecord(const Error& error);

struct Services : Env {
  Io& io;
};

}  // namespace belay

#endif  // BELAY_CLI_SERVICES_H_
