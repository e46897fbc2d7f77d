#include "jit/runtime/lane_arrays.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "jit/runtime/launch_extents.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::runtime {

using loops::LaneArray;
using loops::LaneRecord;
using loops::LaneStep;

namespace {

constexpr size_t max_arrays = 16;  // inputs or outputs of a kernel

// Calls f(a number of type T as large as an element).
template <class F>
void with_word(size_t size, const F& f) {
  switch (size) {
    case 1: return f(uint8_t());
    case 2: return f(uint16_t());
    case 4: return f(uint32_t());
    default: return f(uint64_t());
  }
}

int64_t elements_of(const LaneArray& array) {
  int64_t count = 1;
  for (uint64_t axis = 0; axis < array.rank; ++axis) count *= array.extents[axis];
  return count;
}

// Calls see(elements from the first one) for each element, row by row.
template <class See>
void each_place(std::span<const int64_t> extents, std::span<const int64_t> strides, int64_t offset, const See& see) {
  if (extents.empty()) return see(offset);
  for (int64_t k = 0; k < extents[0]; ++k)
    each_place(extents.subspan(1), strides.subspan(1), offset + k * strides[0], see);
}

}  // namespace

bool LaneThread::find_place(LaneArray& array, uint64_t bytes) {
  if (array.data != nullptr && bytes <= array.room) return true;
  const uint64_t whole = (bytes + alignment - 1) / alignment * alignment;
  if (bytes > max_room || used + whole > max_room) return false;
  if (used + whole > room) {
    wanted = used + whole;
    return false;
  }
  array.data = free;
  array.room = whole;
  free += whole;
  used += whole;
  return true;
}

int64_t run_lane_step(LaneRecord* record, uint32_t step, int64_t first, int64_t end, uint32_t active, uint32_t lanes) {
  auto& thread = static_cast<LaneThread&>(*record);
  return LaneStepRun(thread, thread.task->loop.steps[step], first, end, active, lanes).run() ? 0 : 1;
}

bool LaneStepRun::run() const {
  switch (step_.kind) {
    case LaneStep::Kind::fill: return fill();
    case LaneStep::Kind::take: return take();
    case LaneStep::Kind::copy: return copy();
    case LaneStep::Kind::expect: return has_extents(from());
    case LaneStep::Kind::swap: return swap();
    case LaneStep::Kind::launch: return launch();
    default: return put();
  }
}

// Those that have changed places have changed their memory as well. What some lanes have made keeps its extents.
bool LaneStepRun::make(LaneArray& array, std::span<const int64_t> extents, size_t size) const {
  const bool same = array.rank == extents.size() && array.size == size &&
                    std::equal(extents.begin(), extents.end(), std::begin(array.extents));
  if (array.is_made != 0 && same) return true;
  if (array.is_made != 0 && !all()) return false;
  uint64_t elements = 1;
  for (const int64_t extent : extents) {
    if (extent < 0 || __builtin_mul_overflow(elements, static_cast<uint64_t>(extent), &elements)) return false;
  }
  if (elements > std::min(LaneThread::max_room, static_cast<uint64_t>(thread_.task->loop.max_elements)) ||
      !thread_.find_place(array, elements * size * static_cast<uint64_t>(lanes_)))
    return false;
  std::ranges::copy(extents, array.extents);
  array.rank = extents.size();
  array.size = size;
  array.is_made = 1;
  return true;
}

// A number of the step that is no argument. None where it has another dtype.
std::optional<Value> LaneStepRun::known(size_t k, Dtype dtype) const {
  const LaneStep::Number& number = step_.numbers[k];
  if (number.kind == LaneStep::Number::Kind::constant) return Value::scalar(dtype, &number.bits);
  const Value& value = slot(number.bits);
  return value.is_scalar() && value.scalar_dtype() == dtype ? std::optional(value) : std::nullopt;
}

// An argument, in each lane.
const std::byte* LaneStepRun::argument(size_t k) const {
  const auto is_argument = [](const LaneStep::Number& each) { return each.kind == LaneStep::Number::Kind::argument; };
  const auto before =
      std::count_if(step_.numbers.begin(), step_.numbers.begin() + static_cast<int64_t>(k), is_argument);
  return reinterpret_cast<const std::byte*>(thread_.arguments[before]);
}

