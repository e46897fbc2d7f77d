// Runs a body over examples: all at once, or one by one if it needs a plain number that differs between them. The
// results are stacked leaf by leaf. Start at over_examples.
#include <algorithm>

#include "stdlib/autodiff/batch.hpp"
#include "stdlib/autodiff/tape.hpp"
#include "stdlib/gate/effect_journal.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/compiler.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

// The results of equal types, copied side by side; none when they are not plain or not alike.
Value stack_plain(ops::Builder& b, std::span<const Value> leaves) {
  for (const Value& leaf : leaves) {
    if (!leaf.is_numeric() || !has_type(leaf, type_of(leaves[0]))) return Value();
  }
  Type type = type_of(leaves[0]);
  if (type.shape.rank() == max_rank) return Value();
  Shape shape = type.shape;
  shape.insert(0, Dim(static_cast<int64_t>(leaves.size())));
  Value result = make_tensor(b.pool(), type.dtype, shape);
  const size_t bytes = static_cast<size_t>(type.shape.elements()) * size_of(type.dtype);
  std::byte* to = result.tensor().data();
  for (const Value& leaf : leaves) {
    const Value dense = contiguous(b.pool(), leaf);
    std::memcpy(to, data_of(dense), bytes);
    to += bytes;
  }
  return result;
}

[[noreturn]] void fail_stack(std::string_view what, const Value& first, const Value& other, size_t index) {
  fail(message("examples_differ"), {std::string(what), std::to_string(index), describe(other), describe(first)});
}

// As far as sizes are known.
bool differ(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank()) return true;
  for (unsigned i = 0; i < a.rank(); ++i) {
    if (a[i] != b[i] && a[i].known() && b[i].known()) return true;
  }
  return false;
}

[[noreturn]] void fail_kind(std::string_view what, const Value& leaf) {
  fail(message("cannot_stack"), {std::string(what), with_article(describe(leaf))});
}

Value stack_leaves(ops::Builder& b, std::span<const Value> leaves, std::string_view what) {
  const Value& first = leaves[0];
  if (!is_operand(first)) {
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (!leaves[i].is_none()) fail_kind(what, leaves[i]);
    }
    return Value();
  }
  for (size_t i = 1; i < leaves.size(); ++i) {
    if (!is_operand(leaves[i]) || differ(logical_type(leaves[i]).shape, logical_type(first).shape)) {
      fail_stack(what, first, leaves[i], i);
    }
  }
  Value plain = stack_plain(b, leaves);
  if (!plain.is_none()) return plain;
  std::vector<Value> copies(leaves.begin(), leaves.end());
  const bool known = std::ranges::all_of(leaves, [](const Value& leaf) { return logical_type(leaf).shape.known(); });
  return known ? ops::stack(b, copies, 0) : ops::stack_examples(b, copies, what);
}

// A leaf of a body's result as the physical value with the batch axis in front.
Value close_leaf(ops::Builder& b, const Value& leaf, uint64_t level, Dim size, std::string_view what) {
  if (is_traced_at(leaf, level)) return leaf.traced().primal;
  if (leaf.is_none()) return leaf;
  if (!is_operand(leaf)) fail_kind(what, leaf);
  Shape shape = logical_type(leaf).shape;
  shape.insert(0, size);
  return ops::broadcast_to(b, leaf, shape);
}

Value close_tree(ops::Builder& b, const Value& result, uint64_t level, Dim size, std::string_view what) {
  if (!is_tree(result)) return close_leaf(b, result, level, size, what);
  return map_leaves(result, [&](const Value& leaf) { return close_leaf(b, leaf, level, size, what); });
}

// A batch's place among the open ones that draws and prints see; as before when it ends.
class OpenBatchScope {
 public:
  OpenBatchScope(ops::Context& context, BatchView view, const ops::OpenBatch& batch)
      : batches_(context.batches), count_(batches_.size()) {
    if (view.visible) {
      place_ = static_cast<int>(count_);
      batches_.push_back(batch);
      return;
    }
    for (size_t k = 0; k < count_; ++k) {
      if (view.replaces == 0 || batches_[k].level != view.replaces) continue;
      place_ = static_cast<int>(k);
      replaced_ = batches_[k];
      batches_[k].level = batch.level;
      batches_[k].example = batch.example;
    }
  }
  ~OpenBatchScope() {
    batches_.resize(count_, ops::OpenBatch{0, 0});
    if (place_ < 0 || place_ >= static_cast<int>(count_)) return;
    batches_[place_].level = replaced_.level;
    batches_[place_].example = replaced_.example;
  }
  int64_t prints_done() const { return place_ < 0 ? 0 : batches_[place_].prints_done; }

