// A kernel over tensors: shapes are found operation by operation, results take the place of operands that nobody needs
// any more or fresh memory, and the elements are cut into pieces for the threads. Whatever is not as expected (shapes
// that do not fit, an element that cannot be computed, a result that is not of the kernel's shape) is left to the
// operators themselves, applied one by one in program order. Start at Running::launch.
#include <algorithm>
#include <cstring>

#include "jit/runtime/activation.hpp"
#include "jit/runtime/elements.hpp"
#include "jit/runtime/reduction.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/value/small_vector.hpp"

namespace covec::runtime {

using loops::Launch;
using Source = Launch::Source;

namespace {

struct Extents {
  unsigned rank = 0;
  int64_t dims[max_rank];
  std::span<const int64_t> span() const { return {dims, rank}; }
  bool operator==(const Extents& other) const { return std::ranges::equal(span(), other.span()); }
};

Extents extents_of(const Tensor& tensor) {
  Extents extents;
  extents.rank = tensor.rank();
  std::ranges::copy(tensor.dims(), extents.dims);
  return extents;
}

// NumPy's broadcasting; false where it is an error.
bool broadcast(Extents& a, const Extents& b) {
  Extents result = a.rank >= b.rank ? a : b;
  const unsigned common = std::min(a.rank, b.rank);
  for (unsigned axis = 1; axis <= common; ++axis) {
    const int64_t x = a.dims[a.rank - axis], y = b.dims[b.rank - axis];
    if (x != y && x != 1 && y != 1) return false;
    result.dims[result.rank - axis] = x == 1 ? y : x;
  }
  a = result;
  return true;
}

bool broadcasts_to(const Extents& a, const Extents& to) {
  Extents joint = a;
  return broadcast(joint, to) && joint == to;
}

bool same_dims(const Tensor& a, const Tensor& b) { return std::ranges::equal(a.dims(), b.dims()); }

// The shape of each operation's result; false where one has none.
bool find_shapes(const Launch& launch, std::span<const Tensor* const> inputs, std::vector<Extents>& shapes) {
  for (const Launch::Member& member : launch.members) {
    Extents& shape = shapes.emplace_back();
    for (uint32_t i = 0; i < member.operands; ++i) {
      const Source& source = member.args[i];
      const bool input = source.kind == Source::Kind::input, made = source.kind == Source::Kind::member;
      if (!input && !made) continue;
      if (!broadcast(shape, input ? extents_of(*inputs[source.index]) : shapes[source.index])) return false;
    }
  }
  return true;
}

// The one shape that all results have and all inputs fit; false when there is none.
bool find_extents(const Launch& launch, std::span<const Tensor* const> inputs, Extents& extents) {
  const auto as_first = [&](const Tensor* tensor) { return same_dims(*tensor, *inputs[0]); };
  if (std::ranges::all_of(inputs, as_first)) {
    extents = extents_of(*inputs[0]);
    return true;
  }
  std::vector<Extents> shapes;
  shapes.reserve(launch.members.size());
  if (!find_shapes(launch, inputs, shapes)) return false;
  extents = shapes.back();
  if (!launch.reductions.empty())
    extents = shapes[launch.reductions[0].member];
  else if (!launch.outputs.empty())
    extents = shapes[launch.outputs[0].member];
  for (const Launch::Output& output : launch.outputs) {
    if (!(shapes[output.member] == extents)) return false;
  }
  return std::ranges::all_of(inputs, [&](const Tensor* t) { return broadcasts_to(extents_of(*t), extents); });
}

// Results where operands lie that die here, or in fresh memory.
class Results {
 public:
  Results(const Launch& launch, std::span<Value> slots, Pool& pool) : launch_(launch), slots_(slots), pool_(pool) {}
  Value make(Dtype dtype, const Extents& extents) {
    if (!launch_.can_fail) {
      for (size_t i = 0; i < launch_.inputs.size(); ++i) {
        if (reusable(i, dtype, extents)) {
          given_ |= uint64_t{1} << i;
          return slots_[launch_.inputs[i].slot];
        }
      }
    }
    return Value::adopt(Tensor::empty(pool_, dtype, Shape(extents.dims, extents.rank)));
  }

