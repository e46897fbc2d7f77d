// jacobian(f, sparse=…), hessian(f, sparse=…) and the plans of sparse.prepare_jacobian: they read the pattern that is
// given, or look for it, and make a plan for it.
#include <algorithm>

#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/derivatives/composite.hpp"
#include "stdlib/ops/derivatives/grad.hpp"
#include "stdlib/ops/derivatives/jacobian.hpp"
#include "stdlib/ops/derivatives/sparse_plan.hpp"
#include "stdlib/sparse/csr.hpp"
#include "stdlib/tensor/equal.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/compiler.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

using sparse::ColorKind;

[[noreturn]] void fail_pattern(const std::string& name, const std::string& must_be, const std::string& got) {
  fail(message("bad_attribute"), {name, "the pattern", must_be, got});
}

// An integer vector of the record, as i64 in one piece.
Value integers(ops::Builder& b, const std::string& name, const Record& matrix, std::string_view field) {
  const Value* found = matrix.find(field);
  if (found != nullptr && !found->is_numeric() && is_operand(*found)) fail_not_staged("the pattern of a sparse matrix");
  const bool fits = found != nullptr && found->is_tensor() && found->tensor().rank() == 1 &&
                    kind_of(found->tensor().dtype()) == DtypeKind::integer;
  if (!fits) {
    fail_pattern(name, "a sparse matrix, with a vector of integers in `" + std::string(field) + "`",
                 found == nullptr ? "none" : describe(*found));
  }
  return contiguous(b.pool(), own_copy(b.pool(), ops::call(b, ops::cast_entry(Dtype::i64), {*found})));
}

int64_t extent(const std::string& name, const Record& matrix, size_t axis) {
  const Value* shape = matrix.find("shape");
  const bool is_pair = shape != nullptr && shape->is(ObjectKind::tuple) && shape->tuple().items.size() == 2;
  const std::string got = is_pair ? describe(shape->tuple().items[axis]) : shape == nullptr ? "none" : describe(*shape);
  const Value* found = is_pair ? &shape->tuple().items[axis] : nullptr;
  if (found != nullptr && found->is_symbol()) fail_not_staged("the pattern of a sparse matrix");
  const bool fits = found != nullptr && found->is_integer() && found->integer() < sparse::graph_limit;
  if (!fits) {
    fail_pattern(name, "a sparse matrix, with two extents in `shape`",
                 found != nullptr && found->is_integer() ? std::to_string(found->integer()) : got);
  }
  return found->integer();
}

void require_sound(const std::string& name, const SparsePattern& pattern) {
  const auto starts = numbers_in<int64_t>(pattern.indptr), indices = numbers_in<int64_t>(pattern.indices);
  const auto count = static_cast<int64_t>(indices.size()), lengths = static_cast<int64_t>(starts.size());
  if (lengths != pattern.rows + 1) {
    fail(message("sparse_indptr"),
         {std::to_string(pattern.rows), std::to_string(pattern.rows + 1), std::to_string(lengths)});
  }
  if (count >= sparse::graph_limit) fail_pattern(name, "of less than 2^32 entries", std::to_string(count));
  const auto found = sparse::find_fault({indices.data(), starts.data(), count, pattern.rows, pattern.columns});
  if (!found) return;
  const std::string row = std::to_string(found->row), column = std::to_string(found->column);
  switch (found->kind) {
    case sparse::Fault::Kind::starts:
      fail(message("sparse_starts"),
           {std::to_string(count), row, std::to_string(starts[static_cast<size_t>(found->row)])});
    case sparse::Fault::Kind::twice: fail(message("sparse_twice"), {row, column});
    case sparse::Fault::Kind::range: fail(message("sparse_range"), {row, column, std::to_string(pattern.columns)});
    case sparse::Fault::Kind::order:
      fail(message("sparse_order"), {row, column, std::to_string(indices[static_cast<size_t>(found->place) - 1])});
  }
}