 private:
  std::vector<ops::OpenBatch>& batches_;
  const size_t count_;
  int place_ = -1;
  ops::OpenBatch replaced_{0, 0};
};

// What the examples are run with one by one after their control flow has turned out to differ.
struct Restart {
  ops::Random random;
  int64_t prints;
  size_t effects;  // the place in the journal
};

// An example's result that is a value from before the example gets a node of its own: the stack of all results would
// else add up its cotangents first and in the examples' order, where a compiled loop adds them example by example in
// reverse program order.
class OwnNodes {
 public:
  explicit OwnNodes(const ops::Context& context) {
    for (const OpenLevel* level = context.innermost; level != nullptr; level = level->outer) {
      if (level->kind == TraceKind::tape) marks_.push_back({level->level, level->tape->nodes()});
    }
  }
  Value of(ops::Builder& b, const Value& result) const {
    if (marks_.empty()) return result;
    if (!is_tree(result)) return of_leaf(b, result);
    return map_leaves(result, [&](const Value& leaf) { return of_leaf(b, leaf); });
  }

 private:
  struct Mark {
    uint64_t level;
    uint32_t nodes;
  };
  bool is_older(const Value& leaf) const {
    for (const Value* at = &leaf; at->is_traced(); at = &at->traced().primal) {
      const Traced& traced = at->traced();
      if (traced.trace != TraceKind::tape || traced.node == 0) continue;
      for (const Mark& mark : marks_) {
        if (mark.level == traced.level && traced.node <= mark.nodes) return true;
      }
    }
    return false;
  }
  Value of_leaf(ops::Builder& b, const Value& leaf) const {
    return is_older(leaf) ? ops::call(b, ops::cast_entry(logical_type(leaf).dtype), {leaf}) : leaf;
  }

  std::vector<Mark> marks_;
};

constexpr int64_t max_staged = 16;  // examples that a compiled function spells out one by one

bool is_number(const Value& value) { return is_operand(shaped_part(value)); }

constexpr int64_t max_apart = 256;  // items that a compiled function spells out

}  // namespace

Value example_of_tree(ops::Builder& b, const Value& examples, const Value& index) {
  return map_leaves(examples, [&](const Value& leaf) { return is_operand(leaf) ? example_of(b, leaf, index) : leaf; });
}

namespace {

// Of all examples at once: the tree of each. Functions may hold what differs: they are made one by one.
Value taken_apart(ops::Builder& b, const Value& result, uint64_t level, Dim size, std::string_view what) {
  each_leaf(result, [&](const Value& leaf) {
    const bool same = leaf.is_none() || leaf.is(ObjectKind::string);
    if (!same && !is_operand(leaf)) throw BatchedControl{level};
  });
  const Value all = map_leaves(
      result, [&](const Value& leaf) { return is_operand(leaf) ? close_leaf(b, leaf, level, size, what) : leaf; });
  if (!size.known() || (!b.is_eager() && size.number() > max_apart)) throw ApartLater{all, size};
  std::vector<Value> items;
  for (int64_t i = 0; i < size.number(); ++i) {
    kernels::poll_interrupt(b.context());
    items.push_back(example_of_tree(b, all, Value(i)));
  }
  return make_list(std::move(items));
}

Value example_by_example(ops::Builder& b, Dim size, BatchView view, std::string_view what, const Restart& restart,
                         const ExampleBody& body, bool apart) {
  ops::Context& context = b.context();
  const auto in_a_loop = [&] {
    if (!view.visible) fail_not_staged("a condition that differs between examples of " + std::string(what));
    const OpenBatchScope place(context, view, ops::OpenBatch{.level = 0, .size = size});
    return b.each_example(size, false, what, [&](const Value& example) {
      Value result = body(0, example);
      if (apart && !is_number(result)) throw ApartLater();
      return result;
    });
  };
  if (!b.is_eager() && (!size.known() || size.number() > max_staged)) return in_a_loop();
  if (!b.is_eager() && size.number() > 1 && context.innermost == nullptr) {
    try {  // then they may run side by side
      return in_a_loop();
    } catch (...) {  // draws and prints are in order only one after the other; an error is met again
    }
  }
  std::vector<Value> results;
  results.reserve(size_for<Value>(size.number()));
  uint64_t calls = restart.random.calls;
  for (int64_t example = 0; example < size.number(); ++example) {
    kernels::poll_interrupt(context);
    context.random = restart.random;
    const OpenBatchScope place(context, view, ops::OpenBatch{0, size, example, 0, restart.prints});
    const OwnNodes own(context);
    results.push_back(own.of(b, body(0, Value(example))));
    calls = std::max(calls, context.random.calls);
  }
  context.random.calls = calls;
  if (apart && !std::ranges::all_of(results, is_number)) return make_list(std::move(results));
  return stack_trees(b, std::move(results), what);
}

class TryingScope {
 public:
  explicit TryingScope(ops::Context& context)
      : context_(context), outer_(std::exchange(context.trying, true)), random_(context.random) {}
  ~TryingScope() {
    context_.trying = outer_;
    context_.random = random_;
  }

