#include "jit/runtime/launch.hpp"

#include <algorithm>
#include <cstring>

#include "jit/runtime/device_launch.hpp"
#include "jit/runtime/host_steps.hpp"
#include "jit/runtime/kernel_elements.hpp"
#include "jit/runtime/launch_extents.hpp"
#include "jit/runtime/reduction.hpp"
#include "stdlib/kernels/transposed_tiles.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/index/plan.hpp"
#include "stdlib/value/broadcast.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/small_vector.hpp"

namespace covec::runtime {

using loops::Launch;
using Source = Launch::Source;

namespace {

constexpr int64_t small = 4096;          // elements; below, the preparation counts
constexpr size_t max_small_outputs = 4;  // vectors that a loop carries

// Results where operands lie that die here, or in fresh memory.
class Results {
 public:
  Results(const Launch& launch, std::span<Value> slots, Pool& pool) : launch_(launch), slots_(slots), pool_(pool) {}
  Value make(Dtype dtype, const Shape& extents) {
    if (!launch_.can_fail) {
      for (size_t i = 0; i < launch_.inputs.size(); ++i) {
        if (reusable(i, dtype, extents)) {
          given_ |= uint64_t{1} << i;
          return slots_[launch_.inputs[i].slot];
        }
      }
    }
    return Value::adopt(Tensor::empty(pool_, dtype, extents));
  }

