// Draws random numbers, `lanes` blocks of Philox at a time. stdlib/ops/random/body.hpp defines a number.
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>

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
#elif defined(__x86_64__)  // a product of 64 bits is six instructions here
        return (Ri64)_mm_mul_epu32((__m128i)x, (__m128i)y);
#else
        return (Ri64)(((Ru64)x & 0xffffffff) * ((Ru64)y & 0xffffffff));
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

struct Keys {
  [[gnu::always_inline]] static Long of(const ops::Block<Long>& block) {
    return ops::pair_of(ops::Block<Long>{{block.word[1], block.word[0], block.word[2], block.word[3]}}, 0);
  }
};

// Writes numbers [0, n), number i from the block that `block_of(i)` gives, and those behind it.
template <class E, class Distribution, class Blocks>
[[gnu::always_inline]] inline void draw_blocks(E* numbers, int64_t n, const Blocks& block_of) {
  for (int64_t i = 0; i < n; i += lanes) {
    const auto drawn = Distribution::of(block_of(i));
    if (n - i >= lanes)
      store(numbers + i, drawn);
    else
      store_first(numbers + i, drawn, n - i);
  }
}

// The block's counter is `counter_of(i)`.
template <class E, class Distribution, class Counter>
[[gnu::always_inline]] inline void draw(E* numbers, int64_t n, uint64_t key, const Counter& counter_of) {
  draw_blocks<E, Distribution>(numbers, n, [&](int64_t i) {
    return ops::philox(counter_of(i), static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32));
  });
}

[[gnu::always_inline]] inline Long upper_word(Long number) { return shift_right_logical(number, Long(32)); }
[[gnu::always_inline]] inline Long same(uint64_t number) { return Long(static_cast<int64_t>(number)); }

template <class E, class Distribution>
void of_elements(void* out, uint64_t first, int64_t n, uint64_t key, uint64_t call) {
  draw<E, Distribution>(static_cast<E*>(out), n, key, [&](int64_t i) {
    const Long element = count_from(static_cast<int64_t>(first) + i);
    return ops::Block<Long>{{element, upper_word(element), same(call), same(call >> 32)}};
  });
}

template <class E, class Distribution>
void of_calls(void* out, uint64_t element, int64_t n, uint64_t key, uint64_t first) {
  draw<E, Distribution>(static_cast<E*>(out), n, key, [&](int64_t i) {
    const Long call = count_from(static_cast<int64_t>(first + static_cast<uint64_t>(i)));
    return ops::Block<Long>{{same(element), same(element >> 32), call, upper_word(call)}};
  });
}

template <class E, class Distribution>
void of_keys(void* out, const uint64_t* keys, int64_t count, int64_t first, int64_t n, uint64_t call) {
  int64_t at = first / count, next = first % count;
  draw_blocks<E, Distribution>(static_cast<E*>(out), n, [&](int64_t i) {
    int64_t key_words[lanes] = {}, elements[lanes] = {};
    for (int64_t lane = 0; lane < std::min<int64_t>(lanes, n - i); ++lane) {
      key_words[lane] = static_cast<int64_t>(keys[at]);
      elements[lane] = next;
      if (++next == count) next = 0, ++at;
    }
    const Long key = load(key_words), element = load(elements);
    const ops::Block<Long> counter{{element, upper_word(element), same(call), same(call >> 32)}};
    return ops::philox(counter, key, upper_word(key));
  });
}

void example_keys(uint64_t* out, int64_t n, uint64_t key) {
  draw<int64_t, Keys>(reinterpret_cast<int64_t*>(out), n, key, [&](int64_t i) {
    const Long example = count_from(i);
    return ops::Block<Long>{{example, upper_word(example), same(~uint64_t{0}), same(~uint64_t{0})}};
  });
}

template <class E, class Distribution>
constexpr kernels::DrawKernel kernel = {of_elements<E, Distribution>, of_calls<E, Distribution>,
                                        of_keys<E, Distribution>, example_keys};

// In the order of ops::Numbers.
const kernels::DrawKernel& draw_kernel(ops::Numbers numbers) {
  static constexpr kernels::DrawKernel all[] = {kernel<double, Uniform<double>>, kernel<float, Uniform<float>>,
                                                kernel<double, Normal<double>>, kernel<float, Normal<float>>,
                                                kernel<int64_t, Words>};
  return all[static_cast<size_t>(numbers)];
}

}  // namespace covec::COVEC_ISA