 private:
  ops::Context& context_;
  const bool outer_;
  const ops::Random random_;
};

}  // namespace

Value type_of_none(ops::Builder& b, std::string_view what, FunctionRef<Value()> try_body) {
  const QuietScope quiet(b.context());
  const TryingScope trying(b.context());
  Value result;
  try {
    result = try_body();
  } catch (const OpError& error) {
    if (ends_all(error.kind)) throw;
    fail(message("no_examples"), {std::string(what)});
  }
  return map_leaves(result, [&](const Value& leaf) {
    if (!is_operand(leaf)) return leaf;
    Type type = logical_type(leaf);
    type.shape.insert(0, Dim(0));
    return ops::RuleContext(b, false).zeros(type);
  });
}

Value stack_trees(ops::Builder& b, std::vector<Value> trees, std::string_view what) {
  const auto stack = [&](std::span<const Value> leaves) {
    if (std::ranges::none_of(leaves, is_complex)) return stack_leaves(b, leaves, what);
    // A real number among complex ones has no imaginary part.
    std::vector<Value> re, im;
    for (const Value& leaf : leaves) {
      if (!is_operand(shaped_part(leaf))) return stack_leaves(b, leaves, what);  // an error
      re.push_back(ops::real_part(leaf));
      im.push_back(ops::imaginary_part(b, leaf));
    }
    Value real = stack_leaves(b, re, what);
    return ops::complex_value(b, std::move(real), stack_leaves(b, im, what));
  };
  return is_container(trees[0]) ? map_containers(trees, stack) : stack(trees);
}

namespace {

Value over_any_examples(ops::Builder& b, Dim size, BatchView view, std::string_view what, const ExampleBody& body,
                        bool apart) {
  ops::Context& context = b.context();
  ops::EffectJournal* const journal = context.journal;
  Restart restart{context.random, 0, journal == nullptr ? 0 : journal->place()};
  const uint64_t collectives = context.collectives;
  bool conditional = false;
  {
    LevelScope scope(context, TraceKind::batch);
    scope.open().size = size;
    const OpenBatchScope place(context, view, ops::OpenBatch{scope.level(), size});
    try {
      Value result;
      b.attempt([&] { result = body(scope.level(), Value()); });
      if (apart && !is_number(result)) {
        Value items = taken_apart(b, result, scope.level(), size, what);
        scope.close();
        return items;
      }
      scope.close();
      return close_tree(b, result, scope.level(), size, what);
    } catch (const BatchedControl& control) {
      if (control.level != scope.level()) throw;
      if (view.replaces != 0 && find_level(context, view.replaces) != nullptr) {
        throw BatchedControl{view.replaces, control.conditional};
      }
      conditional = control.conditional;
      restart.prints = place.prints_done();
    }
  }
  // All at once or one by one gives the same, but cotangents are added in another order.
  if (conditional && is_tape_open(context))
    fail_not_staged("a condition that may differ between examples of " + std::string(what));
  if (context.collectives != collectives) fail(message("ranks_restart"), {std::string(what)});
  context.random = restart.random;
  if (journal != nullptr) journal->rollback(restart.effects);
  if (size == Dim(0)) {
    bool listed = false;
    Value none = type_of_none(b, what, [&] {
      Value result = body(0, Value(int64_t{0}));
      listed = apart && !is_number(result);
      return result;
    });
    return listed ? make_list({}) : none;
  }
  return example_by_example(b, size, view, what, restart, body, apart);
}

}  // namespace

