#include "stdlib/ops/derivatives/sparse_plan.hpp"

#include <atomic>
#include <cmath>
#include <cstring>

#include "stdlib/autodiff/replay.hpp"
#include "stdlib/cluster/ranks.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/sparse/csr.hpp"
#include "stdlib/sparse/probe.hpp"
#include "stdlib/tensor/equal.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

using sparse::ColorKind;

constexpr const char* as_columns = "columns, one for each number of the parameter";
constexpr const char* as_rows = "rows, one for each number of the result";

constexpr const char* make_another = "make a plan for the new one";

[[noreturn]] void fail_other(const std::string& name, const std::string& parameter) {
  fail_value(name, "`" + parameter + "`", "what it was when the plan was made, as the pattern depends on it",
             "another one", make_another);
}

[[noreturn]] void fail_argument(const Message& text, const std::string& name, const std::string& what,
                                const std::string& must_be, const std::string& got) {
  fail(text, {name, what, must_be + ", as when the plan was made", got}, {}, make_another);
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// The dtype and rank of each leaf that is a number or tensor.
Value kinds_of(const Value& tree) {
  return map_leaves(tree, [](const Value& leaf) {
    if (is_run_list(leaf)) fail_not_staged("the types of a list's items");
    if (!is_operand(leaf)) return make_string("");
    const Type type = logical_type(leaf);
    const std::string dtype(name_of(type.dtype));
    return make_string(type.shape.empty() ? dtype : dtype + " of rank " + std::to_string(type.shape.rank()));
  });
}

// Whether one kind is another but for the rank.
bool same_dtype(const Value& one, const Value& other) {
  if (!one.is(ObjectKind::string) || !other.is(ObjectKind::string)) return false;
  const std::string &a = one.string().text, &b = other.string().text;
  return !a.empty() && a.substr(0, a.find(' ')) == b.substr(0, b.find(' '));
}

std::string counted(int64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

}  // namespace

void fail_value(const std::string& name, const std::string& what, const std::string& must_be, const std::string& got,
                const std::string& hint) {
  fail(message("sparse_kind"), {name, what + " must be " + must_be + ", got " + got}, {}, hint);
}

GivenArguments::GivenArguments(const Arguments& arguments) {
  const size_t count = arguments.all().size(), by_position = count - arguments.keywords().size();
  std::vector<std::pair<size_t, size_t>> order;  // parameters and where they lie among the arguments
  for (size_t slot = 0; slot < count; ++slot) order.emplace_back(arguments.parameter_of(slot), slot);
  std::ranges::sort(order);
  std::vector<Value> found;
  for (const auto& [parameter, slot] : order) {
    const std::string_view keyword = slot >= by_position ? arguments.keywords()[slot - by_position] : "";
    const bool options = keyword == all_options;
    names.push_back(keyword.empty() || options ? arguments.name_of(parameter) : std::string(keyword));
    if (options || parameter != found.size() || !keywords.empty())
      keywords.push_back(options ? std::string(all_options) : names.back());
    found.push_back(arguments.all()[slot]);
  }
  values = make_tuple(std::move(found));
}

PlanArguments PlanArguments::any() { return {make_tuple({}), make_tuple({}), make_tuple({})}; }

PlanArguments PlanArguments::like(ops::Builder& b, const Value& values, const std::vector<int64_t>& places) {
  std::vector<Value> extents;
  each_leaf(values, [&](const Value& leaf) {
    if (!is_operand(leaf)) return;
    for (const Dim extent : logical_type(leaf).shape) extents.emplace_back(extent.number());
  });
  return {kinds_of(values), make_tuple(std::move(extents)), reasons_at(b, values, places)};
}

Value own_copy(Pool& pool, const Value& value) {
  if (!value.is_tensor() || value.tensor().storage() == nullptr || value.tensor().storage()->release == nullptr)
    return value;
  Value copy = make_tensor(pool, value.tensor().dtype(), shape_of(value));
  copy_elements(value.tensor(), copy.tensor());
  return copy;
}

Value reasons_at(ops::Builder& b, const Value& args, const std::vector<int64_t>& places) {
  std::vector<Value> numbers(places.begin(), places.end());
  const Value found = ops::call(b, sparse_reasons_entry(), {args, make_tuple(std::move(numbers))});
  return map_leaves(found, [&](const Value& leaf) { return own_copy(b.pool(), leaf); });
}

Plan::Plan(Value f, Prepared prepared, Passes passes, PlanOptions options)
    : Transformed(options.transform, std::move(f)),
      prepared_(std::move(prepared)),
      passes_(passes),
      options_(std::move(options)) {}

std::vector<Value> Plan::captures() const {
  const Prepared& p = prepared_;
  return {function_,          p.indptr, p.indices, p.rows, p.columns,         p.column_colors,
          p.row_colors,       p.places, p.probe,   p.uses, p.arguments.kinds, p.arguments.extents,
          p.arguments.reasons};
}

Value Plan::with_captures(std::vector<Value> v) const {
  const Prepared prepared{v.at(1),
                          v.at(2),
                          v.at(3),
                          v.at(4),
                          v.at(5),
                          v.at(6),
                          v.at(7),
                          v.at(8),
                          v.at(9),
                          {v.at(10), v.at(11), v.at(12)},
                          prepared_.backwards};
  return make_function<Plan>(v.at(0), prepared, passes_, options_);
}

std::string Plan::staging_key() const {
  std::string key = "plan " + options_.name + options_.wrt.key() + " colors " + std::to_string(passes_.columns) + " " +
                    std::to_string(passes_.rows) + " kind " + std::to_string(static_cast<int>(passes_.kind)) +
                    " check " + std::to_string(static_cast<int>(options_.check)) + (options_.turns ? " turns" : "");
  for (const int64_t place : options_.reasons) key += " " + std::to_string(place);
  key += " of " + listed(options_.names) + " by name " + listed(options_.keywords);
  return key;
}

std::string Plan::text() const {
  if (!prepared_.rows.is_scalar() || !prepared_.indices.is_tensor()) return Transformed::text();
  std::string text = transform_ == "hessian" ? "Hessian " : "Jacobian ";
  text += std::to_string(prepared_.rows.integer()) + " × " + std::to_string(prepared_.columns.integer()) + ", ";
  text += counted(prepared_.indices.tensor().size(), "nonzero") + ", ";
  text += counted(passes_.columns + passes_.rows, "colour") + ", ";
  if (passes_.kind == ColorKind::reverse) return text + "reverse";
  if (passes_.rows == 0) return text + "forward";
  return text + std::to_string(passes_.columns) + " forward and " + std::to_string(passes_.rows) + " reverse";
}

namespace {

// Ranks that meet in a function go through it equally often, in one direction. `collectives`: those before its run.
bool on_any_rank(ops::Builder& b, bool passes_rule, uint64_t collectives) {
  const ops::Context& context = b.context();
  if (context.collectives == collectives || context.ranks->size() == 1) return passes_rule;
  if (!b.is_eager()) fail_not_staged("the direction of a sparse Jacobian in which ranks meet");
  const Value ranks = ops::call(b, ops::handles().rank_sum, {Value(int64_t{passes_rule})});
  return ops::integer_of(concrete(ranks)) > 0;
}

}  // namespace

Value Plan::apply(ops::Builder& b, std::span<Value> args, std::span<const std::string_view> keywords) {
  FirstRun first(b.context());
  const Arguments arguments(function(), args, keywords);
  refuse_complex(transform_, arguments, options_.wrt);
  if (!b.is_eager() && arguments.by_position()) know_arguments(b, args);
  require_arguments(b, arguments);
  bool passes_rule = false;
  const uint64_t collectives = b.context().collectives;
  Value data = first.run(b, [&] { return entries(b, arguments, passes_rule); });
  if (options_.turns && on_any_rank(b, passes_rule, collectives)) return go_backwards(b, first, args, keywords);
  if (options_.check == PlanCheck::told) {
    Value differs = compare(b, first, arguments, data, true);
    return make_tuple({matrix(std::move(data)), std::move(differs)});
  }
  check(b, first, arguments, data);
  return matrix(std::move(data));
}

Value Plan::matrix(Value data) const {
  static const auto layout = std::make_shared<const RecordLayout>(RecordLayout{{"data", "indices", "indptr", "shape"}});
  return make_record(
      layout, {std::move(data), prepared_.indices, prepared_.indptr, make_tuple({prepared_.rows, prepared_.columns})});
}

void Plan::expect_extent(ops::Builder& b, Dim found, const Value& expected, std::string_view what,
                         const std::string& argument) const {
  const Value number = b.extent(found);
  if (number.is_scalar() && expected.is_scalar() && number.integer() == expected.integer()) return;
  ops::call(b, plan_extent_entry(),
            {number, expected, make_string(options_.name), make_string(std::string(what)), make_string(argument)});
}

// Products by rows see that the result has as many.
Products Plan::products_of(ops::Builder& b, const Value& f, bool* passes_rule) const {
  const auto expect_rows = [this, &b](Dim rows) { expect_extent(b, rows, prepared_.rows, as_rows); };
  return {transform_, f, options_.wrt, expect_rows, passes_rule};
}

Value Plan::entries(ops::Builder& b, const Arguments& arguments, bool& passes_rule) const {
  Basis inputs;
  count_inputs(b, transform_, arguments, options_.wrt, inputs);
  expect_extent(b, inputs.size, prepared_.columns, as_columns);
  const Dtype dtype = dtype_side_by_side(inputs.types);
  const Products products = products_of(b, function_, &passes_rule);
  std::vector<Value> parts;
  const auto add = [&](Value found, const Value& extent, std::string_view what) {
    expect_extent(b, logical_type(found).shape[1], extent, what);
    parts.push_back(ops::flatten(b, ops::RuleContext(b, false).cast(std::move(found), dtype)));
  };
  if (passes_.columns > 0) {
    add(products.forward(b, arguments, {prepared_.column_colors, passes_.columns}), prepared_.rows, as_rows);
  }
  if (passes_.rows > 0) {
    add(products.reverse(b, arguments, {prepared_.row_colors, passes_.rows}), prepared_.columns, as_columns);
  }
  if (parts.empty()) return ops::zeros(b, {dtype, {Dim(0)}});
  Value all = parts.size() == 1 ? std::move(parts[0]) : ops::concat(b, parts, 0);
  return ops::Steps(b).take(std::move(all), 0, prepared_.places);
}

namespace {

Value probe_of(Pool& pool, int64_t size) {
  Value vector = make_tensor(pool, Dtype::f64, {Dim(size)});
  for (int64_t i = 0; i < size; ++i) vector.tensor().as<double>()[i] = sparse::probe_at(static_cast<uint64_t>(i));
  return vector;
}

sparse::Coloring color_pattern(ops::Builder& b, const SparsePattern& pattern, ColorKind kind) {
  // What it takes for a while: a few numbers for each entry, row and column.
  const auto count = static_cast<size_t>(pattern.indices.tensor().size());
  const MemoryCharge charge(40 * (count + static_cast<uint64_t>(pattern.rows + pattern.columns)));
  return sparse::color(b.context(), graph_of(pattern), kind);
}

}  // namespace

// Code cannot tell which path the run takes, and colours nothing.
Value Plan::go_backwards(ops::Builder& b, FirstRun& first, std::span<Value> args,
                         std::span<const std::string_view> keywords) const {
  if (!b.is_eager()) fail_not_staged("the direction of a sparse Jacobian of a function with a reverse rule alone");
  Backwards& way = *prepared_.backwards;
  if (!way.is_made) {
    const sparse::Coloring coloring = color_pattern(b, pattern(), ColorKind::reverse);
    way = {vector_of<int32_t>(b.pool(), coloring.rows.of), vector_of<int64_t>(b.pool(), coloring.places),
           probe_of(b.pool(), prepared_.rows.integer()), coloring.rows.count, true};
  }
  Prepared prepared = prepared_;
  prepared.row_colors = way.row_colors;
  prepared.places = way.places;
  prepared.probe = way.probe;
  PlanOptions options = options_;
  options.turns = false;
  const Value plan = make_function<Plan>(function_, std::move(prepared), Passes{ColorKind::reverse, 0, way.colors},
                                         std::move(options));
  return first.run_again(b, [&] { return static_cast<Plan&>(plan.function()).apply(b, args, keywords); });
}

void Plan::check(ops::Builder& b, FirstRun& first, const Arguments& arguments, const Value& data) const {
  const auto now = [&] {
    compare(b, first, arguments, data, false);
    return Value(true);
  };
  if (options_.check == PlanCheck::always) now();
  if (options_.check == PlanCheck::at_times)
    b.choose(ops::call(b, plan_due_entry(), {prepared_.uses}), now, [] { return Value(true); });
}

void Plan::require_arguments(ops::Builder& b, const Arguments& arguments) const {
  if (options_.names.empty()) return;
  const GivenArguments given(arguments);
  if (given.names != options_.names || given.keywords != options_.keywords)
    fail_argument(message("bad_attribute"), options_.name, "the parameters given", listed(options_.names),
                  listed(given.names));
  const std::vector<Value>& before = prepared_.arguments.kinds.tuple().items;
  const std::vector<Value>& extents = prepared_.arguments.extents.tuple().items;
  size_t next = 0;
  for (size_t slot = 0; slot < before.size(); ++slot) {
    const Value& value = given.values.tuple().items[slot];
    const Value kinds = kinds_of(value);
    if (!values_equal(kinds, before[slot])) {
      const bool single = before[slot].is(ObjectKind::string) && !before[slot].string().text.empty();
      fail_argument(same_dtype(kinds, before[slot]) ? message("plan_shape") : message("bad_attribute"), options_.name,
                    "`" + given.names[slot] + "`",
                    single ? before[slot].string().text : "of the structure and dtypes that it had",
                    is_operand(value) ? logical_type(value).text() : describe(value));
    }
    each_leaf(value, [&](const Value& leaf) {
      if (!is_operand(leaf)) return;
      const Shape shape = logical_type(leaf).shape;
      for (unsigned axis = 0; axis < shape.rank(); ++axis)
        expect_extent(b, shape[axis], extents[next++], " long along axis " + std::to_string(axis), given.names[slot]);
    });
  }
  require_reasons(b, given);
}

void Plan::require_reasons(ops::Builder& b, const GivenArguments& given) const {
  if (options_.reasons.empty()) return;
  const Value& args = given.values;
  std::vector<Value> places(options_.reasons.begin(), options_.reasons.end());
  const Value now = ops::call(b, sparse_reasons_entry(), {args, make_tuple(std::move(places))});
  const std::vector<Value>& reasons = prepared_.arguments.reasons.tuple().items;
  std::vector<std::string> names;  // by leaf of the arguments: the parameter's
  for (size_t slot = 0; slot < args.tuple().items.size(); ++slot)
    each_leaf(args.tuple().items[slot], [&](const Value&) { names.push_back(given.names[slot]); });
  for (size_t i = 0; i < options_.reasons.size(); ++i) {
    const auto place = static_cast<size_t>(options_.reasons[i]);
    const std::string parameter = place < names.size() ? names[place] : "";
    const bool there = i < now.tuple().items.size() && i < reasons.size();
    const Value before = there ? reasons[i] : Value();
    const Value leaf = there ? now.tuple().items[i] : Value();
    if (is_operand(leaf) && is_operand(before)) {
      ops::call(b, plan_same_entry(), {leaf, before, make_string(options_.name), make_string(parameter)});
    } else if (!there || !values_equal(leaf, before)) {
      fail_other(options_.name, parameter);
    }
  }
}

Value Plan::compare(ops::Builder& b, FirstRun& first, const Arguments& given, const Value& found, bool told) const {
  std::vector<Value> args, names;
  for (const Value& value : given.all()) args.push_back(without_derivatives(value));
  const Value f = without_derivatives(function_), data = without_derivatives(found);
  const Products products = products_of(b, f);
  const Arguments arguments(f.function(), args, given.keywords());
  ops::RuleContext rules(b, false);
  Value product = first.run_again(b, [&] {
    return is_reverse() ? products.against(b, arguments, prepared_.probe)
                        : products.along(b, arguments, prepared_.probe);
  });
  const sparse::Rounding rounding = rounding_of(logical_type(data).dtype);
  Value differs = ops::call(b, plan_miss_entry(),
                            {rules.cast(data, Dtype::f64), prepared_.indices, prepared_.indptr, prepared_.probe,
                             rules.cast(std::move(product), Dtype::f64), Value(rounding.epsilon),
                             Value(rounding.allowance), Value(is_reverse()), Value(is_symmetric())});
  if (told) return differs;
  const auto explain = [&] {
    if (b.is_eager()) {
      require_entries(b, first, arguments, data);
      return Value(true);
    }
    for (const std::string_view keyword : given.keywords()) names.push_back(make_string(std::string(keyword)));
    return first.run_again(b, [&] {
      return ops::call(b, plan_explain_entry(), {with_function(f), make_tuple(args), make_tuple(names), data});
    });
  };
  b.choose(ops::Steps(b).less_equal(Value(int64_t{0}), concrete(differs)), explain, [] { return Value(true); });
  return differs;
}

Value make_plan(ops::Builder& b, Value f, const SparsePattern& pattern, ColorKind kind, PlanOptions options,
                PlanArguments arguments) {
  const sparse::Coloring coloring = color_pattern(b, pattern, kind);
  constexpr int64_t none[] = {0};
  const bool reverse = coloring.kind == ColorKind::reverse;
  Plan::Prepared prepared{.indptr = pattern.indptr,
                          .indices = pattern.indices,
                          .rows = Value(pattern.rows),
                          .columns = Value(pattern.columns),
                          .column_colors = vector_of<int32_t>(b.pool(), coloring.columns.of),
                          .row_colors = vector_of<int32_t>(b.pool(), coloring.rows.of),
                          .places = vector_of<int64_t>(b.pool(), coloring.places),
                          .probe = probe_of(b.pool(), reverse ? pattern.rows : pattern.columns),
                          .uses = vector_of<int64_t>(b.pool(), none),
                          .arguments = std::move(arguments)};
  return make_function<Plan>(std::move(f), std::move(prepared),
                             Plan::Passes{coloring.kind, coloring.columns.count, coloring.rows.count},
                             std::move(options));
}

// --- operators ---

namespace {

// The first two results of a plan are checked, then each of this number.
constexpr int64_t first_checked = 2, checked_every = 64;

// These operators are made for plans, but any program may call them, with anything.
const std::string& text_argument(const ops::Call& call, unsigned operand) {
  if (!call.args[operand].is(ObjectKind::string)) ops::fail_attribute(call, operand, "a string");
  return call.args[operand].string().text;
}

const std::vector<Value>& tuple_argument(const ops::Call& call, unsigned operand) {
  if (!call.args[operand].is(ObjectKind::tuple)) ops::fail_attribute(call, operand, "a tuple");
  return call.args[operand].tuple().items;
}

// In one piece.
Value vector_argument(ops::Builder& b, const ops::Call& call, unsigned operand, Dtype dtype) {
  const Type type = ops::operand_type(call, operand);
  const bool integers = dtype == Dtype::i64;
  if (type.shape.rank() != 1 || (integers && kind_of(type.dtype) != DtypeKind::integer))
    ops::fail_attribute(call, operand, integers ? "a vector of integers" : "a vector");
  return contiguous(b.pool(), ops::cast_to(b, call.args[operand], dtype));
}

// The counter is not a value that anybody sees: all copies of a plan share it, and where code has made a copy of it,
// each result is checked.
Value due_eager(ops::Builder&, ops::Call& call) {
  const Value& counter = call.args[0];
  if (!counter.is_tensor()) return Value(true);
  if (counter.tensor().dtype() != Dtype::i64 || counter.tensor().size() != 1)
    ops::fail_attribute(call, 0, "one number of i64");
  std::atomic_ref<int64_t> uses(counter.tensor().as<int64_t>()[0]);
  const int64_t use = uses.fetch_add(1, std::memory_order_relaxed);
  return Value(use < first_checked || use % checked_every == 0);
}

enum MissOperand : unsigned {
  miss_data,
  miss_indices,
  miss_indptr,
  miss_probe,
  miss_product,
  miss_epsilon,
  miss_allowance,
  miss_reverse,
  miss_full
};

Value miss_eager(ops::Builder& b, ops::Call& call) {
  const bool reverse = ops::flag_argument(call, miss_reverse), full = ops::flag_argument(call, miss_full);
  const sparse::Rounding rounding{ops::number_argument(call, miss_epsilon), ops::number_argument(call, miss_allowance)};
  const Value indices = vector_argument(b, call, miss_indices, Dtype::i64),
              indptr = vector_argument(b, call, miss_indptr, Dtype::i64),
              data = vector_argument(b, call, miss_data, Dtype::f64),
              probe = vector_argument(b, call, miss_probe, Dtype::f64),
              product = vector_argument(b, call, miss_product, Dtype::f64);
  const int64_t rows = (reverse ? probe : product).tensor().size(),
                columns = (reverse ? product : probe).tensor().size(), count = data.tensor().size();
  if (indices.tensor().size() != count) ops::fail_attribute(call, miss_indices, "of " + counted(count, "number"));
  if (indptr.tensor().size() != rows + 1) ops::fail_attribute(call, miss_indptr, "of " + counted(rows + 1, "number"));
  const sparse::Probed probed{numbers_in<int64_t>(indptr), numbers_in<int64_t>(indices), numbers_in<double>(data),
                              numbers_in<double>(probe), numbers_in<double>(product)};
  if (!sparse::is_sound(b.context(), {probed.indices.data(), probed.starts.data(), count, rows, columns}))
    ops::fail_attribute(call, miss_indices, "the columns of a sparse matrix");
  const std::vector<int64_t> found =
      reverse ? sparse::misses_of_columns(probed, rounding, full, 1) : sparse::misses(probed, rounding, full, 1);
  return Value(found.empty() ? int64_t{-1} : found[0]);
}

Value explain_eager(ops::Builder& b, ops::Call& call) {
  if (!call.args[0].is(ObjectKind::function)) ops::fail_attribute(call, 0, "a plan");
  const Value* const from = call.args[0].function().compiled_from();
  const auto* const plan = dynamic_cast<const Plan*>(&(from == nullptr ? call.args[0] : *from).function());
  if (plan == nullptr) ops::fail_attribute(call, 0, "a plan");
  std::vector<Value> args = tuple_argument(call, 1);
  std::vector<std::string_view> keywords;
  for (const Value& name : tuple_argument(call, 2)) {
    if (!name.is(ObjectKind::string) || keywords.size() == args.size())
      ops::fail_attribute(call, 2, "names of arguments");
    keywords.push_back(name.string().text);
  }
  if (vector_argument(b, call, 3, Dtype::f64).tensor().size() != plan->nonzeros())
    ops::fail_attribute(call, 3, "of " + counted(plan->nonzeros(), "number"));
  FirstRun first(b.context());
  plan->require_entries(b, first, Arguments(*plan, args, keywords), call.args[3]);
  return Value(true);
}

Value extent_eager(ops::Builder&, ops::Call& call) {
  const int64_t found = ops::integer_argument(call, 0), expected = ops::integer_argument(call, 1);
  const std::string &name = text_argument(call, 2), &what = text_argument(call, 3), &argument = text_argument(call, 4);
  if (found == expected) return Value(true);
  if (!argument.empty())
    fail_argument(message("plan_shape"), name, "`" + argument + "`", std::to_string(expected) + what,
                  std::to_string(found));
  fail(message("plan_shape"),
       {name, "the pattern", "of " + std::to_string(found) + " " + what, std::to_string(expected)});
}

Value same_eager(ops::Builder& b, ops::Call& call) {
  const std::string &name = text_argument(call, 2), &parameter = text_argument(call, 3);
  const Value now = contiguous(b.pool(), call.args[0]), before = contiguous(b.pool(), call.args[1]);
  const Type type = logical_type(now);
  const size_t bytes = static_cast<size_t>(type.shape.elements()) * size_of(type.dtype);
  if (type != logical_type(before) || std::memcmp(data_of(now), data_of(before), bytes) != 0)
    fail_other(name, parameter);
  return Value(true);
}

Type bool_type(ops::ShapeBuilder&, const ops::Call&) { return {Dtype::boolean, {}}; }

}  // namespace

const ops::Entry& plan_due_entry() {
  static const ops::Entry entry{.name = "_plan_due",
                                .doc = "Whether the result of a plan is to be checked; counts its results.",
                                .parameters = {ops::tensor_parameter("uses")},
                                .type = bool_type,
                                .eager = due_eager,
                                .derivative = ops::Derivative::none("counts"),
                                .effects = {.may_fail = true, .repeatable = true},
                                .internal = true,
                                .part_of = "jacobian"};
  return entry;
}

const ops::Entry& plan_miss_entry() {
  static const ops::Entry entry{
      .name = "_plan_miss",
      .doc = "The first row of a sparse matrix whose product with a vector is not the one given; -1: none.",
      .parameters = {ops::tensor_parameter("data"), ops::tensor_parameter("indices"), ops::tensor_parameter("indptr"),
                     ops::tensor_parameter("probe"), ops::tensor_parameter("product"), ops::attribute("epsilon"),
                     ops::attribute("allowance"), ops::attribute("reverse"), ops::attribute("full")},
      .type =
          [](ops::ShapeBuilder&, const ops::Call&) {
            return Type{Dtype::i64, {}};
          },
      .eager = miss_eager,
      .derivative = ops::Derivative::none("compares"),
      .effects = {.may_fail = true},
      .internal = true,
      .part_of = "jacobian"};
  return entry;
}

const ops::Entry& plan_explain_entry() {
  static const ops::Entry entry{.name = "_plan_explain",
                                .doc = "The error that names an entry which the pattern of a plan lacks.",
                                .parameters = {ops::any_parameter("plan"), ops::any_parameter("args"),
                                               ops::any_parameter("keywords"), ops::any_parameter("data")},
                                .eager = explain_eager,
                                .derivative = ops::Derivative::none("explains"),
                                .effects = {.may_fail = true, .calls = true},
                                .internal = true,
                                .part_of = "jacobian"};
  return entry;
}

const ops::Entry& plan_same_entry() {
  static const ops::Entry entry{.name = "_plan_same",
                                .doc = "Checks that an argument on which the pattern of a plan depends is what it was.",
                                .parameters = {ops::tensor_parameter("now"), ops::tensor_parameter("then"),
                                               ops::attribute("name"), ops::attribute("parameter")},
                                .carries = true,
                                .type = bool_type,
                                .eager = same_eager,
                                .derivative = ops::Derivative::none("compares"),
                                .effects = {.may_fail = true},
                                .internal = true,
                                .part_of = "jacobian"};
  return entry;
}

const ops::Entry& plan_extent_entry() {
  static const ops::Entry entry{
      .name = "_plan_extent",
      .doc = "Checks that a plan fits its arguments.",
      .parameters = {ops::tensor_parameter("found"), ops::tensor_parameter("expected"), ops::attribute("name"),
                     ops::attribute("what"), ops::attribute("argument")},
      .type = bool_type,
      .eager = extent_eager,
      .derivative = ops::Derivative::none("checks"),
      .effects = {.may_fail = true},
      .internal = true,
      .part_of = "jacobian"};
  return entry;
}

}  // namespace covec::autodiff
