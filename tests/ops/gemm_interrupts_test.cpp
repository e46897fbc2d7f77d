// Products and factorizations look for an interrupt while they run, and give up: the error, memory given back, and the
// next one is whole.
#include <thread>

#include "stdlib/decompositions/decompose.hpp"
#include "stdlib/decompositions/factor.hpp"
#include "stdlib/value/error.hpp"
#include "tests/ops/reduce_support.hpp"

namespace covec::test {
namespace {

using kernels::Dense;

// a is lost in some: each gets its own.
struct Workload {
  const char* name;
  void (*run)(ops::Context&, std::vector<double> a, int64_t n);
};

std::vector<double> buffer(int64_t elements) { return std::vector<double>(static_cast<size_t>(elements)); }

const Workload workloads[] = {
    {"svd",
     [](ops::Context& context, std::vector<double> a, int64_t n) {
       std::vector<double> ut = buffer(n * n), s = buffer(n), vt = buffer(n * n);
       EXPECT_TRUE(kernels::decompose_svd(context, a.data(), n, n, true, ut.data(), s.data(), vt.data()));
     }},
    {"svd of a tall matrix",
     [](ops::Context& context, std::vector<double> a, int64_t n) {
       std::vector<double> ut = buffer(4 * n * n), s = buffer(n), vt = buffer(n * n);
       EXPECT_TRUE(kernels::decompose_svd(context, a.data(), 2 * n, n / 2, false, ut.data(), s.data(), vt.data()));
     }},
    {"eigh",
     [](ops::Context& context, std::vector<double> a, int64_t n) {
       for (int64_t i = 0; i < n; ++i) {
         for (int64_t j = 0; j < i; ++j) a[static_cast<size_t>(i * n + j)] = a[static_cast<size_t>(j * n + i)];
       }
       std::vector<double> w = buffer(n), vt = buffer(n * n);
       EXPECT_TRUE(kernels::decompose_eigh(context, a.data(), n, w.data(), vt.data()));
     }},
    {"qr",
     [](ops::Context& context, std::vector<double> a, int64_t n) {
       std::vector<double> qt = buffer(n * n), r = buffer(n * n);
       kernels::decompose_qr(context, a.data(), n, n, true, qt.data(), r.data());
     }},
    {"lu and triangles",
     [](ops::Context& context, std::vector<double> a, int64_t n) {
       std::vector<int64_t> order(static_cast<size_t>(n));
       std::vector<double> b(static_cast<size_t>(n * n), 1.0);
       const Dense<double> factors{a.data(), n, n, n};
       EXPECT_NE(kernels::factor_lu(context, factors, order.data()), 0);
       kernels::solve_triangle(context, factors, kernels::Triangle::upper, {b.data(), n, n, n});
     }},
    {"cholesky",
     [](ops::Context& context, std::vector<double> a, int64_t n) {
       for (int64_t i = 0; i < n; ++i) a[static_cast<size_t>(i * n + i)] += static_cast<double>(n);
       EXPECT_TRUE(kernels::factor_cholesky(context, Dense<double>{a.data(), n, n, n}));
     }},
    {"product",
     [](ops::Context& context, std::vector<double> a, int64_t n) {
       std::vector<double> c = buffer(n * n);
       const Dense<double> x{a.data(), n, n, n};
       kernels::assign_product(context, Dense<double>{c.data(), n, n, n}, kernels::matrix(x), kernels::transposed(x),
                               n);
     }},
};

std::vector<double> numbers(int64_t n) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> a = buffer(n * n);
  for (double& x : a) x = uniform(random);
  return a;
}

bool is_stopped(const Workload& workload, ops::Context& context, int64_t n) {
  try {
    workload.run(context, numbers(n), n);
  } catch (const OpError& error) {
    EXPECT_EQ(error.kind, ErrorKind::interrupted);
    return true;
  }
  return false;
}

TEST(Interrupts, OneThatCameBeforeEndsEveryWorkload) {
  std::atomic<bool> flag = false;
  on_every_engine([&](ops::Context& context) {
    context.interrupt = &flag;
    for (const Workload& workload : workloads) {
      for (const int64_t n : {1, 5, 40, 150}) {
        SCOPED_TRACE(workload.name + std::string(" ") + std::to_string(n));
        flag = true;
        if (n > 16) {
          EXPECT_TRUE(is_stopped(workload, context, n));
        }
        flag = false;
        EXPECT_FALSE(is_stopped(workload, context, n));
      }
    }
  });
}

TEST(Interrupts, OneThatComesInTheMiddleEndsEveryWorkload) {
  on_every_engine([&](ops::Context& context) {
    for (const Workload& workload : workloads) {
      SCOPED_TRACE(workload.name);
      std::atomic<bool> flag = false;
      context.interrupt = &flag;
      std::thread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        flag = true;
      });
      while (!is_stopped(workload, context, 120)) {
      }
      stopper.join();
    }
    context.interrupt = nullptr;
  });
}

}  // namespace
}  // namespace covec::test
