// Runs steps with a common first axis row by row (loops::RowTileSteps). It needs row-major operands, and reductions
// over the row (or its last axis). Each row goes through all steps while it is in the nearest cache, and each thread
// has rows of its own. A result that no later step needs has memory for one row only. Per-row results equal
// whole-tensor results, bit for bit: a kernel goes over the row's elements, and a reduction adds them in its order.
// Without reductions and broadcasting, pieces of a good length replace rows. Start at RowRun::run.
#pragma once

#include <optional>

#include "jit/runtime/run.hpp"
#include "stdlib/kernels/reduce.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/elementwise/kernels/table.hpp"

namespace covec::runtime {

// A vector of bounded size, without memory of its own to allocate.
template <class T, size_t most>
class InlineItems {
 public:
  bool add(const T& item) {
    if (count_ == most) return false;
    items_[count_++] = item;
    return true;
  }
  T* begin() { return items_; }
  T* end() { return items_ + count_; }
  const T* begin() const { return items_; }
  const T* end() const { return items_ + count_; }
  size_t size() const { return count_; }
  T& operator[](size_t i) { return items_[i]; }
  const T& operator[](size_t i) const { return items_[i]; }

 private:
  T items_[most];
  size_t count_ = 0;
};

class RowRun {
 public:
  RowRun(const loops::Plan& plan, const loops::RowTileSteps& row_tiles, const Backend& backend, ops::Context& context,
         std::span<Value> slots)
      : plan_(plan), row_tiles_(row_tiles), backend_(backend), context_(context), slots_(slots) {}
  // False: nothing has happened, it is to be done otherwise.
  bool run();

 private:
  // With what elements vary. Operands together vary with what any does.
  static constexpr uint8_t nothing = 0, with_row = 1, with_column = 2, with_both = 3;
  static constexpr size_t max_inputs = 16, max_outputs = 8, max_places = 32;
  struct RowBuffer {
    loops::SlotId slot;
    Dtype dtype;
    uint8_t varies;
    bool in_room;     // of a thread, `offset` bytes from its beginning; else at `data`
    bool needed;      // afterwards
    bool keeps;       // as many axes as what is reduced
    std::byte* data;  // of the first row
    int64_t offset;   // in_room
    int64_t step;     // bytes from one row to the next
    std::byte* of_row(int64_t row, std::byte* room) const { return in_room ? room + offset : data + row * step; }
  };
  struct Task {
    loops::KernelFunction kernel = nullptr;          // one of ours,
    kernels::PointwiseKernel elementwise = nullptr;  // or the library's, of one operand; neither: only a reduction
    size_t words = 0;                                // of the kernel, in words_
    bool whole = false;                              // goes over all columns: else over one element
    InlineItems<uint8_t, max_inputs> in;             // in places_
    InlineItems<uint8_t, max_outputs> out;
    const kernels::ReduceKernel* reduction = nullptr;
    uint8_t reduced = 0, result = 0;
    bool reduces_whole = false;
    bool divides = false;
  };

  int64_t elements_read() const;
  bool has_pieces(int64_t elements) const;
  bool find_axes();
  bool find_domain();
  bool place_reads();
  bool choose_rows();
  bool cut_into_pieces();
  std::optional<uint8_t> varies(const Tensor& x, uint32_t rank) const;
  bool add(const loops::RowTileSteps::Member& member);
  bool add_launch(const loops::Launch& launch);
  bool add_elementwise(const loops::Step& step);
  bool choose_kernel(const loops::Launch& launch, uint8_t all, Task& task) const;
  bool fits(const loops::Launch& launch, uint8_t all) const;
  bool add_reduction(const loops::Launch::Reduction& reduction, loops::SlotId slot, uint8_t reduced, Task& task);
  // Its number; nothing: there is no room for more.
  std::optional<uint8_t> add_made(loops::SlotId slot, Dtype dtype, uint8_t varies, bool keeps);
  const RowBuffer* place_of(loops::SlotId slot) const;
  void make_results();
  void run_task(const Task& task, int64_t row, int64_t columns, std::byte* room) const;
  void run_rows(int64_t begin, int64_t end, std::byte* room) const;
  void finish();

  const loops::Plan& plan_;
  const loops::RowTileSteps& row_tiles_;
  const Backend& backend_;
  ops::Context& context_;
  const std::span<Value> slots_;
  uint32_t rank_ = 0, reduced_ = 1;  // axes, and how many of the last ones are a row
  bool reduces_ = false, calls_library_ = false;
  Shape domain_;
  int64_t rows_ = 1, columns_ = 1, room_ = 0;
  int64_t elements_ = 1;  // rows_ · columns_, but where the last piece is shorter
  InlineItems<RowBuffer, max_places> places_;
  InlineItems<Task, 12> tasks_;
  InlineItems<uint64_t, 32> words_;
  Value results_[max_places];  // by place
};

}  // namespace covec::runtime
