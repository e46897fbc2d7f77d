// The Jacobian is one walk with a whole basis of (co)tangents as a batch. Reverse and automatic mode run the function
// once on a tape. Then either the sweep goes over the basis of the outputs, or a push forward along the tape goes over
// that of the inputs. Automatic mode goes backwards where the basis of the outputs is no larger, and where the function
// has called one with a rule of its own, which forward mode might not have: on all engines it is the path of the run
// that counts. A tape knows nothing of forward rules: where the function has called one with such a rule alone, forward
// mode runs it again, on this rank: collectives give what they gave on the tape, where they are constants.
// mode="forward" keeps no tape: the function itself runs with batched tangents. Draws and prints ignore the batch and
// happen once.
#include "stdlib/ops/derivatives/jacobian.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "stdlib/autodiff/apply.hpp"
#include "stdlib/autodiff/batch.hpp"
#include "stdlib/autodiff/collectives.hpp"
#include "stdlib/autodiff/forward.hpp"
#include "stdlib/autodiff/replay.hpp"
#include "stdlib/cluster/ranks.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/derivatives/basis.hpp"
#include "stdlib/ops/derivatives/grad.hpp"
#include "stdlib/ops/derivatives/taped.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

// Whether so many outputs are no more than so many inputs, as a bool; which way a Jacobian goes depends on it. One
// number is differentiated backwards, whatever it is differentiated by.
Value no_more(ops::Builder& b, Dim outputs, Dim inputs) {
  if (outputs == inputs || (outputs.known() && outputs.number() <= 1)) return true;
  if (outputs.known() && inputs.known()) return outputs.number() <= inputs.number();
  const ops::Handles& by = ops::handles();
  const Value most = ops::call(b, by.maximum, {b.extent(inputs), Value(int64_t{1})});
  return ops::call(b, by.equal, {ops::call(b, by.minimum, {b.extent(outputs), most}), b.extent(outputs)});
}

void write_one(Tensor& tensor, int64_t at) {
  if (is_half(tensor.dtype())) {
    tensor.as<uint16_t>()[at] = half_of(tensor.dtype(), 1.0f);
  } else if (tensor.dtype() == Dtype::f32) {
    tensor.as<float>()[at] = 1;
  } else {
    tensor.as<double>()[at] = 1;
  }
}

Value count(ops::Builder& b, Dim size) {
  return ops::call(b, ops::handles().arange, {b.extent(size), Value(), Value(), Value()});
}

// The same as below, of sizes that only the run knows: ones where a row's number is a column's.
Value symbolic_block(ops::Builder& b, const Basis& basis, size_t leaf, const Shape& shape) {
  const Type& type = basis.types[leaf];
  ops::RuleContext rules(b, false);
  const Value rows = ops::unsqueeze(b, count(b, basis.size), 1);
  Value columns = count(b, Basis::elements_of(b, type.shape));
  if (basis.offsets[leaf] != Dim(0)) columns = rules.add(std::move(columns), b.extent(basis.offsets[leaf]));
  Value ones = rules.cast(ops::call(b, ops::handles().equal, {rows, columns}), type.dtype);
  return ops::reshape(b, std::move(ones), shape);
}

// Leaf `leaf` of every basis element: (size,) + shape, the identity in its own rows and zeros elsewhere.
Value basis_block(ops::Builder& b, const Basis& basis, size_t leaf) {
  const Type& type = basis.types[leaf];
  Shape shape = type.shape;
  shape.insert(0, basis.size);
  if (!shape.known() || !basis.offsets[leaf].known()) return symbolic_block(b, basis, leaf, shape);
  Value block = make_tensor(b.pool(), type.dtype, shape);
  Tensor& tensor = block.tensor();
  const int64_t elements = type.shape.elements();
  std::memset(tensor.data(), 0, static_cast<size_t>(tensor.size()) * size_of(type.dtype));
  for (int64_t i = 0; i < elements; ++i) write_one(tensor, (basis.offsets[leaf].number() + i) * elements + i);
  return block;
}