SparsePattern read_pattern(ops::Builder& b, const std::string& name, const Value& given) {
  const Record& matrix = given.record();
  const int64_t rows = extent(name, matrix, 0), columns = extent(name, matrix, 1);
  if (rows < 0 || columns < 0) fail(message("sparse_shape"), {std::to_string(rows), std::to_string(columns)});
  SparsePattern pattern{integers(b, name, matrix, "indptr"), integers(b, name, matrix, "indices"), rows, columns};
  require_sound(name, pattern);
  return pattern;
}

ColorKind kind_of_mode(JacobianMode mode) {
  return mode == JacobianMode::forward   ? ColorKind::forward
         : mode == JacobianMode::reverse ? ColorKind::reverse
                                         : ColorKind::automatic;
}

std::string name_of(std::string_view transform, const Value& f) {
  return std::string(transform) + "(" + f.function().name() + ")";
}

}  // namespace

bool wants_dense(std::string_view transform, const Value& sparse) {
  if (sparse.tag() == Tag::boolean) return !sparse.boolean();
  if (sparse.is(ObjectKind::record)) return false;
  fail(message("bad_attribute"), {std::string(transform), "sparse", "a bool or a sparse matrix", describe(sparse)});
}

namespace {

// --- patterns that are looked for ---

// What is asked for: the Jacobian of `target`, in messages a Jacobian or Hessian of f.
struct Request {
  std::string_view transform;
  std::string name;
  Value target;
  Parameters wrt;
  ColorKind kind;
  bool check;
};

Request request_of(std::string_view transform, const Value& f, Parameters wrt, ColorKind kind, bool check) {
  Request request{transform, name_of(transform, f), f, std::move(wrt), kind, check};
  if (transform == "hessian") {
    request.target = make_grad("hessian", f, GradOptions{request.wrt, false, false, false, false});
    request.kind = ColorKind::symmetric;
  }
  return request;
}

struct Found {
  SparsePattern pattern;
  bool local;
  bool passes_rule;             // of a function with a reverse rule alone
  std::vector<int64_t> places;  // of what else it depends on
};

constexpr int64_t max_nonzeros = int64_t{1} << 28;  // of a pattern that is looked for; chosen: 2 GB of numbers

Value wrt_value(const Parameters& wrt) {
  std::vector<Value> numbers;
  for (const size_t number : wrt.numbers) numbers.emplace_back(static_cast<int64_t>(number));
  return wrt.tuple ? make_tuple(std::move(numbers)) : numbers[0];
}

SparsePattern pattern_of(ops::Builder& b, const sparse::Graph& graph) {
  return {vector_of<uint32_t>(b.pool(), graph.starts), vector_of<uint32_t>(b.pool(), graph.indices), graph.rows,
          graph.columns};
}

Found look(ops::Builder& b, const Request& request, const GivenArguments& given) {
  std::vector<Value> keywords;
  for (const std::string& keyword : given.keywords) keywords.push_back(make_string(keyword));
  const Value found = ops::call(
      b, sparse_pattern_entry(),
      {request.target, given.values, wrt_value(request.wrt), Value(max_nonzeros), make_tuple(std::move(keywords))});
  const Record& record = found.record();
  const std::vector<Value>& shape = record.find("shape")->tuple().items;
  Found result{{*record.find("indptr"), *record.find("indices"), shape[0].integer(), shape[1].integer()},
               record.find("local")->boolean(),
               record.find("passes_rule")->boolean(),
               {}};
  for (const Value& place : record.find("reasons")->tuple().items) result.places.push_back(place.integer());
  return result;
}

// Where a rule of the program's has made a gradient whose Jacobian is not symmetric, no entry is read at its mirror's
// place. Where forward mode goes past rules, automatic mode goes backwards.
ColorKind kind_for(const Request& request, const SparsePattern& pattern, bool passes_rule) {
  if (request.kind == ColorKind::automatic && passes_rule) return ColorKind::reverse;
  const bool lacks = request.kind == ColorKind::symmetric && !sparse::is_symmetric(graph_of(pattern));
  return lacks ? ColorKind::automatic : request.kind;
}

constexpr double small = 1024;  // elements of a matrix: nobody cares how many are 0
constexpr int64_t few = 32;     // rows or columns: a dense matrix takes as few products

void warn_if_dense(ops::Builder& b, const Request& request, const SparsePattern& pattern) {
  const double all = static_cast<double>(pattern.rows) * static_cast<double>(pattern.columns);
  const auto count = static_cast<double>(pattern.indices.tensor().size());
  if (all <= small || count <= all / 2 || std::min(pattern.rows, pattern.columns) <= few) return;
  const std::string share = std::to_string(static_cast<int>(100 * count / all));
  warn_once(b.context(), request.name + ": " + share + " % of the derivatives may be nonzero: " + "a dense " +
                             std::string(request.transform) + "(f) is faster");
}

Value compiled(ops::Builder& b, Value plan) {
  Compiler* const compiler = b.context().compiler;
  return compiler == nullptr ? plan : compiler->compile(plan);
}

// For any arguments.
Value plan_of(ops::Builder& b, const Request& request, const SparsePattern& pattern, PlanCheck check,
              bool passes_rule) {
  PlanOptions options{request.transform, request.name, request.wrt, request.check ? check : PlanCheck::none,
                      request.kind == ColorKind::automatic};
  return make_plan(b, request.target, pattern, kind_for(request, pattern, passes_rule), std::move(options),
                   PlanArguments::any());
}

// For arguments like these.
Value plan_for(ops::Builder& b, const Request& request, const Found& found, const GivenArguments& given) {
  PlanOptions options{request.transform,
                      request.name,
                      request.wrt,
                      request.check ? PlanCheck::at_times : PlanCheck::none,
                      request.kind == ColorKind::automatic,
                      given.names,
                      given.keywords,
                      found.places};
  return make_plan(b, request.target, found.pattern, kind_for(request, found.pattern, found.passes_rule),
                   std::move(options), PlanArguments::like(b, given.values, found.places));
}

// A function that looks for the pattern when it is called, and again where a check finds that it lacks an entry: at
// another point the function may take another path. It keeps plans for several types of arguments, which its copies
// with other captures share: the entries of a local plan depend on the calls before, so a copy in compiled code must
// know of these.
class AdaptivePlan final : public Transformed {
  struct CachedPlan {
    Value f;
    Value types;  // the arguments, with the type in place of each leaf
    std::vector<std::string> keywords;
    std::vector<int64_t> places;
    Value reasons;
    SparsePattern pattern;
    bool local, passes_rule;
    Value plan;
  };
  using Plans = std::vector<std::shared_ptr<CachedPlan>>;

