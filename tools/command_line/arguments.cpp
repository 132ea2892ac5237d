// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_line/arguments.hpp"

#include <CLI/CLI.hpp>

#include "command_line/failure.hpp"

namespace terrace::tools {
namespace {

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "|") + word;
  return text;
}

void show_default(CLI::Option* option, const std::string& text) {
  if (!text.empty()) option->default_str(text);
}

}  // namespace

struct Arguments::Command {
  std::unique_ptr<CLI::App> program;  ///< of the program itself; a command belongs to it
  CLI::App* app = nullptr;
};

Arguments::Arguments(const std::string& program, const std::string& description)
    : command_(std::make_unique<Command>()) {
  command_->program = std::make_unique<CLI::App>(description, program);
  command_->app = command_->program.get();
}

Arguments::Arguments(std::unique_ptr<Command> command) : command_(std::move(command)) {}
Arguments::Arguments(Arguments&&) noexcept = default;
Arguments::~Arguments() = default;

Arguments Arguments::add_command(const std::string& name, const std::string& description,
                                 const std::function<void()>& chosen) {
  auto command = std::make_unique<Command>();
  command->app = command_->app->require_subcommand(0, 1)->add_subcommand(name, description);
  command->app->callback(chosen);
  return Arguments(std::move(command));
}

void Arguments::set_footer(const std::string& text) { command_->app->footer(text); }

void Arguments::add_flag(const std::string& flag, const std::function<void()>& set, const std::string& description) {
  command_->app->add_flag_callback(flag, set, description);
}

void Arguments::add_flag(const std::string& flag, bool& target, const std::string& description) {
  command_->app->add_flag(flag, target, description);
}

void Arguments::add_file(std::string& target, const std::string& name, bool is_required,
                         const std::string& description) {
  command_->app->add_option(name, target, description)->required(is_required)->type_name("");
}

void Arguments::add_word(const std::string& flag, const std::string& type,
                         const std::function<void(const std::string&)>& set, const std::string& description) {
  command_->app->add_option_function<std::string>(flag, set, description)->type_name(type);
}

void Arguments::add_name(const std::string& flag, const std::vector<std::string>& names,
                         const std::string& default_name, const std::function<void(const std::string&)>& set,
                         const std::string& description) {
  CLI::Option* const option = command_->app->add_option_function<std::string>(flag, set, description);
  option->check(CLI::IsMember(names).description(""))->type_name(join(names));
  show_default(option, default_name);
}

void Arguments::add_integer(const std::string& flag, std::int64_t least, std::int64_t most,
                            const std::string& default_number, const std::function<void(std::int64_t)>& set,
                            const std::string& description) {
  CLI::Option* const option = command_->app->add_option_function<std::int64_t>(flag, set, description);
  option->check(CLI::Range(least, most).description(""))->type_name("N");
  show_default(option, default_number);
}

void Arguments::add_real(const std::string& flag, double least, double most, const std::string& default_number,
                         const std::function<void(double)>& set, const std::string& description) {
  CLI::Option* const option = command_->app->add_option_function<double>(flag, set, description);
  option->check(CLI::Range(least, most).description(""))->type_name("X");
  show_default(option, default_number);
}

void Arguments::add_integers(const std::string& flag, const std::string& type,
                             const std::function<void(const std::vector<int>&)>& set, const std::string& description,
                             int least) {
  CLI::Option* const option = command_->app->add_option_function<std::vector<int>>(flag, set, description);
  option->delimiter(',')->check(CLI::Range(least, std::numeric_limits<int>::max()).description(""))->type_name(type);
}

Arguments::Wanted Arguments::parse(int argc, const char* const* argv) {
  try {
    command_->app->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return Wanted::Help;
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  return Wanted::Work;
}

std::string Arguments::help() const { return command_->app->help(); }

}  // namespace terrace::tools
