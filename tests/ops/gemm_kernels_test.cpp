// Products against the plain C definition of their order, bit for bit: all instruction sets, one thread and two, sizes
// around the edges of tiles and blocks, transposed and strided operands, batches.
#include "stdlib/kernels/gemm.hpp"

#include "tests/ops/reduce_support.hpp"
#include "tests/ops/reference/orders.h"

namespace covec::test {
namespace {

using kernels::Matrix;
using kernels::Product;
using kernels::ProductBatch;

float reference(const float* a, int64_t sa, const float* b, int64_t sb, int64_t k) {
  return covec_product_f32(a, sa, b, sb, k);
}
double reference(const double* a, int64_t sa, const double* b, int64_t sb, int64_t k) {
  return covec_product_f64(a, sa, b, sb, k);
}
template <class T>
T reference(const T* a, int64_t sa, const T* b, int64_t sb, int64_t k) {
  uint64_t sum = 0;
  for (int64_t t = 0; t < k; ++t)
    sum += static_cast<uint64_t>(int64_t{a[t * sa]}) * static_cast<uint64_t>(int64_t{b[t * sb]});
  return static_cast<T>(sum);
}

template <class T>
T draw(std::mt19937& random) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(uint64_t{random()} << 32 | random());
  } else {
    return rough_number<T>(random);
  }
}

struct Stored {
  int64_t row, column;
};
enum class Order { rows, columns, strided };

Stored strides_of(Order order, int64_t rows, int64_t columns) {
  switch (order) {
    case Order::rows: return {columns, 1};
    case Order::columns: return {1, rows};
    default: return {2 * columns + 1, 2};
  }
}

template <class T>
class ProductTest : public ::testing::Test {
 protected:
  std::mt19937 random{23};

  std::vector<T> numbers(int64_t n) {
    std::vector<T> x(static_cast<size_t>(n));
    for (T& v : x) v = draw<T>(random);
    return x;
  }

  void check(int64_t m, int64_t n, int64_t k, Order a_order = Order::rows, Order b_order = Order::rows,
             int64_t examples = 1, bool share_b = false) {
    SCOPED_TRACE("m " + std::to_string(m) + " n " + std::to_string(n) + " k " + std::to_string(k) + " orders " +
                 std::to_string(static_cast<int>(a_order)) + std::to_string(static_cast<int>(b_order)) + " examples " +
                 std::to_string(examples));
    const Stored sa = strides_of(a_order, m, k), sb = strides_of(b_order, k, n);
    const int64_t a_size = 2 * (2 * k + 1) * (m + 1), b_size = 2 * (2 * n + 1) * (k + 1);
    const std::vector<T> a = numbers(a_size * examples), b = numbers(b_size * examples);
    const int64_t c_row = n + 3, c_size = m * c_row;
    std::vector<T> expected(static_cast<size_t>(c_size * examples) + 1, T(7));
    for (int64_t e = 0; e < examples; ++e) {
      const T* x = a.data() + e * a_size;
      const T* y = b.data() + (share_b ? 0 : e * b_size);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          expected[static_cast<size_t>(e * c_size + i * c_row + j)] =
              reference(x + i * sa.row, sa.column, y + j * sb.column, sb.row, k);
        }
      }
    }
    ProductBatch batch;
    if (examples > 1) batch.push(examples, a_size, share_b ? 0 : b_size, c_size);
    on_every_engine([&](ops::Context& context) {
      std::vector<T> c(expected.size(), T(7));
      const Product product{dtype_for<T>(),
                            m,
                            n,
                            k,
                            {reinterpret_cast<const std::byte*>(a.data()), sa.row, sa.column},
                            {reinterpret_cast<const std::byte*>(b.data()), sb.row, sb.column},
                            reinterpret_cast<std::byte*>(c.data()),
                            c_row};
      kernels::multiply(context, product, batch);
      for (size_t i = 0; i < c.size(); ++i)
        ASSERT_TRUE(same_bits(c[i], expected[i])) << "element " << i << ": " << c[i] << " instead of " << expected[i];
    });
  }
};
using Numbers = ::testing::Types<float, double, int32_t, int64_t>;
TYPED_TEST_SUITE(ProductTest, Numbers);

