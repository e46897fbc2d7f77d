#include "stdlib/fourier/fourier_plan.hpp"

#include <algorithm>
#include <utility>

#include "stdlib/fourier/fourier.hpp"
#include "stdlib/fourier/fourier_roots.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/tensor/pool.hpp"

namespace covec::kernels {

namespace {

constexpr int64_t widest = 16;  // lanes of any register: shorter runs want a factor for each of their elements

// --- the cache ---

enum class Kind : uint8_t { complex, real };

class Plans final : public PoolCache {
 public:
  static Plans& of(Pool& pool) {
    if (pool.cache() == nullptr) pool.cache() = std::make_unique<Plans>();
    return static_cast<Plans&>(*pool.cache());
  }
  void drop() noexcept override { plans_.clear(); }

  template <class T>
  std::shared_ptr<const FourierPlan<T>> find(Kind kind, int64_t n) {
    const auto found = std::find_if(plans_.begin(), plans_.end(), [&](const CachedPlan& kept) {
      return kept.n == n && kept.kind == kind && kept.size == sizeof(T);
    });
    if (found == plans_.end()) return nullptr;
    std::rotate(found, found + 1, plans_.end());
    return std::static_pointer_cast<const FourierPlan<T>>(plans_.back().plan);
  }
  // The last `most` of them, and of large ones fewer.
  template <class T>
  void keep(Kind kind, int64_t n, std::shared_ptr<const FourierPlan<T>> plan, uint64_t limit) {
    plans_.push_back({kind, sizeof(T), n, plan->bytes, std::move(plan)});
    uint64_t bytes = 0;
    size_t count = 0;
    while (count < plans_.size() && count < most && bytes + (plans_.end() - 1 - count)->bytes <= limit / 8) {
      bytes += (plans_.end() - 1 - count)->bytes;
      ++count;
    }
    plans_.erase(plans_.begin(), plans_.end() - static_cast<std::ptrdiff_t>(count));
  }

 private:
  static constexpr size_t most = 32;  // plans that are kept
  struct CachedPlan {
    Kind kind;
    size_t size;  // of a number
    int64_t n;
    uint64_t bytes;
    std::shared_ptr<const void> plan;
  };
  std::vector<CachedPlan> plans_;  // the last used one is the last
};

// --- making one ---

template <class T>
class Maker {
 public:
  using Plan = FourierPlan<T>;
  explicit Maker(ops::Context& context) : context_(context) {}

  std::shared_ptr<const Plan> complex(int64_t n) {
    plan_->n = n;
    std::vector<int64_t> radices;
    if (radices_of(n, radices)) {
      passes(radices);
    } else {
      by_convolution();
    }
    return std::move(plan_);
  }

  std::shared_ptr<const Plan> real(int64_t n) {
    plan_->n = n;
    plan_->inner = complex_plan<T>(context_, n / 2);
    plan_->roots = table(n / 4 + 1, [&](int64_t k) { return root_of_unity(k, n); });
    plan_->bytes += plan_->inner->bytes;
    return std::move(plan_);
  }

 private:
  // Fours, and an eight where twos are left over; then odd primes. False where one is too large.
  static bool radices_of(int64_t n, std::vector<int64_t>& radices) {
    int twos = 0;
    for (; n % 2 == 0; n /= 2) ++twos;
    if (twos % 2 != 0) radices.push_back(twos == 1 ? 2 : 8), twos -= twos == 1 ? 1 : 3;
    radices.insert(radices.end(), static_cast<size_t>(twos / 2), 4);
    for (int64_t p = 3; p <= max_radix; p += 2) {
      for (; n % p == 0; n /= p) radices.push_back(p);
    }
    return n == 1;
  }

  // Numbers whose parts one function gives, kept with the plan.
  template <class F>
  ConstSplit<T> table(int64_t count, F&& number) {
    const Split<T> parts = space(count);
    constexpr int64_t between_polls = 1 << 14;  // numbers of a table between two polls
    for (int64_t i = 0; i < count; ++i) {
      if (i % between_polls == 0) poll_interrupt(context_);
      const Root root = number(i);
      parts.re[i] = static_cast<T>(root.cos);
      parts.im[i] = static_cast<T>(root.sin);
    }
    return {parts.re, parts.im};
  }
  Split<T> space(int64_t count) {
    const uint64_t bytes = static_cast<uint64_t>(count) * 2 * sizeof(T);
    plan_->tables.emplace_back(*context_.pool, bytes);
    plan_->bytes += bytes;
    T* const data = plan_->tables.back().template as<T>();
    return {data, data + count};
  }

