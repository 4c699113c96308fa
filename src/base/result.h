// A value, or the error that explains why there is none.
//
//   Result<Json> ParseJson(std::string_view text);
//
//   BELAY_TRY_ASSIGN(Json value, ParseJson(text));   // value, or return the error
//   BELAY_TRY(Save(value));                          // go on, or return the error
//
// A class and not an alias of tl::expected, so that the compiler warns when a result is dropped.

#ifndef BELAY_BASE_RESULT_H_
#define BELAY_BASE_RESULT_H_

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

namespace belay {

// Why an operation failed, as one of six codes.
//
// The set of codes is closed: scripts see them by name in `--json` and as exit codes. A message
// names the operation, the object and the reason ("rename hooks/a.json.tmp: No space left on
// device"); the hint, if any, tells the user what to do. Library code returns errors and never
// prints them; the command line prints each one once.

enum class ErrorCode {
  kFailed,    // exit 1: the operation failed
  kUsage,     // exit 2: wrong command line or configuration
  kNotFound,  // exit 3: the named object doesn't exist
  kRefused,   // exit 4: a rule forbids it
  kDamaged,   // exit 5: damaged data, or data of a newer version
  kBusy,      // exit 75: another process holds it; try later
};

std::string_view ErrorCodeName(ErrorCode code);
int ExitCode(ErrorCode code);

struct Error {
  ErrorCode code;
  std::string message;
  std::string hint = {};

  // Adds context: "`object`: message".
  Error In(std::string_view object) &&;
};

// From an errno value: "`what`: No such file or directory". ENOENT and ENOTDIR become kNotFound,
// all others kFailed. A full, read-only or broken disk, a missing permission and too many open
// files get a hint; a caller for which these mean something else sets its own.
Error SystemError(std::string_view what, int errno_value);

template <class T>
class [[nodiscard]] Result {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): `return value;` and `return error;` must read
  // well.
  template <class U = T, class = std::enable_if_t<std::is_convertible_v<U&&, T>>>
  Result(U&& value) : expected_(std::forward<U>(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : expected_(tl::unexpect, std::move(error)) {}

  explicit operator bool() const { return expected_.has_value(); }
  bool ok() const { return expected_.has_value(); }

  T& operator*() & { return *expected_; }
  const T& operator*() const& { return *expected_; }
  T&& operator*() && { return *std::move(expected_); }
  T* operator->() { return expected_.operator->(); }
  const T* operator->() const { return expected_.operator->(); }

  Error& error() & { return expected_.error(); }
  const Error& error() const& { return expected_.error(); }
  Error&& error() && { return std::move(expected_.error()); }

 private:
  tl::expected<T, Error> expected_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : expected_(tl::unexpect, std::move(error)) {}

  explicit operator bool() const { return expected_.has_value(); }
  bool ok() const { return expected_.has_value(); }

  Error& error() & { return expected_.error(); }
  const Error& error() const& { return expected_.error(); }
  Error&& error() && { return std::move(expected_.error()); }

 private:
  tl::expected<void, Error> expected_;
};

// Whether it failed because the named object doesn't exist (kNotFound).
template <class T>
bool IsMissing(const Result<T>& result) {
  return !result && result.error().code == ErrorCode::kNotFound;
}

// The same result, where an object that doesn't exist is no error: an empty value stands for it.
template <class T>
Result<T> EmptyIfMissing(Result<T> result) {
  if constexpr (std::is_void_v<T>)
    return IsMissing(result) ? Result<T>() : result;
  else
    return IsMissing(result) ? Result<T>(T{}) : std::move(result);
}

// Nothing when the object doesn't exist.
template <class T>
Result<std::optional<T>> IfThere(Result<T> result) {
  if (IsMissing(result)) return std::optional<T>();
  if (!result) return std::move(result).error();
  return std::optional<T>(*std::move(result));
}

}  // namespace belay

// NOLINTBEGIN(bugprone-macro-parentheses): declarations can't stand in parentheses.
#define BELAY_RESULT_JOIN2(a, b) a##b
#define BELAY_RESULT_JOIN(a, b) BELAY_RESULT_JOIN2(a, b)

#define BELAY_TRY(expression)                                \
  do {                                                       \
    if (auto belay_result_ = (expression); !belay_result_) { \
      return std::move(belay_result_).error();               \
    }                                                        \
  } while (false)

#define BELAY_TRY_ASSIGN_AS(result, declaration, expression) \
  auto result = (expression);                                \
  if (!result) return std::move(result).error();             \
  declaration = *std::move(result)

#define BELAY_TRY_ASSIGN(declaration, expression) \
  BELAY_TRY_ASSIGN_AS(BELAY_RESULT_JOIN(belay_result_, __LINE__), declaration, expression)
// NOLINTEND(bugprone-macro-parentheses)

#endif  // BELAY_BASE_RESULT_H_