// Leaf `leaf` of the whole basis (example −1) as a batch, or of one of its elements.
Value basis_value(ops::Builder& b, const Basis& basis, size_t leaf, uint64_t level, const Value& example) {
  Value block = basis_block(b, basis, leaf);
  return example.is_none() ? make_batch(level, std::move(block)) : example_of(b, block, example);
}

// The derivative of output leaf by input leaf out of a walk's result, whose first axis is the basis.
Value reverse_block(ops::Builder& b, const Value& walked, const Basis& outputs, size_t output, const Type& input) {
  const Type& type = outputs.types[output];
  Value rows = ops::narrow(b, walked, 0, outputs.offsets[output], Basis::elements_of(b, type.shape));
  Shape shape = type.shape;
  for (Dim dim : input.shape) shape.push_back(dim);
  return ops::reshape(b, std::move(rows), shape);
}

Value forward_block(ops::Builder& b, const Value& walked, const Basis& inputs, size_t input) {
  const Type& type = inputs.types[input];
  Shape shape = logical_type(walked).shape;  // that of the output, once the columns' axis is gone
  shape.erase(0);
  Value rows = ops::narrow(b, walked, 0, inputs.offsets[input], Basis::elements_of(b, type.shape));
  std::vector<unsigned> axes;
  for (unsigned axis = 1; axis <= shape.rank(); ++axis) axes.push_back(axis);
  axes.push_back(0);
  for (Dim dim : type.shape) shape.push_back(dim);
  Value block = ops::reshape(b, ops::permute(b, std::move(rows), axes), shape);
  return ops::RuleContext(b, false).cast(std::move(block), type.dtype);  // as the sweep gives it, and a gradient is
}

using Block = std::function<Value(size_t output, size_t input)>;

// The tree of outputs, each leaf replaced by the tree of inputs.
Value assemble(const Value& outputs, const std::vector<Value>& inputs, bool tuple, const Block& block) {
  size_t output = 0;
  const auto row = [&](const Value& leaf) {
    if (leaf.is_none()) return Value();
    size_t input = 0;
    std::vector<Value> trees;
    for (const Value& tree : inputs) {
      const auto element = [&](const Value& node) { return node.is_none() ? Value() : block(output, input++); };
      trees.push_back(is_tree(tree) ? map_leaves(tree, element) : element(tree));
    }
    ++output;
    return bare_or_tuple(std::move(trees), tuple);
  };
  // Of a complex output the rows of its parts are the parts of its rows.
  const auto whole = [&](const Value& leaf) {
    if (!is_complex(leaf)) return row(leaf);
    const Value re = row(complex_of(leaf).re()), rows[] = {re, row(complex_of(leaf).im())};
    const auto joined = [](std::span<const Value> parts) {
      return parts[0].is_none() ? Value() : make_complex(parts[0], parts[1]);
    };
    return is_tree(re) ? map_trees(rows, joined) : joined(rows);
  };
  if (!is_container(outputs)) return whole(outputs);
  return map_containers({&outputs, 1}, [&](std::span<const Value> leaves) { return whole(leaves[0]); });
}

std::vector<int64_t> node_numbers(const std::vector<NodeTree>& trees) {
  std::vector<int64_t> numbers;
  for (const NodeTree& tree : trees) {
    each_leaf(tree.nodes, [&](const Value& node) {
      if (!node.is_none()) numbers.push_back(node.i64());
    });
  }
  return numbers;
}

class Jacobian final : public Transformed {
 public:
  Jacobian(std::string_view transform, Value f, Parameters wrt, JacobianMode mode)
      : Transformed(transform, std::move(f)), wrt_(std::move(wrt)), mode_(mode) {}

  Value apply(ops::Builder& b, std::span<Value> args, std::span<const std::string_view> keywords) override {
    const Arguments arguments(function(), args, keywords);
    refuse_complex(transform_, arguments, wrt_);
    if (!b.is_eager() && arguments.by_position()) know_arguments(b, args);
    return mode_ == JacobianMode::forward ? run_forward(b, arguments, false) : run_taped(b, arguments);
  }

  void know_arguments(ops::Builder& b, std::span<Value> args) override { function().know_arguments(b, args); }

  std::string staging_key() const override {
    return std::string(transform_) + wrt_.key() + " mode " + std::to_string(static_cast<int>(mode_));
  }

