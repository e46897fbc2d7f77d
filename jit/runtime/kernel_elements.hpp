// Runs a kernel on the pieces of a launch's elements that kernels::Elements hands it.
#pragma once

#include "jit/loops/program.hpp"
#include "stdlib/kernels/elements.hpp"

namespace covec::runtime {

class KernelElements {
 public:
  static constexpr unsigned max_inputs = 16, max_outputs = 64;  // arrays of a kernel
  KernelElements(loops::KernelFunction kernel, const uint64_t* numbers, const Shape& result, ops::Isa isa)
      : kernel_(kernel), numbers_(numbers), elements_(result, isa) {}
  // The kernel for when each input whose bit is set in `columns` gives one element to a row; before prepare().
  void set_row_kernel(loops::KernelFunction kernel, uint64_t columns) {
    row_kernel_ = kernel;
    columns_ = columns;
  }
  void add_input(const Tensor& tensor) { elements_.read(tensor); }
  // As kernels::Elements::write and place.
  void add_output(std::byte* data, size_t size) { elements_.write(data, size); }
  void place_output(std::byte* data, std::span<const int64_t> strides, size_t size) {
    elements_.place(data, strides, size);
  }
  void prepare() {
    const uint64_t repeated = elements_.merge();
    const bool by_rows = row_kernel_ != nullptr && repeated != 0 && (columns_ & ~repeated) == 0;
    if (by_rows) kernel_ = row_kernel_;
    elements_.prepare(by_rows ? columns_ : 0);
  }
  bool can_place() const { return elements_.can_place(); }
  int64_t tiles() const { return elements_.tiles(); }
  // TransposedTiles, or elements of the result. False where one fails. May run on several threads.
  bool run_tiles(int64_t begin, int64_t end) const {
    return elements_.run_tiles(begin, end, Piece{kernel_, numbers_}) < 0;
  }
  bool run(int64_t begin, int64_t end, std::byte* last) const {
    return elements_.run(begin, end, last, Piece{kernel_, numbers_}) < 0;
  }

 private:
  struct Piece {
    loops::KernelFunction kernel;
    const uint64_t* numbers;
    int64_t operator()(void* const* out, const void* const* in, int64_t n) const { return kernel(out, in, n, numbers); }
  };

  loops::KernelFunction kernel_, row_kernel_ = nullptr;
  uint64_t columns_ = 0;
  const uint64_t* numbers_;
  kernels::Elements<max_inputs, max_outputs> elements_;
};

}  // namespace covec::runtime
