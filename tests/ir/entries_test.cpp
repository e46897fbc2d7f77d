// Every pointwise entry and every reduction on both engines, from the entries alone: all dtypes, broadcast and strided
// operands, special values, sizes 0 and 1 and across block edges. Nothing here names an operator.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "jit/lower/ir_builder.hpp"
#include "jit/lower/lower.hpp"
#include "stdlib/ops/entry.hpp"
#include "stdlib/ops/pointwise.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"
#include "tests/ir/c99_engine.hpp"

namespace {

using namespace covec;

constexpr Dtype dtypes[] = {Dtype::boolean, Dtype::i32, Dtype::i64, Dtype::f32, Dtype::f64};

class Silent : public ops::Output {
 public:
  void write(std::string_view) override {}
  void warn(std::string_view) override {}
};

struct World {
  World() {
    context.pool = Pool::create();
    context.output = &output;
  }
  ~World() { context.pool->release(); }
  Silent output;
  ops::Context context;
};

// A stream of numbers that goes through special values and then through a mixture of sizes.
double number(uint64_t i, Dtype dtype) {
  constexpr double special[] = {0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, -2.0, 1e-300, 1e300, 1e-40, 88.7, -103.9, 709.8, 1e5, 7.25};
  constexpr double inf = std::numeric_limits<double>::infinity();
  if (is_float(dtype) && i % 11 == 7) return i % 3 == 0 ? inf : i % 3 == 1 ? -inf : std::nan("");
  if (i % 3 == 0) return special[(i / 3) % std::size(special)];
  const double x = static_cast<double>((i * 2654435761u) % 20011) / 1000.0 - 10.0;
  return is_float(dtype) ? x : std::floor(x);
}

template <class T>
void fill(T* data, int64_t n, uint64_t seed, Dtype dtype) {
  for (int64_t i = 0; i < n; ++i) {
    const double x = number(seed + static_cast<uint64_t>(i), dtype);
    if constexpr (std::is_floating_point_v<T>) data[i] = static_cast<T>(x);
    else data[i] = static_cast<T>(std::fabs(x) > 1e9 ? 12345 : static_cast<int64_t>(x));
  }
}

Value sample(Pool& pool, Dtype dtype, const Shape& shape, uint64_t seed) {
  Value value = make_tensor(pool, dtype, shape);
  void* data = value.is_scalar() ? value.scalar_data() : value.tensor().data();
  const int64_t n = shape.elements();
  switch (dtype) {
    case Dtype::boolean:
      for (int64_t i = 0; i < n; ++i) static_cast<uint8_t*>(data)[i] = ((seed + static_cast<uint64_t>(i)) * 7 / 3) & 1;
      break;
    case Dtype::i32: fill(static_cast<int32_t*>(data), n, seed, dtype); break;
    case Dtype::i64: fill(static_cast<int64_t*>(data), n, seed, dtype); break;
    case Dtype::f32: fill(static_cast<float*>(data), n, seed, dtype); break;
    case Dtype::f64: fill(static_cast<double*>(data), n, seed, dtype); break;
  }
  return value;
}

struct Trial {
  size_t function;
  const ops::Entry* entry;
  std::vector<Value> attributes;  // after the tensors
  std::vector<std::vector<Value>> inputs;
};

// Lowers one application; nothing when the operator does not take these dtypes.
std::optional<ir::Graph> graph_of(World& world, const ops::Entry& entry, const std::vector<Dtype>& types,
                                  const std::vector<unsigned>& ranks, const std::vector<Value>& attributes) {
  ir::Graph graph;
  graph.name = entry.name;
  ir::IrBuilder builder(world.context, graph);
  std::vector<Value> args;
  for (size_t i = 0; i < types.size(); ++i) {
    args.push_back(builder.parameter("x" + std::to_string(i), types[i], ranks[i]));
  }
  args.insert(args.end(), attributes.begin(), attributes.end());
  try {
    graph.results.push_back(ops::call(builder, entry, args));
  } catch (const OpError&) {
    return std::nullopt;
  } catch (const ir::NotLowered& refused) {
    ADD_FAILURE() << entry.name << ": " << refused.reason;
    return std::nullopt;
  }
  return graph;
}

struct Count {
  int entries = 0, variants = 0, comparisons = 0, failures_agreed = 0;
};

void compare(World& world, const tests::C99Engine& engine, const Trial& trial, Count& count) {
  for (const std::vector<Value>& inputs : trial.inputs) {
    const auto outcome = engine.run(trial.function, inputs, *world.context.pool);
    for (ops::Isa isa : {ops::Isa::baseline, ops::Isa::avx2, ops::Isa::avx512}) {
      if (isa > ops::detect_isa()) continue;
      world.context.isa = isa;
      ops::EagerBuilder eager(world.context);
      std::optional<Value> result;
      std::vector<Value> args = inputs;
      args.insert(args.end(), trial.attributes.begin(), trial.attributes.end());
      try {
        result = ops::call(eager, *trial.entry, args);
      } catch (const OpError&) {
      }
      ++count.comparisons;
      std::string types;
      for (const Value& input : inputs) types += type_of(input).text() + " ";
      ASSERT_EQ(result.has_value(), !outcome.failed_operation.has_value()) << trial.entry->name << " of " << types;
      if (!result) ++count.failures_agreed;
      else EXPECT_TRUE(tests::same_bits(*result, outcome.results[0])) << trial.entry->name << " of " << types << "isa " << int(isa);
    }
  }
}

void next(std::vector<size_t>& digits, size_t base) {
  for (size_t& digit : digits) {
    if (++digit < base) return;
    digit = 0;
  }
}

size_t tensors_of(const ops::Entry& entry) {
  size_t count = 0;
  for (const ops::Parameter& parameter : entry.parameters) count += parameter.kind == ops::ParameterKind::tensor;
  return count;
}

TEST(Entries, EveryPointwiseEntryAgreesBitForBit) {
  World world;
  Pool& pool = *world.context.pool;
  tests::C99Engine engine;
  std::vector<Trial> trials;
  Count count;
  for (const ops::Entry* entry : ops::all_entries()) {
    if (entry->pointwise == nullptr) continue;
    ++count.entries;
    const size_t arity = tensors_of(*entry);
    std::vector<Value> attributes;
    if (arity < entry->parameters.size()) attributes.push_back(int64_t{3});
    std::vector<size_t> digits(arity, 0);
    size_t combinations = 1;
    for (size_t i = 0; i < arity; ++i) combinations *= std::size(dtypes);
    for (size_t c = 0; c < combinations; ++c, next(digits, std::size(dtypes))) {
      std::vector<Dtype> types;
      for (size_t digit : digits) types.push_back(dtypes[digit]);
      const std::vector<unsigned> ranks = {2, 1, 2};
      auto graph = graph_of(world, *entry, types, {ranks.begin(), ranks.begin() + static_cast<long>(arity)}, attributes);
      if (!graph) continue;
      ++count.variants;
      Trial trial{engine.add(std::move(*graph)), entry, attributes, {}};
      const std::vector<std::vector<Shape>> shapes = {{{13, 29}, {29}, {13, 29}}, {{1, 5}, {1}, {4, 1}}, {{0, 3}, {3}, {1, 3}}};
      for (const auto& shape : shapes) {
        std::vector<Value> inputs;
        for (size_t i = 0; i < arity; ++i) inputs.push_back(sample(pool, types[i], shape[i], 17 * i + 1));
        trial.inputs.push_back(std::move(inputs));
      }
      trials.push_back(std::move(trial));
    }
  }
  engine.build();
  for (const Trial& trial : trials) compare(world, engine, trial, count);
  EXPECT_GT(count.entries, 25);
  RecordProperty("entries", count.entries);
  std::printf("pointwise: %d entries, %d variants, %d comparisons, %d of them agreed failures\n", count.entries,
              count.variants, count.comparisons, count.failures_agreed);
}

TEST(Entries, EveryReductionAgreesBitForBit) {
  World world;
  Pool& pool = *world.context.pool;
  tests::C99Engine engine;
  std::vector<Trial> trials;
  Count count;
  const std::vector<Value> axes = {Value(), Value(int64_t{0}), Value(int64_t{-1}), make_tuple({int64_t{0}, int64_t{2}})};
  const std::vector<Shape> shapes = {{3, 5, 7}, {1, 1, 1}, {2, 1100, 3}, {2, 3, 2100}, {0, 2, 3}, {2, 2, 5000}};
  for (const ops::Entry* entry : ops::all_entries()) {
    if (entry->reduce == nullptr) continue;
    ++count.entries;
    for (Dtype dtype : dtypes) {
      for (const Value& axis : axes) {
        for (bool keepdims : {false, true}) {
          auto graph = graph_of(world, *entry, {dtype}, {3}, {axis, keepdims});
          if (!graph) continue;
          ++count.variants;
          Trial trial{engine.add(std::move(*graph)), entry, {axis, keepdims}, {}};
          for (const Shape& shape : shapes) trial.inputs.push_back({sample(pool, dtype, shape, 3)});
          trials.push_back(std::move(trial));
        }
      }
    }
  }
  engine.build();
  for (const Trial& trial : trials) compare(world, engine, trial, count);
  EXPECT_GT(count.entries, 6);
  std::printf("reductions: %d entries, %d variants, %d comparisons, %d of them agreed failures\n", count.entries,
              count.variants, count.comparisons, count.failures_agreed);
}

}  // namespace