 protected:
  Value with_function(Value f) const override { return make_jacobian(transform_, std::move(f), wrt_, mode_); }

 private:
  Value run_taped(ops::Builder& b, const Arguments& arguments) const {
    FirstRun first(b.context(), FirstRun::OnThisRank{});
    const std::vector<Value> given(arguments.all().begin(), arguments.all().end());
    TapedRun run(b.pool());
    const bool may_go_forward = mode_ != JacobianMode::reverse;
    run.notes_rules = may_go_forward;
    const auto call = [&] { run.run(b, transform_, function_, arguments, wrt_); };
    const uint64_t collectives = b.context().collectives;
    may_go_forward ? first.run(b, call) : call();  // else eager code runs it once
    const bool meets = b.context().collectives != collectives && b.context().ranks->size() > 1;
    const NodeTree result = run.output_nodes();
    check_result(result, run.result);
    Basis inputs, outputs;
    for (const NodeTree& tree : run.inputs) inputs.append(b, tree.types);
    outputs.append(b, result.types);
    const std::string independent = name() + ": the result does not depend on " + arguments.name_of(wrt_.numbers[0]);
    warn_if_independent(b, independent, result);
    const Value backwards = goes_backwards(b, run.tape, outputs.size, inputs.size);
    const auto again = [&](FunctionRef<Value()> walk) {
      if (!b.is_eager() && meets) fail_not_staged("a collective in what a Jacobian may run again");
      return first.run_again(b, [&] {
        std::ranges::copy(given, arguments.all().begin());
        return walk();
      });
    };
    const auto forwards = [&] {
      return again([&] { return run_forward(b, arguments, true, b.is_eager() ? "" : independent); });
    };
    if (!b.is_eager() && run.tape.has_composites()) {
      const auto rows = [&](const Value& row) {
        return again([&] { return sweep_row(b, arguments, outputs, row, independent); });
      };
      // A derivative outside goes back through one path: what it goes back through must lie there.
      const bool goes_back = b.context().innermost != nullptr && !backwards.is_scalar();
      const auto all = [&]() -> Value {
        if (!goes_back) return sweep_basis(b, run, result, inputs, outputs, independent);
        return again([&] {
          TapedRun inner(b.pool());
          inner.run(b, transform_, function_, arguments, wrt_);
          return sweep_basis(b, inner, inner.output_nodes(), inputs, outputs, independent);
        });
      };
      const auto back = [&] {
        const auto each = [&] {
          return assemble_reverse(b, b.each_example(outputs.size, true, transform_, rows), run, result, inputs,
                                  outputs);
        };
        const auto plainly = [&] {
          again([&] {
            call_plainly(b, arguments);
            return Value();
          });
        };
        return may_run_apart(b, outputs.size) ? b.few_or_all(outputs.size, plainly, each, all) : all();
      };
      // Tangents do not go through a region of a function that is being compiled: it is walked again with them.
      return b.choose(backwards, back, forwards);
    }
    const auto all_back = [&] { return sweep_basis(b, run, result, inputs, outputs, independent); };
    if (run.passes_rule) return b.choose(backwards, all_back, forwards);
    return b.choose(backwards, all_back, [&] { return push_basis(b, run, result, inputs); });
  }

  // A bool that only the run may know.
  Value goes_backwards(ops::Builder& b, const Tape& tape, Dim outputs, Dim inputs) const {
    if (mode_ == JacobianMode::reverse) return true;
    const Value few = no_more(b, outputs, inputs);
    if (few.tag() == Tag::boolean && few.boolean()) return few;
    const Value backwards = either(b, tape.uses_rule(b), few);
    if (backwards.is_none()) fail_not_staged("whether a function with a derivative rule is called");
    return backwards;
  }

  void check_result(const NodeTree& result, const Value& value) const {
    if (!result.types.empty()) return;
    fail(message("jacobian_result"),
         {std::string(transform_), is_operand(value) ? logical_type(value).text() : describe(value)});
  }

  static void warn_if_independent(ops::Builder& b, const std::string& text, const NodeTree& result) {
    bool any = false;
    each_leaf(result.nodes, [&](const Value& node) { any |= !node.is_none() && node.i64() != 0; });
    if (!any) warn_unless(b, Value(false), text);
  }

