// Every entry on its samples, with Symbols for tensors: the type rule's claims hold, and what was recorded, values,
// derivatives and batches alike, computes the bits that the eager engine does. What cannot be said before the run is
// listed, so that the list can only be changed on purpose.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/derivatives/directional.hpp"
#include "stdlib/ops/derivatives/vmap.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/value/callable.hpp"
#include "tests/ops/entries_support.hpp"
#include "tests/staging/staging_support.hpp"

namespace covec::test {

namespace {

using ops::Entry;
// A sample's call, some of whose leaves are taken out as its operands.
struct SampleCall {
  const Entry& entry;
  std::vector<Value> args;
  std::vector<std::string> keywords;  // of the last args
  std::vector<Value> operands;

  Value call(ops::Builder& builder, std::span<const Value> given) const {
    size_t next = 0;
    std::vector<Value> filled;
    for (const Value& arg : args) {
      filled.push_back(map_leaves(arg, [&](const Value& leaf) { return leaf.is_unbound() ? given[next++] : leaf; }));
    }
    const std::vector<std::string_view> names(keywords.begin(), keywords.end());
    return ops::function_of(entry).function().call(builder, filled, names);
  }
  Value function() const {
    return wrap([*this](ops::Builder& b, std::span<Value> given) { return call(b, given); });
  }
};

ops::ParameterKind kind_of_argument(const Entry& entry, size_t i, const std::string& keyword) {
  if (keyword.empty()) {
    if (entry.variadic && i >= entry.variadic_at) return entry.parameters[entry.variadic_at].kind;
    return entry.parameters[i].kind;
  }
  for (const ops::Parameter& parameter : entry.parameters) {
    if (parameter.name == keyword) return parameter.kind;
  }
  return ops::ParameterKind::attribute;
}

// Which leaves become operands: tensors and numbers where tensors are expected; and integers among the attributes.
enum class Taken { tensors, sizes_too };

bool is_taken(Taken taken, ops::ParameterKind kind, const Value& leaf) {
  if (!leaf.is_numeric()) return false;
  if (kind != ops::ParameterKind::attribute) return true;
  return taken == Taken::sizes_too && ops::is_integer(leaf);
}

SampleCall read_sample(Language& language, const Entry& entry, std::string_view arguments, Taken taken) {
  SampleCall sample{entry, {}, {}, {}};
  size_t i = 0;
  for (const ArgumentText& argument : split_arguments(arguments)) {
    const size_t equals = argument.keyword ? argument.text.find('=') : std::string::npos;
    const std::string keyword = argument.keyword ? argument.text.substr(0, equals) : "";
    const ops::ParameterKind kind = kind_of_argument(entry, i++, keyword);
    const Value value = language.evaluate(argument.keyword ? argument.text.substr(equals + 1) : argument.text);
    if (argument.keyword) sample.keywords.push_back(keyword);
    sample.args.push_back(map_leaves(value, [&](const Value& leaf) {
      if (!is_taken(taken, kind, leaf)) return leaf;
      sample.operands.push_back(leaf);
      return Value::unbound();
    }));
  }
  return sample;
}

bool gives_tensors(const Value& result) {
  bool all = true;
  each_leaf(result, [&](const Value& leaf) { all &= leaf.is_numeric(); });
  return all;
}

// What depends on numbers that only the run has, on some sample: whether an axis has size 1, how many parts or factors
// there are, a tensor's shape as a text; draws over examples.
const std::set<std::string_view> left_to_the_run = {"filter", "polyval", "same", "split", "squeeze", "svd", "type_of"};
std::set<std::string_view> joined(std::set<std::string_view> a, const std::set<std::string_view>& b) {
  a.insert(b.begin(), b.end());
  return a;
}
const std::set<std::string_view>& lefts(std::string_view what) {
  static const std::set<std::string_view> axes = {
      "sum", "mean", "prod", "complex_product", "max", "min", "any", "all", "argmax", "argmin", "logsumexp", "flip",
      "concat", "stack", "stack_of_tensor", "permute", "swapaxes", "moveaxis", "transpose", "unsqueeze", "repeat",
      "range", "cumsum", "cumprod", "cumlogsumexp", "var", "std", "norm", "sort", "argsort", "topk", "roll", "gather",
      "scatter_add", "softmax", "log_softmax", "count_nonzero", "cummax", "cummin", "cross", "windows", "diff",
      "trapezoid", "median", "quantile", "nanmedian", "nanquantile", "nansum", "nanprod", "nanmean", "nanvar", "nanstd",
      "nanmax", "nanmin", "nanargmax", "nanargmin",
      // And which norm, how many diagonals, which power, what degree, whether windows have gaps.
      "cond", "banded_solve", "matrix_power", "polyfit", "allclose", "max_pool2d", "avg_pool2d", "_centred", "length",
      "rot90", "weighted_mean", "polyder", "polyint", "cumulative_trapezoid", "gradient", "unwrap", "singular_norm",
      "complex_singular_norm", "singular_direction", "complex_singular_direction"};
  // How many results there are, or what is an error, is a matter of each example; whether unnamed sizes agree.
  static const std::set<std::string_view> examples = {"logspace",  "geomspace",    "union",       "intersect",
                                                      "setdiff",   "linspace",     "permutation", "choice",
                                                      "unique",    "nonzero",      "argwhere",    "bincount",
                                                      "histogram", "quantile",     "nanquantile", "cho_solve",
                                                      "cond",      "matrix_power", "polyfit"},
                                          products = {"prod", "nanprod"}, none;
  // Whether values are equal, which the rules of their vectors ask, only the run knows.
  static const std::set<std::string_view> factors = {"lu"},
                                          vectors = {"packed_eigh", "packed_svd", "eigh", "cond", "lu"},
                                          vectors_of_examples = joined(vectors, examples),
                                          vectors_and_products = joined(vectors, products);
  if (what == "sizes") return axes;
  if (what == "tangents") return factors;
  if (what == "cotangents") return vectors;
  if (what == "second derivatives") return vectors_and_products;
  if (what.starts_with("cotangents")) return vectors_of_examples;
  return what.find("examples") != std::string_view::npos ? examples : none;
}
bool is_left(std::string_view what, std::string_view name) {
  // The indices of each example's sparse matrix are looked at one by one.
  const bool patterns = name.starts_with("_sparse_") && what.find("examples") != std::string_view::npos;
  return patterns || left_to_the_run.contains(name) || lefts(what).contains(name);
}

}  // namespace

class StagedEntry : public EntryTest {
 protected:
  void each_sample(Taken taken, const std::function<void(const SampleCall&)>& check) {
    for (const ops::Sample& sample : entry().samples) {
      SCOPED_TRACE(std::string(entry().name) + "(" + std::string(sample.arguments) + ")");
      const SampleCall call = read_sample(language, entry(), sample.arguments, taken);
      if (!call.operands.empty()) check(call);
    }
  }
  void stage(const char* what, const Function& f, const std::vector<Value>& operands) {
    const bool staged = check_staged(language, f, operands);
    count_case(staged ? what : "not staged");
    EXPECT_TRUE(staged || is_left(what, entry().name)) << what;
  }
  // The sample's operands that can be differentiated, the others put back.
  static SampleCall floats_of(const SampleCall& call) {
    SampleCall floats = call;
    floats.operands.clear();
    size_t next = 0;
    for (Value& arg : floats.args) {
      arg = map_leaves(arg, [&](const Value& leaf) {
        if (!leaf.is_unbound()) return leaf;
        const Value& operand = call.operands[next++];
        if (!is_float_value(operand)) return operand;
        floats.operands.push_back(operand);
        return leaf;
      });
    }
    return floats;
  }
};

TEST_P(StagedEntry, ComputesTheSame) {
  each_sample(Taken::tensors, [&](const SampleCall& call) {
    stage(
        "values", [&](ops::Builder& b, std::span<Value> given) { return call.call(b, given); }, call.operands);
  });
}

TEST_P(StagedEntry, TakesSizes) {
  each_sample(Taken::sizes_too, [&](const SampleCall& call) {
    stage(
        "sizes", [&](ops::Builder& b, std::span<Value> given) { return call.call(b, given); }, call.operands);
  });
}

TEST_P(StagedEntry, HasTangents) {
  each_sample(Taken::tensors, [&](const SampleCall& all) {
    const SampleCall call = floats_of(all);
    if (call.operands.empty() || !gives_tensors(call.call(language.builder(), call.operands))) return;
    if (entry().derivative.none() != nullptr && entry().staging == ops::Staging::typed) return;
    const Value f = call.function();
    std::vector<Value> operands = call.operands;
    for (const Value& operand : call.operands) operands.push_back(direction(language.builder(), operand));
    stage(
        "tangents",
        [&](ops::Builder& b, std::span<Value> given) {
          const size_t half = given.size() / 2;
          return autodiff::jvp(b, f, make_tuple({given.begin(), given.begin() + half}),
                               make_tuple({given.begin() + half, given.end()}));
        },
        operands);
  });
}

TEST_P(StagedEntry, HasCotangents) {
  each_sample(Taken::tensors, [&](const SampleCall& all) {
    const SampleCall call = floats_of(all);
    if (call.operands.empty()) return;
    if (entry().derivative.none() != nullptr && entry().staging == ops::Staging::typed) return;
    const Value result = call.call(language.builder(), call.operands);
    if (!gives_tensors(result) || !is_float_value(leaves_of(result)[0])) return;
    const Value seed = direction(language.builder(), result);
    const Value f = call.function();
    std::vector<Value> operands = call.operands;
    operands.push_back(seed);
    // The cotangent of a tree of results is handed over whole.
    const auto gradient = [&](ops::Builder& b, std::span<Value> given) {
      return gradient_of(f, {given.back()})(b, given.first(given.size() - 1));
    };
    stage("cotangents", gradient, operands);
    // Second derivatives: tangents of the cotangents.
    const Value tangents = make_tuple({call.operands.begin(), call.operands.end()});
    stage(
        "second derivatives",
        [&](ops::Builder& b, std::span<Value> given) {
          const Value g = wrap(gradient_of(f, {given.back()}));
          const Value primals = make_tuple({given.begin(), given.end() - 1});
          return autodiff::jvp(b, g, primals, primals);
        },
        operands);
  });
}

TEST_P(StagedEntry, RunsOverExamples) {
  each_sample(Taken::tensors, [&](const SampleCall& call) {
    const Value result = call.call(language.builder(), call.operands);
    if (!gives_tensors(result)) return;
    const size_t count = call.operands.size();
    for (size_t only = count > 1 ? 0 : 1; only <= count; ++only) {  // each operand, then all of them
      std::vector<Value> operands, axes;
      for (size_t i = 0; i < count; ++i) {
        const bool batched = only == count || only == i;
        operands.push_back(batched ? stacked(language.builder(), call.operands[i]) : call.operands[i]);
        axes.push_back(batched ? Value(int64_t{0}) : Value());
      }
      const Value f = autodiff::make_vmap(call.function(), make_tuple(std::move(axes)));
      stage(
          "examples", [&](ops::Builder& b, std::span<Value> given) { return f.function().call(b, given, {}); },
          operands);
    }
  });
}

TEST_P(StagedEntry, HasCotangentsOverExamples) {
  each_sample(Taken::tensors, [&](const SampleCall& all) {
    const SampleCall call = floats_of(all);
    if (call.operands.empty()) return;
    if (entry().derivative.none() != nullptr && entry().staging == ops::Staging::typed) return;
    const Value result = call.call(language.builder(), call.operands);
    if (!gives_tensors(result) || !is_float_value(leaves_of(result)[0])) return;
    const Value seed = direction(language.builder(), result);
    const Value f = autodiff::make_vmap(wrap(gradient_of(call.function(), {seed})), int64_t{0});
    std::vector<Value> operands;
    for (const Value& operand : call.operands) operands.push_back(stacked(language.builder(), operand));
    stage(
        "cotangents of examples",
        [&](ops::Builder& b, std::span<Value> given) { return f.function().call(b, given, {}); }, operands);
    // And the other way round; the numbers of the further examples are no shares between 0 and 1.
    if (entry().name == "quantile" || entry().name == "nanquantile") return;
    const Value whole = autodiff::make_vmap(call.function(), int64_t{0});
    std::vector<Value> copies = operands;
    const Value all_results = whole.function().call(language.builder(), copies, {});
    operands.push_back(direction(language.builder(), all_results));
    stage(
        "cotangents through examples",
        [&](ops::Builder& b, std::span<Value> given) {
          return gradient_of(whole, {given.back()})(b, given.first(given.size() - 1));
        },
        operands);
  });
}

namespace {

std::vector<const Entry*> staged_entries() {
  std::vector<const Entry*> entries;
  for (const Entry* entry : ops::all_entries()) {
    if (!entry->samples.empty() && entry->staging != ops::Staging::opaque) entries.push_back(entry);
  }
  return entries;
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Entries, StagedEntry, ::testing::ValuesIn(staged_entries()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace covec::test
