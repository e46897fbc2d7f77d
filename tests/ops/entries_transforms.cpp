// Every entry under transformations, on its samples: first and second derivatives forward = reverse = finite
// differences, and vmap = the loop, bit for bit. In a branch that was not taken nothing poisons a derivative, whatever
// the operands. Indexing, which is syntax, brings cases of its own.
#include <algorithm>
#include <array>
#include <cmath>

#include "tests/ops/entries_support.hpp"

namespace covec::test {

namespace {

using ops::Entry;

std::vector<const Entry*> entries_with_samples() {
  std::vector<const Entry*> entries;
  for (const Entry* entry : ops::all_entries()) {
    if (!entry->internal && !entry->samples.empty()) entries.push_back(entry);
  }
  return entries;
}

// weigh gives a number in which every element of a tree of results counts differently.
const char* const prelude = R"(
fn wave(x, a, b) = cos(arange(x.size) * a + b).reshape(x.shape)
fn weigh(tree) {
  total = 0.0
  for part in tree_leaves(tree) { total = sum(part * wave(part, 1.7, 0.3)) + total }
  return total
}
fn both_ways(h, x) {
  v = wave(x, 0.9, 1.1)
  step = 1e-5
  return jvp(h, (x,), (v,))[1], sum(grad(h)(x) * v), (h(x + step * v) - h(x - step * v)) / (2 * step), h(x)
}
)";

// Forward against reverse, both against differences, whose error is that of the function's own rounding over the step.
void expect_agreement(const Value& value, const std::string& what, double precision) {
  const std::vector<Value> leaves = leaves_of(value);
  ASSERT_EQ(leaves.size(), 4u);
  double numbers[4];
  for (size_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(leaves[i].is_scalar() && is_float(leaves[i].scalar_dtype()));
    numbers[i] = leaves[i].tag() == Tag::f64 ? leaves[i].f64() : static_cast<double>(leaves[i].f32());
  }
  const auto [forward, reverse, difference, height] = numbers;
  const double scale = std::max({1.0, std::abs(forward), std::abs(reverse)});
  EXPECT_LE(std::abs(forward - reverse), 1e5 * precision * scale)
      << what << ": forward " << forward << ", reverse " << reverse;
  EXPECT_LE(std::abs(reverse - difference), 2e-6 * scale + 1e6 * precision * std::max(scale, std::abs(height)))
      << what << ": reverse " << reverse << ", differences " << difference;
}

bool is_single(const Value& result) {
  for (const Value& leaf : leaves_of(result)) {
    if (leaf.is_numeric() && dtype_of(leaf) == Dtype::f32) return true;
  }
  return false;
}

bool gives_numbers(const Value& result) {
  for (const Value& leaf : leaves_of(result)) {
    if (!leaf.is_numeric()) return false;
  }
  return true;
}

}  // namespace

class Transforms {
 protected:
  // First and second derivatives of x -> weigh(body) at `point`.
  void check_derivatives(Language& language, const std::string& body, const std::string& point) {
    language.evaluate("fn h(x) = weigh(" + body + ")\nx0 = f64(" + point + ")\n0");
    const double precision = is_single(language.evaluate("(x -> " + body + ")(x0)")) ? 6e-8 : 1.1e-16;
    expect_agreement(language.evaluate("both_ways(h, x0)"), "first derivative", precision);
    expect_agreement(language.evaluate("both_ways(x -> sum(grad(h)(x) * wave(x, 1.3, 0.7)), x0)"), "second derivative",
                     precision);
    count_case("derivatives", 2);
  }

