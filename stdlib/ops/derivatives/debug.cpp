// The call is made again from the same random numbers, with what its outside effects gave (gate/effect_journal.hpp) and
// without its prints, by the interpreter and a builder that ends at that operator.
#include "stdlib/ops/derivatives/debug.hpp"

#include <algorithm>
#include <utility>

#include "stdlib/autodiff/not_finite.hpp"
#include "stdlib/autodiff/watching.hpp"
#include "stdlib/cluster/program.hpp"
#include "stdlib/cluster/ranks.hpp"
#include "stdlib/gate/repeated_effects.hpp"
#include "stdlib/gate/repeated_output.hpp"
#include "stdlib/ops/derivatives/transformed.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/small_vector.hpp"

namespace covec::ops {

namespace {

using autodiff::not_finite;
using autodiff::NotFinite;

class Watch {
 public:
  explicit Watch(Program& program) : program_(program) { program_.watch(true); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() { program_.watch(false); }

 private:
  Program& program_;
};

class Debugged final : public autodiff::Transformed {
 public:
  explicit Debugged(Value function) : Transformed("debug", std::move(function)) {}
  std::string staging_key() const override { return "debug"; }

  Value call(Builder& b, std::span<Value> args, std::span<const std::string_view> keywords) override {
    if (!b.is_eager()) fail_not_staged("what debug looks at");
    Context& context = b.context();
    if (b.watches() || context.program == nullptr) return function().call(b, args, keywords);
    SmallVector<Value, 4> kept(args.size());
    std::ranges::copy(args, kept.begin());
    const Random before = context.random;
    const uint64_t collectives = context.collectives;
    RepeatedEffects effects(context, true);
    RepeatedOutput output(context, effects.journal());
    Value result = called(b, args, keywords, effects);
    const std::string_view found = new_in(context, result, span_of(kept));
    if (found.empty()) return result;
    const std::string name = function().name();
    if (context.collectives != collectives && context.ranks->size() > 1) {  // the others do not make them again
      warn(context, name + " gives " + std::string(found) + "; debug cannot call it again, for it calls other ranks");
      return result;
    }
    const Random reached = std::exchange(context.random, before);
    output.begin_again();
    effects.begin_again();
    const auto draw_on = [&] { context.random = reached; };
    try {
      const Watch watch(*context.program);
      autodiff::WatchingBuilder watching(context);
      std::vector<Value> again(kept.begin(), kept.end());
      function().call(watching, again, keywords);
    } catch (...) {
      draw_on();
      context.program->raise_found();
    }
    draw_on();
    warn(context,
         name + " gives " + std::string(found) + ", which no operator has made of numbers: it was there before");
    return result;
  }

 protected:
  Value with_function(Value function) const override { return autodiff::make_function<Debugged>(std::move(function)); }

 private:
  Value called(Builder& b, std::span<Value> args, std::span<const std::string_view> keywords,
               const RepeatedEffects& effects) const {
    try {
      return function().call(b, args, keywords);
    } catch (...) {
      if (effects.is_full()) fail(message("debug_full"));
      throw;
    }
  }
  // What the result has and no argument; "": nothing.
  static std::string_view new_in(Context& context, const Value& result, std::span<const Value> args) {
    NotFinite found = not_finite(context, result);
    if (!found.any()) return {};
    NotFinite given;
    for (const Value& arg : args) given |= not_finite(context, arg);
    if (found.nan && !given.nan) return "a NaN";
    return found.infinite && !given.infinite ? "an infinity" : std::string_view();
  }
  static void warn(const Context& context, const std::string& text) {
    if (context.output != nullptr) context.output->warn(text);
  }
};

}  // namespace

const Entry& debug_entry() {
  static const Entry entry{
      .name = "debug",
      .doc =
          "The same function, which says where a NaN or infinity arises.\n\n"
          "`debug(f)` calls f as it is. If the result has a NaN or an infinity that no argument has, f is called again "
          "by the interpreter, with the same random numbers, the same input and files and no second output, up to the "
          "first operator that makes a NaN or infinity of numbers. The error names it, its operands at that element, "
          "the calls and the iterations of the loops around it. With `debug(grad(f))` that may be a derivative. What "
          "the program leaves out later (by `where`, an index, a comparison) is found as well. The second call is as "
          "slow as `f` without `@compile`; the first one costs a look at arguments and result. `covec --debug-nan "
          "FILE` does the same for a whole program.",
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
