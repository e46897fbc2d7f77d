#include "jit/runtime/device_index.hpp"

#include <algorithm>
#include <numeric>

#include "jit/runtime/device_arguments.hpp"
#include "jit/runtime/device_move.hpp"
#include "jit/source/device_library.hpp"
#include "stdlib/ops/index/plan.hpp"
#include "stdlib/ops/index/walk.hpp"
#include "stdlib/tensor/views.hpp"

namespace covec::runtime {

namespace {

enum PlacesKernel { reads, writes, adds_up };

device::Function places_kernel(device::Accelerator& accelerator, Dtype dtype, PlacesKernel which) {
  const char* const endings[] = {"_read", "_write", "_add"};
  return library_kernels(accelerator, "places_" + std::string(name_of(dtype)), endings,
                         [&](const std::string& name) { return source::device_places(dtype, name); })[which];
}

// The axes as the kernels take them.
class PlacesWalk {
 public:
  // `places`: how many of the block are gone through. false: the axes are too many, or too long.
  bool put(const ops::WalkPlan& plan, int64_t places) {
    for (unsigned i = 0; i < plan.before.count; ++i) push(plan.before.axes[i]);
    if (plan.offsets != nullptr) {
      words_[1] = words_[0];
      push({places, 0, plan.stride});
    }
    for (unsigned i = 0; i < plan.after.count; ++i) push(plan.after.axes[i]);
    return fits_;
  }
  int64_t elements() const { return elements_; }
  void give(DeviceArguments& arguments) const { arguments.bytes(words_, sizeof words_); }

 private:
  void push(const PairAxis& axis) {
    const auto at = static_cast<unsigned>(words_[0]++);
    if (at >= source::most_axes) {
      fits_ = false;
      words_[0] = 0;
      return;
    }
    const int64_t numbers[] = {axis.count, axis.first, axis.second};
    for (unsigned k = 0; k < 3; ++k) {
      int32_t& word = words_[2 + k * source::most_axes + at];
      word = static_cast<int32_t>(numbers[k]);
      fits_ = fits_ && word == numbers[k];
    }
    elements_ *= axis.count;
  }

  int32_t words_[2 + 3 * source::most_axes] = {0, -1};
  int64_t elements_ = 1;
  bool fits_ = true;
};

// Numbers for one launch.
void put_numbers(device::Accelerator& accelerator, DeviceArguments& arguments, std::span<const int64_t> numbers) {
  const device::Place place = arguments.scratch(std::max<size_t>(numbers.size_bytes(), sizeof(int64_t)), Dtype::i64);
  if (!numbers.empty()) accelerator.device().write(place.handle, 0, numbers.data(), numbers.size_bytes());
  arguments.memory(place.handle);
}

std::span<const int64_t> offsets_of(const ops::IndexPlan& plan) {
  if (!plan.advanced) return {};
  return {plan.offsets.as<int64_t>(), static_cast<size_t>(plan.advanced_count)};
}

// Which of equal offsets stand where: positions in the order of their offsets, equal ones in their own.
std::vector<int64_t> sorted_positions(std::span<const int64_t> offsets) {
  std::vector<int64_t> order(offsets.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::ranges::stable_sort(order, [&](int64_t a, int64_t b) { return offsets[a] < offsets[b]; });
  return order;
}

// Of several that name one place the last counts.
std::vector<int64_t> last_offsets(std::span<const int64_t> offsets) {
  std::vector<int64_t> last(offsets.begin(), offsets.end());
  const std::vector<int64_t> order = sorted_positions(offsets);
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    if (offsets[order[i]] == offsets[order[i + 1]]) last[order[i]] = -1;
  }
  return last;
}

// The different offsets, and where the positions of each begin among all.
struct Terms {
  std::vector<int64_t> order, offsets, begins;