  // The derivatives of what is not taken, of x with NaN, infinities or nothing but zeros in it: nothing raises, nothing
  // is NaN, to the second order and of examples. What the body itself raises of such an x is another matter.
  void check_branch_not_taken(Language& language, const std::string& body, const std::string& point) {
    language.evaluate("x0 = f64(" + point + ")\n0");
    for (const std::string poison : {"nan", "inf", "-inf", "0.0", "where(arange(x.size).reshape(x.shape) == 0, inf, 1)",
                                     "where(arange(x.size).reshape(x.shape) == 0, nan, 1)"}) {
      SCOPED_TRACE(body + " of x * " + poison);
      language.evaluate("fn h(x) = weigh(" + body + ")\nfn poisoned(x) = x * " + poison + "\n0");
      if (!language.error_of("h(poisoned(x0))").empty()) continue;
      language.evaluate(R"(fn branch(x) = where(sum(x) < -1e300, h(poisoned(x)), 2.0)
fn nothing(tree) = all([all(part == 0) for part in tree_leaves(tree)])
fn second(x) = sum(grad(branch)(x) * wave(x, 1.3, 0.7))
0)");
      for (const char* gradient :
           {"grad(branch)(x0)", "grad(second)(x0)", "jvp(grad(branch), x0, wave(x0, 0.9, 1.1))[1]",
            "vmap(grad(branch))(stack((x0, x0 * 0.5)))"}) {
        const std::string error = language.error_of(std::string("assert(nothing(list((") + gradient + ",))))");
        // Forward mode knows no cotangents.
        const bool forward = std::string_view(gradient).starts_with("jvp");
        EXPECT_TRUE(error.empty() || (forward && error.find("taking the derivative of ") != error.npos))
            << gradient << error;
        count_case("branches not taken");
      }
    }
  }

  // vmap of names -> body over three examples of each point against each example's own.
  void check_vmap(Language& language, const std::string& body, const std::vector<std::string>& names,
                  const std::vector<std::string>& points) {
    std::string parameters, arguments;
    for (size_t i = 0; i < names.size(); ++i) {
      language.evaluate(names[i] + "_all = examples(" + points[i] + ")\n0");
      parameters += (i ? ", " : "") + names[i];
      arguments += (i ? ", " : "") + names[i] + "_all";
    }
    const std::string batched = "vmap((" + parameters + ") -> " + body + ")(" + arguments + ")";
    std::array<std::string, 3> single;
    for (size_t example = 0; example < single.size(); ++example) {
      std::string each;
      for (const std::string& name : names)
        each += (each.empty() ? "" : ", ") + name + "_all[" + std::to_string(example) + "]";
      single[example] = "((" + parameters + ") -> " + body + ")(" + each + ")";
      if (language.error_of(single[example]).empty()) continue;
      EXPECT_FALSE(language.error_of(batched).empty()) << batched << " though not " << single[example];
      return;
    }
    const Value whole = language.evaluate(batched);
    for (int example = 0; example < 3; ++example) {
      const Value wanted = language.evaluate(single[static_cast<size_t>(example)]);
      const Value got = map_leaves(whole, [&](const Value& leaf) {
        return leaf.is_tensor() && leaf.tensor().dim(0) == 3 ? item_of(leaf, example) : leaf;
      });
      SCOPED_TRACE("example " + std::to_string(example) + " of " + body);
      expect_same(got, wanted);
    }
    count_case("vmaps", 3);
  }
};

const char* const examples = R"(
fn examples(x) {
  if x.dtype == f64 or x.dtype == f32 { return stack((x, x * 0.75, flip(x))) }
  return stack((x, flip(x), x))
}
)";

class SampledEntry : public EntryTest, protected Transforms {
 protected:
  void SetUp() override { language.evaluate(std::string(prelude) + examples + "0"); }
  std::string name() const { return std::string(entry().name); }

  // f(the entry applied to x and a sample's other operands, that sample's x) for each operand that may be followed.
  template <class F>
  void each_float_operand(F f) {
    for (const ops::Sample& sample : entry().samples) {
      if (!sample.differentiate) continue;
      const std::string arguments(sample.arguments);
      const auto operands = tensor_operands(entry(), arguments, language);
      for (size_t i = 0; i < operands.size(); ++i) {
        const Value value = language.evaluate(operands[i].text);
        if (!value.is_numeric() || !is_float(dtype_of(value))) continue;
        std::vector<std::string> names(operands.size());
        names[i] = "x";
        f(name() + "(" + with_names(arguments, operands, names) + ")", operands[i].text);
      }
    }
  }
};

TEST_P(SampledEntry, DerivativesAgree) {
  each_float_operand([&](const std::string& body, const std::string& x) {
    SCOPED_TRACE(body + " at " + x);
    check_derivatives(language, body, x);
  });
}

