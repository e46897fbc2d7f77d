// The elements of a launch: which of an input's belongs to which of the result's, piece by piece. An input whose piece
// lies next to each other goes to the kernel where it is; one that is the same throughout a row, or strided, is put
// into a buffer in the nearest cache first. Start at run().
#pragma once

#include "jit/loops/program.hpp"
#include "stdlib/kernels/squares.hpp"
#include "stdlib/kernels/strided.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::runtime {

class Elements {
 public:
  static constexpr unsigned most_inputs = 16, most_outputs = 64;
  Elements(loops::KernelFunction kernel, const uint64_t* numbers, const Shape& result, ops::Isa isa);
  // The kernel for when each input whose bit is set in `columns` gives one element to a row; before prepare().
  void set_row_kernel(loops::KernelFunction kernel, uint64_t columns) {
    row_kernel_ = kernel;
    columns_ = columns;
  }
  void add_input(const Tensor& tensor);
  // Row-major, of the result's dimensions. Null: elements that go to run()'s `last`; there is one at most, added last.
  void add_output(std::byte* data, size_t size);
  // Instead: the only output, with strides of its own. See can_place.
  void place_output(std::byte* data, std::span<const int64_t> strides, size_t size);
  void prepare();
  // Whether the output's rows are long, and each lies in one piece.
  bool can_place() const { return !placed_ || (has_long_rows() && walk_[inputs_].last_stride() == 1); }
  // Where inputs are read crosswise, the result is made in so many squares; 0: it is not.
  int64_t squares() const { return turned_ != 0 ? squares_.count() : 0; }
  bool run_squares(int64_t begin, int64_t end) const;
  // Elements [begin, end) of the result, row-major. False where one of them fails. May run on several threads.
  bool run(int64_t begin, int64_t end, std::byte* last) const;

 private:
  static constexpr int64_t long_row = 32;  // shorter innermost rows are gathered across rows
  static constexpr size_t buffer_bytes = 32768;
  static constexpr int most_turned = 2;
  static constexpr unsigned most_past_cache = 4;  // outputs
  struct Input {
    const std::byte* data;
    size_t size;
    bool whole;     // lies exactly as the result does
    bool constant;  // one element for all
    bool periodic;  // the same in each innermost row
  };
  struct Buffers;
  void merge_axes();
  bool take_row_kernel();
  bool has_long_rows() const { return walk_[0].last_dim() >= long_row; }
  bool is_column(unsigned i) const { return (columns_ >> i & 1) != 0; }
  bool run_flat(int64_t begin, int64_t end, std::byte* last) const;
  bool run_rows(int64_t begin, int64_t end, std::byte* last) const;
  void find_turned();
  bool stores_all() const { return output_[outputs_ - 1] != nullptr; }  // what is reduced is made row by row
  bool is_turned(unsigned i) const { return (turned_ >> i & 1) != 0; }
  bool run_gathered(int64_t begin, int64_t end, std::byte* last) const;
  std::byte* buffer_of(unsigned i, Buffers& buffers) const;
  const void* filled(unsigned i, const std::byte* at, int64_t length, Buffers& buffers) const;
  const void* packed(unsigned i, const std::byte* from, int64_t length, Buffers& buffers) const;
  const void* of_row(unsigned i, int64_t offset, int64_t length, Buffers& buffers) const;
  const void* across_rows(unsigned i, int64_t at, int64_t length, Buffers& buffers) const;
  bool compute(int64_t at, int64_t length, int64_t begin, const void* const* in, std::byte* last) const;
  // The same, of a square's row; its results go past the cache.
  bool compute_past_cache(int64_t at, int64_t length, const void* const* in) const;

  loops::KernelFunction kernel_, row_kernel_ = nullptr;
  const ops::Isa isa_;
  uint64_t turned_ = 0;  // inputs that are read crosswise, in squares
  kernels::Squares squares_;
  bool past_cache_ = false;
  uint64_t columns_ = 0;  // inputs that kernel_ takes one element of for a row
  const uint64_t* numbers_;
  const Shape result_;
  unsigned inputs_ = 0, outputs_ = 0, buffered_ = 0;
  int64_t block_ = 0;
  bool flat_ = true;
  Input input_[most_inputs];
  // The merged axes, as each input goes through them, and an output that is placed.
  kernels::Axes walk_[most_inputs + 1];
  bool placed_ = false;
  std::byte* place_ = nullptr;
  std::byte* output_[most_outputs];
  size_t output_size_[most_outputs];
};

}  // namespace covec::runtime
