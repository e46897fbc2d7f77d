// Words of random numbers in code that is being built: operations on 64 bits for which the library's kernels have
// instructions of their own.
#pragma once

#include "stdlib/ops/contract/scalar_builder.hpp"
#include "stdlib/ops/random/body.hpp"

namespace covec::ops {

using Word = Expr<int64_t>;

// Constants have no upper half.
inline Word low_half(Word a) { return a.builder == nullptr ? a : a & Word(0xffffffff); }
inline Word wide_product(Word a, Word b) { return low_half(a) * low_half(b); }

// The upper half of the product of two numbers without sign.
inline Word upper_product(Word a, Word b) {
  const Word half(32), a1 = shift_right_logical(a, half), b1 = shift_right_logical(b, half);
  const Word p00 = wide_product(a, b), p01 = wide_product(a, b1), p10 = wide_product(a1, b);
  const Word middle = shift_right_logical(p00, half) + low_half(p01) + low_half(p10);
  return a1 * b1 + shift_right_logical(p01, half) + shift_right_logical(p10, half) + shift_right_logical(middle, half);
}

// Number `which` of a block, of those that are even.
template <class E>
Expr<E> even_of(const Block<Word>& block, int which) {
  if constexpr (sizeof(E) == 4)
    return uniform_of<Expr<E>>(convert<int32_t>(block.word[which]));
  else
    return uniform_of<Expr<E>>(pair_of(block, 2 * which));
}

// kernels::example_key.
inline Word example_key(Word key, Word example) {
  const Word half(32), last = example | Word(0xffffffff);
  const Block<Word> block = philox(Block<Word>{{example, shift_right_logical(example, half), last, last}}, key,
                                   shift_right_logical(key, half));
  return pair_of(Block<Word>{{block.word[1], block.word[0], last, last}}, 0);
}

}  // namespace covec::ops