// Patterns hold what is not zero in dense Jacobians, and in those of gradients. Where a Jacobian has no value at a
// point it says nothing.
const char* const patterns = R"(
import sparse
fn flat(tree) = tree_vector(tree)[0]
fn missing(f, x) {
  j = jacobian(f)(x)
  p = sparse.pattern(f, x)
  entries = zeros(p.shape[0], p.shape[1])
  for i in range(p.shape[0]) { entries[i, p.indices[p.indptr[i]:p.indptr[i + 1]]] = 1.0 }
  j = reshape(j, p.shape)
  return count_nonzero((j != 0) & isfinite(j) & (entries == 0))
}
0)";

TEST_P(SampledEntry, PatternsHold) {
  language.evaluate(patterns);
  each_float_operand([&](const std::string& body, const std::string& x) {
    language.evaluate("fn h(x) = weigh(" + body + ")\nx0 = f64(" + x + ")\n0");
    for (const char* point : {"x0", "0.75 * x0", "wave(x0, 0.9, 1.1)"}) {
      for (const std::string& f : {"x -> flat(" + body + ")", std::string("x -> flat(grad(h)(x))")}) {
        SCOPED_TRACE(f + " at " + point + ", x0 = " + x);
        if (!language.error_of("jacobian(" + f + ")(" + point + ")").empty()) continue;
        const Value missing = language.evaluate("missing(" + f + ", " + point + ")");
        EXPECT_TRUE(missing.is_scalar() && missing.integer() == 0) << describe(missing);
        count_case("patterns");
      }
    }
  });
}

// Compressed Jacobians have the bits of dense ones in forward mode; in reverse mode, and for Hessians, they agree up to
// rounding. Where a dense one is not finite, columns of one colour are not apart.
const char* const compressed = R"(
import sparse
fn flat(tree) = tree_vector(tree)[0]
fn spread(a) {
  entries = zeros(a.shape[0], a.shape[1], dtype=a.data.dtype)
  for i in range(a.shape[0]) { entries[i, a.indices[a.indptr[i]:a.indptr[i + 1]]] = a.data[a.indptr[i]:a.indptr[i + 1]] }
  return entries
}
fn differs(f, x, mode) {
  dense = jacobian(f, mode=mode)(x)
  if not all(isfinite(dense)) { return false }
  found = spread(jacobian(f, sparse=true, mode=mode)(x))
  dense = reshape(dense, found.shape)
  return any(found != dense) if mode == "forward" else any(abs(found - dense) > 1e-12 * (1 + norm(flat(dense))))
}
fn hessian_differs(f, x) {
  dense = hessian(f)(x)
  if not all(isfinite(dense)) { return false }
  found = spread(hessian(f, sparse=true)(x))
  return any(abs(found - reshape(dense, found.shape)) > 1e-12 * (1 + norm(flat(dense))))
}
0)";

TEST_P(SampledEntry, CompressedJacobiansAgree) {
  language.evaluate(compressed);
  each_float_operand([&](const std::string& body, const std::string& x) {
    language.evaluate("fn h(x) = weigh(" + body + ")\nx0 = f64(" + x + ")\n0");
    const std::string f = "x -> flat(" + body + ")";
    for (const std::string mode : {"forward", "reverse"}) {
      SCOPED_TRACE(f + " at x0 = " + x + ", " + mode);
      if (!language.error_of("jacobian(" + f + ", mode=\"" + mode + "\")(x0)").empty()) continue;
      const Value differs = language.evaluate("differs(" + f + ", x0, \"" + mode + "\")");
      EXPECT_TRUE(differs.is_scalar() && !differs.boolean());
      count_case("compressed");
    }
    SCOPED_TRACE("hessian of " + f + " at x0 = " + x);
    if (!language.error_of("hessian(h)(x0)").empty()) return;
    const Value differs = language.evaluate("hessian_differs(h, x0)");
    EXPECT_TRUE(differs.is_scalar() && !differs.boolean());
    count_case("compressed");
  });
}

