// The pool's account, reuse and limits; tensors' views and copies; destruction of deep values.
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "stdlib/gate/system.hpp"
#include "stdlib/value/list_layout.hpp"
#include "stdlib/value/traced.hpp"
#include "values_support.hpp"

namespace covec {
namespace {

// Generated code reads and writes lists where they lie.
TEST_F(Values, ListsLieWhereGeneratedCodeLooks) {
  const Value value = make_list({Value(1.0), Value(2.0)});
  List& list = value.list();
  list.reserve(7);
  const auto* bytes = reinterpret_cast<const std::byte*>(value.object());
  const auto pointer = [&](size_t offset) {
    const Value* found = nullptr;
    std::memcpy(&found, bytes + offset, sizeof found);
    return found;
  };
  EXPECT_EQ(pointer(List::Layout::begin), list.items().data());
  EXPECT_EQ(pointer(List::Layout::end), list.items().data() + 2);
  EXPECT_EQ(pointer(List::Layout::room), list.items().data() + list.items().capacity());
  uint32_t references = 0;
  std::memcpy(&references, bytes + List::Layout::references, sizeof references);
  EXPECT_EQ(references, 1u);
}

TEST_F(Values, ListsWhoseFirstItemsGo) {
  const auto numbers = [](int64_t from, int64_t to) {
    std::vector<Value> items;
    for (int64_t i = from; i < to; ++i) items.push_back(Value(i));
    return items;
  };
  const Value value = make_list(numbers(0, 1000));
  List& list = value.list();
  EXPECT_TRUE(list.of_one_kind());
  for (int64_t i = 0; i < 999; ++i) {
    const Value* begin = nullptr;
    std::memcpy(&begin, reinterpret_cast<const std::byte*>(value.object()) + List::Layout::begin, sizeof begin);
    ASSERT_EQ(begin, &list.item(0));
    ASSERT_EQ(list.item(0).i64(), i);
    ASSERT_EQ(list.size(), static_cast<size_t>(1000 - i));
    if (i % 100 == 50) {
      ASSERT_EQ(list.items().front().i64(), i);
      ASSERT_EQ(list.items().size(), list.size());
    }
    list.drop_front(1);
  }
  EXPECT_TRUE(list.of_one_kind());
  EXPECT_LT(list.items().capacity(), 100u);  // room that is not needed has gone
  for (int64_t i = 1000; i < 5000; ++i) {    // a queue stays small
    list.push(Value(i));
    list.drop_front(1);
    ASSERT_EQ(list.item(0).i64(), i);
  }
  EXPECT_LT(list.items().capacity(), 100u);
  list.push(Value(1.0));
  EXPECT_FALSE(list.of_one_kind());
  list.drop_front(1);
  EXPECT_TRUE(list.of_one_kind());
  list.set(0, Value(int64_t{3}));
  list.cut(0);
  EXPECT_EQ(list.size(), 0u);
  list.push(Value(2.0));
  list.reserve(200);
  list.push(Value(3.0));
  EXPECT_EQ(list.take(0).f64(), 2.0);
  EXPECT_EQ(list.take(0).f64(), 3.0);
  EXPECT_TRUE(list.items().empty());
}

TEST_F(Values, PoolCountsWhatIsUsed) {
  void* a = pool.allocate(100);
  void* b = pool.allocate(5'000'000);
  EXPECT_EQ(pool.account().used, 5'000'100u);
  EXPECT_EQ(pool.account().peak, 5'000'100u);
  EXPECT_EQ(pool.account().allocations, 2u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a) % 64, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b) % 64, 0u);
  pool.deallocate(b, 5'000'000);
  EXPECT_EQ(pool.account().used, 100u);
  EXPECT_EQ(pool.account().peak, 5'000'100u);
  pool.reset_peak();
  EXPECT_EQ(pool.account().peak, 100u);
  pool.deallocate(a, 100);
}

TEST_F(Values, PoolReusesBlocks) {
  if (!COVEC_POOL_KEEPS) GTEST_SKIP() << "the sanitizer sees every block on its own";
  for (size_t bytes : {1, 64, 65, 1024, 1025, 4096, 1 << 20, 3 << 20, (64 << 20) + 1}) {
    void* first = pool.allocate(bytes);
    std::memset(first, 1, bytes);
    pool.deallocate(first, bytes);
    void* second = pool.allocate(bytes);
    EXPECT_EQ(first, second) << bytes;
    pool.deallocate(second, bytes);
  }
  EXPECT_GT(pool.account().kept, uint64_t{64 << 20});
  pool.trim();
  EXPECT_EQ(pool.account().kept, 0u);
}

