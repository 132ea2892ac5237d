// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A JSON value, as reports put it together. The library that writes it is included by json.cpp alone.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace terrace::tools {

class Json {
 public:
  struct Member;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;  ///< in the order in which keys were given

  Json(std::nullptr_t = nullptr);
  Json(bool value);
  Json(std::int64_t value);
  Json(double value);
  Json(const char* value);
  Json(std::string value);
  Json(Array values);
  Json(Object members);
  Json(std::initializer_list<Member> members);  ///< an object

  template <class Integer>
  requires std::is_integral_v<Integer> Json(Integer value) : Json(static_cast<std::int64_t>(value)) {}
  template <class Value>
  Json(const std::optional<Value>& value) : Json() {
    if (value) *this = Json(*value);
  }
  template <class Value>
  Json(const std::vector<Value>& values) : Json(Array(values.begin(), values.end())) {}

  // In json.cpp, for they would be compiled wherever a report is put together.
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();

  bool is_null() const { return value_.index() == 0; }

  /// Sets a member of an object, in its old place when it is there.
  void set(const std::string& key, Json value);

  /// Sets all members of another object.
  void update(const Json& other);

  const auto& value() const { return value_; }

 private:
  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object> value_;
};

struct Json::Member {
  std::string key;
  Json value;
};

/// On standard output. NaN and Inf, which JSON does not know, are printed as null; bytes that are no UTF-8 are
/// replaced.
void print_json(const Json& object);

}  // namespace terrace::tools
