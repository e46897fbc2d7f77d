#include "stdlib/ops/derivatives/grad.hpp"

#include "stdlib/autodiff/collectives.hpp"
#include "stdlib/autodiff/operands.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/derivatives/taped.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

class Grad final : public Transformed {
 public:
  Grad(std::string_view transform, Value f, GradOptions options)
      : Transformed(transform, std::move(f)), options_(std::move(options)) {}

  Value apply(ops::Builder& b, std::span<Value> args, std::span<const std::string_view> keywords) override {
    const Arguments arguments(function(), args, keywords);
    TapedRun run(b.pool());
    run.sweeps_once = !options_.ieee && !options_.debug;
    run.memory = options_.memory;
    run.local = options_.local;
    run.run(b, transform_, function_, arguments, options_.wrt, [&](Value result) {
      if (!options_.local) return result;
      check_scalar(loss_of(result));
      return ops::call(b, ops::handles().rank_result, {std::move(result), Value(active_bit(*b.context().innermost))});
    });
    const Value loss = loss_of(differentiated(run.result));
    check_scalar(loss);
    std::vector<Value> cotangents(run.tape.nodes() + 1);
    if (const uint32_t node = run.node_of(loss); node != 0) {
      cotangents[node] = ops::RuleContext(b, false).number(1.0, type_view(loss).dtype);
      sweep(b, run.tape, cotangents, SweepOptions{options_.ieee, options_.debug, true});
    }
    Value gradients = gradient(b, run, arguments, cotangents);
    return assemble(b, run, options_.holomorphic ? conjugated(b, gradients) : std::move(gradients));
  }

  void know_arguments(ops::Builder& b, std::span<Value> args) override { function().know_arguments(b, args); }

  std::string staging_key() const override {
    std::string key = options_.wrt.key();
    key += transform_;
    if (options_.has_aux) key += " aux";
    if (options_.ieee) key += " ieee";
    if (options_.debug) key += " debug";
    if (options_.with_value) key += " value";
    if (options_.holomorphic) key += " holomorphic";
    if (options_.local) key += " of all ranks, local " + Parameters{*options_.local}.key();
    if (options_.memory != 0) key += " memory " + std::to_string(options_.memory);
    return key;
  }

 protected:
  Value with_function(Value f) const override { return make_grad(transform_, std::move(f), options_); }

 private:
  Value differentiated(const Value& result) const {
    if (!options_.has_aux) return result;
    if (!result.is(ObjectKind::tuple) || result.tuple().items.size() < 2) {
      fail(message("aux_result"), {name(), describe(result)});
    }
    return result.tuple().items[0];
  }

  // Of a holomorphic u + i·v the derivative is u_x − i·u_y: its real part tells all.
  Value loss_of(const Value& result) const {
    if (options_.holomorphic && !is_complex(result))
      fail(message("holomorphic"), {std::string(transform_), "a complex result", describe(result)});
    if (!options_.holomorphic && is_complex(result))
      fail(message("grad_complex"), {std::string(transform_), describe(result)}, {},
           "for a complex derivative f'(z) write grad(f, holomorphic=true)(z); else use real(…), imag(…) or abs(…) of "
           "the result");
    return options_.holomorphic ? complex_of(result).re() : result;
  }
  Value conjugated(ops::Builder& b, const Value& gradients) const {
    if (is_complex(gradients)) return ops::call(b, ops::handles().conj, {gradients});
    if (is_tree(gradients)) return map_parts(gradients, [&](const Value& item) { return conjugated(b, item); });
    if (gradients.is_none()) return gradients;
    fail(message("holomorphic"), {std::string(transform_), "complex arguments", describe(gradients)});
  }

  void check_scalar(const Value& loss) const {
    if (!is_operand(loss)) {
      fail(message("grad_result_kind"), {std::string(transform_), describe(loss)}, {},
           loss.is(ObjectKind::tuple) ? "has_aux=true differentiates the first result and returns the rest unchanged"
                                      : "");
    }
    const TypeView type = type_view(loss);
    if (!is_float(type.dtype)) fail(message("grad_result_dtype"), {std::string(transform_), describe(loss)});
    if (type.rank != 0) fail(message("grad_result_shape"), {std::string(transform_), describe(loss)});
  }

  Value gradient(ops::Builder& b, const TapedRun& run, const Arguments& arguments,
                 std::span<const Value> cotangents) const {
    std::vector<Value> gradients;
    gradients.reserve(run.inputs.size());
    for (size_t i = 0; i < run.inputs.size(); ++i) {
      const Value any = any_cotangent(b, run.inputs[i], cotangents);
      if (!any.is_scalar() || !any.boolean()) {
        warn_unless(b, any, name() + ": the result does not depend on " + arguments.name_of(options_.wrt.numbers[i]));
      }
      gradients.push_back(cotangent_tree(b, run.inputs[i], cotangents));
    }
    return bare_or_tuple(std::move(gradients), options_.wrt.tuple);
  }

  Value assemble(ops::Builder&, const TapedRun& run, Value gradient) const {
    if (options_.with_value) return make_tuple({run.plain_result(), std::move(gradient)});
    if (!options_.has_aux) return gradient;
    std::vector<Value> results = run.plain_result().tuple().items;
    results[0] = std::move(gradient);
    return make_tuple(std::move(results));
  }

  const GradOptions options_;
};

}  // namespace

Value make_grad(std::string_view transform, Value f, GradOptions options) {
  return make_function<Grad>(transform, std::move(f), std::move(options));
}

// A warning that the run gives.
const ops::Entry& warn_unless_entry() {
  static const ops::Entry entry{.name = "warn_unless",
                                .doc = "A warning, once in a session, unless the condition holds.",
                                .parameters = {ops::Parameter{"condition", ops::ParameterKind::any, true, {}},
                                               ops::Parameter{"text", ops::ParameterKind::any, true, {}}},
                                .carries = true,
                                .eager =
                                    [](ops::Builder& b, ops::Call& call) {
                                      if (!call.args[0].boolean()) warn_once(b.context(), call.args[1].string().text);
                                      return Value();
                                    },
                                .derivative = ops::Derivative::none("warns"),
                                .effects = {.may_fail = true},
                                .internal = true};
  return entry;
}

void warn_unless(ops::Builder& b, const Value& condition, std::string text) {
  if (condition.is_scalar() && condition.boolean()) return;
  if (b.is_eager()) return warn_once(b.context(), std::move(text));
  ops::call(b, warn_unless_entry(), {condition, make_string(std::move(text))});
}

void warn_once(ops::Context& context, std::string text) {
  if (context.output == nullptr || !context.warned.insert(text).second) return;
  context.output->warn(text);
}

}  // namespace covec::autodiff