 public:
  AdaptivePlan(Value f, Request request) : AdaptivePlan(std::move(f), std::move(request), std::make_shared<Plans>()) {}
  AdaptivePlan(Value f, Request request, std::shared_ptr<Plans> plans)
      : Transformed(request.transform, std::move(f)), request_(std::move(request)), plans_(std::move(plans)) {}

  std::string name() const override { return request_.name; }
  std::string text() const override {
    if (plans_->empty()) return Transformed::text();
    return plans_->back()->plan.function().text() + (plans_->back()->local ? ", local" : "");
  }
  std::string staging_key() const override {
    return "adaptive " + request_.name + request_.wrt.key() + " kind " +
           std::to_string(static_cast<int>(request_.kind)) + (request_.check ? " check" : "") + " plans " +
           std::to_string(reinterpret_cast<uintptr_t>(plans_.get()));
  }

  Value apply(ops::Builder& b, std::span<Value> args, std::span<const std::string_view> keywords) override {
    if (!b.is_eager()) fail_not_staged("a sparse Jacobian whose pattern is looked for");
    const Arguments arguments(function(), args, keywords);
    refuse_complex(transform_, arguments, request_.wrt);
    const GivenArguments given(arguments);
    const std::shared_ptr<CachedPlan> cached = plan_for(b, given);
    FirstRun first(b.context());
    Value result = first.run(b, [&] { return run(b, *cached, given); });
    if (plan_in(*cached).has_turned()) {  // so will the next one, as a rule
      cached->passes_rule = true;
      make(b, *cached);
    }
    if (!request_.check) return result;
    for (;;) {
      if (ops::integer_of(concrete(result.tuple().items[1])) < 0) break;
      const Plan& plan = plan_in(*cached);
      const auto entry = missing(b, first, plan, given, result.tuple().items[0]);
      if (!entry) break;
      result = first.run_again(b, [&] {
        if (!extend(b, *cached, given)) plan.fail_missing(*entry);
        return run(b, *cached, given);
      });
    }
    return result.tuple().items[0];
  }

