#include "jit/runtime/vector_loop.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "jit/runtime/kernel_elements.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/attributes.hpp"

namespace covec::runtime {

using loops::VectorLoop;

namespace {

constexpr int64_t counted = 1024;  // iterations that are computed at a time where their numbers are wanted
template <int64_t step>
constexpr auto numbers_of_iterations = [] {
  std::array<int64_t, counted> numbers{};
  for (int64_t i = 0; i < counted; ++i) numbers[static_cast<size_t>(i)] = i * step;
  return numbers;
}();

constexpr int64_t buffered = 256;  // iterations at a time where numbers pass through buffers

template <class Number>
void gather(std::byte* to, const std::byte* from, int64_t step, int64_t count) {
  for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * sizeof(Number), from + i * step, sizeof(Number));
}
// Into words, whose other bytes nobody reads.
template <class Number>
void scatter(std::byte* to, const std::byte* from, int64_t step, int64_t count) {
  for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * step, from + i * sizeof(Number), sizeof(Number));
}
void copy_numbers(std::byte* to, const std::byte* from, size_t size, int64_t step, int64_t count, bool gathers) {
  switch (size) {
    case 1: return (gathers ? gather<uint8_t> : scatter<uint8_t>)(to, from, step, count);
    case 2: return (gathers ? gather<uint16_t> : scatter<uint16_t>)(to, from, step, count);
    case 4: return (gathers ? gather<uint32_t> : scatter<uint32_t>)(to, from, step, count);
    default: return (gathers ? gather<uint64_t> : scatter<uint64_t>)(to, from, step, count);
  }
}

constexpr int64_t piece = 1 << 18;             // iterations between two looks at the interrupt flag
constexpr int64_t grain = 1 << 14;             // iterations of a thread's share
constexpr uint32_t instructions_per_unit = 4;  // of VectorLoop::weight

}  // namespace

int64_t VectorLoopRun::run() {
  count_ = slots_[loop_.count].i64();
  if (!locate_writes() || !locate_reads() || !find_numbers() || !make_room()) return 0;
  locate_stacks();
  if (loop_.kernel != VectorLoop::no_kernel) compute_all();
  leave_stacks();
  return count_;
}

void VectorLoopRun::compute_all() {
  ops::Context& context = host_.eager().context();
  if (in_order_) {
    for (int64_t begin = 0; begin < count_; begin += piece) {
      kernels::poll_interrupt(context);
      compute(begin, std::min(count_, begin + piece));
    }
  } else {
    const int64_t work = std::max<int64_t>(1, loop_.weight / instructions_per_unit);
    kernels::parallel_for(context, count_, std::max<int64_t>(counted, grain / work),
                          [&](int64_t begin, int64_t end) { compute(begin, end); });
  }
}

// False: an index is out of range, or counts from the end on the way, or the elements are not adjacent.
bool VectorLoopRun::locate(const Access& access, Array& array) const {
  const Value& value = slots_[access.slot];
  if (!value.is_tensor()) return false;
  Tensor& tensor = value.tensor();
  int64_t offset = 0;
  for (unsigned axis = 0; axis < access.first.size(); ++axis) {
    const int64_t extent = tensor.dim(axis);
    int64_t at = index(access.first[axis]);
    if (axis == access.axis) {
      if (at < 0 || at >= extent || tensor.stride(axis) != 1) return false;
      if (loop_.backwards ? at < count_ - 1 : count_ > extent - at) return false;
      if (loop_.backwards) at -= count_ - 1;
    } else {
      if (at < 0) at += extent;
      if (at < 0 || at >= extent) return false;
    }
    offset += at * tensor.stride(axis);
  }
  array.size = size_of(tensor.dtype());
  array.step = static_cast<int64_t>(array.size);
  array.data = tensor.data() + offset * static_cast<int64_t>(array.size);
  return true;
}

bool VectorLoopRun::locate_writes() {
  for (size_t i = 0; i < loop_.writes.size(); ++i) {
    if (loop_.writes[i].stack != Access::no_stack) continue;
    Value& value = slots_[loop_.writes[i].slot];
    if (!value.is_tensor()) return false;
    if (!value.tensor().exclusive()) writable(value, *host_.eager().context().pool);
    if (!locate(loop_.writes[i], writes_[i])) return false;
  }
  return true;
}

bool VectorLoopRun::is_apart(const Array& read, const Array& write) const {
  const auto bytes = static_cast<size_t>(count_) * write.size;
  return read.data + bytes <= write.data || write.data + bytes <= read.data;
}

bool VectorLoopRun::keeps_order(const Array& read, const Array& write) {
  if (read.data == write.data || is_apart(read, write)) return true;
  if (loop_.backwards || read.data < write.data) return false;
  in_order_ = true;
  return true;
}

bool VectorLoopRun::locate_reads() {
  for (size_t i = 0; i < loop_.reads.size(); ++i) {
    if (loop_.reads[i].stack != Access::no_stack) continue;
    if (loop_.reads[i].slot == loops::Step::nowhere) {
      reads_[i] = {nullptr, sizeof(int64_t), sizeof(int64_t)};
      continue;
    }
    if (!locate(loop_.reads[i], reads_[i])) return false;
    for (size_t k = 0; k < loop_.writes.size(); ++k) {
      if (loop_.reads[i].slot == loop_.writes[k].slot && !keeps_order(reads_[i], writes_[k])) return false;
    }
  }
  return true;
}