 private:
  bool reusable(size_t i, Dtype dtype, const Shape& extents) const {
    const Launch::Input& input = launch_.inputs[i];
    if (!input.last || input.dtype != dtype || (given_ >> i & 1) != 0) return false;
    const Value& value = slots_[input.slot];
    if (!value.unique()) return false;
    const Tensor& tensor = value.tensor();
    return tensor.contiguous() && tensor.exclusive() && tensor.shape() == extents;
  }
  const Launch& launch_;
  std::span<Value> slots_;
  Pool& pool_;
  uint64_t given_ = 0;
};

constexpr int64_t parallel_from = 1 << 16;  // elements of one instruction or two
// Elements of a thread's share: of one instruction or two, of many.
constexpr int64_t grain = 1 << 14, least_grain = 1 << 11;
constexpr uint32_t instructions_per_unit = 4;  // of Launch::weight

int64_t grain_of(const Launch& launch) {
  return std::max(least_grain, grain / std::max<int64_t>(1, launch.weight / instructions_per_unit));
}

bool compute(ops::Context& context, const Launch& launch, const KernelElements& elements, int64_t n) {
  const int64_t tiles = elements.tiles();
  const auto run = [&](int64_t begin, int64_t end) {
    return tiles > 0 ? elements.run_tiles(begin, end) : elements.run(begin, end, nullptr);
  };
  if (n * std::max<int64_t>(1, launch.weight / instructions_per_unit) <= parallel_from)
    return run(0, tiles > 0 ? tiles : n);
  std::atomic<bool> good = true;
  const auto piece = [&](int64_t begin, int64_t end) {
    if (!run(begin, end)) good.store(false, std::memory_order_relaxed);
  };
  if (tiles > 0)
    kernels::parallel_tiles(context, tiles, grain_of(launch), piece);
  else
    kernels::parallel_for(context, n, grain_of(launch), piece);
  return good.load();
}

// Of integers and slices; what is wrong with them the step itself will say.
std::optional<ops::IndexPlan> part_to_set(ops::Builder& builder, std::span<const Value> slots,
                                          const loops::Step& setting, const Tensor& x) {
  const uint32_t first = std::get<loops::step::Apply>(setting.action).op.parameters;
  SmallVector<Value, 8> items(setting.operands.size() - first);
  for (size_t i = 0; i < items.size(); ++i) {
    const loops::Operand& item = setting.operands[first + i];
    if (item.kind == loops::Operand::Kind::tree) return std::nullopt;
    items[i] = item.kind == loops::Operand::Kind::slot ? slots[item.slot] : item.value;
  }
  try {
    const ops::IndexSpec spec(setting.operands[2].value.i64());
    const ops::IndexLayout layout =
        ops::layout_of(spec, Type{x.dtype(), x.shape()}, std::span<const Value>(span_of(items)));
    if (layout.advanced) return std::nullopt;
    return ops::plan_index(builder, layout, x.dims(), x.strides(), span_of(items));
  } catch (const OpError&) {
    return std::nullopt;
  }
}

}  // namespace

void KernelLaunch::run(std::span<const Value> places) {
  places_ = places;
  const Tensor* inputs[KernelElements::max_inputs];
  const size_t count = launch_.inputs.size();
  if (count > KernelElements::max_inputs) fail(message("internal"), {"a launch of more inputs than there is room for"});
  for (size_t i = 0; i < count; ++i) inputs[i] = &slots_[launch_.inputs[i].slot].tensor();
  if (backend_.device != nullptr) [[unlikely]] {
    if (DeviceLaunch(plan_, launch_, *backend_.device, host_, slots_).run()) return;
    for (const loops::SlotId slot : launch_.numbers) backend_.device->fetch_number(slots_[slot]);
  }
  if (launch_.of_numbers) return run_numbers();
  if (launch_.into != Launch::nowhere && run_into({inputs, count})) return;
  if (!places_.empty() || (!run_small({inputs, count}) && !run_small_laid_out({inputs, count})))
    run_any({inputs, count});
}

// --- small ---

[[gnu::always_inline]] inline void KernelLaunch::drop_inputs() {
  for (const Launch::Input& input : launch_.inputs) {
    if (input.last) slots_[input.slot] = Value();
  }
}

// Where an operand lies that dies here, or in fresh memory. All have one shape. An empty slot has been given already.
[[gnu::always_inline]] inline Value KernelLaunch::place_small(const Launch::Output& output, const Tensor& like) {
  for (const Launch::Input& input : launch_.inputs) {
    if (launch_.can_fail || !input.last || input.dtype != output.dtype) continue;
    Value& slot = slots_[input.slot];
    if (slot.is_tensor() && slot.tensor().exclusive()) return std::move(slot);
  }
  return Value::adopt(Tensor::empty(output.dtype, like));
}

bool KernelLaunch::run_small(Inputs inputs) {
  const size_t outputs = launch_.outputs.size();
  if (outputs == 0 || outputs > max_small_outputs || !launch_.reductions.empty() || launch_.numbers.size() > 8)
    return false;
  const Tensor& first = *inputs[0];
  if (first.size() > small || !first.contiguous()) return false;
  const void* in[KernelElements::max_inputs];
  in[0] = first.data();
  for (size_t i = 1; i < inputs.size(); ++i) {
    if (!inputs[i]->contiguous() || !same_dims(*inputs[i], first)) return false;
    in[i] = inputs[i]->data();
  }
  uint64_t words[8];
  for (size_t i = 0; i < launch_.numbers.size(); ++i) {
    words[i] = word_of(slots_[launch_.numbers[i]], launch_.number_dtypes[i]);
  }
  const int64_t size = first.size();
  Value results[max_small_outputs];
  void* out[max_small_outputs];
  for (size_t i = 0; i < outputs; ++i) {
    results[i] = place_small(launch_.outputs[i], first);
    out[i] = results[i].tensor().data();
  }
  if (backend_.kernels[launch_.kernel](out, in, size, words) >= 0) return false;
  drop_inputs();
  for (size_t i = 0; i < outputs; ++i) give(launch_.outputs[i].slot, std::move(results[i]));
  return true;
}

namespace {

constexpr int64_t max_small_elements = 256;  // elements
constexpr unsigned max_laid_out = 4;         // inputs

template <class T>
void lay_out(const T* from, const int64_t* dims, const int64_t* strides, unsigned rank, T* to) {
  if (rank == 0) {
    *to = *from;
    return;
  }
  const unsigned inner = rank - 1;
  int64_t index[max_rank] = {};
  for (;;) {
    for (int64_t i = 0; i < dims[inner]; ++i) *to++ = from[i * strides[inner]];
    unsigned axis = inner;
    for (; axis > 0; --axis) {
      from += strides[axis - 1];
      if (++index[axis - 1] < dims[axis - 1]) break;
      from -= dims[axis - 1] * strides[axis - 1];
      index[axis - 1] = 0;
    }
    if (axis == 0) return;
  }
}

// The elements of `tensor`, repeated to these extents, none of which is 0, row-major.
void lay_out(const Tensor& tensor, const Shape& shape, std::byte* to) {
  int64_t dims[max_rank], strides[max_rank];
  for (unsigned axis = 0; axis < shape.rank(); ++axis) dims[axis] = shape[axis].number();
  repeated_strides(tensor.dims(), tensor.strides(), {strides, shape.rank()});
  const auto elements = [&](auto element) {
    using T = decltype(element);
    lay_out(tensor.as<T>(), dims, strides, shape.rank(), reinterpret_cast<T*>(to));
  };
  switch (size_of(tensor.dtype())) {
    case 1: return elements(uint8_t());
    case 2: return elements(uint16_t());
    case 4: return elements(uint32_t());
    default: return elements(uint64_t());
  }
}

}  // namespace

bool KernelLaunch::run_small_laid_out(Inputs inputs) {
  if (launch_.outputs.size() != 1 || !launch_.reductions.empty() || launch_.numbers.size() > 8) return false;
  for (const Tensor* input : inputs) {
    if (input->size() > max_small_elements || input->size() == 0) return false;
  }
  const std::optional<Shape> shape = shape_of_small(launch_, inputs);
  if (!shape || shape->elements() > max_small_elements) return false;
  alignas(64) std::byte laid_out[max_laid_out][max_small_elements * 8];
  unsigned used = 0;
  const void* in[KernelElements::max_inputs];
  const Tensor* whole = nullptr;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i]->contiguous() && inputs[i]->shape() == *shape) {
      whole = inputs[i];
      in[i] = whole->data();
      continue;
    }
    if (used == max_laid_out) return false;
    lay_out(*inputs[i], *shape, laid_out[used]);
    in[i] = laid_out[used++];
  }
  uint64_t words[8];
  put_words(launch_, slots_, {words, launch_.numbers.size()});
  const loops::Launch::Output& output = launch_.outputs[0];
  Value result = whole != nullptr ? Value::adopt(Tensor::empty(output.dtype, *whole))
                                  : Value::adopt(Tensor::empty(host_.eager().pool(), output.dtype, *shape));
  void* out = result.tensor().data();
  if (backend_.kernels[launch_.kernel](&out, in, shape->elements(), words) >= 0) return false;
  drop_inputs();
  give(output.slot, std::move(result));
  return true;
}