  static void seed(ops::Builder& b, std::vector<Value>& cotangents, const std::vector<int64_t>& nodes,
                   FunctionRef<Value(size_t leaf)> value) {
    ops::RuleContext rules(b, false);
    for (size_t leaf = 0; leaf < nodes.size(); ++leaf) {
      if (nodes[leaf] == 0) continue;
      Value& sum = cotangents[static_cast<size_t>(nodes[leaf])];
      sum = sum.is_none() ? value(leaf) : rules.add(std::move(sum), value(leaf));
    }
  }

  // While a function is staged only the run may know whether the result is `independent`: that of one path.
  Value sweep_basis(ops::Builder& b, TapedRun& run, const NodeTree& result, const Basis& inputs, const Basis& outputs,
                    const std::string& independent) const {
    const std::vector<NodeTree> results = {result};
    const std::vector<int64_t> seeds = node_numbers(results);
    const Value walked =
        over_examples(b, outputs.size, BatchView{false}, transform_, [&](uint64_t level, const Value& example) {
          std::vector<Value> cotangents(run.tape.nodes() + 1);
          seed(b, cotangents, seeds, [&](size_t leaf) { return basis_value(b, outputs, leaf, level, example); });
          sweep(b, run.tape, cotangents, SweepOptions{});
          warn_unless_any(b, run, cotangents, independent);
          std::vector<Value> found;
          for (const NodeTree& tree : run.inputs) found.push_back(cotangent_tree(b, tree, cotangents));
          return make_tuple(std::move(found));
        });
    return assemble_reverse(b, walked, run, result, inputs, outputs);
  }

  Value assemble_reverse(ops::Builder& b, const Value& walked, const TapedRun& run, const NodeTree& result,
                         const Basis& inputs, const Basis& outputs) const {
    std::vector<Value> blocks;
    each_leaf(walked, [&](const Value& leaf) {
      if (!leaf.is_none()) blocks.push_back(leaf);
    });
    return assemble(result.nodes, input_trees(run), wrt_.tuple, [&](size_t output, size_t input) {
      return reverse_block(b, blocks[input], outputs, output, inputs.types[input]);
    });
  }

  // One row of the Jacobian, with a run of the function of its own: what that has kept is there once.
  Value sweep_row(ops::Builder& b, const Arguments& arguments, const Basis& outputs, const Value& row,
                  const std::string& independent) const {
    TapedRun run(b.pool());
    run.run(b, transform_, function_, arguments, wrt_);
    const std::vector<NodeTree> results = {run.output_nodes()};
    const std::vector<int64_t> seeds = node_numbers(results);
    std::vector<Value> cotangents(run.tape.nodes() + 1);
    seed(b, cotangents, seeds, [&](size_t leaf) { return basis_value(b, outputs, leaf, 0, row); });
    sweep(b, run.tape, cotangents, SweepOptions{});
    warn_unless_any(b, run, cotangents, independent);
    std::vector<Value> found;
    for (const NodeTree& tree : run.inputs) found.push_back(cotangent_tree(b, tree, cotangents));
    return make_tuple(std::move(found));
  }

  void call_plainly(ops::Builder& b, const Arguments& arguments) const {
    std::vector<Value> args(arguments.all().begin(), arguments.all().end());
    function().call(b, args, arguments.keywords());
  }

  static void warn_unless_any(ops::Builder& b, const TapedRun& run, std::span<const Value> cotangents,
                              const std::string& text) {
    Value any(false);
    for (const NodeTree& tree : run.inputs) any = either(b, any, any_cotangent(b, tree, cotangents));
    warn_unless(b, any, text);
  }

  Value push_basis(ops::Builder& b, TapedRun& run, const NodeTree& result, const Basis& inputs) const {
    const std::vector<int64_t> seeds = node_numbers(run.inputs);
    const Value walked =
        over_examples(b, inputs.size, BatchView{false}, transform_, [&](uint64_t level, const Value& example) {
          std::vector<Value> tangents(run.tape.nodes() + 1);
          for (size_t leaf = 0; leaf < seeds.size(); ++leaf) {
            tangents[static_cast<size_t>(seeds[leaf])] = basis_value(b, inputs, leaf, level, example);
          }
          push(b, run.tape, tangents, false);
          return cotangent_tree(b, result, tangents);
        });
    return assemble_forward(b, walked, result.nodes, input_trees(run), inputs);
  }