TEST_P(SampledEntry, BranchesNotTakenDoNotPoison) {
  each_float_operand([&](const std::string& body, const std::string& x) { check_branch_not_taken(language, body, x); });
}

TEST_P(SampledEntry, VmapIsTheLoop) {
  for (const ops::Sample& sample : entry().samples) {
    const std::string arguments(sample.arguments);
    const auto operands = tensor_operands(entry(), arguments, language);
    if (operands.empty() || !gives_numbers(language.evaluate(name() + "(" + arguments + ")"))) continue;
    std::vector<std::string> all_names, all_points;
    for (size_t i = 0; i < operands.size(); ++i) {
      std::vector<std::string> names(operands.size());
      names[i] = "x" + std::to_string(i);
      all_names.push_back(names[i]);
      all_points.push_back(operands[i].text);
      check_vmap(language, name() + "(" + with_names(arguments, operands, names) + ")", {names[i]}, {operands[i].text});
    }
    if (operands.size() > 1)
      check_vmap(language, name() + "(" + with_names(arguments, operands, all_names) + ")", all_names, all_points);
  }
}

// Batch rules keep the order in which tangents are added, whatever operators they are made of: compiled code runs few
// examples one by one.
const char* const tangents = R"(
fn flat(tree) = tree_vector(tree)[0]
fn plain(x) = where(isnan(x), 12345.0, x)
fn tangents_differ(f, x) {
  xs = examples(x)
  ts = wave(xs, 0.9, 1.1)
  whole = jvp(vmap(f), (xs,), (ts,))[1]
  return any([not same(plain(whole[i]), plain(jvp(f, (xs[i],), (ts[i],))[1])) for i in range(3)])
}
0)";

TEST_P(SampledEntry, TangentsOfExamplesAreThoseOfTheLoop) {
  language.evaluate(tangents);
  each_float_operand([&](const std::string& body, const std::string& x) {
    language.evaluate("fn f(x) = flat(" + body + ")\nx0 = f64(" + x + ")\n0");
    if (!language.error_of("[jvp(f, (x,), (x,))[1] for x in examples(x0)]").empty()) return;
    if (!language.error_of("jvp(vmap(f), (examples(x0),), (examples(x0),))").empty()) return;
    SCOPED_TRACE(body + " at " + x);
    const Value differ = language.evaluate("tangents_differ(f, x0)");
    EXPECT_TRUE(differ.is_scalar() && !differ.boolean());
    count_case("tangents of examples");
  });
}

INSTANTIATE_TEST_SUITE_P(Entries, SampledEntry, ::testing::ValuesIn(entries_with_samples()),
                         [](const auto& info) { return std::string(info.param->name); });

// --- indexing ---

struct IndexBody {
  const char* body;  // of x
  const char* point;
};

const IndexBody reads[] = {
    {"x[1]", "[1.0, 2, 3]"},
    {"x[-1]", "[[1.0, 2], [3, 4]]"},
    {"x[1:]", "[1.0, 2, 3]"},
    {"x[::-1]", "[1.0, 2, 3]"},
    {"x[:, 1]", "[[1.0, 2], [3, 4]]"},
    {"x[..., newaxis]", "[[1.0, 2], [3, 4]]"},
    {"x[[0, 0, 2]]", "[1.0, 2, 3]"},
    {"x[[[0, 1], [2, 2]]]", "[1.0, 2, 3]"},
    {"x[[1, 0], [0, 0]]", "[[1.0, 2], [3, 4]]"},
    {"x[:, [1, 1]]", "[[1.0, 2], [3, 4]]"},
    {"x[[true, false, true]]", "[1.0, 2, 3]"},
    {"x[[[true, false], [true, true]]]", "[[1.0, 2], [3, 4]]"},
    {"x[[0, 1], :, [1, 0]]", "arange(8.0).reshape(2, 2, 2) + 1"},
    {"x[0, :, [1, 0]] * x[1]", "arange(8.0).reshape(2, 2, 2) + 1"},
};