// --- numbers ---

void KernelLaunch::run_numbers() {
  SmallVector<uint64_t, 64> words(launch_.numbers.size());
  put_words(launch_, slots_, span_of(words));
  SmallVector<uint64_t, 32> made(launch_.outputs.size());
  SmallVector<void*, 32> places(launch_.outputs.size());
  for (size_t i = 0; i < made.size(); ++i) places[i] = &made[i];
  backend_.kernels[launch_.kernel](places.data(), nullptr, 1, words.data());
  for (size_t i = 0; i < made.size(); ++i)
    give(launch_.outputs[i].slot, Value::scalar(launch_.outputs[i].dtype, &made[i]));
}

// --- any ---

void KernelLaunch::run_any(Inputs inputs) {
  const std::optional<Extents> found = find_extents(launch_, inputs);
  if (!found || found->repeats) return replay_steps();
  const Shape& extents = found->shape;
  const int64_t n = extents.elements();
  const bool has_results = !launch_.outputs.empty() || !launch_.reductions.empty();
  // A member that fails may have elements where the results have none.
  const bool fails_elsewhere = launch_.can_fail && (n == 0 || !has_results);
  if (fails_elsewhere || (n == 0 && !launch_.reductions.empty())) return replay_steps();
  ops::Context& context = host_.eager().context();
  SmallVector<uint64_t, 64> words(launch_.numbers.size());
  put_words(launch_, slots_, span_of(words));
  KernelElements elements(backend_.kernels[launch_.kernel], words.data(), extents, context.isa);
  add_inputs(elements, inputs);
  SmallVector<Value, 16> results(launch_.outputs.size() + launch_.reductions.size());
  Results places(launch_, slots_, *context.pool);
  size_t made = 0;
  for (const Launch::Output& output : launch_.outputs) {
    const bool placed = !places_.empty() && places_[made].is_tensor() && places_[made].tensor().shape() == extents;
    results[made] = placed ? places_[made] : places.make(output.dtype, extents);
    elements.add_output(results[made++].tensor().data(), size_of(output.dtype));
  }
  bool good = true;
  if (!launch_.reductions.empty()) {
    elements.add_output(nullptr, size_of(launch_.reductions[0].dtype));
    elements.prepare();
    good = reduce(context, launch_, elements, extents, results[made++]);
  } else if (has_results) {
    elements.prepare();
    good = compute(context, launch_, elements, n);
  }
  if (!good) return replay_steps();
  finish(span_of(results).first(made));
}

void KernelLaunch::add_inputs(KernelElements& elements, Inputs inputs) const {
  for (const Tensor* input : inputs) elements.add_input(*input);
  if (launch_.row_kernel != Launch::no_kernel)
    elements.set_row_kernel(backend_.kernels[launch_.row_kernel], launch_.columns);
}

// --- into a part of a tensor ---