// A number that all active lanes agree on.
std::optional<Value> LaneStepRun::uniform(size_t k, Dtype dtype) const {
  if (step_.numbers[k].kind != LaneStep::Number::Kind::argument) return known(k, dtype);
  const std::byte* const numbers = argument(k);
  const size_t size = size_of(dtype);
  const auto of = [&](int lane) { return numbers + static_cast<size_t>(lane) * size; };
  const std::byte* const one = of(std::countr_zero(active_));
  bool differs = false;
  each_lane([&](int lane) { differs = differs || std::memcmp(of(lane), one, size) != 0; });
  return differs ? std::nullopt : std::optional(Value::scalar(dtype, one));
}

// A number in each lane, which `room` may hold. nullptr: it has another dtype.
const std::byte* LaneStepRun::number(size_t k, Dtype dtype, std::span<std::byte> room) const {
  if (step_.numbers[k].kind == LaneStep::Number::Kind::argument) return argument(k);
  const std::optional<Value> one = known(k, dtype);
  if (!one) return nullptr;
  const size_t size = size_of(dtype);
  for (size_t lane = 0; lane < static_cast<size_t>(lanes_); ++lane)
    std::memcpy(room.data() + lane * size, one->scalar_data(), size);
  return room.data();
}

bool LaneStepRun::fill() const {
  std::array<int64_t, LaneArray::max_rank> extents{};
  const size_t rank = step_.numbers.size() - 1;
  for (size_t axis = 0; axis < rank; ++axis) {
    const std::optional<Value> extent = uniform(axis + 1, Dtype::i64);
    if (!extent) return false;
    extents[axis] = extent->i64();
  }
  const size_t size = size_of(step_.dtype);
  if (!make(to(), std::span(extents).first(rank), size)) return false;
  const int64_t count = elements_of(to());
  if (all() && step_.numbers[0].kind == LaneStep::Number::Kind::constant && step_.numbers[0].bits == 0) {
    std::memset(to().data, 0, static_cast<size_t>(count * lanes_) * size);
    return true;
  }
  alignas(64) std::array<std::byte, sizeof(uint64_t) * LaneRecord::max_lanes> room;
  const std::byte* const numbers = number(0, step_.dtype, room);
  if (numbers == nullptr) return false;
  with_word(size, [&]<class T>(T) {
    T* const data = reinterpret_cast<T*>(to().data);
    const T* const from = reinterpret_cast<const T*>(numbers);
    for (int64_t k = 0; k < count; ++k) each_lane([&](int lane) { data[k * lanes_ + lane] = from[lane]; });
  });
  return true;
}

// A tensor from outside, or a part of one for each lane.
bool LaneStepRun::take() const {
  const Value& value = slot(step_.from);
  if (!value.is_tensor()) return false;
  const Tensor& tensor = value.tensor();
  const size_t leading = step_.numbers.size();
  if (tensor.rank() <= leading || tensor.rank() - leading > LaneArray::max_rank || tensor.on_device()) return false;
  const std::span<const int64_t> extents = tensor.dims().subspan(leading), strides = tensor.strides().subspan(leading);
  std::array<int64_t, LaneRecord::max_lanes> offsets{};
  bool fits = true;
  for (size_t axis = 0; axis < leading; ++axis) {
    std::array<std::byte, sizeof(int64_t) * LaneRecord::max_lanes> room;
    const auto* const numbers = reinterpret_cast<const int64_t*>(number(axis, Dtype::i64, room));
    if (numbers == nullptr) return false;
    const int64_t extent = tensor.dims()[axis];
    each_lane([&](int lane) {
      const int64_t index = numbers[lane] < 0 ? numbers[lane] + extent : numbers[lane];
      fits = fits && index >= 0 && index < extent;
      offsets[static_cast<size_t>(lane)] += index * tensor.stride(static_cast<unsigned>(axis));
    });
  }
  const size_t size = size_of(tensor.dtype());
  if (!fits || size > sizeof(uint64_t) || !make(to(), extents, size)) return false;
  with_word(size, [&]<class T>(T) {
    const T* const from = tensor.as<T>();
    T* data = reinterpret_cast<T*>(to().data);
    each_place(extents, strides, 0, [&](int64_t place) {
      each_lane([&](int lane) { data[lane] = from[offsets[static_cast<size_t>(lane)] + place]; });
      data += lanes_;
    });
  });
  return true;
}

bool LaneStepRun::has_extents(const LaneArray& array) const {
  if (array.is_made == 0 || array.rank != step_.numbers.size()) return false;
  for (size_t axis = 0; axis < array.rank; ++axis) {
    const std::optional<Value> extent = uniform(axis, Dtype::i64);
    if (!extent || extent->i64() != array.extents[axis]) return false;
  }
  return true;
}

