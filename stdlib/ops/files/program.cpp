// The program and its user: its arguments, its questions, its end.
#include "stdlib/files/file.hpp"
#include "stdlib/gate/gate.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/files/family.hpp"
#include "stdlib/ops/files/files.hpp"
#include "stdlib/ops/files/options.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

constexpr int largest_status = 255;  // POSIX: a parent sees 8 bits of it

[[noreturn]] void end_program(Context& context, int status) {
  context.exit_status = status;
  fail(message("ended"), {std::to_string(status)});
}

Value args(Builder& b, Call& call) {
  require_text_arguments(b.context(), call);
  std::vector<Value> items;
  for (const std::string& argument : b.context().arguments) items.push_back(make_string(argument));
  return make_tuple(std::move(items));
}

Value options(Builder& b, Call& call) {
  require_text_arguments(b.context(), call);
  if (!call.args[0].is(ObjectKind::record)) fail_attribute(call, 0, "a record of defaults");
  Options read(b, call);
  if (!read.asks_for_help()) return read.record();
  if (b.context().output != nullptr) b.context().output->write(read.help());
  end_program(b.context(), 0);
}

Value input(Builder& b, Call& call) {
  Context& context = b.context();
  if (!call.args[0].is_none() && !call.args[0].is(ObjectKind::string)) fail_attribute(call, 0, "a string");
  context.gate->require(Use::input);
  if (context.input == nullptr) fail(message("no_input"));
  if (context.output != nullptr) {
    if (!call.args[0].is_none()) context.output->write(call.args[0].string().text);
    context.output->flush();
  }
  std::string line;
  const bool given = context.input->read_line(line, context.interrupt);
  kernels::poll_interrupt(context);
  if (!given) return Value();
  if (files::utf8_prefix(line) != line.size()) fail(message("input_not_utf8"), {files::shown(line)});
  return make_string(std::move(line));
}

// One example is tried for its type, where there is none: nobody wants to stop in that.
Value breakpoint(Builder& b, Call&) {
  Context& context = b.context();
  if (context.trying) return Value();
  if (context.prompt == nullptr) {
    const std::string text = "breakpoint() stops only where a terminal is there: the program goes on";
    if (context.output != nullptr && context.warned.insert(text).second) context.output->warn(text);
    return Value();
  }
  if (!context.batches.empty()) fail(message("breakpoint_examples"));
  if (context.output != nullptr) context.output->flush();
  if (!context.prompt->open()) fail(message("interrupted"));
  return Value();
}

Value exit(Builder& b, Call& call) {
  const int64_t status = integer_argument(call, 0);
  if (status < 0 || status > largest_status) fail_attribute(call, 0, "a number from 0 to 255");
  end_program(b.context(), static_cast<int>(status));
}

const Entry& args_entry() {
  static const Entry entry{
      .name = "args",
      .doc = "The arguments that stood after the program on the command line, as a tuple of strings.",
      .parameters = {},
      .eager = args,
      .derivative = Derivative::none("gives strings"),
      .effects = {.may_fail = true, .outside = true},
  };
  return entry;
}

const Entry& options_entry() {
  static const Entry entry{
      .name = "options",
      .doc =
          "The program's arguments, read by a record of defaults: `options({rate: 0.1, file: \"\", fast: false})`.\n\n"
          "`--rate 0.01` and `--rate=0.01` give a field another value, of its default's dtype; `--fast` and "
          "`--no-fast` a bool's; the last one counts. `--help` shows the fields with their defaults, and ends the "
          "program. An argument that belongs to no field is an error.",
      .parameters = {any_parameter("defaults")},
      .eager = options,
      .derivative = Derivative::none("gives what the command line says"),
      .effects = {.may_fail = true, .outside = true},
      .example = R"(print(options({rate: 0.1, file: "", fast: false}))  # expect: {rate: 0.1, file: "", fast: false})",
  };
  return entry;
}

const Entry& input_entry() {
  static const Entry entry{
      .name = "input",
      .doc =
          "The next line that the user types, without its end; `none` where the input is at its end.\n\n"
          "`prompt` is printed before. Ctrl-C interrupts it.",
      .parameters = {attribute("prompt", Value())},
      .eager = input,
      .derivative = Derivative::none("gives a string"),
      .effects = {.may_fail = true, .outside = true, .shared = true},
  };
  return entry;
}

const Entry& exit_entry() {
  static const Entry entry{
      .name = "exit",
      .doc =
          "Ends the program, with that exit status: 0 says that all went well.\n\n"
          "Nothing catches it. Where a host runs the program, the host gets it as an error.",
      .parameters = {attribute("status", int64_t{0})},
      .eager = exit,
      .derivative = Derivative::none("gives nothing"),
      .effects = {.may_fail = true, .outside = true},
      .example = R"(print("all went well")  # expect: all went well
exit()
print("not here"))",
  };
  return entry;
}

}  // namespace

const Entry& breakpoint_entry() {
  static const Entry entry{
      .name = "breakpoint",
      .doc =
          "Stops here and opens a prompt, `debug> `, in the function that calls it, where a terminal is there.\n\n"
          "At the prompt a name shows what the variable holds, any expression its value, and an assignment changes the "
          "variable. `:where` lists the calls that are open, `:up` and `:down` go through them, `:vars` lists the "
          "variables, `:continue` goes on and `:quit` ends the program. A function that contains it is interpreted. "
          "Under derivatives variables show their values. Under `vmap`, and in a comprehension over numbers, it is an "
          "error. Without a terminal, in `covec test` and in hosts the program goes on, with a warning.",
      .parameters = {},
      .eager = breakpoint,
      .derivative = Derivative::none("gives nothing"),
      .effects = {.may_fail = true, .outside = true},
      .example = R"(fn mean_of(xs) {
    total = sum(xs)
    breakpoint()  # expect warning: breakpoint() stops only where a terminal is there
    return total / len(xs)
}
print(mean_of([1.0, 3.0]))  # expect: 2.0)",
  };
  return entry;
}

Family files_program_entries() {
  static const Entry* const entries[] = {&args_entry(), &options_entry(), &input_entry(), &breakpoint_entry(),
                                         &exit_entry()};
  return entries;
}

}  // namespace covec::ops
