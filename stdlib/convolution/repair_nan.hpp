// Repairs NaN from zero cotangents in products. In an adjoint's product, a term is 0 if a factor that stands for a
// cotangent is ±0, whatever the other factors are. Product kernels do not know this rule, and a term 0 · inf makes
// their sum NaN. So the product is computed as always. Only elements that are NaN are computed again, term by term, in
// the order of the indices.
//
// The trade-off: without NaN it costs one look at the result. If the factors that are not cotangents are fewer, it
// looks at those instead, since no term 0 · inf exists without an infinity or NaN in them. With many NaN it is a slow
// product. All engines use this one function, hence the same bits.
#pragma once

#include "stdlib/convolution/convolve.hpp"
#include "stdlib/kernels/contract.hpp"

namespace covec::kernels {

// Whether that may be needed of n results: quick, and exact of a few.
bool may_need_repair(Dtype dtype, const void* results, int64_t n);

// c.out is the contraction's result. Bit i of `zeros`: factor i makes terms 0.
void repair_nan(ops::Context& context, const Contraction& c, uint64_t zeros);

// The three operands of a convolution (convolve.hpp), of which `result` is the sum over the two others in turn: those
// are factors 0 and 1, x before w, y before both.
enum class ConvolutionPart : uint8_t { x, w, y };
struct ConvolutionParts {
  std::byte *x, *w, *y;
};
void repair_nan(ops::Context& context, const Convolution& c, const ConvolutionParts& parts, ConvolutionPart result,
                uint64_t zeros);

}  // namespace covec::kernels