bool LaneStepRun::copy() const {
  const LaneArray& old = from();
  if (old.is_made == 0 || (!step_.numbers.empty() && !has_extents(old))) return false;
  if (!make(to(), {old.extents, old.rank}, old.size)) return false;
  const int64_t count = elements_of(old);
  if (all()) {
    std::memcpy(to().data, old.data, static_cast<size_t>(count * lanes_) * old.size);
    return true;
  }
  with_word(old.size, [&]<class T>(T) {
    T* const data = reinterpret_cast<T*>(to().data);
    const T* const source = reinterpret_cast<const T*>(old.data);
    for (int64_t k = 0; k < count; ++k)
      each_lane([&](int lane) { data[k * lanes_ + lane] = source[k * lanes_ + lane]; });
  });
  return true;
}

// Only some lanes: their elements change places.
bool LaneStepRun::swap() const {
  if (from().is_made == 0) return false;
  if (all()) {
    std::swap(to(), from());
    return true;
  }
  LaneArray& other = from();
  if (!make(to(), {other.extents, other.rank}, other.size)) return false;
  with_word(other.size, [&]<class T>(T) {
    T* const a = reinterpret_cast<T*>(to().data);
    T* const b = reinterpret_cast<T*>(other.data);
    for (int64_t k = 0; k < elements_of(other); ++k)
      each_lane([&](int lane) { std::swap(a[k * lanes_ + lane], b[k * lanes_ + lane]); });
  });
  return true;
}

// A kernel over the elements of all lanes; of numbers that all agree on.
bool LaneStepRun::launch() const {
  const loops::Launch& launch = thread_.task->plan.launches[step_.from];
  const size_t outputs = launch.outputs.size(), inputs = launch.inputs.size();
  std::array<void*, max_arrays> to{};
  std::array<const void*, max_arrays> from{};
  std::array<uint64_t, LaneStep::max_numbers> words{};
  if (outputs > max_arrays || inputs > max_arrays || inputs == 0) return false;
  const LaneArray given = thread_.arrays[step_.arrays[outputs]];
  const std::span<const int64_t> extents(given.extents, given.rank);
  for (size_t k = 0; k < inputs; ++k) {
    const LaneArray& array = thread_.arrays[step_.arrays[outputs + k]];
    const bool alike = array.is_made != 0 && array.rank == given.rank && array.size == size_of(launch.inputs[k].dtype);
    if (!alike || !std::equal(extents.begin(), extents.end(), std::begin(array.extents))) return false;
    from[k] = array.data;
  }
  for (size_t k = 0; k < outputs; ++k) {
    LaneArray& array = thread_.arrays[step_.arrays[k]];
    const size_t size = size_of(launch.outputs[k].dtype);
    const bool is_input = std::find(from.begin(), from.begin() + static_cast<int64_t>(inputs), array.data) !=
                          from.begin() + static_cast<int64_t>(inputs);
    if ((is_input && array.is_made != 0 && array.size != size) || (array.is_made != 0 && !all())) return false;
    if (!make(array, extents, size)) return false;
    to[k] = array.data;
  }
  for (size_t k = 0; k < step_.numbers.size(); ++k) {
    const std::optional<Value> value = uniform(k, launch.number_dtypes[k]);
    if (!value) return false;
    words[k] = word_of(*value, launch.number_dtypes[k]);
  }
  const int64_t count = elements_of(given) * lanes_;
  return thread_.task->backend.kernels[launch.kernel](to.data(), from.data(), count, words.data()) < 0;
}

bool LaneStepRun::put() const {
  Value& value = slot(step_.to);
  const LaneArray& array = from();
  if (!value.is_tensor() || array.is_made == 0) return false;
  Tensor& tensor = value.tensor();
  if (!tensor.exclusive() || tensor.on_device() || tensor.rank() != array.rank + 1 || end_ > tensor.dim(0))
    return false;
  const std::span<const int64_t> extents = tensor.dims().subspan(1), strides = tensor.strides().subspan(1);
  if (!std::equal(extents.begin(), extents.end(), std::begin(array.extents)) || size_of(tensor.dtype()) != array.size)
    return false;
  with_word(array.size, [&]<class T>(T) {
    each_lane([&](int lane) {
      T* const data = tensor.as<T>() + (first_ + lane) * tensor.stride(0);
      const T* source = reinterpret_cast<const T*>(array.data) + lane;
      each_place(extents, strides, 0, [&](int64_t place) {
        data[place] = *source;
        source += lanes_;
      });
    });
  });
  return true;
}

}  // namespace covec::runtime
