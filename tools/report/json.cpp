// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/json.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace terrace::tools {
namespace {

using Library = nlohmann::ordered_json;

Library convert(const Json& json);

struct Convert {
  Library operator()(const Json::Array& values) const {
    Library array = Library::array();
    for (const Json& value : values) array.push_back(convert(value));
    return array;
  }
  Library operator()(const Json::Object& members) const {
    Library object = Library::object();
    for (const Json::Member& member : members) object[member.key] = convert(member.value);
    return object;
  }
  template <class Value>
  Library operator()(const Value& value) const {
    return value;
  }
};

Library convert(const Json& json) { return std::visit(Convert(), json.value()); }

}  // namespace

Json::Json(std::nullptr_t) {}
Json::Json(bool value) : value_(value) {}
Json::Json(std::int64_t value) : value_(value) {}
Json::Json(double value) : value_(value) {}
Json::Json(const char* value) : value_(std::string(value)) {}
Json::Json(std::string value) : value_(std::move(value)) {}
Json::Json(Array values) : value_(std::move(values)) {}
Json::Json(Object members) : value_(std::move(members)) {}
Json::Json(std::initializer_list<Member> members) : value_(Object(members)) {}

Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

void Json::set(const std::string& key, Json value) {
  auto& members = std::get<Object>(value_);
  for (Member& member : members) {
    if (member.key != key) continue;
    member.value = std::move(value);
    return;
  }
  members.push_back({key, std::move(value)});
}

void Json::update(const Json& other) {
  for (const Member& member : std::get<Object>(other.value_)) set(member.key, member.value);
}

void print_json(const Json& object) {
  std::puts(convert(object).dump(2, ' ', false, Library::error_handler_t::replace).c_str());
}

}  // namespace terrace::tools
