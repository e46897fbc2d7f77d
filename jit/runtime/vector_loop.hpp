// Runs all iterations of a loop in one kernel if a check at run time shows that none depends on another one. Start at
// VectorLoopRun::run.
#pragma once

#include "jit/runtime/run.hpp"
#include "jit/runtime/stacks.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::runtime {

class VectorLoopRun {
 public:
  // `slots`: the activation's.
  VectorLoopRun(const loops::VectorLoop& loop, const Backend& backend, Host& host, std::span<Value> slots,
                Stacks& stacks)
      : loop_(loop), backend_(backend), host_(host), slots_(slots), stacks_(stacks) {}
  // How many iterations have been made: all or none. A tensor to be written has been copied where it was shared.
  int64_t run();

 private:
  using Access = loops::VectorLoop::Access;
  static constexpr size_t max_arrays = loops::VectorLoop::max_arrays;
  struct Array {
    std::byte* data;  // of its first element; none: the iterations' numbers
    size_t size;      // of an element, in bytes
    int64_t step;     // from an element to the next one, in bytes
    bool is_dense() const { return step == static_cast<int64_t>(size); }
    std::byte* at(int64_t element) const { return data + element * step; }
  };
  int64_t index(const loops::Operand& operand) const {
    return operand.kind == loops::Operand::Kind::slot ? slots_[operand.slot].i64() : operand.value.i64();
  }
  bool locate(const Access& access, Array& array) const;
  bool locate_writes();
  bool locate_reads();
  bool make_room();
  Array on_stack(const Access& access, const uint64_t* first, bool falls) const;
  void locate_stacks();
  void leave_stacks();
  bool find_numbers();
  bool is_apart(const Array& read, const Array& write) const;
  bool keeps_order(const Array& read, const Array& write);
  void compute_all();
  bool is_buffered() const;
  void compute(int64_t begin, int64_t end) const;

  const loops::VectorLoop& loop_;
  const Backend& backend_;
  Host& host_;
  const std::span<Value> slots_;
  Stacks& stacks_;
  int64_t count_ = 0;
  bool in_order_ = false;  // an iteration reads what a later one sets
  // As many as the loop has; clearing the rest would take longer than a short loop.
  Array reads_[max_arrays], writes_[max_arrays];
  uint64_t words_[loops::VectorLoop::max_numbers];
};

}  // namespace covec::runtime
