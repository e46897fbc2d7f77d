// Draws random numbers, `lanes` blocks of Philox at a time. stdlib/ops/random/body.hpp defines a number.
#include "stdlib/ops/random/body.hpp"
#include "stdlib/ops/random/kernels/table.hpp"
#include "stdlib/simd/convert.hpp"
#include "stdlib/simd/memory.hpp"

namespace covec::COVEC_ISA {

using Long = Vec<int64_t>;

[[gnu::always_inline]] inline Long wide_product(Long a, Long b) {
  return lanewise<Long>(
      [](Ri64 x, Ri64 y) -> Ri64 {
#if COVEC_ISA_LEVEL == 2
        return (Ri64)_mm512_mul_epu32((__m512i)x, (__m512i)y);
#elif COVEC_ISA_LEVEL == 1
        return (Ri64)_mm256_mul_epu32((__m256i)x, (__m256i)y);
#else
        return (Ri64)_mm_mul_epu32((__m128i)x, (__m128i)y);
#endif
      },
      a, b);
}

[[gnu::always_inline]] inline Long count_from(int64_t first) {
  int64_t numbers[lanes];
  for (int i = 0; i < lanes; ++i) numbers[i] = first + i;
  return load(numbers);
}

[[gnu::always_inline]] inline Vec<int32_t> low_words(Long v) {
  int64_t words[lanes];
  int32_t low[lanes];
  store(words, v);
  for (int i = 0; i < lanes; ++i) low[i] = static_cast<int32_t>(words[i]);
  return load(low);
}

template <class E>
struct Uniform {
  [[gnu::always_inline]] static Vec<E> of(const ops::Block<Long>& block) {
    if constexpr (sizeof(E) == 4)
      return ops::uniform_of<Vec<E>>(low_words(block.word[0]));
    else
      return ops::uniform_of<Vec<E>>(ops::pair_of(block, 0));
  }
};

template <class E>
struct Normal {
  [[gnu::always_inline]] static Vec<E> of(const ops::Block<Long>& block) {
    if constexpr (sizeof(E) == 4) {
      return ops::normal_of(ops::uniform_of<Vec<E>>(low_words(block.word[0])),
                            ops::uniform_of<Vec<E>>(low_words(block.word[1])));
    } else {
      return ops::normal_of(ops::uniform_of<Vec<E>>(ops::pair_of(block, 0)),
                            ops::uniform_of<Vec<E>>(ops::pair_of(block, 2)));
    }
  }
};

struct Words {
  [[gnu::always_inline]] static Long of(const ops::Block<Long>& block) { return ops::pair_of(block, 0); }
};

template <class E, class Distribution>
void draw(void* out, int64_t first, int64_t n, uint64_t key, uint64_t call) {
  E* numbers = static_cast<E*>(out);
  const Long call_low(static_cast<int64_t>(call)), call_high(static_cast<int64_t>(call >> 32));
  for (int64_t i = 0; i < n; i += lanes) {
    const Long element = count_from(first + i);
    const ops::Block<Long> counter{{element, shift_right_logical(element, Long(32)), call_low, call_high}};
    const auto drawn =
        Distribution::of(ops::philox(counter, static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)));
    if (n - i >= lanes)
      store(numbers + i, drawn);
    else
      store_first(numbers + i, drawn, n - i);
  }
}

const kernels::DrawKernels& draw_kernels() {
  static constexpr kernels::DrawKernels all{draw<float, Uniform<float>>, draw<double, Uniform<double>>,
                                            draw<float, Normal<float>>, draw<double, Normal<double>>,
                                            draw<int64_t, Words>};
  return all;
}

}  // namespace covec::COVEC_ISA