  Value assemble_forward(ops::Builder& b, const Value& walked, const Value& results,
                         const std::vector<Value>& input_nodes, const Basis& inputs) const {
    std::vector<Value> blocks;
    each_leaf(walked, [&](const Value& leaf) {
      if (!leaf.is_none()) blocks.push_back(leaf);
    });
    return assemble(results, input_nodes, wrt_.tuple,
                    [&](size_t output, size_t input) { return forward_block(b, blocks[output], inputs, input); });
  }

  static std::vector<Value> input_trees(const TapedRun& run) {
    std::vector<Value> trees;
    for (const NodeTree& tree : run.inputs) trees.push_back(tree.nodes);
    return trees;
  }

  // `again`: it has run on a tape. `independent`: a warning for the run, where it takes a path on which no result
  // depends on the arguments.
  Value run_forward(ops::Builder& b, const Arguments& arguments, bool again, const std::string& independent = "") const;

  const Parameters wrt_;
  const JacobianMode mode_;
};

Value Jacobian::run_forward(ops::Builder& b, const Arguments& arguments, bool again,
                            const std::string& independent) const {
  Basis inputs;
  bool has_outputs = false;
  const std::vector<Value> trees = count_inputs(b, transform_, arguments, wrt_, inputs);
  Value plain;
  const auto walk = [&](uint64_t batch, const Value& example) {
    // Collectives give what they gave where there was no basis.
    const OpenLevel* const basis = again ? find_level(b.context(), batch) : nullptr;
    std::optional<ActingScope> acting;
    if (basis != nullptr) acting.emplace(*basis);
    Value any(false);
    const auto tangent = [&](size_t leaf) { return basis_value(b, inputs, leaf, batch, example); };
    Value tangents = tangents_along(b, function(), arguments, wrt_, tangent, any, plain, nullptr, again);
    if (!independent.empty()) warn_unless(b, any, independent);
    each_leaf(tangents, [&](const Value& leaf) { has_outputs |= !leaf.is_none(); });
    return tangents;
  };
  const auto all = [&] { return over_examples(b, inputs.size, BatchView{false}, transform_, walk); };
  const auto each = [&] {
    return b.each_example(inputs.size, true, transform_, [&](const Value& number) { return walk(0, number); });
  };
  const auto plainly = [&] { call_plainly(b, arguments); };
  const Value walked = may_run_apart(b, inputs.size) ? b.few_or_all(inputs.size, plainly, each, all) : all();
  if (!has_outputs) fail(message("jacobian_result"), {std::string(transform_), describe(plain)});
  return assemble_forward(b, walked, walked, trees, inputs);
}

// A Jacobian of a gradient, under its own name.
class Hessian final : public Transformed {
 public:
  Hessian(Value f, Parameters wrt) : Transformed("hessian", f), wrt_(wrt) {
    Value gradient = make_grad("hessian", std::move(f), GradOptions{wrt, false, false, false, false});
    jacobian_ = make_jacobian("hessian", std::move(gradient), std::move(wrt), JacobianMode::forward);
  }
  Value apply(ops::Builder& b, std::span<Value> args, std::span<const std::string_view> keywords) override {
    return jacobian_.function().call(b, args, keywords);
  }

  void know_arguments(ops::Builder& b, std::span<Value> args) override { function().know_arguments(b, args); }

  std::string staging_key() const override { return "hessian" + wrt_.key(); }

 protected:
  Value with_function(Value f) const override { return make_hessian(std::move(f), wrt_); }

 private:
  const Parameters wrt_;
  Value jacobian_;
};

}  // namespace

Value make_jacobian(std::string_view transform, Value f, Parameters wrt, JacobianMode mode) {
  return make_function<Jacobian>(transform, std::move(f), std::move(wrt), mode);
}

Value make_hessian(Value f, Parameters wrt) { return make_function<Hessian>(std::move(f), std::move(wrt)); }

}  // namespace covec::autodiff