bool may_run_apart(const ops::Builder& b, Dim size) {
  const bool alone = b.context().innermost == nullptr && b.context().batches.empty();
  return alone && !b.is_eager() && size != Dim(0);
}

Value over_examples(ops::Builder& b, Dim size, BatchView view, std::string_view what, const ExampleBody& body,
                    bool apart) {
  const auto all = [&] { return over_any_examples(b, size, view, what, body, apart); };
  if (!view.visible || b.is_eager() || size == Dim(0)) return all();
  bool differ = false;  // they run one by one in any case
  const auto walk = [&] {
    LevelScope scope(b.context(), TraceKind::batch);
    scope.open().size = size;
    const OpenBatchScope place(b.context(), view, ops::OpenBatch{scope.level(), size});
    try {
      body(scope.level(), Value());
      scope.close();
    } catch (const BatchedControl&) {
      differ = true;
    }
  };
  const auto each = [&] {
    if (differ) fail_not_staged("a condition that differs between examples of " + std::string(what));
    const OpenBatchScope place(b.context(), view, ops::OpenBatch{.level = 0, .size = size, .together = true});
    return b.each_example(size, true, what, [&](const Value& example) {
      Value result = body(0, example);
      if (apart && !is_number(result)) throw ApartLater();
      return result;
    });
  };
  return b.few_or_all(size, walk, each, all);
}

namespace {

bool is_integer_of(const Value& value, int64_t number) {
  return ops::is_integer(value) && ops::integer_of(value) == number;
}

// start, start + stride, …: `size` of them.
Value count_from(ops::Builder& b, const Value& start, const Value& stride, Dim size) {
  ops::RuleContext rules(b, false);
  Value numbers = ops::call(b, ops::handles().arange, {b.extent(size), Value(), Value(), Value()});
  if (!is_integer_of(stride, 1)) numbers = rules.mul(std::move(numbers), stride);
  return is_integer_of(start, 0) ? numbers : rules.add(std::move(numbers), start);
}

Value over_staged_range(ops::Builder& b, const Value& start, const Value& stride, Dim size, std::string_view what,
                        FunctionRef<Value(const Value& index)> body, bool apart) {
  const Value numbers = count_from(b, start, stride, size);
  const auto each = [&](uint64_t level, const Value& example) {
    if (example.is_none()) return body(make_batch(level, numbers));
    // Of no examples one is tried for its type: the number that would come first.
    return body(size == Dim(0) ? start : example_of(b, numbers, example));
  };
  return over_examples(b, size, BatchView{}, what, each, apart);
}

}  // namespace

Value over_range(ops::Builder& b, const SymbolicRange& range, std::string_view what,
                 FunctionRef<Value(const Value& index)> body, bool apart) {
  const Dim size = b.dim_of(ops::range_length(b, range));
  return over_staged_range(b, range.start, Value(range.stride), size, what, body, apart);
}

Value over_range(ops::Builder& b, int64_t start, int64_t step, int64_t size, std::string_view what,
                 FunctionRef<Value(const Value& index)> body, bool apart) {
  if (!b.is_eager()) return over_staged_range(b, start, step, Dim(size), what, body, apart);
  const auto each = [&](uint64_t level, const Value& example) {
    if (example.tag() == Tag::i64) return body(Value(start + example.i64() * step));
    Value numbers = make_tensor(b.pool(), Dtype::i64, {Dim(size)});
    int64_t* to = numbers.tensor().as<int64_t>();
    for (int64_t i = 0; i < size; ++i) {
      if ((i & 0xffff) == 0) kernels::poll_interrupt(b.context());
      to[i] = start + i * step;
    }
    return body(make_batch(level, std::move(numbers)));
  };
  return over_examples(b, size, BatchView{}, what, each, apart);
}

}  // namespace covec::autodiff
