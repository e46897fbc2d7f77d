// kernels::Elements against a loop that finds each element by its index: all forms (flat, rows, gathered, tiles,
// placed), random shapes, strides, sizes of elements, pieces and threads.
#include "stdlib/kernels/elements.hpp"

#include <optional>
#include <random>
#include <thread>

#include "tests/ops/structure_support.hpp"

namespace covec::test {

namespace {

constexpr unsigned max_reads = 5, max_writes = 3;
using Elements = kernels::Elements<max_reads, max_writes>;

uint64_t bits(const std::byte* at, size_t size) {
  uint64_t word = 0;
  std::memcpy(&word, at, size);
  return word;
}

// An element of the k-th result.
uint64_t combined(std::span<const uint64_t> operands, unsigned k) {
  uint64_t word = k + 1;
  for (const uint64_t operand : operands) word = word * 0x9e3779b97f4a7c15 + (operand ^ k);
  return word ^ word >> 29;
}

class Trial {
 public:
  Trial(uint32_t seed, Pool& pool, ops::Isa isa) : random_(seed), pool_(pool), isa_(isa) {}

  void run() {
    choose_shape();
    const auto reads = static_cast<unsigned>(below(max_reads) + 1);
    for (unsigned i = 0; i < reads; ++i) add_operand();
    const bool placed = below(4) == 0;
    const bool to_last = !placed && below(4) == 0;
    const unsigned writes = placed ? 1 : static_cast<unsigned>(below(max_writes) + 1);
    for (unsigned k = 0; k < writes; ++k) sizes_.push_back(size_t{1} << below(4));
    compute_expected();
    if (count_ > 0 && below(3) == 0) bad_ = expected_[0][below(count_)];
    if (placed)
      compare_placed();
    else
      compare_written(to_last);
  }

 private:
  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }

  void choose_shape() {
    constexpr int64_t dims[] = {1, 2, 3, 5, 8, 9, 31, 32, 33, 64, 70, 130, 1030, 0};
    const auto rank = static_cast<unsigned>(below(4) + 1);
    count_ = 1;
    for (unsigned axis = 0; axis < rank; ++axis) {
      int64_t dim = dims[below(below(20) == 0 ? 14 : 13)];
      if (static_cast<int64_t>(count_) * dim > 60000) dim = 2;
      shape_.push_back(Dim(dim));
      count_ *= static_cast<size_t>(dim);
    }
  }

  // A tensor of random bits that broadcasts to the shape: axes missing, of one element, in another order in memory,
  // backwards, with gaps.
  void add_operand() {
    constexpr Dtype dtypes[] = {Dtype::boolean, Dtype::f16, Dtype::i32, Dtype::f64};
    const Dtype dtype = dtypes[below(4)];
    const auto missing = below(3) == 0 ? static_cast<unsigned>(below(shape_.rank())) : 0u;
    Shape own;
    for (unsigned axis = missing; axis < shape_.rank(); ++axis) own.push_back(below(4) == 0 ? Dim(1) : shape_[axis]);
    const bool plain = below(3) == 0;
    std::vector<unsigned> order(own.rank());
    for (unsigned axis = 0; axis < own.rank(); ++axis) order[axis] = axis;
    if (!plain && below(2) == 0) std::shuffle(order.begin(), order.end(), random_);
    std::vector<int64_t> strides(own.rank());
    int64_t stride = plain || below(2) == 0 ? 1 : 2, first = 0;
    for (unsigned i = own.rank(); i-- > 0;) {
      const int64_t dim = own[order[i]].number();
      strides[order[i]] = stride;
      if (!plain && dim > 0 && below(6) == 0) {
        first += stride * (dim - 1);
        strides[order[i]] = -stride;
      }
      stride *= std::max<int64_t>(dim, 1);
      if (!plain && below(4) == 0) stride += 3;
    }
    const Value base = make_tensor(pool_, dtype, Shape{Dim(std::max<int64_t>(stride, 200))});
    Tensor& memory = base.tensor();
    for (int64_t i = 0; i < memory.size(); ++i) {
      const uint64_t word = random_();
      std::memcpy(memory.data() + i * static_cast<int64_t>(size_of(dtype)), &word, size_of(dtype));
    }
    operands_.push_back(view_at(base, first, own, strides.data()));
  }

  uint64_t operand(const Tensor& x, const int64_t* index) const {
    const unsigned missing = shape_.rank() - x.rank();
    int64_t offset = 0;
    for (unsigned axis = 0; axis < x.rank(); ++axis) {
      if (x.dim(axis) != 1) offset += index[missing + axis] * x.stride(axis);
    }
    const size_t size = size_of(x.dtype());
    return bits(x.data() + offset * static_cast<int64_t>(size), size);
  }

  void compute_expected() {
    expected_.assign(sizes_.size(), std::vector<uint64_t>(count_));
    std::vector<uint64_t> found(operands_.size());
    for (size_t at = 0; at < count_; ++at) {
      int64_t index[max_rank];
      auto rest = static_cast<int64_t>(at);
      for (unsigned axis = shape_.rank(); axis-- > 0; rest /= shape_[axis].number())
        index[axis] = rest % shape_[axis].number();
      for (size_t i = 0; i < operands_.size(); ++i) found[i] = operand(operands_[i].tensor(), index);
      for (unsigned k = 0; k < sizes_.size(); ++k) expected_[k][at] = combined(found, k);
    }
  }
  int64_t first_bad(size_t begin, size_t end) const {
    for (size_t at = begin; at < end; ++at) {
      if (bad_ && expected_[0][at] == *bad_) return static_cast<int64_t>(at);
    }
    return -1;
  }

