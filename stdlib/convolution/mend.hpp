// Zero cotangents in products. An adjoint's product has a term 0 where a factor that stands for a cotangent is ±0,
// whatever the other factors are; the kernels of products know nothing of that, and a term 0 · inf makes their sum NaN.
// So the product is computed as always, and only where its result holds NaN are those elements computed again, term by
// term, in the order of the indices. The trade-off: where nothing is NaN it costs one look at the result, or at the
// factors that are no cotangents if they are fewer (no term 0 · inf can be without them); where much is NaN, a slow
// product. One function for all engines, hence the same bits.
#pragma once

#include "stdlib/convolution/convolve.hpp"
#include "stdlib/kernels/contract.hpp"

namespace covec::kernels {

// Whether that may be needed of n results: quick, and exact of a few.
bool may_need_mending(Dtype dtype, const void* results, int64_t n);

// c.out is the contraction's result. Bit i of `zeros`: factor i makes terms 0.
void mend(ops::Context& context, const Contraction& c, uint64_t zeros);

// The three operands of a convolution (convolve.hpp), of which `result` is the sum over the two others in turn: those
// are factors 0 and 1, x before w, y before both.
enum class ConvolutionPart : uint8_t { x, w, y };
struct ConvolutionParts {
  std::byte *x, *w, *y;
};
void mend(ops::Context& context, const Convolution& c, const ConvolutionParts& parts, ConvolutionPart result,
          uint64_t zeros);

}  // namespace covec::kernels
