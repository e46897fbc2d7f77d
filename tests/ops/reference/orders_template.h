/* The definitions for one float type REAL (see orders.c). The two operations of a fold are + (starting from −0) and ·
 * (starting from 1); the starting values leave every number as it is, so lanes that get no element change nothing. */

static REAL NAMED(combine)(int product, REAL a, REAL b) { return product ? a * b : a + b; }
static REAL NAMED(start)(int product) { return product ? (REAL)1 : -(REAL)0; }

/* Neighbours pairwise (2i with 2i+1), an odd one carried up, until one vector of `width` is left in v[0 … width-1]. */
static void NAMED(pairwise)(int product, REAL* v, int64_t count, int64_t width) {
  while (count > 1) {
    const int64_t pairs = count / 2;
    for (int64_t i = 0; i < pairs; ++i) {
      for (int64_t l = 0; l < width; ++l) {
        v[i * width + l] = NAMED(combine)(product, v[2 * i * width + l], v[(2 * i + 1) * width + l]);
      }
    }
    if (count % 2 != 0) {
      for (int64_t l = 0; l < width; ++l) v[pairs * width + l] = v[(count - 1) * width + l];
    }
    count = pairs + count % 2;
  }
}

static int64_t NAMED(blocks)(int64_t n, int64_t block) { return n / block + (n % block != 0); }

/* The last axis is reduced: L = 256 bytes of lanes; element p goes to lane p mod L; blocks of 64·L elements; blocks
 * pairwise, lane by lane; then lane l with lane l + L/2, L/4, … */
static REAL NAMED(row_fold)(int product, const REAL* x, int64_t n, int64_t stride) {
  const int64_t lanes = 256 / (int64_t)sizeof(REAL), block = 64 * lanes, blocks = NAMED(blocks)(n, block);
  if (n == 0) return product ? (REAL)1 : (REAL)0;
  REAL* partial = malloc((size_t)(blocks * lanes) * sizeof(REAL));
  for (int64_t i = 0; i < blocks * lanes; ++i) partial[i] = NAMED(start)(product);
  for (int64_t p = 0; p < n; ++p) {
    REAL* lane = &partial[p / block * lanes + p % lanes];
    *lane = NAMED(combine)(product, *lane, x[p * stride]);
  }
  NAMED(pairwise)(product, partial, blocks, lanes);
  for (int64_t half = lanes / 2; half >= 1; half /= 2) {
    for (int64_t l = 0; l < half; ++l) partial[l] = NAMED(combine)(product, partial[l], partial[l + half]);
  }
  const REAL result = partial[0];
  free(partial);
  return result;
}

/* It is not: in order, in blocks of 1024, blocks pairwise. */
static REAL NAMED(column_fold)(int product, const REAL* x, int64_t n, int64_t stride) {
  const int64_t block = 1024, blocks = NAMED(blocks)(n, block);
  if (n == 0) return product ? (REAL)1 : (REAL)0;
  REAL* partial = malloc((size_t)blocks * sizeof(REAL));
  for (int64_t i = 0; i < blocks; ++i) partial[i] = NAMED(start)(product);
  for (int64_t p = 0; p < n; ++p) {
    partial[p / block] = NAMED(combine)(product, partial[p / block], x[p * stride]);
  }
  NAMED(pairwise)(product, partial, blocks, 1);
  const REAL result = partial[0];
  free(partial);
  return result;
}

REAL NAMED(covec_row_sum)(const REAL* x, int64_t n, int64_t stride) { return NAMED(row_fold)(0, x, n, stride); }
REAL NAMED(covec_row_prod)(const REAL* x, int64_t n, int64_t stride) { return NAMED(row_fold)(1, x, n, stride); }
REAL NAMED(covec_column_sum)(const REAL* x, int64_t n, int64_t stride) { return NAMED(column_fold)(0, x, n, stride); }
REAL NAMED(covec_column_prod)(const REAL* x, int64_t n, int64_t stride) { return NAMED(column_fold)(1, x, n, stride); }

/* Blocks of 512 along k. A block is one chain of fused multiply-adds in order of k that begins at +0. The result is the
 * first block's value, then + the second's, + the third's, …; without terms it is +0. */
REAL NAMED(covec_contract)(const REAL* const* factors, const int64_t* strides, int64_t count, int64_t k) {
  REAL result = 0;
  for (int64_t begin = 0; begin < k; begin += 512) {
    const int64_t end = begin + 512 < k ? begin + 512 : k;
    REAL chain = 0;
    for (int64_t t = begin; t < end; ++t) {
      REAL left = factors[0][t * strides[0]];
      for (int64_t f = 1; f < count - 1; ++f) left = left * factors[f][t * strides[f]];
      const REAL right = count > 1 ? factors[count - 1][t * strides[count - 1]] : (REAL)1;
      chain = FUSED(left, right, chain);
    }
    result = begin == 0 ? chain : result + chain;
  }
  return result;
}

REAL NAMED(covec_product)(const REAL* a, int64_t sa, const REAL* b, int64_t sb, int64_t k) {
  const REAL* const factors[2] = {a, b};
  const int64_t strides[2] = {sa, sb};
  return NAMED(covec_contract)(factors, strides, 2, k);
}
