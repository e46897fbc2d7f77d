// Runs a function under a pattern's level (stdlib/autodiff/pattern.hpp) and lists the inputs of each float of its
// result.
#include "stdlib/ops/derivatives/sparse_plan.hpp"

#include <algorithm>

#include "stdlib/autodiff/apply.hpp"
#include "stdlib/autodiff/pattern.hpp"
#include "stdlib/autodiff/replay.hpp"
#include "stdlib/gate/effect_journal.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/derivatives/composite.hpp"
#include "stdlib/ops/derivatives/taped.hpp"
#include "stdlib/ops/derivatives/transformed.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

constexpr std::string_view name = "a pattern";  // in messages

// Prints are dropped, draws repeat, and whatever reaches outside is an error.
class Apart {
 public:
  explicit Apart(ops::Builder& b)
      : context_(b.context()),
        warned_(context_.warned),
        around_(context_.journal),
        quiet_(context_),
        replay_(b, Surroundings(b.context())) {
    journal_.refuse(name);
    context_.journal = &journal_;
  }
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;
  ~Apart() {
    context_.journal = around_;
    context_.warned = warned_;  // nobody has seen the warnings
  }

 private:
  ops::Context& context_;
  const std::set<std::string, std::less<>> warned_;
  ops::EffectJournal journal_;
  ops::EffectJournal* const around_;
  const QuietScope quiet_;
  const ReplayScope replay_;
};

void refuse_batches(std::span<const Value> args) {
  for (const Value& leaf : deep_leaves(args)) {
    for (const Value* at = &leaf; at->is_traced(); at = &at->traced().primal) {
      if (at->traced().trace == TraceKind::batch) fail(message("pattern_vmap"), {std::string(name)});
    }
  }
}

int64_t elements_of(const Value& leaf) { return logical_type(leaf).shape.elements(); }

// The arguments of f, and which of them the derivatives are by.
class Inputs {
 public:
  Inputs(ops::Builder& b, const Value& f, std::span<Value> args, std::span<const std::string_view> keywords,
         const Value& wrt)
      : b_(b),
        args_(args),
        arguments_(f.function(), args, keywords),
        wrt_(parameters_of(name, "wrt", f.function(), wrt)) {
    for (const size_t number : wrt_.numbers) count(number);
    for (const int64_t elements : elements_) count_ += elements;
    if (count_ > UINT32_MAX / 2) fail(message("pattern_limit"), {std::string(name), std::to_string(UINT32_MAX / 2)});
  }
  int64_t count() const { return count_; }

  // The arguments with sets: each input its own.
  std::vector<Value> wrapped(const Pattern& pattern) {
    std::vector<Value> result(args_.begin(), args_.end());
    size_t leaf = 0;
    for (Value& arg : result) {
      arg = map_leaves(arg, [&](const Value& value) {
        return is_operand(value) ? pattern.wrap(value, Value(), source::of_leaf(leaf++)) : (++leaf, value);
      });
    }
    sparse::Set first = 1;
    for (const size_t number : wrt_.numbers) {
      const size_t slot = static_cast<size_t>(arguments_.find(number));
      const Value& plain = args_[slot];
      const Value trees[] = {plain, result[slot]};
      result[slot] = map_trees(trees, [&](std::span<const Value> leaves) {
        if (!is_float_leaf(leaves[0])) return leaves[1];
        const sparse::Set begin = first;
        first += static_cast<sparse::Set>(elements_of(leaves[0]));
        return pattern.input(leaves[0], begin);
      });
    }
    return result;
  }

  // Where the leaves of these bits lie among all leaves of the arguments; leaves that are no numbers are always among
  // them.
  std::vector<Value> places_of(uint32_t sources) const {
    std::vector<Value> places;
    int64_t place = 0;
    for (size_t slot = 0; slot < args_.size(); ++slot) {
      const bool active = is_active(slot);
      each_leaf(args_[slot], [&](const Value& leaf) {
        const bool input = active && is_float_leaf(leaf);
        const bool chosen = !is_operand(leaf) || (sources & source::of_leaf(static_cast<size_t>(place))) != 0;
        if (!input && chosen) places.emplace_back(place);
        ++place;
      });
    }
    return places;
  }