const IndexBody updates[] = {
    {"y[1] = x[0] * x[1]", "[1.0, 2, 3]"},
    {"y[1:] = x[:-1] * x[1:]", "[1.0, 2, 3]"},
    {"y[::-1] = x * x", "[1.0, 2, 3]"},
    {"y[[0, 0, 2]] = x * x", "[1.0, 2, 3]"},
    {"y[[0, 0, 2]] += x * x", "[1.0, 2, 3]"},
    {"y[[[0, 1], [2, 2]]] = x[0] * x[:2]", "[1.0, 2, 3]"},
    {"y[[[0, 1], [2, 2]]] += x[0] * x[:2]", "[1.0, 2, 3]"},
    {"y[[true, false, true]] = x[:2] * x[1:]", "[1.0, 2, 3]"},
    {"y[[true, false, true]] *= x[0]", "[1.0, 2, 3]"},
    {"y[:] = x[1]", "[1.0, 2, 3]"},
    {"y[0] += x[1] * x[2]; y[0] *= x[0]", "[1.0, 2, 3]"},
    {"y[1] = x[0]; y[1] = x[1] * y[0]", "[1.0, 2, 3]"},
    {"for i in range(1, 3) { y[i] = y[i - 1] * x[i] }", "[1.0, 2, 3]"},
    {"y[newaxis, 1:] = x[newaxis, :2]", "[1.0, 2, 3]"},
};

class Indexing : public ::testing::Test, protected Transforms {
 protected:
  Indexing() { language.evaluate(std::string(prelude) + examples + "0"); }
  // y starts as a function of x, so that the cotangent of what is overwritten counts.
  std::string function_of(const IndexBody& update, const std::string& name) {
    return "fn " + name + "(x) {\n  y = x * [0.5, 1.5, 2.5]\n  " + update.body + "\n  return y\n}\n";
  }
  Language language;
};

TEST_F(Indexing, DerivativesAgree) {
  for (const IndexBody& read : reads) {
    SCOPED_TRACE(read.body);
    check_derivatives(language, std::string("(") + read.body + ") ^ 2", read.point);
  }
  for (const IndexBody& update : updates) {
    SCOPED_TRACE(update.body);
    language.evaluate(function_of(update, "changed") + "0");
    check_derivatives(language, "changed(x) ^ 2", update.point);
  }
}

TEST_F(Indexing, VmapIsTheLoop) {
  for (const IndexBody& read : reads) check_vmap(language, read.body, {"x"}, {read.point});
  for (const IndexBody& update : updates) {
    SCOPED_TRACE(update.body);
    language.evaluate(function_of(update, "changed") + "0");
    check_vmap(language, "changed(x)", {"x"}, {update.point});
  }
  const char* const with_indices[][3] = {
      {"x[i]", "[1.0, 2, 3]", "1"},
      {"x[i]", "[[1.0, 2], [3, 4]]", "1"},
      {"x[i]", "[1.0, 2, 3]", "[0, 2]"},
      {"x[i, 0]", "[[1.0, 2], [3, 4]]", "[[0, 1], [1, 1]]"},
      {"x[:, i]", "[[1.0, 2], [3, 4]]", "[1, 0, 0]"},
      {"x[i, :, i]", "arange(8.0).reshape(2, 2, 2)", "[1, 0]"},
  };
  for (const auto& [body, x, i] : with_indices) {
    SCOPED_TRACE(body);
    language.evaluate(std::string("x = ") + x + "\n0");
    check_vmap(language, body, {"i"}, {i});
    check_vmap(language, body, {"x", "i"}, {x, i});
  }
  language.evaluate("fn put(x, i, v) { x[i] = v; return x }\nfn gain(x, i, v) { x[i] += v; return x }\n0");
  for (const char* name : {"put", "gain"}) {
    check_vmap(language, std::string(name) + "([1.0, 2, 3], i, v)", {"i", "v"}, {"[0, 2, 0]", "[5.0, 6, 7]"});
    check_vmap(language, std::string(name) + "(x, i, 9.0)", {"x", "i"}, {"[1.0, 2, 3]", "[0, 2]"});
    check_vmap(language, std::string(name) + "(x, [1, 1], v)", {"x", "v"}, {"[1.0, 2, 3]", "[5.0, 6]"});
  }
}

}  // namespace covec::test
