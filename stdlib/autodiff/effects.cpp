// Repeats a print for each example, in order. A draw gives each example numbers from a key of its own, all from the
// same call number. So a vmap that starts again example by example draws the same numbers.
#include "stdlib/autodiff/effects.hpp"

#include "stdlib/autodiff/batch.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/kernels/philox.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/tensor/pool.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/small_vector.hpp"

namespace covec::autodiff {

namespace {

using ops::OpenBatch;

// Whether this print has been made before its vmap started again; counts it otherwise. Innermost first: what an inner
// vmap skips was never counted by the outer ones.
bool skip_print(std::vector<OpenBatch>& batches, std::span<const int64_t> examples) {
  for (size_t k = batches.size(); k-- > 0;) {
    OpenBatch& batch = batches[k];
    if (batch.example >= 0 && batch.prints_to_skip > 0) {
      --batch.prints_to_skip;
      return true;
    }
    batch.prints_done += examples[k] == 0 || batch.example >= 0;
  }
  return false;
}

void print_example(ops::Builder& b, const ops::Call& call, std::span<const int64_t> examples) {
  std::vector<OpenBatch>& batches = b.context().batches;
  if (skip_print(batches, examples)) return;
  std::vector<Value> operands;
  for (unsigned i = 0; i < call.operands(); ++i) operands.push_back(call.operand(i));
  for (size_t k = batches.size(); k-- > 0;) {  // the innermost level is the outermost wrapping
    if (batches[k].example >= 0) continue;
    for (Value& operand : operands) operand = example_at(b, operand, batches[k].level, examples[k]);
  }
  const std::span<Value> all = operands;
  ops::Call one{call.entry, all.first(call.args.size()), all.subspan(call.args.size()), call.literals};
  b.apply(one);
}

// Where only the run knows how many there are, they are gone through one by one.
int64_t count_of(const OpenBatch& batch) {
  if (!batch.size.known()) fail_not_staged("how many examples there are");
  return batch.size.number();
}

void print_examples(ops::Builder& b, const ops::Call& call, std::vector<int64_t>& examples) {
  const size_t k = examples.size();
  if (k == b.context().batches.size()) return print_example(b, call, examples);
  const OpenBatch batch = b.context().batches[k];
  const int64_t first = std::max<int64_t>(batch.example, 0);
  const int64_t last = batch.example >= 0 ? batch.example + 1 : count_of(batch);
  for (int64_t example = first; example < last; ++example) {
    kernels::poll_interrupt(b.context());
    examples.push_back(example);
    print_examples(b, call, examples);
    examples.pop_back();
  }
}

// While it lives draws are plain ones; then the open vmaps are back, and the counter stands where a draw has left it.
class PlainDraws {
 public:
  explicit PlainDraws(ops::Context& context)
      : context_(context), start_(context.random), calls_(start_.calls), batches_(std::move(context.batches)) {
    context.batches.clear();
  }
  ~PlainDraws() {
    context_.batches = std::move(batches_);
    context_.random = ops::Random{start_.key, calls_};
  }
  const std::vector<OpenBatch>& batches() const { return batches_; }
  const ops::Random& start() const { return start_; }
  Value draw(ops::Builder& b, const ops::Call& call, uint64_t key) {
    context_.random = ops::Random{key, start_.calls};
    SmallVector<Value, 6> operands(call.operands());
    for (unsigned i = 0; i < call.operands(); ++i) operands[i] = call.operand(i);
    const std::span<Value> all = span_of(operands);
    ops::Call one{call.entry, all.first(call.args.size()), all.subspan(call.args.size()), call.literals};
    Value result = b.apply(one);
    calls_ = context_.random.calls;
    return result;
  }

 private:
  ops::Context& context_;
  const ops::Random start_;
  uint64_t calls_;
  std::vector<OpenBatch> batches_;
};

Value draw(ops::Builder& b, const ops::Call& call, PlainDraws& draws, size_t k, uint64_t key) {
  if (k == draws.batches().size()) return draws.draw(b, call, key);
  const OpenBatch& batch = draws.batches()[k];
  if (batch.example >= 0) return draw(b, call, draws, k + 1, kernels::example_key(key, batch.example));
  if (batch.size == Dim(0)) return type_of_none(b, call.entry.name, [&] { return draw(b, call, draws, k + 1, key); });
  std::vector<Value> results;
  const int64_t count = count_of(batch);
  results.reserve(size_for<Value>(count));
  for (int64_t example = 0; example < count; ++example) {
    kernels::poll_interrupt(b.context());
    results.push_back(draw(b, call, draws, k + 1, kernels::example_key(key, example)));
  }
  return stack_trees(b, std::move(results), call.entry.name);
}

Value draw_examples(ops::Builder& b, const ops::Call& call) {
  PlainDraws draws(b.context());
  Value result = draw(b, call, draws, 0, draws.start().key);
  for (const OpenBatch& batch : draws.batches()) {
    if (batch.example < 0) result = make_batch(batch.level, std::move(result));
  }
  return result;
}

// A print in a replay has been made. StagingBuilder stages draws; in a replay they would need their place among all.
Value stage_effect(const ops::Builder& b, const ops::Call& call) {
  if (call.entry.effects.prints && b.context().replaying) return Value();  // it has been made
  fail_not_staged("the effect of " + std::string(call.entry.name) + " for each example");
}

}  // namespace

void make_draw_plain(ops::Call& call) {
  for (unsigned i = 0; i < call.operands(); ++i) {
    Value& operand = call.operand(i);
    if (operand.is_traced() && logical_type(operand).shape.rank() == 0) operand = concrete(operand);
  }
}

Value draw_for(ops::Builder& b, const ops::Call& call, std::vector<OpenBatch> batches, std::optional<uint64_t> key) {
  struct Around {
    ops::Context& context;
    const uint64_t key;
    std::vector<OpenBatch> batches;
    ~Around() {
      context.random.key = key;
      context.batches = std::move(batches);
    }
  } around{b.context(), b.context().random.key, std::exchange(b.context().batches, std::move(batches))};
  if (key) b.context().random.key = *key;
  PlainDraws draws(b.context());
  return draw(b, call, draws, 0, draws.start().key);
}

Value apply_effect(ops::Builder& b, ops::Call& call) {
  if (!b.is_eager()) return stage_effect(b, call);
  if (call.entry.effects.random) {
    make_draw_plain(call);
    return draw_examples(b, call);
  }
  if (call.entry.effects.shared) {
    // One example is tried for its type, where there is none.
    if (b.context().trying) fail(message("no_examples"), {std::string(call.entry.name)});
    if (!b.context().batches.empty()) fail(message("shared_examples"), {ops::shown_name(call.entry)});
    return b.apply(call);
  }
  std::vector<int64_t> examples;
  print_examples(b, call, examples);
  return Value();
}

}  // namespace covec::autodiff