 private:
  bool is_active(size_t slot) const {
    return std::ranges::any_of(wrt_.numbers,
                               [&](size_t number) { return arguments_.find(number) == static_cast<int>(slot); });
  }

  void count(size_t number) {
    const int slot = arguments_.find(number);
    if (slot < 0) fail(message("parameter_not_given"), {std::string(name), arguments_.name_of(number)});
    const Value& argument = args_[static_cast<size_t>(slot)];
    if (holds_complex(argument)) {
      fail(message("jacobian_complex"), {std::string(name), arguments_.name_of(number)}, {},
           "differentiate by the parts: (x, y) -> f(complex(x, y))");
    }
    const size_t before = elements_.size();
    each_leaf(argument, [&](const Value& leaf) {
      if (is_float_leaf(leaf)) elements_.push_back(elements_of(leaf));
    });
    if (elements_.size() == before)
      fail(message("no_float_leaf"), {std::string(name), arguments_.name_of(number), without_floats(argument)});
  }

  ops::Builder& b_;
  const std::span<Value> args_;
  const Arguments arguments_;
  const Parameters wrt_;
  std::vector<int64_t> elements_;  // by float leaf
  int64_t count_ = 0;
};

// The sparse rows of all floats of a result, in order.
class Rows {
 public:
  Rows(ops::Builder& b, const Value& result, uint64_t level) : b_(b) {
    each_leaf(result, [&](const Value& leaf) {
      if (!is_float_leaf(leaf)) return;
      const Value sets = is_traced_at(leaf, level) ? leaf.traced().tangent : Value();
      leaves_.push_back({elements_of(leaf), sets.is_none() ? sets : contiguous(b.pool(), sets)});
      count_ += leaves_.back().count;
    });
    if (leaves_.empty()) fail(message("jacobian_result"), {std::string(name), describe(result)});
  }
  int64_t count() const { return count_; }

  // The two tensors of sparse rows.
  std::pair<Value, Value> list(sparse::UnionDag& dag, int64_t most) {
    Value begins = make_tensor(b_.pool(), Dtype::i64, Shape{count_ + 1});
    int64_t* end = begins.tensor().as<int64_t>();
    *end++ = 0;
    std::vector<sparse::Set> inputs;
    for (const Leaf& leaf : leaves_) {
      const size_t rows = static_cast<size_t>(leaf.count);
      if (leaf.sets.is_none()) {
        std::fill_n(end, rows, static_cast<int64_t>(inputs.size()));
      } else if (!dag.list({static_cast<const int64_t*>(data_of(leaf.sets)), rows},
                           static_cast<size_t>(std::max<int64_t>(most, 0)), inputs, end)) {
        fail(message("pattern_limit"), {std::string(name), std::to_string(most)});
      }
      end += rows;
    }
    Value indices = make_tensor(b_.pool(), Dtype::i64, Shape{static_cast<int64_t>(inputs.size())});
    std::ranges::copy(inputs, indices.tensor().as<int64_t>());
    return {std::move(indices), std::move(begins)};
  }

 private:
  struct Leaf {
    int64_t count;
    Value sets;
  };
  ops::Builder& b_;
  std::vector<Leaf> leaves_;
  int64_t count_ = 0;
};

// A pattern that is looked for around this one depends on what this one does, and on what the function has captured.
void tell_around(const ops::Call& call, const Inputs& inputs, uint32_t deciding) {
  for (const Value& leaf : deep_leaves(call.args.first(1))) concrete(leaf);
  std::vector<int64_t> places;
  for (const Value& place : inputs.places_of(deciding)) places.push_back(place.integer());
  int64_t place = 0;
  for (const Value& arg : as_arguments(call.args[1])) {
    each_leaf(arg, [&](const Value& leaf) {
      const bool decides = std::ranges::find(places, place++) != places.end() || (deciding & source::inputs) != 0;
      if (decides) concrete(leaf);
    });
  }
}