 private:
  bool reusable(size_t i, Dtype dtype, const Extents& extents) const {
    const Launch::Input& input = launch_.inputs[i];
    if (!input.last || input.dtype != dtype || (given_ >> i & 1) != 0) return false;
    const Value& value = slots_[input.slot];
    if (!value.unique()) return false;
    const Tensor& tensor = value.tensor();
    return tensor.contiguous() && tensor.exclusive() && std::ranges::equal(tensor.dims(), extents.span());
  }
  const Launch& launch_;
  std::span<Value> slots_;
  Pool& pool_;
  uint64_t given_ = 0;
};

constexpr int64_t parallel_from = 1 << 16;  // elements of one instruction or two
constexpr int64_t grain = 1 << 14, least_grain = 1 << 11;
constexpr uint32_t instructions_per_unit = 4;  // of Launch::weight

int64_t grain_of(const Launch& launch) {
  return std::max(least_grain, grain / std::max<int64_t>(1, launch.weight / instructions_per_unit));
}

bool compute(ops::Context& context, const Launch& launch, const Elements& elements, int64_t n) {
  if (n * std::max<int64_t>(1, launch.weight / instructions_per_unit) <= parallel_from)
    return elements.run(0, n, nullptr);
  std::atomic<bool> good = true;
  kernels::parallel_for(context, n, grain_of(launch), [&](int64_t begin, int64_t end) {
    if (!elements.run(begin, end, nullptr)) good.store(false, std::memory_order_relaxed);
  });
  return good.load();
}

uint64_t word_of(const Value& number, Dtype dtype) {
  uint64_t word = 0;
  if (number.scalar_dtype() == dtype) {
    std::memcpy(&word, number.scalar_data(), sizeof word);
  } else {
    const Value converted = ops::converted_number(number, dtype);
    std::memcpy(&word, converted.scalar_data(), sizeof word);
  }
  return word;
}

// The numbers as words.
SmallVector<uint64_t, 16> words_of(const Launch& launch, std::span<const Value> slots) {
  SmallVector<uint64_t, 16> words;
  words.reserve(launch.numbers.size());
  for (size_t i = 0; i < launch.numbers.size(); ++i)
    words.push_back(word_of(slots[launch.numbers[i]], launch.number_dtypes[i]));
  return words;
}

int64_t product(std::span<const int64_t> dims) {
  int64_t n = 1;
  for (const int64_t dim : dims) n *= dim;
  return n;
}

constexpr int64_t small = 4096;  // elements; below, the preparation counts

}  // namespace

void Running::launch(const loops::Step& step) {
  const Launch& launch = plan_.launches[static_cast<size_t>(step.number)];
  const Tensor* inputs[Elements::most_inputs];
  const size_t count = launch.inputs.size();
  for (size_t i = 0; i < count; ++i) inputs[i] = &slots_[launch.inputs[i].slot].tensor();
  try {
    if (!launch_small(launch, {inputs, count})) launch_any(launch, {inputs, count});
  } catch (const OpError& error) {  // no memory, an interrupt
    host_->raise(error, *plan_.graph, step.place);
  }
}

// One result, few elements, all arrays alike and row-major: straight to the kernel.
bool Running::launch_small(const Launch& launch, std::span<const Tensor* const> inputs) {
  if (launch.outputs.size() != 1 || !launch.reductions.empty() || launch.numbers.size() > 8) return false;
  const Tensor& first = *inputs[0];
  if (first.size() > small || !first.contiguous()) return false;
  const void* in[Elements::most_inputs];
  in[0] = first.data();
  for (size_t i = 1; i < inputs.size(); ++i) {
    if (!inputs[i]->contiguous() || !same_dims(*inputs[i], first)) return false;
    in[i] = inputs[i]->data();
  }
  uint64_t words[8];
  for (size_t i = 0; i < launch.numbers.size(); ++i) {
    words[i] = word_of(slots_[launch.numbers[i]], launch.number_dtypes[i]);
  }
  const Launch::Output& output = launch.outputs[0];
  Value result;
  for (const Launch::Input& input : launch.inputs) {
    if (launch.can_fail || !input.last || input.dtype != output.dtype) continue;
    Value& slot = slots_[input.slot];
    if (!slot.tensor().exclusive()) continue;
    result = std::move(slot);
    break;
  }
  if (result.is_none()) result = Value::adopt(Tensor::empty(first.pool(), output.dtype, first.shape()));
  void* out = result.tensor().data();
  if (backend_.kernels[launch.kernel](&out, in, first.size(), words) >= 0) return false;
  for (const Launch::Input& input : launch.inputs) {
    if (input.last) slots_[input.slot] = Value();
  }
  give(output.slot, std::move(result));
  return true;
}

void Running::launch_any(const Launch& launch, std::span<const Tensor* const> inputs) {
  Extents extents;
  if (!find_extents(launch, inputs, extents)) return one_by_one(launch);
  const int64_t n = product(extents.span());
  const bool has_results = !launch.outputs.empty() || !launch.reductions.empty();
  if ((n == 0 && !launch.reductions.empty()) || (!has_results && launch.can_fail)) return one_by_one(launch);
  ops::Context& context = host_->eager().context();
  const SmallVector<uint64_t, 16> words = words_of(launch, slots_);
  Elements elements(backend_.kernels[launch.kernel], words.data(), extents.span());
  for (const Tensor* input : inputs) elements.add_input(*input);
  if (launch.row_kernel != Launch::no_kernel)
    elements.set_row_kernel(backend_.kernels[launch.row_kernel], launch.columns);
  SmallVector<Value, 4> results(launch.outputs.size() + launch.reductions.size());
  Results places(launch, slots_, *context.pool);
  size_t made = 0;
  for (const Launch::Output& output : launch.outputs) {
    results[made] = places.make(output.dtype, extents);
    elements.add_output(results[made++].tensor().data(), size_of(output.dtype));
  }
  bool good = true;
  if (!launch.reductions.empty()) {
    elements.add_output(nullptr, size_of(launch.reductions[0].dtype));
    elements.prepare();
    good = reduce(context, launch, elements, extents.span(), results[made++]);
  } else if (has_results) {
    elements.prepare();
    good = compute(context, launch, elements, n);
  }
  if (!good) return one_by_one(launch);
  finish(launch, span_of(results).first(made));
}

// Operands go, results come.
void Running::finish(const Launch& launch, std::span<Value> results) {
  for (const Launch::Input& input : launch.inputs) {
    if (input.last) slots_[input.slot] = Value();
  }
  size_t next = 0;
  for (const Launch::Output& output : launch.outputs) give(output.slot, std::move(results[next++]));
  for (const Launch::Reduction& reduction : launch.reductions) give(reduction.slot, std::move(results[next++]));
}

Value Running::argument(const Launch& launch, const Source& source, std::span<const Value> made) const {
  switch (source.kind) {
    case Source::Kind::input: return slots_[launch.inputs[source.index].slot];
    case Source::Kind::number: return slots_[launch.numbers[source.index]];
    case Source::Kind::member: return made[source.index];
    case Source::Kind::constant: break;
  }
  return source.value;
}

void Running::one_by_one(const Launch& launch) {
  std::vector<Value> made;
  for (const Launch::Member& member : launch.members) {
    std::vector<Value> args;
    for (const Source& source : member.args) args.push_back(argument(launch, source, made));
    made.push_back(in_place(member.place, *member.entry, args, {}, member.literals));
  }
  std::vector<Value> results;
  for (const Launch::Output& output : launch.outputs) results.push_back(made[output.member]);
  for (const Launch::Reduction& reduction : launch.reductions) {
    std::vector<Value> args = {made[reduction.member]};
    args.insert(args.end(), reduction.attributes.begin(), reduction.attributes.end());
    results.push_back(in_place(reduction.place, *reduction.entry, args, {}, 0));
  }
  finish(launch, results);
}

}  // namespace covec::runtime
