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

#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

#include "base/error.h"

namespace belay {

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