Value sparse_pattern(ops::Builder& b, ops::Call& call) {
  refuse_batches(call.args);
  const Value f = without_derivatives(function_argument(name, call.args[0]));
  std::vector<Value> args = as_arguments(without_derivatives(call.args[1]));
  const int64_t most = ops::integer_argument(call, 3);
  std::vector<std::string_view> keywords;
  if (call.args[4].is(ObjectKind::tuple))
    for (const Value& keyword : call.args[4].tuple().items) keywords.push_back(keyword.string().text);
  Inputs inputs(b, f, args, keywords, call.args[2]);
  const Apart apart(b);
  LevelScope scope(b.context(), TraceKind::jvp);
  Pattern pattern(b, scope.level(), static_cast<sparse::Set>(inputs.count()));
  scope.open().pattern = &pattern;
  std::vector<Value> given = inputs.wrapped(pattern);
  const Value result = f.function().call(b, given, keywords);
  scope.close();
  Rows rows(b, result, scope.level());
  auto [indices, begins] = rows.list(pattern.dag(), most);
  static const auto layout = std::make_shared<const RecordLayout>(
      RecordLayout{{"indices", "indptr", "shape", "local", "passes_rule", "reasons"}});
  Value shape = make_tuple({Value(rows.count()), Value(inputs.count())});
  const bool local = (pattern.deciding() & (source::inputs | source::draws)) != 0;
  tell_around(call, inputs, pattern.deciding());
  return make_record(layout, {std::move(indices), std::move(begins), std::move(shape), Value(local),
                              Value(pattern.passes_rule()), make_tuple(inputs.places_of(pattern.deciding()))});
}

Value sparse_reasons(ops::Builder&, ops::Call& call) {
  const std::vector<int64_t> places = ops::integer_list_argument(call, 1);
  std::vector<Value> found;
  int64_t place = 0;
  for (const Value& arg : as_arguments(without_derivatives(call.args[0]))) {
    each_leaf(arg, [&](const Value& leaf) {
      if (std::ranges::find(places, place++) != places.end()) found.push_back(leaf);
    });
  }
  return make_tuple(std::move(found));
}

}  // namespace

const ops::Entry& sparse_pattern_entry() {
  static const ops::Entry entry{
      .name = "_sparse_pattern",
      .doc =
          "Which inputs each float of a result depends on.\n\n"
          "`_sparse_pattern(f, args, wrt, max_nonzeros, keywords)`: a record with the sparse rows `indices` and "
          "`indptr`, "
          "`shape`, "
          "whether "
          "the pattern is `local`: it may be another one for other numbers; whether f `passes_rule`: it calls a "
          "function with a reverse rule alone; and `reasons`, the places of the other "
          "leaves "
          "of `args` on which it depends.",
      .parameters = {ops::any_parameter("f"), ops::any_parameter("args"), ops::any_parameter("wrt"),
                     ops::attribute("max_nonzeros"),
                     ops::Parameter{.name = "keywords", .kind = ops::ParameterKind::any, .required = false}},
      .eager = sparse_pattern,
      .derivative = ops::Derivative::none("gives integers"),
      .effects = {.may_fail = true, .calls = true},
      .internal = true,
      .part_of = "sparse.pattern",
  };
  return entry;
}

const ops::Entry& sparse_reasons_entry() {
  static const ops::Entry entry{
      .name = "_sparse_reasons",
      .doc = "The leaves of a tuple of arguments at the places that `_sparse_pattern` has given as `reasons`.",
      .parameters = {ops::any_parameter("args"), ops::any_parameter("places")},
      .eager = sparse_reasons,
      .derivative = ops::Derivative::none("gives what a pattern depends on"),
      .internal = true,
      .staging = ops::Staging::structural,
      .part_of = "sparse.pattern",
  };
  return entry;
}

}  // namespace covec::autodiff
