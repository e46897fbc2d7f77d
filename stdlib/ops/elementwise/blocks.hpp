// A pointwise operation over operands of any strides, shapes and dtypes, in blocks of the result's row-major order:
// pieces of an operand that are contiguous, or one element throughout a row, are used where they are; others are
// gathered, then converted, in buffers that stay in the nearest cache. Start at BlockPlan::run.
#pragma once

#include "stdlib/kernels/squares.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::ops {

kernels::PointwiseKernel cast_kernel_for(Isa isa, Dtype from, Dtype to);

class BlockPlan {
 public:
  // `result`: row-major, of the broadcast shape.
  BlockPlan(Tensor& result, Isa isa);
  void add_operand(const Value& value, Dtype wanted);
  // `given` is the dtype that the kernel leaves; the result's is converted from it.
  void finish(kernels::PointwiseKernel kernel, int64_t parameter, Dtype given);
  // Where operands are read crosswise, the result is made in so many squares; 0: it is not.
  int64_t squares() const { return turned_ != 0 ? squares_.count() : 0; }
  int64_t run_squares(int64_t begin, int64_t end) const;  // the lowest index that fails, or -1
  // Elements [begin, end) of the result; the index of the first that fails, or -1. May run on several threads.
  int64_t run(int64_t begin, int64_t end) const;

 private:
  static constexpr int64_t block = 512;    // elements gathered at a time
  static constexpr int64_t long_row = 32;  // shorter innermost rows are gathered across rows
  struct Source {
    const std::byte* data;
    uint64_t number;  // a scalar's bytes (data points here)
    Dtype dtype, wanted;
    int64_t strides[max_rank];  // of the merged axes, in elements
    bool whole;                 // lies exactly as the result does
  };
  struct Buffers;
  struct Position;
  void merge_axes();
  int64_t run_rows(int64_t begin, int64_t end, Buffers& buffers) const;
  bool is_turned(unsigned i) const { return (turned_ >> i & 1) != 0; }
  Position position_of(int64_t element) const;
  int64_t run_gathered(int64_t begin, int64_t end, Buffers& buffers) const;
  const void* row_piece(unsigned i, const Position& position, int64_t length, Buffers& buffers, unsigned& splat) const;
  const void* gathered_piece(unsigned i, int64_t begin, int64_t length, Buffers& buffers) const;
  const void* converted(unsigned i, const void* piece, int64_t length, Buffers& buffers) const;
  int64_t compute(int64_t begin, int64_t length, const void* const* in, unsigned splat, Buffers& buffers,
                  bool past_cache = false) const;

  std::byte* out_;
  Dtype out_dtype_;
  Isa isa_;
  unsigned axes_ = 0;
  int64_t dims_[max_rank];
  unsigned sources_ = 0;
  Source source_[3];
  kernels::PointwiseKernel kernel_ = nullptr;
  int64_t parameter_ = 0;
  Dtype given_ = Dtype::f64;
  kernels::PointwiseKernel convert_result_ = nullptr;
  unsigned turned_ = 0;  // operands that are read crosswise, in squares
  kernels::Squares squares_;
  bool past_cache_ = false;  // where squares are made
  bool converts_ = false;    // any operand or the result goes through buffers
};

}  // namespace covec::ops