  // Whether the pattern at these arguments depends on the numbers by which is differentiated.
  bool prepare(ops::Builder& b, const GivenArguments& given) { return plan_for(b, given)->local; }

 protected:
  Value with_function(Value f) const override {
    Request request = request_of(transform_, f, request_.wrt, request_.kind, request_.check);
    return make_function<AdaptivePlan>(std::move(f), std::move(request), plans_);
  }

 private:
  static constexpr size_t max_plans = 8;  // plans

  static Value types_of(const Value& args) {
    return map_leaves(args, [](const Value& leaf) {
      return is_operand(leaf) ? make_string(logical_type(leaf).text()) : make_string("");
    });
  }

  // Whether the plan is for this function. What derivatives follow is looked at anew.
  bool is_mine(const CachedPlan& cached) const {
    if (&cached.f.function() == &function()) return true;
    const auto traced = [](const Value& leaf) { return leaf.is_traced(); };
    const Value both[] = {cached.f, function_};
    return std::ranges::none_of(deep_leaves(both), traced) && values_equal(cached.f, function_);
  }

  // The plan used last stands at the end.
  std::shared_ptr<CachedPlan> plan_for(ops::Builder& b, const GivenArguments& given) {
    const Value &args = given.values, types = types_of(args);
    for (size_t i = plans_->size(); i-- > 0;) {
      const CachedPlan& cached = *(*plans_)[i];
      if (cached.keywords != given.keywords || !values_equal(cached.types, types) || !is_mine(cached) ||
          !values_equal(cached.reasons, reasons_at(b, args, cached.places)))
        continue;
      std::rotate(plans_->begin() + static_cast<std::ptrdiff_t>(i),
                  plans_->begin() + static_cast<std::ptrdiff_t>(i) + 1, plans_->end());
      return plans_->back();
    }
    Found found = look(b, request_, given);
    warn_if_dense(b, request_, found.pattern);
    if (plans_->size() == max_plans) plans_->erase(plans_->begin());
    Value reasons = reasons_at(b, args, found.places);
    const auto cached = std::make_shared<CachedPlan>(
        CachedPlan{function_, types, given.keywords, std::move(found.places), std::move(reasons), found.pattern,
                   found.local, found.passes_rule, Value()});
    make(b, *cached);
    plans_->push_back(cached);
    return plans_->back();
  }

  void make(ops::Builder& b, CachedPlan& cached) const {
    cached.plan = compiled(b, plan_of(b, request_, cached.pattern, PlanCheck::told, cached.passes_rule));
  }

  Value run(ops::Builder& b, const CachedPlan& cached, const GivenArguments& given) const {
    std::vector<Value> own = given.values.tuple().items;
    return cached.plan.function().call(b, own, given.keyword_views());
  }

  // The plan itself, of what may be its code.
  static const Plan& plan_in(const CachedPlan& cached) {
    const Value* const from = cached.plan.function().compiled_from();
    return static_cast<const Plan&>((from == nullptr ? cached.plan : *from).function());
  }

  static std::optional<Plan::Missing> missing(ops::Builder& b, FirstRun& first, const Plan& plan,
                                              const GivenArguments& given, const Value& matrix) {
    std::vector<Value> own = given.values.tuple().items;
    const std::vector<std::string_view> keywords = given.keyword_views();
    return plan.missing(b, first, Arguments(plan, own, keywords), *matrix.record().find("data"));
  }