  int64_t piece(uint64_t single, void* const* out, const void* const* in, int64_t n) const {
    std::vector<uint64_t> found(operands_.size());
    for (int64_t e = 0; e < n; ++e) {
      for (size_t i = 0; i < operands_.size(); ++i) {
        const size_t size = size_of(operands_[i].tensor().dtype());
        const int64_t at = (single >> i & 1) != 0 ? 0 : e;
        found[i] = bits(static_cast<const std::byte*>(in[i]) + at * static_cast<int64_t>(size), size);
      }
      if (bad_ && combined(found, 0) == *bad_) return e;
      for (unsigned k = 0; k < sizes_.size(); ++k) {
        const uint64_t word = combined(found, k);
        std::memcpy(static_cast<std::byte*>(out[k]) + e * static_cast<int64_t>(sizes_[k]), &word, sizes_[k]);
      }
    }
    return -1;
  }

  void add_reads(Elements& elements) {
    for (const Value& x : operands_) elements.read(x.tensor());
  }
  void prepare(Elements& elements) {
    const uint64_t repeated = elements.merge();
    elements.prepare(below(2) == 0 ? repeated : 0, below(2) == 0 ? INT64_MAX : 512);
  }

  // Neighbouring parts on threads of their own; the lowest element that fails.
  template <class Run>
  int64_t on_threads(int64_t units, const Run& run) {
    std::vector<int64_t> cuts = {0, units};
    for (size_t i = below(3); i-- > 0;) cuts.push_back(static_cast<int64_t>(below(static_cast<size_t>(units) + 1)));
    std::sort(cuts.begin(), cuts.end());
    std::vector<int64_t> failed(cuts.size() - 1, -1);
    std::vector<std::thread> threads;
    for (size_t i = 0; i + 1 < cuts.size(); ++i)
      threads.emplace_back([&, i] { failed[i] = run(cuts[i], cuts[i + 1]); });
    for (std::thread& thread : threads) thread.join();
    int64_t lowest = -1;
    for (const int64_t at : failed) lowest = at >= 0 && (lowest < 0 || at < lowest) ? at : lowest;
    return lowest;
  }

  void compare_written(bool to_last) {
    Elements elements(shape_, isa_);
    add_reads(elements);
    std::vector<std::vector<std::byte>> made;
    for (const size_t size : sizes_) made.emplace_back(count_ * size + 64);
    for (size_t k = 0; k < sizes_.size(); ++k)
      elements.write(to_last && k + 1 == sizes_.size() ? nullptr : made[k].data(), sizes_[k]);
    prepare(elements);
    const auto body = [&](void* const* out, const void* const* in, int64_t n) {
      return piece(elements.single(), out, in, n);
    };
    const int64_t tiles = to_last ? 0 : elements.tiles();
    int64_t failed = -1;
    if (tiles > 0) {
      failed = on_threads(tiles, [&](int64_t begin, int64_t end) { return elements.run_tiles(begin, end, body); });
    } else {
      failed = on_threads(static_cast<int64_t>(count_), [&](int64_t begin, int64_t end) {
        return elements.run(begin, end, made.back().data() + begin * static_cast<int64_t>(sizes_.back()), body);
      });
    }
    EXPECT_EQ(failed, first_bad(0, count_));
    if (failed >= 0) return;
    for (size_t k = 0; k < sizes_.size(); ++k) {
      for (size_t at = 0; at < count_; ++at) compare(made[k].data() + at * sizes_[k], k, at);
    }
  }

  // Into every other row of a larger tensor.
  void compare_placed() {
    Elements elements(shape_, isa_);
    add_reads(elements);
    std::vector<int64_t> strides(shape_.rank());
    int64_t stride = 1;
    for (unsigned axis = shape_.rank(); axis-- > 0;) {
      strides[axis] = stride;
      stride *= 2 * std::max<int64_t>(shape_[axis].number(), 1);
    }
    std::vector<std::byte> made(static_cast<size_t>(stride) * sizes_[0] + 64);
    elements.place(made.data(), strides, sizes_[0]);
    prepare(elements);
    if (!elements.can_place()) return;
    const auto body = [&](void* const* out, const void* const* in, int64_t n) {
      return piece(elements.single(), out, in, n);
    };
    const int64_t failed = on_threads(static_cast<int64_t>(count_), [&](int64_t begin, int64_t end) {
      return elements.run(begin, end, nullptr, body);
    });
    EXPECT_EQ(failed, first_bad(0, count_));
    if (failed >= 0) return;
    for (size_t at = 0; at < count_; ++at) {
      int64_t offset = 0;
      auto rest = static_cast<int64_t>(at);
      for (unsigned axis = shape_.rank(); axis-- > 0; rest /= shape_[axis].number())
        offset += rest % shape_[axis].number() * strides[axis];
      compare(made.data() + offset * static_cast<int64_t>(sizes_[0]), 0, at);
    }
  }

  void compare(const std::byte* made, size_t k, size_t at) const {
    uint64_t word = expected_[k][at];
    if (sizes_[k] < 8) word &= (uint64_t{1} << 8 * sizes_[k]) - 1;
    ASSERT_EQ(bits(made, sizes_[k]), word) << "result " << k << ", element " << at;
  }

  std::mt19937_64 random_;
  Pool& pool_;
  const ops::Isa isa_;
  Shape shape_;
  size_t count_ = 0;
  std::vector<Value> operands_;
  std::vector<size_t> sizes_;  // of an element of each result
  std::vector<std::vector<uint64_t>> expected_;
  std::optional<uint64_t> bad_;  // where the first result would be this, the body fails
};

}  // namespace

using ElementsTest = Engine;

TEST_F(ElementsTest, EachFormFindsWhatAnIndexFinds) {
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Trial(seed, pool, context.isa).run();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace covec::test
