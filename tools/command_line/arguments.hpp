// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arguments of a program: commands, and options that are flags, words, choices among names, or numbers in a range.
// CLI11 does the work; its headers, which take longer to compile than all the rest, are included by arguments.cpp
// alone.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace terrace::tools {

class Arguments {
 public:
  Arguments(const std::string& program, const std::string& description);
  ~Arguments();
  Arguments(Arguments&&) noexcept;

  /// A command with options of its own. `chosen` is called when the user gave it, after its options were set, and may
  /// throw UsageError. At most one command can be given.
  Arguments add_command(const std::string& name, const std::string& description, const std::function<void()>& chosen);

  /// Printed after the options.
  void set_footer(const std::string& text);

  void add_flag(const std::string& flag, const std::function<void()>& set, const std::string& description);
  void add_flag(const std::string& flag, bool& target, const std::string& description);

  /// The argument without a flag.
  void add_file(std::string& target, const std::string& name, bool is_required, const std::string& description);

  /// Any word that `set` takes, which may throw UsageError.
  void add_word(const std::string& flag, const std::string& type, const std::function<void(const std::string&)>& set,
                const std::string& description);

  /// One of the names; an empty default is not shown.
  void add_name(const std::string& flag, const std::vector<std::string>& names, const std::string& default_name,
                const std::function<void(const std::string&)>& set, const std::string& description);

  /// One of the printed names of `choices`. Target: Choice or std::optional<Choice>.
  template <class Target, class Choice, std::size_t count>
  void add_choice(const std::string& flag, Target& target, const std::array<Choice, count>& choices,
                  const std::string& description) {
    std::vector<std::string> names;
    for (const Choice choice : choices) names.emplace_back(to_string(choice));
    const auto set = [&target, choices, names](const std::string& name) {
      for (std::size_t k = 0; k < count; ++k)
        if (names[k] == name) target = choices[k];
    };
    std::string default_name;
    if constexpr (std::is_same_v<Target, Choice>) default_name = to_string(target);
    add_name(flag, names, default_name, set, description);
  }

  /// A number in [least, most]; a default of zero is not shown. Target: an integer or std::optional of one.
  template <class Target>
  void add_number(const std::string& flag, Target& target, std::int64_t least, const std::string& description,
                  std::int64_t most = std::numeric_limits<int>::max()) {
    std::string default_number;
    if constexpr (std::is_integral_v<Target>) default_number = target != 0 ? std::to_string(target) : "";
    add_integer(
        flag, least, most, default_number, [&target](std::int64_t number) { assign(target, number); }, description);
  }

  /// A real number in [least, most]; an empty default is not shown.
  void add_real(const std::string& flag, double least, double most, const std::string& default_number,
                const std::function<void(double)>& set, const std::string& description);

  /// Integers of at least `least` with commas between them.
  void add_integers(const std::string& flag, const std::string& type,
                    const std::function<void(const std::vector<int>&)>& set, const std::string& description,
                    int least = 1);

  enum class Wanted { Work, Help };

  /// Sets what was given, and says whether --help was. \throws UsageError
  Wanted parse(int argc, const char* const* argv);

  /// Of the command that was given, or of the program.
  std::string help() const;

 private:
  struct Command;
  explicit Arguments(std::unique_ptr<Command> command);

  template <class Integer>
  static void assign(Integer& target, std::int64_t number) {
    target = static_cast<Integer>(number);
  }
  template <class Integer>
  static void assign(std::optional<Integer>& target, std::int64_t number) {
    target = static_cast<Integer>(number);
  }

  void add_integer(const std::string& flag, std::int64_t least, std::int64_t most, const std::string& default_number,
                   const std::function<void(std::int64_t)>& set, const std::string& description);

  std::unique_ptr<Command> command_;
};

}  // namespace terrace::tools