  void passes(const std::vector<int64_t>& radices) {
    int64_t left = plan_->n, run = 1;
    for (const int64_t radix : radices) {
      const int64_t all = left, groups = left / radix;
      typename Plan::Pass pass{radix, groups, run, groups > 1 && run > 1 && run < widest ? run : 1, {}, {}};
      if (groups > 1) {
        const int64_t each = groups * pass.spread;
        pass.twiddles = table(each * (radix - 1), [&](int64_t i) {
          const Root root = root_of_unity((i / each + 1) * (i % each / pass.spread) % all, all);
          return Root{root.cos, -root.sin};
        });
      }
      if (radix % 2 != 0) pass.roots = table(radix, [&](int64_t j) { return root_of_unity(j, radix); });
      plan_->passes.push_back(pass);
      left = groups;
      run *= radix;
    }
  }

  // jk = (j² + k² − (k − j)²) / 2: the transform is a convolution with e^(πi·j²/n) between two products with its
  // conjugate.
  void by_convolution() {
    const int64_t n = plan_->n, length = convolution_length(2 * n - 1);
    plan_->inner = complex_plan<T>(context_, length);
    int64_t square = 0, next = 0;  // j² modulo 2n
    plan_->chirp = table(n, [&](int64_t j) {
      square = next;
      next = (square + 2 * j + 1) % (2 * n);
      const Root root = root_of_unity(square, 2 * n);
      return Root{root.cos, -root.sin};
    });
    const Scratch memory(*context_.pool, static_cast<uint64_t>(length) * 2 * sizeof(T));
    T *const re = memory.as<T>(), *const im = re + length;
    std::fill_n(re, 2 * length, T(0));
    for (int64_t j = 0; j < n; ++j) {
      const int64_t opposite = j == 0 ? 0 : length - j;
      re[j] = re[opposite] = plan_->chirp.re[j];
      im[j] = im[opposite] = -plan_->chirp.im[j];
    }
    const Split<T> answer = space(length);
    transform<T>(context_, length, 1, {re, im}, answer, static_cast<T>(1.0 / static_cast<double>(length)));
    plan_->answer = {answer.re, answer.im};
    plan_->bytes += plan_->inner->bytes;
  }

  // The smallest number of few odd factors that is large enough.
  static int64_t convolution_length(int64_t least) {
    int64_t best = 0;
    for (const int64_t odd : {1, 3, 5, 9, 15, 25}) {
      int64_t length = odd * 4;
      while (length < least) length *= 2;
      if (best == 0 || length < best) best = length;
    }
    return best;
  }

  ops::Context& context_;
  std::shared_ptr<Plan> plan_ = std::make_shared<Plan>();
};

// While one is made, memory may run short: the cache is looked at again.
template <class T, class Make>
std::shared_ptr<const FourierPlan<T>> plan_of(ops::Context& context, Kind kind, int64_t n, Make&& make) {
  Pool& pool = *context.pool;
  if (auto found = Plans::of(pool).find<T>(kind, n)) return found;
  std::shared_ptr<const FourierPlan<T>> plan = make();
  Plans::of(pool).keep<T>(kind, n, plan, pool.account().limit);
  return plan;
}

}  // namespace

template <class T>
std::shared_ptr<const FourierPlan<T>> complex_plan(ops::Context& context, int64_t n) {
  return plan_of<T>(context, Kind::complex, n, [&] { return Maker<T>(context).complex(n); });
}
template <class T>
std::shared_ptr<const FourierPlan<T>> real_plan(ops::Context& context, int64_t n) {
  return plan_of<T>(context, Kind::real, n, [&] { return Maker<T>(context).real(n); });
}

template std::shared_ptr<const FourierPlan<float>> complex_plan(ops::Context&, int64_t);
template std::shared_ptr<const FourierPlan<double>> complex_plan(ops::Context&, int64_t);
template std::shared_ptr<const FourierPlan<float>> real_plan(ops::Context&, int64_t);
template std::shared_ptr<const FourierPlan<double>> real_plan(ops::Context&, int64_t);

}  // namespace covec::kernels