  explicit Terms(std::span<const int64_t> given) : order(sorted_positions(given)) {
    for (size_t i = 0; i < order.size(); ++i) {
      const int64_t offset = given[order[i]];
      if (!offsets.empty() && offsets.back() == offset) continue;
      offsets.push_back(offset);
      begins.push_back(static_cast<int64_t>(i));
    }
    begins.push_back(static_cast<int64_t>(order.size()));
  }
};

// x where it may be written: itself where nobody else has it, else a copy.
Value own_there(device::Accelerator& accelerator, Pool& pool, Value& x) {
  Tensor& tensor = x.tensor();
  const bool own = tensor.away() && accelerator.blocks().has(tensor) && tensor.contiguous() && tensor.unique() &&
                   tensor.storage()->references == 1;
  return own ? std::move(x) : packed_there(accelerator, pool, x);
}

}  // namespace

Value read_there(device::Accelerator& accelerator, ops::Builder& builder, const ops::Call& call) {
  if (!call.args[0].is_tensor() || !call.args[0].tensor().away() || !accelerator.blocks().has(call.args[0].tensor()))
    return Value::unbound();
  Tensor& x = call.args[0].tensor();
  const ops::IndexLayout layout =
      ops::layout_of(ops::IndexSpec(call.args[1].i64()), x.type(), std::span<const Value>(call.rest), 2);
  if (!layout.advanced) return Value::unbound();
  const ops::IndexPlan plan = ops::plan_index(builder, layout, x.dims(), x.strides(), call.rest);
  if (plan.shape.rank() == 0 || plan.shape.elements() == 0) return Value::unbound();
  Value result = accelerator.blocks().make(builder.pool(), x.dtype(), plan.shape);
  const ops::WalkPlan walk = ops::plan_walk(plan, result.tensor().strides());
  PlacesWalk axes;
  if (!walk.uniform || !axes.put(walk, walk.places)) return Value::unbound();
  DeviceArguments arguments(accelerator);
  arguments.number(axes.elements());
  device::Place from = accelerator.blocks().place_of(x, arguments.temporaries());
  from.offset += plan.offset;
  arguments.array(from);
  arguments.tensor(result.tensor());
  put_numbers(accelerator, arguments, offsets_of(plan));
  axes.give(arguments);
  arguments.launch(places_kernel(accelerator, x.dtype(), reads), axes.elements());
  return result;
}

Value write_there(device::Accelerator& accelerator, ops::Builder& builder, ops::Call& call, bool adds) {
  if (!call.args[0].is_tensor() || call.args[0].tensor().size() == 0) return Value::unbound();
  const Dtype dtype = call.args[0].tensor().dtype();
  auto [plan, strides] = ops::plan_write(builder, call);
  Value value = call.args[1];
  if (!value.is_tensor() || value.tensor().dtype() != dtype || plan.shape.elements() == 0) return Value::unbound();
  ops::WalkPlan walk = ops::plan_walk(plan, strides);
  if (!walk.uniform) {
    value = packed_there(accelerator, builder.pool(), view_at(value, 0, plan.shape, strides.data()));
    if (value.is_unbound()) return value;
    walk = ops::plan_walk(plan, value.tensor().strides());
  }
  const std::span<const int64_t> offsets = offsets_of(plan);
  std::vector<int64_t> last;
  std::optional<Terms> terms;
  if (plan.advanced && adds) terms.emplace(offsets);
  if (plan.advanced && !adds) last = last_offsets(offsets);
  // Of an addition the kernel itself goes along the terms.
  const int64_t step = walk.stride, places = terms ? static_cast<int64_t>(terms->offsets.size()) : walk.places;
  if (adds) walk.stride = 0;
  PlacesWalk axes;
  if (!axes.put(walk, places)) return Value::unbound();
  Value x = own_there(accelerator, builder.pool(), call.args[0]);
  if (x.is_unbound()) return x;
  DeviceArguments arguments(accelerator);
  arguments.number(axes.elements());
  device::Place to = accelerator.blocks().place_of(x.tensor(), arguments.temporaries());
  to.offset += plan.offset;
  arguments.array(to);
  arguments.tensor(value.tensor());
  if (adds) {
    put_numbers(accelerator, arguments, terms ? terms->offsets : std::vector<int64_t>());
    put_numbers(accelerator, arguments, terms ? terms->begins : std::vector<int64_t>());
    put_numbers(accelerator, arguments, terms ? terms->order : std::vector<int64_t>());
    arguments.number(step);
  } else {
    put_numbers(accelerator, arguments, last);
  }
  axes.give(arguments);
  arguments.launch(places_kernel(accelerator, dtype, adds ? adds_up : writes), axes.elements());
  return x;
}

}  // namespace covec::runtime