TEST_F(Values, PoolBlocksDoNotOverlap) {
  std::vector<std::pair<std::byte*, size_t>> blocks;
  for (size_t i = 0; i < 3000; ++i) {
    const size_t bytes = 1 + i * 37 % 3000;
    blocks.push_back({static_cast<std::byte*>(pool.allocate(bytes)), bytes});
    std::memset(blocks.back().first, static_cast<int>(i % 251), bytes);
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    const auto [data, bytes] = blocks[i];
    EXPECT_EQ(data[0], static_cast<std::byte>(i % 251));
    EXPECT_EQ(data[bytes - 1], static_cast<std::byte>(i % 251));
    pool.deallocate(data, bytes);
  }
}

TEST_F(Values, PoolRefusesBeyondItsLimit) {
  EXPECT_EQ(message_of([&] { pool.allocate(size_t{8} * 1000 * 1000 * 1000 * 1000); }),
            "out of memory: 8.0 TB are needed, the limit is 1.1 GB");
  EXPECT_NE(message_of([&] { pool.allocate(SIZE_MAX); }), "");
  pool.set_limit(1000);
  void* half = pool.allocate(600);
  EXPECT_EQ(message_of([&] { pool.allocate(500); }), "out of memory: 500 bytes are needed, the limit is 1.0 kB");
  pool.deallocate(half, 600);
  void* now = pool.allocate(900);
  EXPECT_NE(message_of([&] { pool.allocate(600); }), "") << "a kept block counts against the limit too";
  pool.deallocate(now, 900);
}

class CountingWatch final : public MemoryWatch {
 public:
  void taken(const void* what, uint64_t bytes) noexcept override { held[what] += bytes; }
  void changed(const void* what, uint64_t from, uint64_t to) noexcept override { held[what] += to - from; }
  void given_back(const void* what, uint64_t bytes) noexcept override {
    if (held.contains(what) && (held[what] -= bytes) == 0) held.erase(what);
    gone += bytes;
  }
  uint64_t sum() const {
    return std::accumulate(held.begin(), held.end(), uint64_t{0},
                           [](uint64_t a, const auto& b) { return a + b.second; });
  }
  std::map<const void*, uint64_t> held;
  uint64_t gone = 0;
};

