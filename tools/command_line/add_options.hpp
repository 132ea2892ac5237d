// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kinds of options that the commands have: numbers in a range, choices among names.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <limits>
#include <string>
#include <vector>

namespace terrace::tools {

inline std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "|") + word;
  return text;
}

inline CLI::Range at_least(int least) { return {least, std::numeric_limits<int>::max()}; }

/// An option whose value is a number that `check` accepts.
inline void add_number(CLI::App& app, const std::string& flag, int& target, const CLI::Validator& check,
                       const std::string& description) {
  CLI::Option* const option = app.add_option(flag, target, description)->check(check.description(""))->type_name("N");
  if (target != 0) option->capture_default_str();
}

/// An option whose values are the printed names of `choices`.
template <class Choice, std::size_t count>
void add_choice(CLI::App& app, const std::string& flag, Choice& target, const std::array<Choice, count>& choices,
                const std::string& description) {
  std::vector<std::string> names;
  names.reserve(count);
  for (const Choice choice : choices) names.emplace_back(to_string(choice));
  const auto assign = [&target, choices, names](const std::string& name) {
    for (std::size_t k = 0; k < count; ++k) {
      if (names[k] == name) target = choices[k];
    }
  };
  app.add_option_function<std::string>(flag, assign, description)
      ->check(CLI::IsMember(names).description(""))
      ->type_name(join(names))
      ->default_str(to_string(target));
}

/// An option whose values are the names of what this build contains.
template <class Names>
void add_name(CLI::App& app, const std::string& flag, std::string& target, const Names& names,
              const std::string& description) {
  const std::vector<std::string> words(names.begin(), names.end());
  app.add_option(flag, target, description)->check(CLI::IsMember(words).description(""))->type_name(join(words));
}

}  // namespace terrace::tools