TYPED_TEST(ProductTest, SmallSizes) {
  for (int64_t m : {0, 1, 2, 5, 8, 9, 17}) {
    for (int64_t n : {0, 1, 3, 8, 16, 33, 49}) {
      for (int64_t k : {0, 1, 2, 19}) {
        for (Order a : {Order::rows, Order::columns, Order::strided}) {
          for (Order b : {Order::rows, Order::columns, Order::strided}) {
            this->check(m, n, k, a, b);
            if (this->HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TYPED_TEST(ProductTest, BlocksOfK) {
  for (int64_t k : {511, 512, 513, 1024, 1025, 1537, 4096, 4609, 5000}) {
    for (auto [m, n] : {std::pair<int64_t, int64_t>{1, 1}, {1, 70}, {70, 1}, {9, 20}}) {
      this->check(m, n, k);
      this->check(m, n, k, Order::columns, Order::columns);
      this->check(m, n, k, Order::strided, Order::strided);
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(ProductTest, LargeEnoughForPackingAndThreads) {
  for (Order a : {Order::rows, Order::columns}) {
    for (Order b : {Order::rows, Order::columns}) {
      this->check(131, 203, 650, a, b);
      this->check(20, 1009, 70, a, b);
      this->check(700, 1, 900, a, b);
      this->check(1, 900, 700, a, b);
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(ProductTest, Batches) {
  this->check(3, 3, 3, Order::rows, Order::rows, 300);
  this->check(4, 5, 6, Order::columns, Order::columns, 50);
  this->check(70, 80, 90, Order::rows, Order::columns, 3);
  this->check(1, 7, 5, Order::rows, Order::rows, 40);
  this->check(7, 1, 5, Order::rows, Order::rows, 40);
  this->check(1, 1, 700, Order::rows, Order::rows, 40);
  this->check(5, 6, 7, Order::rows, Order::rows, 20, true);
}

// Chains begin at +0: the sign of a zero result tells.
TEST(ProductZeros, ChainsBeginAtPlusZero) {
  Session session;
  const float a = -0.0f, b = 1.0f;
  const float tiny = -1e-30f, small = 1e-30f;
  float c = 5;
  kernels::multiply(session.context, {Dtype::f32,
                                      1,
                                      1,
                                      1,
                                      {reinterpret_cast<const std::byte*>(&a), 1, 1},
                                      {reinterpret_cast<const std::byte*>(&b), 1, 1},
                                      reinterpret_cast<std::byte*>(&c),
                                      1});
  EXPECT_TRUE(same_bits(c, 0.0f));
  kernels::multiply(session.context, {Dtype::f32,
                                      1,
                                      1,
                                      1,
                                      {reinterpret_cast<const std::byte*>(&tiny), 1, 1},
                                      {reinterpret_cast<const std::byte*>(&small), 1, 1},
                                      reinterpret_cast<std::byte*>(&c),
                                      1});
  EXPECT_TRUE(same_bits(c, -0.0f));
}

// Rows that follow each other in a batch are folded into one product, with the same bits.
TEST(ProductFolding, SharedRightOperand) {
  Session session;
  std::mt19937 random(2);
  std::vector<double> a(6 * 5 * 7), b(7 * 4), c(6 * 5 * 4), expected(c.size());
  for (double& x : a) x = rough_number<double>(random);
  for (double& x : b) x = rough_number<double>(random);
  for (int64_t r = 0; r < 30; ++r) {
    for (int64_t j = 0; j < 4; ++j)
      expected[static_cast<size_t>(r * 4 + j)] =
          covec_product_f64(&a[static_cast<size_t>(r * 7)], 1, &b[static_cast<size_t>(j)], 4, 7);
  }
  ProductBatch batch;
  batch.push(6, 35, 0, 20);
  kernels::multiply(session.context,
                    {Dtype::f64,
                     5,
                     4,
                     7,
                     {reinterpret_cast<const std::byte*>(a.data()), 7, 1},
                     {reinterpret_cast<const std::byte*>(b.data()), 4, 1},
                     reinterpret_cast<std::byte*>(c.data()),
                     4},
                    batch);
  EXPECT_EQ(c, expected);
}

}  // namespace
}  // namespace covec::test