TEST_F(Values, AWatchIsToldOfBlocksAndCharges) {
  const Memory::Use use(pool);
  const Value before = make_list(std::vector<Value>(100));
  void* old = pool.allocate(64);
  const uint64_t used = pool.account().used;
  CountingWatch watch;
  pool.watch(&watch);
  for (size_t bytes : {1, 64, 1024, 1025, 5'000'000}) {
    for (int i = 0; i < 3; ++i) {
      void* block = pool.allocate(bytes);
      EXPECT_EQ(watch.sum(), bytes);
      EXPECT_EQ(watch.held[block], bytes);
      EXPECT_EQ(pool.account().used, used + bytes);
      pool.deallocate(block, bytes);
      EXPECT_TRUE(watch.held.empty());
    }
  }
  {
    const Value list = make_list({Value(1.0)});
    const uint64_t one = watch.sum();
    EXPECT_EQ(pool.account().used, used + one);
    list.list().reserve(1000);
    EXPECT_GE(watch.sum(), one + 15'000);
    list.list().cut(0);
    EXPECT_EQ(pool.account().used, used + watch.sum());
    EXPECT_EQ(watch.held.size(), 1u);
  }
  EXPECT_TRUE(watch.held.empty());
  const uint64_t limit = pool.account().limit;
  pool.set_limit(used + 100);
  EXPECT_NE(message_of([&] { pool.allocate(101); }), "");
  EXPECT_NE(message_of([&] { make_list(std::vector<Value>(100)); }), "");
  EXPECT_NE(message_of([&] { pool.need(101); }), "");
  pool.deallocate(pool.allocate(100), 100);
  EXPECT_TRUE(watch.held.empty());
  pool.set_limit(limit);
  const uint64_t gone = watch.gone;
  pool.deallocate(old, 64);
  EXPECT_EQ(watch.gone, gone + 64) << "what was there before is told, too";
  void* kept = pool.allocate(200);
  pool.watch(nullptr);
  pool.deallocate(kept, 200);
  EXPECT_EQ(watch.gone, gone + 64);
  EXPECT_EQ(watch.sum(), 200u);
  void* again = pool.allocate(200);
  EXPECT_EQ(watch.sum(), 200u);
  pool.deallocate(again, 200);
}

TEST(Pools, OutliveTheirSession) {
  Pool* pool = Pool::create();
  Value tensor = make_tensor(*pool, Dtype::f64, Shape{1000});
  pool->release();
  tensor.tensor().as<double>()[999] = 1;
  Value copy = contiguous(*pool, tensor);
  tensor = Value();  // the last block goes, and the pool with it: the sanitizer would see a leak or a use after free
}

TEST(Pools, TellAWatchFromTheFirstByteOn) {
  Pool* pool = Pool::create();
  CountingWatch watch;
  pool->watch(&watch);
  {
    const Memory::Use use(*pool);
    MemoryCharge charge(0);
    void* block = pool->allocate(0);
    charge.change(7);
    EXPECT_EQ(watch.held.size(), 2u);
    pool->deallocate(block, 0);
    EXPECT_EQ(watch.sum(), 7u);
  }
  EXPECT_EQ(watch.sum(), 0u);
  Value tensor = make_tensor(*pool, Dtype::f64, Shape{1000});
  pool->watch(nullptr);
  pool->release();
  tensor.tensor().as<double>()[999] = 1;
  tensor = Value();  // the pool goes now, and not before
}

// Every other block is guarded in front, the others behind; one that fills its pages is guarded behind.
TEST(Pools, GuardTheirBlocks) {
  Pool* pool = Pool::create();
  pool->guard();
  for (const size_t bytes :
       {size_t{0}, size_t{1}, size_t{8}, size_t{100}, size_t{4088}, size_t{4096}, size_t{100'000}}) {
    auto* first = static_cast<std::byte*>(pool->allocate(bytes));
    auto* second = static_cast<std::byte*>(pool->allocate(bytes));
    std::fill_n(first, bytes, std::byte{1});
    std::fill_n(second, bytes, std::byte{2});
    const size_t end = std::max<size_t>(bytes + 7, 8) / 8 * 8;
    EXPECT_DEATH(second[end] = std::byte{3}, "") << bytes;
    if (end % 4096 != 0) {
      EXPECT_DEATH(first[-1] = std::byte{3}, "") << bytes;
    }
    pool->deallocate(first, bytes);
    if (end > 4096) {
      EXPECT_DEATH(first[0] = std::byte{3}, "") << bytes;
    } else if (bytes > 8) {  // kept: whoever reads it sees NaN
      EXPECT_EQ(first[bytes - 1], std::byte{0xff}) << bytes;
    }
    pool->deallocate(second, bytes);
  }
  EXPECT_EQ(pool->account().used, 0u);
  pool->release();
}

TEST(Pools, GuardTheElementsOfSmallTensors) {
  Pool* pool = Pool::create();
  pool->guard();
  const Value first = make_tensor(*pool, Dtype::f64, Shape{3}), second = make_tensor(*pool, Dtype::f64, Shape{3});
  for (const Value* value : {&first, &second}) EXPECT_EQ(value->tensor().memory().size(), 24u);
  EXPECT_DEATH(
      {
        const_cast<Value&>(first).tensor().as<double>()[3] = 1;
        const_cast<Value&>(second).tensor().as<double>()[3] = 1;
      },
      "");
  pool->release();
}

// The system has only so many mappings for a process.
TEST(Pools, GuardNotMoreBlocksThanThereAreMappings) {
  Pool* pool = Pool::create();
  pool->guard();
  std::vector<void*> blocks;
  for (int i = 0; i < 80'000; ++i) blocks.push_back(pool->allocate(8));
  EXPECT_TRUE(std::ranges::none_of(blocks, [](void* block) { return block == nullptr; }));
  for (void* block : blocks) pool->deallocate(block, 8);
  auto* later = static_cast<std::byte*>(pool->allocate(8));
  EXPECT_DEATH(later[-1] = std::byte{1}, "") << "guards come back";
  pool->deallocate(later, 8);
  pool->release();
}

TEST(Pools, WriteSizes) {
  EXPECT_EQ(human_bytes(999), "999 bytes");
  EXPECT_EQ(human_bytes(1000), "1.0 kB");
  EXPECT_EQ(human_bytes(999'960), "1.0 MB");
  EXPECT_EQ(human_bytes(UINT64_MAX), "18.4 EB");
}

// Where a size_t has 32 bits, size_for() refuses so what does not fit into one.
TEST_F(Values, ItemsThatAreTooMany) {
  EXPECT_EQ(size_for<double>(5), 5u);
  const auto refused = [&](int64_t count) { return message_of([&] { refuse_items(count, 8); }); };
  EXPECT_EQ(refused(int64_t{1} << 40), "out of memory: 8.8 TB are needed, the limit is 72.1 PB");
  EXPECT_EQ(refused(INT64_MAX), "out of memory: 18.4 EB are needed, the limit is 72.1 PB");
}

TEST_F(Values, AbsurdSizesAreErrors) {
  constexpr int64_t huge = int64_t{1} << 40;
  for (const Shape& shape :
       {Shape{huge}, Shape{huge, huge}, Shape{huge, huge, huge, huge}, Shape{INT64_MAX}, Shape{INT64_MAX, 2}}) {
    EXPECT_NE(message_of([&] { make_tensor(pool, Dtype::f64, shape); }), "") << shape.text();
  }
  const Value none = make_tensor(pool, Dtype::f64, Shape{huge, 0, huge, huge});
  EXPECT_EQ(none.tensor().size(), 0);
  EXPECT_TRUE(none.tensor().contiguous());
  const Value one = f64({1}, {3.0});
  const int64_t still[] = {0, 0, 0};
  EXPECT_NE(message_of([&] { Tensor::view(one, one.tensor().data(), Shape{huge, huge, huge}, still); }), "");
}

TEST_F(Values, RankLimit) {
  Shape shape;
  for (unsigned i = 0; i < max_rank; ++i) shape.push_back(1);
  EXPECT_EQ(message_of([&] { shape.push_back(1); }), "a tensor of rank 17 is not supported: the limit is 16");
  EXPECT_EQ(make_tensor(pool, Dtype::i32, shape).tensor().rank(), 16u);
}

TEST_F(Values, TensorsKnowTheirLayout) {
  const Value v = i64({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor& t = v.tensor();
  EXPECT_EQ(t.stride(0), 3);
  EXPECT_EQ(t.stride(1), 1);
  EXPECT_EQ(t.type().text(), "i64[2, 3]");
  const int64_t index[] = {1, 2};
  EXPECT_EQ(*reinterpret_cast<const int64_t*>(t.at(index)), 6);
  EXPECT_EQ(describe(v), "i64[2, 3]");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(t.data()) % 64, 0u);
}

TEST_F(Values, ViewsShareAndSmallOnesCopy) {
  Value base = count(1000);
  const int64_t one[] = {1}, two[] = {2}, minus[] = {-1};
  Value half = Tensor::view(base, base.tensor().data(), Shape{500}, two);
  EXPECT_FALSE(base.tensor().exclusive());
  EXPECT_FALSE(half.tensor().contiguous());
  Value small = Tensor::view(base, base.tensor().data() + 80, Shape{10}, one);
  EXPECT_TRUE(small.tensor().exclusive()) << "a small slice must not pin a large block";
  EXPECT_EQ(small.tensor().as<double>()[3], 13);
  half = Value();
  EXPECT_TRUE(base.tensor().exclusive());
  Value back = Tensor::view(base, base.tensor().data() + 999 * 8, Shape{1000}, minus);
  Value copy = contiguous(pool, back);
  EXPECT_EQ(copy.tensor().as<double>()[0], 999);
  EXPECT_EQ(copy.tensor().as<double>()[999], 0);
  Value scalar = Tensor::view(base, base.tensor().data() + 16, Shape{}, {});
  EXPECT_EQ(scalar.f64(), 2);
}

TEST_F(Values, WritableCopiesOnlyWhenShared) {
  Value a = count(100);
  const std::byte* before = a.tensor().data();
  EXPECT_EQ(writable(a, pool).data(), before);
  Value b = a;
  writable(b, pool).as<double>()[0] = 42;
  EXPECT_EQ(a.tensor().as<double>()[0], 0);
  EXPECT_EQ(b.tensor().as<double>()[0], 42);
  EXPECT_EQ(writable(a, pool).data(), before);
}

TEST_F(Values, BroadcastsAreNotWrittenInPlace) {
  Value column = count(100);
  const int64_t still[] = {0, 1};
  Value wide = Tensor::view(column, column.tensor().data(), Shape{50, 100}, still);
  column = Value();
  EXPECT_FALSE(wide.tensor().exclusive());
  writable(wide, pool).as<double>()[0] = 7;
  EXPECT_EQ(wide.tensor().as<double>()[100], 0);
}

struct SharedMemory {
  std::vector<double> elements = std::vector<double>(100, 1.5);
  int released = 0;
};

TEST_F(Values, SharedMemoryIsUsedInPlaceAndReleasedOnce) {
  SharedMemory memory;
  const auto release = [](void* owner) { ++static_cast<SharedMemory*>(owner)->released; };
  Value v = Tensor::share(pool, Dtype::f64, Shape{10, 10}, memory.elements.data(), true, release, &memory);
  EXPECT_EQ(v.tensor().data(), reinterpret_cast<std::byte*>(memory.elements.data()));
  Value shared = v;
  v = Value();
  EXPECT_EQ(memory.released, 0);
  writable(shared, pool).as<double>()[0] = 2;
  EXPECT_EQ(memory.elements[0], 1.5) << "shared for reading";
  EXPECT_EQ(memory.released, 1);
  Value own = Tensor::share(pool, Dtype::f64, Shape{100}, memory.elements.data(), false, release, &memory);
  writable(own, pool).as<double>()[0] = 2;
  EXPECT_EQ(memory.elements[0], 2);
  own = Value();
  EXPECT_EQ(memory.released, 2);
}

// Copies between all permutations of three axes, some reversed, against one element at a time.
template <class T>
void check_copies(Pool& pool, Dtype dtype, int64_t n0, int64_t n1, int64_t n2) {
  Value base = make_tensor(pool, dtype, Shape{n0, n1, n2});
  std::iota(base.tensor().as<T>(), base.tensor().as<T>() + base.tensor().size(), T{0});
  int order[] = {0, 1, 2};
  do {
    for (int flip = 0; flip < 8; ++flip) {
      int64_t dims[3], strides[3], start = 0;
      for (int i = 0; i < 3; ++i) {
        const auto axis = static_cast<unsigned>(order[i]);
        dims[i] = base.tensor().dim(axis);
        strides[i] = base.tensor().stride(axis) * (flip >> i & 1 ? -1 : 1);
        if (strides[i] < 0) start += (dims[i] - 1) * base.tensor().stride(axis);
      }
      Value view =
          Tensor::view(base, base.tensor().data() + start * static_cast<int64_t>(sizeof(T)), Shape(dims, 3), strides);
      Value copy = make_tensor(pool, dtype, Shape(dims, 3));
      copy_elements(view.tensor(), copy.tensor());
      const T* at = copy.tensor().as<T>();
      for (int64_t i = 0; i < dims[0]; ++i) {
        for (int64_t j = 0; j < dims[1]; ++j) {
          for (int64_t k = 0; k < dims[2]; ++k, ++at) {
            const int64_t index[] = {i, j, k};
            ASSERT_EQ(*at, *reinterpret_cast<const T*>(view.tensor().at(index))) << i << " " << j << " " << k;
          }
        }
      }
      Value again = make_tensor(pool, dtype, Shape{n0, n1, n2});  // and back, into the strided layout
      Value there =
          Tensor::view(again, again.tensor().data() + start * static_cast<int64_t>(sizeof(T)), Shape(dims, 3), strides);
      copy_elements(copy.tensor(), there.tensor());
      ASSERT_EQ(std::memcmp(again.tensor().data(), base.tensor().data(),
                            static_cast<size_t>(base.tensor().size()) * sizeof(T)),
                0);
    }
  } while (std::next_permutation(order, order + 3));
}

TEST_F(Values, CopiesAnyLayout) {
  check_copies<double>(pool, Dtype::f64, 3, 17, 33);
  check_copies<float>(pool, Dtype::f32, 35, 4, 18);
  check_copies<uint8_t>(pool, Dtype::boolean, 19, 65, 2);
  check_copies<int32_t>(pool, Dtype::i32, 1, 7, 40);
  check_copies<float>(pool, Dtype::f32, 67, 2, 70);
  check_copies<double>(pool, Dtype::f64, 40, 1, 35);
}

TEST_F(Values, ItemsAreViews) {
  const Value v = i64({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(item_of(v, 1).tensor().as<int64_t>()[2], 6);
  EXPECT_EQ(item_of(item_of(v, 0), 1).i64(), 2);
}

TEST_F(Values, DeepValuesAreDestroyedWithoutRecursion) {
  constexpr int depth = 1'000'000;
  Value tuples = count(3), records, traces = 1.0;
  for (int i = 0; i < depth; ++i) tuples = make_tuple({std::move(tuples), Value(1.0)});
  const auto layout = std::make_shared<const RecordLayout>(RecordLayout{{"next"}});
  for (int i = 0; i < depth; ++i) records = make_record(layout, {std::move(records)});
  for (int i = 0; i < depth; ++i) traces = Value::adopt(new Traced(TraceKind::jvp, 1, std::move(traces)));
}

// What a list remembers of its items is forgotten where another kind comes.
TEST_F(Values, ListsKnowWhetherTheirItemsAreOfOneKind) {
  const Value value = make_list({Value(1.0), Value(2.0), Value(3.0)});
  List& list = value.list();
  EXPECT_TRUE(list.of_one_kind());
  list.push(Value(4.0));
  EXPECT_TRUE(list.of_one_kind());
  list.push(Value(int64_t{5}));
  EXPECT_FALSE(list.of_one_kind());
  list.set(4, Value(5.0));
  EXPECT_TRUE(list.of_one_kind());
  list.set(0, Value(1.5f));
  EXPECT_FALSE(list.of_one_kind());
  list.set(0, i64({2}, {1, 2}));
  EXPECT_FALSE(list.of_one_kind());
  list.change([&](auto& items) { items = {i64({2}, {1, 2}), i64({3}, {1, 2, 3})}; });
  EXPECT_TRUE(list.of_one_kind());
  EXPECT_THROW(list.change_item(1,
                                [](Value& item) {
                                  item = Value(1.0);
                                  throw 1;
                                }),
               int);
  EXPECT_FALSE(list.of_one_kind());
  list.change([&](auto& items) { items[1] = i64({1, 1}, {1}); });
  EXPECT_FALSE(list.of_one_kind());
  list.change([&](auto& items) { items = {Value(1.0), Value(2.0), Value(int64_t{3}), Value(4.0)}; });
  EXPECT_FALSE(list.of_one_kind());
  EXPECT_EQ(list.take(3).f64(), 4.0);
  EXPECT_FALSE(list.of_one_kind());
  list.cut(2);
  EXPECT_TRUE(list.of_one_kind());
  EXPECT_EQ(list.take(0).f64(), 1.0);
  EXPECT_TRUE(list.of_one_kind());
  list.change([&](auto& items) { items = {Value(1.0), Value(int64_t{2})}; });
  EXPECT_FALSE(list.of_one_kind());
  EXPECT_EQ(list.take(0).f64(), 1.0);
  EXPECT_TRUE(list.of_one_kind());
  list.cut(0);
  EXPECT_FALSE(list.of_one_kind());
  EXPECT_FALSE(make_list({}).list().of_one_kind());
  EXPECT_FALSE(make_list({Value()}).list().of_one_kind());
  EXPECT_FALSE(make_list({make_list({Value(1.0)})}).list().of_one_kind());
}

// A process that is pinned to one core of many must not take one thread a core of the machine.
TEST(Machine, CountsTheCoresOfItsMask) {
  cpu_set_t before, first;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(gate::usable_cores(), static_cast<unsigned>(CPU_COUNT(&before)));
  int core = 0;
  while (!CPU_ISSET(core, &before)) ++core;
  CPU_ZERO(&first);
  CPU_SET(core, &first);
  ASSERT_EQ(sched_setaffinity(0, sizeof first, &first), 0);
  const unsigned pinned = gate::usable_cores();
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(pinned, 1u);
}

TEST(Scalars, KeepTheirBits) {
  EXPECT_EQ(sizeof(Value), 16u);
  const double x = -0.0;
  EXPECT_TRUE(std::signbit(Value::scalar(Dtype::f64, &x).f64()));
  const uint8_t yes = 2;
  EXPECT_TRUE(Value::scalar(Dtype::boolean, &yes).boolean());
  const int32_t minus = -5;
  EXPECT_EQ(Value::scalar(Dtype::i32, &minus).i32(), -5);
  EXPECT_EQ(describe(Value(1.0f)), "f32");
  EXPECT_EQ(describe(Value()), "none");
}

}  // namespace
}  // namespace covec