bool KernelLaunch::run_into(Inputs inputs) {
  const loops::Step& setting = plan_.steps[launch_.into];
  Value& whole = slots_[setting.operands[0].slot];
  const Dtype dtype = launch_.outputs[0].dtype;
  if (!whole.is_tensor() || whole.tensor().dtype() != dtype) return false;
  if (!whole.tensor().exclusive() && !setting.operands[0].last) return false;
  const std::optional<Extents> found = find_extents(launch_, inputs);
  if (!found || found->repeats || found->shape.elements() == 0) return false;
  if (!whole.tensor().exclusive()) writable(whole, host_.eager().pool());  // the copy that the step would make
  const std::optional<ops::IndexPlan> part = part_to_set(host_.eager(), slots_, setting, whole.tensor());
  if (!part || part->shape != found->shape) return false;
  ops::Context& context = host_.eager().context();
  SmallVector<uint64_t, 64> words(launch_.numbers.size());
  put_words(launch_, slots_, span_of(words));
  KernelElements elements(backend_.kernels[launch_.kernel], words.data(), found->shape, context.isa);
  add_inputs(elements, inputs);
  std::byte* const data = whole.tensor().data() + part->offset * static_cast<int64_t>(size_of(dtype));
  elements.place_output(data, {part->strides.data(), found->shape.rank()}, size_of(dtype));
  elements.prepare();
  if (!elements.can_place()) return false;
  compute(context, launch_, elements, found->shape.elements());
  drop_inputs();
  slots_[launch_.outputs[0].slot] = Value();
  return true;
}

void KernelLaunch::finish(std::span<Value> results) {
  drop_inputs();
  size_t next = 0;
  for (const Launch::Output& output : launch_.outputs) give(output.slot, std::move(results[next++]));
  for (const Launch::Reduction& reduction : launch_.reductions) give(reduction.slot, std::move(results[next++]));
}

// --- without the kernel ---

// The inputs and the members' values, each until its last use, which may take its memory.
class KernelLaunch::Operands {
 public:
  Operands(const Launch& launch, std::span<Value> slots)
      : launch_(launch), slots_(slots), of_inputs_(launch.inputs.size()), of_made_(launch.members.size()) {
    for (const Launch::Member& member : launch.members) {
      for (const Source& source : member.args) {
        if (source.kind == Source::Kind::input) ++of_inputs_[source.index];
        if (source.kind == Source::Kind::member) ++of_made_[source.index];
      }
    }
    for (const Launch::Output& output : launch.outputs) ++of_made_[output.member];
    for (const Launch::Reduction& reduction : launch.reductions) ++of_made_[reduction.member];
    made_.reserve(of_made_.size());
  }
  void add(Value value) { made_.push_back(std::move(value)); }
  Value input(uint32_t i) {
    Value& slot = slots_[launch_.inputs[i].slot];
    return --of_inputs_[i] == 0 && launch_.inputs[i].last ? std::move(slot) : slot;
  }
  Value made(uint32_t member) { return --of_made_[member] == 0 ? std::move(made_[member]) : made_[member]; }

 private:
  const Launch& launch_;
  const std::span<Value> slots_;
  std::vector<uint32_t> of_inputs_, of_made_;  // uses to come
  std::vector<Value> made_;
};

Value KernelLaunch::argument(const Source& source, Operands& operands) const {
  switch (source.kind) {
    case Source::Kind::input: return operands.input(source.index);
    case Source::Kind::number: return slots_[launch_.numbers[source.index]];
    case Source::Kind::member: return operands.made(source.index);
    case Source::Kind::constant: break;
  }
  return source.value;
}

Value KernelLaunch::apply(uint32_t place, const ops::Entry& entry, std::span<Value> args, uint32_t literals) {
  return apply_at(plan_, host_, place, entry, args, {}, literals);
}

void KernelLaunch::replay_steps() {
  Operands operands(launch_, slots_);
  for (const Launch::Member& member : launch_.members) {
    std::vector<Value> args;
    for (const Source& source : member.args) args.push_back(argument(source, operands));
    operands.add(apply(member.place, *member.entry, args, member.literals));
  }
  std::vector<Value> results;
  for (const Launch::Output& output : launch_.outputs) results.push_back(operands.made(output.member));
  for (const Launch::Reduction& reduction : launch_.reductions) {
    std::vector<Value> args = {operands.made(reduction.member)};
    args.insert(args.end(), reduction.attributes.begin(), reduction.attributes.end());
    results.push_back(apply(reduction.place, *reduction.entry, args, 0));
  }
  finish(results);
}

}  // namespace covec::runtime
