#include "jit/device/index.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "jit/device/arguments.hpp"
#include "jit/device/move.hpp"
#include "jit/device/sort.hpp"
#include "jit/source/device_library.hpp"
#include "stdlib/ops/index/plan.hpp"
#include "stdlib/ops/index/walk.hpp"
#include "stdlib/tensor/views.hpp"

namespace covec::runtime {

namespace {

enum PlacesKernel { reads, writes, adds_up, adds_equal };

device::Function places_kernel(device::Accelerator& accelerator, Dtype dtype, PlacesKernel which) {
  const char* const endings[] = {"_read", "_write", "_add", "_add_equal"};
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
    if (at >= source::max_axes) {
      fits_ = false;
      words_[0] = 0;
      return;
    }
    const int64_t numbers[] = {axis.count, axis.first, axis.second};
    for (unsigned k = 0; k < 3; ++k) {
      int32_t& word = words_[2 + k * source::max_axes + at];
      word = static_cast<int32_t>(numbers[k]);
      fits_ = fits_ && word == numbers[k];
    }
    elements_ *= axis.count;
  }

  int32_t words_[2 + 3 * source::max_axes] = {0, -1};
  int64_t elements_ = 1;
  bool fits_ = true;
};

// Numbers for one launch.
void put_numbers(device::Accelerator& accelerator, DeviceArguments& arguments, std::span<const int64_t> numbers) {
  const device::DeviceAddress place =
      arguments.scratch(std::max<size_t>(numbers.size_bytes(), sizeof(int64_t)), Dtype::i64);
  if (!numbers.empty()) accelerator.device().write(place.handle, 0, numbers.data(), numbers.size_bytes());
  arguments.memory(place.handle);
}

// Of a row-major vector that lies there, from its storage's begin.
void put_vector(device::Accelerator& accelerator, DeviceArguments& arguments, Value& vector) {
  arguments.memory(accelerator.blocks().place_of(vector.tensor(), arguments.temporaries()).handle);
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

// --- indices that lie on the device ---

bool is_on_device(device::Accelerator& accelerator, const Value& x) {
  return x.is_tensor() && x.tensor().on_device() && accelerator.blocks().has(x.tensor());
}

// The items of an index, zeros in place of the tensors of integers that lie on the device: so that its plan can be made
// without them.
class DeviceItems {
 public:
  DeviceItems(device::Accelerator& accelerator, Pool& pool, const ops::IndexLayout& layout,
              std::span<const Value> items, std::span<const int64_t> dims)
      : items_(items.begin(), items.end()) {
    constexpr int64_t still[max_rank] = {};
    for (unsigned i = 0; i < layout.count; ++i) {
      const ops::IndexItem& item = layout.items[i];
      has_others_ |= item.kind == ops::IndexItem::Kind::mask;
      if (item.kind != ops::IndexItem::Kind::gather) continue;
      Value& value = items_[static_cast<size_t>(item.operand)];
      if (!is_on_device(accelerator, value) || dims[item.axis] == 0) {
        has_others_ = true;
        continue;
      }
      device_items_.push_back({value, item.axis});
      const Value zero = make_tensor(pool, Dtype::i64, {Dim(1)});
      *zero.tensor().as<int64_t>() = 0;
      value = view_at(zero, 0, device_items_.back().indices.tensor().shape(), still);
    }
  }
  bool any() const { return !device_items_.empty(); }
  std::span<Value> items() { return items_; }

  // The offsets of a plan that was made of these, on the device, of x with these extents and strides. Nothing where an
  // index is out of range, or axes are too many.
  std::optional<Value> offsets(DeviceCode& code, Pool& pool, const ops::IndexPlan& plan, std::span<const int64_t> dims,
                               std::span<const int64_t> strides) {
    device::Accelerator& accelerator = code.accelerator();
    Value result = accelerator.blocks().make(pool, Dtype::i64, {Dim(plan.advanced_count)});
    std::vector<device::Blocks::Temporary> none;
    const device::DeviceAddress place = accelerator.blocks().place_of(result.tensor(), none);
    if (has_others_)
      accelerator.device().write(place.handle, static_cast<size_t>(place.offset) * sizeof(int64_t), plan.offsets.data(),
                                 static_cast<size_t>(plan.advanced_count) * sizeof(int64_t));
    else
      clear_on_device(accelerator, result.tensor());
    Shape block;
    for (unsigned i = 0; i < plan.advanced_rank; ++i) block.push_back(plan.shape[plan.advanced_at + i]);
    const device::Handle flag = code.lowered_flag();
    for (DeviceItem& each : device_items_) {
      if (!add(accelerator, each, block, place, flag, dims[each.axis], strides[each.axis])) return std::nullopt;
    }
    if (code.is_raised()) return std::nullopt;
    return result;
  }

 private:
  struct DeviceItem {
    Value indices;
    unsigned axis;
  };

  static bool add(device::Accelerator& accelerator, DeviceItem& each, const Shape& block, device::DeviceAddress place,
                  device::Handle flag, int64_t size, int64_t stride) {
    Tensor& indices = each.indices.tensor();
    DeviceWalks walks;
    walks.add(indices, block);
    walks.merge();
    if (!walks.put()) return false;
    const Dtype dtype = indices.dtype();
    const char* const endings[] = {""};
    DeviceArguments arguments(accelerator);
    arguments.number(block.elements());
    arguments.memory(place.handle);
    arguments.tensor(indices);
    arguments.number(size);
    arguments.number(stride);
    arguments.memory(flag);
    walks.give_walk(arguments, 1);
    arguments.launch(library_kernels(accelerator, "offsets_" + std::string(name_of(dtype)), endings,
                                     [&](const std::string& name) { return source::device_offsets(dtype, name); })[0],
                     block.elements());
    return true;
  }

  std::vector<Value> items_;
  std::vector<DeviceItem> device_items_;
  bool has_others_ = false;  // tensors that say something of the offsets themselves
};

// A plan, and its offsets on the device; nothing where an item is wrong in some way: the processor says in which.
struct DevicePlan {
  ops::IndexPlan plan;
  Value offsets;
};

template <class Make>
std::optional<DevicePlan> plan_on_device(DeviceCode& code, Pool& pool, DeviceItems& device_items,
                                         std::span<const int64_t> dims, std::span<const int64_t> strides,
                                         const Make& make) {
  if (!device_items.any()) return std::nullopt;
  try {
    DevicePlan made{make(device_items.items()), Value()};
    if (made.plan.shape.rank() == 0 || made.plan.shape.elements() == 0) return std::nullopt;
    std::optional<Value> offsets = device_items.offsets(code, pool, made.plan, dims, strides);
    if (!offsets) return std::nullopt;
    made.offsets = std::move(*offsets);
    return made;
  } catch (const OpError& error) {
    if (error.kind != ErrorKind::ordinary) throw;
    return std::nullopt;
  }
}

// --- what is changed ---

// x where it may be written: itself where nobody else has it, else a copy.
Value own_on_device(device::Accelerator& accelerator, Pool& pool, Value& x) {
  Tensor& tensor = x.tensor();
  const bool own = tensor.on_device() && accelerator.blocks().has(tensor) && tensor.contiguous() && tensor.unique() &&
                   tensor.storage()->references == 1;
  return own ? std::move(x) : packed_on_device(accelerator, pool, x);
}

}  // namespace

Value read_on_device(DeviceCode& code, ops::Builder& builder, const ops::Call& call) {
  device::Accelerator& accelerator = code.accelerator();
  const auto is_held = [&](const Value& value) { return is_on_device(accelerator, value); };
  if (!call.args[0].is_tensor() || !(is_held(call.args[0]) || std::ranges::any_of(call.rest, is_held)))
    return Value::unbound();
  Tensor& x = call.args[0].tensor();
  const ops::IndexLayout layout =
      ops::layout_of(ops::IndexSpec(call.args[1].i64()), x.type(), std::span<const Value>(call.rest), 2);
  if (!layout.advanced) return Value::unbound();
  DeviceItems device_items(accelerator, builder.pool(), layout, call.rest, x.dims());
  std::optional<DevicePlan> there = plan_on_device(
      code, builder.pool(), device_items, x.dims(), x.strides(),
      [&](std::span<const Value> items) { return ops::plan_index(builder, layout, x.dims(), x.strides(), items); });
  const ops::IndexPlan plan =
      there ? std::move(there->plan) : ops::plan_index(builder, layout, x.dims(), x.strides(), call.rest);
  if (plan.shape.rank() == 0 || plan.shape.elements() == 0) return Value::unbound();
  Value result = accelerator.blocks().make(builder.pool(), x.dtype(), plan.shape);
  const ops::WalkPlan walk = ops::plan_walk(plan, result.tensor().strides());
  PlacesWalk axes;
  if (!walk.uniform || !axes.put(walk, walk.places)) return Value::unbound();
  DeviceArguments arguments(accelerator);
  arguments.number(axes.elements());
  device::DeviceAddress from = accelerator.blocks().place_of(x, arguments.temporaries());
  from.offset += plan.offset;
  arguments.array(from);
  arguments.tensor(result.tensor());
  there ? put_vector(accelerator, arguments, there->offsets) : put_numbers(accelerator, arguments, offsets_of(plan));
  axes.give(arguments);
  arguments.launch(places_kernel(accelerator, x.dtype(), reads), axes.elements());
  return result;
}

namespace {

// x[…] += value, whose indices lie on the device: terms in the order of their places, equal ones in their own.
Value add_on_device(DeviceCode& code, ops::Builder& builder, ops::Call& call) {
  device::Accelerator& accelerator = code.accelerator();
  const Type type = call.args[0].tensor().type();
  const ops::IndexLayout layout =
      ops::layout_of(ops::IndexSpec(call.args[2].i64()), type, std::span<const Value>(call.rest), 3);
  const unsigned rank = type.shape.rank();
  std::array<int64_t, max_rank> dims{}, strides{};
  int64_t step_of_axis = 1;  // x is taken for row-major
  for (unsigned axis = rank; axis-- > 0;) {
    dims[axis] = type.shape[axis].number();
    strides[axis] = std::exchange(step_of_axis, step_of_axis * dims[axis]);
  }
  const std::span<const int64_t> all_dims(dims.data(), rank), all_strides(strides.data(), rank);
  DeviceItems device_items(accelerator, builder.pool(), layout, call.rest, all_dims);
  std::array<int64_t, max_rank> spread{};
  std::optional<DevicePlan> there =
      plan_on_device(code, builder.pool(), device_items, all_dims, all_strides, [&](std::span<Value> items) {
        ops::IndexWrite made = ops::plan_write(builder, {call.entry, call.args, items});
        spread = made.value;
        return std::move(made.plan);
      });
  if (!there) return Value::unbound();
  const ops::IndexPlan& plan = there->plan;
  Value value = packed_on_device(accelerator, builder.pool(), view_at(call.args[1], 0, plan.shape, spread.data()));
  if (value.is_unbound()) return value;
  ops::WalkPlan walk = ops::plan_walk(plan, value.tensor().strides());
  const int64_t step = std::exchange(walk.stride, 0);
  PlacesWalk axes;
  std::optional<Sorted> sorted = sorted_on_device(accelerator, builder.pool(), there->offsets.tensor());
  if (!walk.uniform || !axes.put(walk, plan.advanced_count) || !sorted) return Value::unbound();
  Value x = own_on_device(accelerator, builder.pool(), call.args[0]);
  if (x.is_unbound()) return x;
  DeviceArguments arguments(accelerator);
  arguments.number(axes.elements());
  device::DeviceAddress to = accelerator.blocks().place_of(x.tensor(), arguments.temporaries());
  to.offset += plan.offset;
  arguments.array(to);
  arguments.tensor(value.tensor());
  put_vector(accelerator, arguments, sorted->values);
  put_vector(accelerator, arguments, sorted->places);
  arguments.number(plan.advanced_count);
  arguments.number(step);
  axes.give(arguments);
  arguments.launch(places_kernel(accelerator, type.dtype, adds_equal), axes.elements());
  return x;
}

}  // namespace

Value write_on_device(DeviceCode& code, ops::Builder& builder, ops::Call& call, bool adds) {
  device::Accelerator& accelerator = code.accelerator();
  if (!call.args[0].is_tensor() || call.args[0].tensor().size() == 0) return Value::unbound();
  const Dtype dtype = call.args[0].tensor().dtype();
  if (adds && call.args[1].is_tensor() && call.args[1].tensor().dtype() == dtype) {
    Value x = add_on_device(code, builder, call);
    if (!x.is_unbound()) return x;
  }
  auto [plan, strides] = ops::plan_write(builder, call);
  Value value = call.args[1];
  if (!value.is_tensor() || value.tensor().dtype() != dtype || plan.shape.elements() == 0) return Value::unbound();
  ops::WalkPlan walk = ops::plan_walk(plan, strides);
  if (!walk.uniform) {
    value = packed_on_device(accelerator, builder.pool(), view_at(value, 0, plan.shape, strides.data()));
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
  Value x = own_on_device(accelerator, builder.pool(), call.args[0]);
  if (x.is_unbound()) return x;
  DeviceArguments arguments(accelerator);
  arguments.number(axes.elements());
  device::DeviceAddress to = accelerator.blocks().place_of(x.tensor(), arguments.temporaries());
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