  // Adds the entries of the pattern at these arguments; false where there are none to add.
  bool extend(ops::Builder& b, CachedPlan& cached, const GivenArguments& given) const {
    const Found found = look(b, request_, given);
    const sparse::Graph before = graph_of(cached.pattern), now = graph_of(found.pattern);
    if (before.rows != now.rows || before.columns != now.columns) return false;
    const sparse::Graph all = sparse::united(before, now);
    if (all.indices.size() == before.indices.size()) return false;
    cached.pattern = pattern_of(b, all);
    cached.local |= found.local;
    cached.passes_rule |= found.passes_rule;
    make(b, cached);
    return true;
  }

  const Request request_;
  const std::shared_ptr<Plans> plans_;
};

// In compiled code, too, it is made each time that the program makes it.
Value adaptive(const ops::Builder& b, const Value& f, Request request) {
  if (!b.is_eager()) fail_not_staged("a sparse Jacobian whose pattern is looked for");
  return make_function<AdaptivePlan>(f, std::move(request));
}

Value prepare_eager(ops::Builder& b, ops::Call& call) {
  if (!call.args[0].is(ObjectKind::string)) ops::fail_attribute(call, 0, "a string");
  const std::string_view transform = call.args[0].string().text == "hessian" ? "hessian" : "jacobian";
  const Value f = function_argument(transform, call.args[1]);
  const Value args = make_tuple(as_arguments(without_derivatives(call.args[2])));
  const auto mode = static_cast<JacobianMode>(choice(transform, "mode", call.args[4], {"auto", "forward", "reverse"}));
  Parameters wrt = parameters_of(transform, "wrt", f.function(), call.args[3]);
  const Request request = request_of(transform, f, std::move(wrt), kind_of_mode(mode), ops::flag_argument(call, 5));
  std::vector<Value> own = args.tuple().items;
  const GivenArguments given(Arguments(f.function(), own, {}));
  const Found found = look(b, request, given);
  const bool adapts = ops::flag_argument(call, 6);
  if (found.local || (adapts && !found.places.empty())) {
    Value plan = make_function<AdaptivePlan>(f, request);
    static_cast<AdaptivePlan&>(plan.function()).prepare(b, given);
    return plan;
  }
  warn_if_dense(b, request, found.pattern);
  return compiled(b, plan_for(b, request, found, given));
}

}  // namespace

const ops::Entry& sparse_prepare_entry() {
  static const ops::Entry entry{
      .name = "_sparse_prepare",
      .doc =
          "Looks for a pattern at these arguments, and makes a plan for it. `adapts`: where the pattern depends on "
          "other "
          "arguments, it is looked for again when they change.",
      .parameters = {ops::any_parameter("transform"), ops::any_parameter("f"), ops::any_parameter("args"),
                     ops::any_parameter("wrt"), ops::any_parameter("mode"), ops::any_parameter("check"),
                     ops::any_parameter("adapts")},
      .eager = prepare_eager,
      .derivative = ops::Derivative::none("gives a function"),
      .effects = {.may_fail = true, .calls = true},
      .internal = true,
      .part_of = "sparse.prepare_jacobian"};
  return entry;
}

Value sparse_jacobian(ops::Builder& b, const Value& f, Parameters wrt, JacobianMode mode, const Value& sparse,
                      bool check) {
  Request request = request_of("jacobian", f, std::move(wrt), kind_of_mode(mode), check);
  if (sparse.tag() == Tag::boolean) return adaptive(b, f, std::move(request));
  const SparsePattern pattern = read_pattern(b, request.name, sparse);
  return like_function(b, f, plan_of(b, request, pattern, PlanCheck::always, false));
}

Value sparse_hessian(ops::Builder& b, const Value& f, Parameters wrt, const Value& sparse, bool check) {
  Request request = request_of("hessian", f, std::move(wrt), ColorKind::symmetric, check);
  if (sparse.tag() == Tag::boolean) return adaptive(b, f, std::move(request));
  const SparsePattern pattern = read_pattern(b, request.name, sparse);
  if (!sparse::is_symmetric(graph_of(pattern)))
    fail_value(request.name, "the pattern", "symmetric", "one that has an entry without its mirror");
  return like_function(b, f, plan_of(b, request, pattern, PlanCheck::always, false));
}

}  // namespace covec::autodiff
