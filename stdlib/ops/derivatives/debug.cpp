// The call is made again from the same random numbers, with what its outside effects gave (gate/effect_journal.hpp) and
// without its prints, by the interpreter: once by a builder that follows where NaN and infinity come from, and once by
// one that ends at the operator which made what has reached the result.
#include "stdlib/ops/derivatives/debug.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "stdlib/autodiff/not_finite.hpp"
#include "stdlib/cluster/program.hpp"
#include "stdlib/cluster/ranks.hpp"
#include "stdlib/gate/effect_journal.hpp"
#include "stdlib/gate/repeated_effects.hpp"
#include "stdlib/gate/repeated_output.hpp"
#include "stdlib/ops/derivatives/transformed.hpp"
#include "stdlib/origins/origin_builder.hpp"
#include "stdlib/origins/origins.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/small_vector.hpp"
#include "stdlib/value/string.hpp"

namespace covec::ops {

namespace {

using autodiff::not_finite;
using autodiff::NotFinite;

class WatchedProgram {
 public:
  explicit WatchedProgram(Program& program) : program_(program) { program_.watch(true); }
  WatchedProgram(const WatchedProgram&) = delete;
  WatchedProgram& operator=(const WatchedProgram&) = delete;
  ~WatchedProgram() { program_.watch(false); }

 private:
  Program& program_;
};

constexpr std::string_view nan_found = "a NaN";

class Debugged final : public autodiff::Transformed {
 public:
  explicit Debugged(Value function) : Transformed("debug", std::move(function)) {}
  std::string staging_key() const override { return "debug"; }

  // A debug around this one makes the call again without looking at it. So that the program takes the same path, the
  // journal has what this one has raised.
  Value apply(Builder& b, std::span<Value> args, std::span<const std::string_view> keywords) override {
    if (!b.is_eager()) fail_not_staged("what debug looks at");
    Context& context = b.context();
    if (context.program == nullptr) return function().call(b, args, keywords);
    Found found;
    Value result = b.watch() == Watch::nothing ? look(b, args, keywords, found) : function().call(b, args, keywords);
    const Value raised = EffectJournal::perform(context, {&debug_entry(), debug_entry().name, false, false},
                                                [&] { return found.packed; });
    if (found.error != nullptr) std::rethrow_exception(found.error);
    if (!raised.is_none()) context.program->raise_packed(raised.string().text);
    return result;
  }

 protected:
  Value with_function(Value function) const override { return autodiff::make_function<Debugged>(std::move(function)); }

 private:
  // The error that names an operator, and its bytes; none.
  struct Found {
    std::exception_ptr error;
    Value packed;
  };

  Value look(Builder& b, std::span<Value> args, std::span<const std::string_view> keywords, Found& found) const {
    Context& context = b.context();
    SmallVector<Value, 4> kept(args.size());
    std::ranges::copy(args, kept.begin());
    const Random before = context.random;
    const uint64_t collectives = context.collectives;
    RepeatedEffects effects(context, RepeatedEffects::WhatFits{});
    RepeatedOutput output(context, effects.journal());
    Value result = function().call(b, args, keywords);
    const std::string_view new_one = new_in(context, result, span_of(kept));
    if (new_one.empty()) return result;
    const std::string gives = function().name() + " gives " + std::string(new_one);
    const bool meets = context.collectives != collectives && context.ranks->size() > 1;
    if (const std::string_view reason = why_not_again(effects, meets); !reason.empty()) {
      warn(context, gives + "; debug cannot call it again, for " + std::string(reason));
      return result;
    }
    const Random reached = context.random;
    const auto again = [&](int64_t end_at) {
      context.random = before;
      output.begin_again();
      effects.begin_again();
      origins::OriginBuilder following(context, end_at);
      std::vector<Value> copies(kept.begin(), kept.end());
      return function().call(following, copies, keywords);
    };
    try {
      const WatchedProgram watched(*context.program);
      const int64_t origin = origins::first_origin(context, again(0), new_one == nan_found);
      if (origin != 0) again(origin);
    } catch (...) {
      context.random = reached;
      keep_error(*context.program, found);
      return result;
    }
    context.random = reached;
    warn(context,
         gives + ", which no operator has made of numbers: a literal, a text, a file or another variable has it");
    return result;
  }

  // In a handler of all exceptions. What is no error of the program goes on.
  static void keep_error(Program& program, Found& found) {
    try {
      program.raise_found();
    } catch (...) {
      std::optional<std::string> packed = program.packed_error();
      if (!packed) throw;
      found = {std::current_exception(), make_string(std::move(*packed))};
    }
  }

  // The reason, if the second call would not be the same; "": it would.
  static std::string_view why_not_again(const RepeatedEffects& effects, bool meets) {
    if (meets) return "it calls other ranks";  // which do not make their calls again
    if (effects.is_full()) return message("debug_full").pattern;
    return effects.journal()->has_changed_variables() ? "variables were changed at a breakpoint" : "";
  }

  // What the result has and no argument; "": nothing.
  static std::string_view new_in(Context& context, const Value& result, std::span<const Value> args) {
    NotFinite found = not_finite(context, result);
    if (!found.any()) return {};
    NotFinite given;
    for (const Value& arg : args) given |= not_finite(context, arg);
    if (found.nan && !given.nan) return nan_found;
    return found.infinite && !given.infinite ? "an infinity" : std::string_view();
  }
  // Once for each place.
  static void warn(Context& context, const std::string& text) {
    if (context.output == nullptr) return;
    const SourceSite site = context.program->site();
    const std::string key = site.file + ":" + std::to_string(site.begin) + ": " + text;
    if (context.warned.insert(key).second) context.output->warn(text);
  }
};

}  // namespace

const Entry& debug_entry() {
  static const Entry entry{
      .name = "debug",
      .doc =
          "The same function, which says where a NaN or infinity arises.\n\n"
          "`debug(f)` calls f as it is. If the result has a NaN or an infinity that no argument has, f is called again "
          "by the interpreter, with the same random numbers, the same input and files and no second output, to find "
          "the "
          "operator that made it of numbers. The error names it, its operands at that element, the calls and the "
          "iterations of the loops around it. With `debug(grad(f))` that may be a derivative. What the program leaves "
          "out (by `where`, an index, a comparison) is not told. The other calls are as slow as `f` without `@compile` "
          "or slower; the first one costs a look at the result. `covec --debug-nan FILE` ends a whole program at the "
          "first such operator.",
      .parameters = {Parameter{"f", ParameterKind::any}},
      .eager =
          [](Builder&, Call& call) {
            return autodiff::make_function<Debugged>(autodiff::function_argument("debug", call.args[0]));
          },
      .derivative = Derivative::none("gives a function"),
      .effects = {.may_fail = true, .calls = true},
      .staging = Staging::structural,
      .example = R"(fn mean_log(x) = mean(log(x))
print(debug(mean_log)([1.0, 2.0]))  # expect: 0.34657359027997264
try {
    debug(mean_log)([1.0, 0.0])
} catch err {
    print(err.message)  # expect: `log` makes -inf at [1] of numbers: x is 0.0
})",
  };
  return entry;
}

}  // namespace covec::ops