// Where there is no memory, the loop itself raises the error, in the iteration that has no room.
bool VectorLoopRun::make_room() {
  for (const Access& write : loop_.writes) {
    if (write.stack == Access::no_stack) continue;
    try {
      stacks_.grow(write.stack, count_);
    } catch (const OpError&) {
      return false;
    }
  }
  return true;
}

// `first`: the word of the first iteration. The next one has the word before it (falls) or behind it.
VectorLoopRun::Array VectorLoopRun::on_stack(const Access& access, const uint64_t* first, bool falls) const {
  constexpr int64_t word = sizeof(uint64_t);
  const int64_t step = falls ? -word : word;
  auto* const data = reinterpret_cast<std::byte*>(const_cast<uint64_t*>(first));
  const Array of_iterations{data, size_of(access.dtype), step};
  if (!loop_.backwards) return of_iterations;
  return {of_iterations.at(count_ - 1), of_iterations.size, -step};
}

void VectorLoopRun::locate_stacks() {
  for (size_t i = 0; i < loop_.reads.size(); ++i) {
    const Access& read = loop_.reads[i];
    if (read.stack != Access::no_stack) reads_[i] = on_stack(read, stacks_.numbers()[read.stack].top - 1, true);
  }
  for (size_t i = 0; i < loop_.writes.size(); ++i) {
    const Access& write = loop_.writes[i];
    if (write.stack != Access::no_stack) writes_[i] = on_stack(write, stacks_.numbers()[write.stack].top, false);
  }
}

// As the iterations would.
void VectorLoopRun::leave_stacks() {
  for (const Access& read : loop_.reads) {
    if (read.stack != Access::no_stack) stacks_.numbers()[read.stack].top -= count_;
  }
  for (const Access& write : loop_.writes) {
    if (write.stack != Access::no_stack) stacks_.numbers()[write.stack].top += count_;
  }
}

bool VectorLoopRun::find_numbers() {
  using Kind = VectorLoop::Number::Kind;
  for (size_t i = 0; i < loop_.numbers.size(); ++i) {
    const VectorLoop::Number& number = loop_.numbers[i];
    if (number.kind == Kind::slot) std::memcpy(&words_[i], slots_[number.slot].scalar_data(), sizeof(uint64_t));
    if (number.kind != Kind::element) continue;
    Array element;
    if (!locate(number.element, element)) return false;
    for (size_t k = 0; k < loop_.writes.size(); ++k) {
      if (number.element.slot != loop_.writes[k].slot) continue;
      const auto bytes = static_cast<size_t>(count_) * writes_[k].size;
      if (element.data >= writes_[k].data && element.data < writes_[k].data + bytes) return false;
    }
    std::memcpy(&words_[i], element.data, element.size);
  }
  return true;
}

bool VectorLoopRun::is_buffered() const {
  const auto passes = [](const Array& array) { return array.data != nullptr && !array.is_dense(); };
  return std::any_of(reads_, reads_ + loop_.reads.size(), passes) ||
         std::any_of(writes_, writes_ + loop_.writes.size(), passes);
}

void VectorLoopRun::compute(int64_t begin, int64_t end) const {
  const auto counts = [](const VectorLoop::Number& number) {
    return number.kind == VectorLoop::Number::Kind::iteration;
  };
  const auto iteration = std::ranges::find_if(loop_.numbers, counts);
  const bool is_counted = iteration != loop_.numbers.end();
  uint64_t words[VectorLoop::max_numbers];
  std::copy_n(words_, loop_.numbers.size(), words);
  const void* inputs[max_arrays];
  void* outputs[max_arrays];
  const bool is_buffered = this->is_buffered();
  alignas(64) std::byte buffers[max_arrays][buffered * sizeof(uint64_t)];
  const int64_t* numbers = loop_.backwards ? numbers_of_iterations<-1>.data() : numbers_of_iterations<1>.data();
  for (int64_t from = begin; from < end;) {
    const int64_t to = is_buffered ? std::min(end, from + buffered) : is_counted ? std::min(end, from + counted) : end;
    size_t used = 0;
    for (size_t i = 0; i < loop_.reads.size(); ++i) {
      const Array& read = reads_[i];
      if (read.data == nullptr) {
        inputs[i] = numbers;
      } else if (read.is_dense()) {
        inputs[i] = read.at(from);
      } else {
        inputs[i] = buffers[used];
        copy_numbers(buffers[used++], read.at(from), read.size, read.step, to - from, true);
      }
    }
    for (size_t i = 0; i < loop_.writes.size(); ++i) {
      outputs[i] = writes_[i].is_dense() ? writes_[i].at(from) : buffers[used++];
    }
    if (is_counted)
      words[iteration - loop_.numbers.begin()] = static_cast<uint64_t>(loop_.backwards ? count_ - 1 - from : from);
    backend_.kernels[loop_.kernel](outputs, inputs, to - from, words);
    for (size_t i = 0; i < loop_.writes.size(); ++i) {
      const Array& write = writes_[i];
      if (!write.is_dense())
        copy_numbers(write.at(from), static_cast<const std::byte*>(outputs[i]), write.size, write.step, to - from,
                     false);
    }
    from = to;
  }
}

}  // namespace covec::runtime
