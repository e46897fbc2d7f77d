#include "jit/specialize/stage.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "frontend/source/diagnostic.hpp"
#include "jit/lower/graph/not_staged.hpp"
#include "jit/lower/stager.hpp"
#include "jit/specialize/globals.hpp"
#include "jit/specialize/policy.hpp"

namespace covec::jit {

std::vector<std::string_view> names_of_arguments(const Callable& function) {
  std::vector<std::string_view> names = function.parameter_names();
  if (function.rest_parameter() >= 0) names.resize(static_cast<size_t>(function.rest_parameter()));
  return names;
}

namespace {

// While a function is staged nothing is written: what would warn is left to the interpreter.
class NoOutput final : public ops::Output {
 public:
  explicit NoOutput(ops::Context& context) : context_(context), before_(context.output), random_(context.random) {
    context_.output = this;
  }
  NoOutput(const NoOutput&) = delete;
  NoOutput& operator=(const NoOutput&) = delete;
  ~NoOutput() override {
    context_.output = before_;
    context_.random = random_;
  }
  void write(std::string_view) override { ir::not_staged("the printed text"); }
  void warn(std::string_view text) override {
    context_.warned.erase(std::string(text));
    ir::not_staged("a warning");
  }

 private:
  ops::Context& context_;
  ops::Output* before_;
  const ops::Random random_;
};

// A function is staged by itself, whatever derivative the program is taking when it is first called.
class NoLevels {
 public:
  explicit NoLevels(ops::Context& context)
      : context_(context),
        innermost_(std::exchange(context.innermost, nullptr)),
        level_(std::exchange(context.level, 0)) {}
  NoLevels(const NoLevels&) = delete;
  NoLevels& operator=(const NoLevels&) = delete;
  ~NoLevels() {
    context_.innermost = innermost_;
    context_.level = level_;
  }

 private:
  ops::Context& context_;
  autodiff::OpenLevel* innermost_;
  const uint64_t level_;
};

// Symbols for the leaves of the function, its arguments and its globals, in that order.
class Symbols {
 public:
  Symbols(ir::Stager& stager, const Signature& signature, const KnownExtents& known)
      : stager_(stager),
        signature_(signature),
        fixed_(known.walk),
        written_(known.written),
        small_(known.small),
        active_walk_(signature.level != 0 ? stager.active_walk(signature.memory) : nullptr) {}

  Value operator()(const Value& value, const std::string& name, bool generic = false) {
    return map_walk(value, Leaves{*this, name}, generic);
  }
  std::vector<Value> of_arguments(const Callable& function, std::span<const Value> args) {
    const std::vector<std::string_view> names = names_of_arguments(function);
    std::vector<Value> symbols;
    for (size_t i = 0; i < args.size(); ++i) {
      argument_ = i;
      given_ = fixed_ != nullptr && i < fixed_->given;
      in_arguments_ = true;
      symbols.push_back((*this)(args[i], i < names.size() ? std::string(names[i]) : "", signature_.generic));
    }
    given_ = in_arguments_ = false;
    argument_ = ir::FirstValue::no_argument;
    return symbols;
  }
  void finish(Value result, Specialization& made) {
    made.first_values = std::move(first_values_);
    if (active_walk_ != nullptr)
      made.active = active_walk_->finish(result);
    else
      stager_.finish(std::move(result));
  }

 private:
  struct Leaves {
    Symbols& symbols;
    const std::string& name;
    Value operator()(const Value& leaf) const { return symbols.symbol(leaf, name); }
    Value of_parts(const Value& z) const { return symbols.of_one_shape(complex_of(z)); }
  };

  // The parts have one shape, and so the same extents.
  Value of_one_shape(const Complex& z) {
    Value im = z.im();
    if (!ir::is_symbol(z.re()) || !ir::is_symbol(im)) return make_complex(z.re(), im);
    const Shape shape = logical_type(z.re()).shape;
    for (unsigned axis = 0; axis < shape.rank(); ++axis) {
      if (!shape[axis].known()) im = stager_.parameters().with_dim(im, axis, shape[axis]);
    }
    return make_complex(z.re(), im);
  }

  Value symbol(const Value& leaf, const std::string& name) {
    if (fixed_ != nullptr) return fixed(leaf, name);
    const Value& primal = leaf.is_traced() ? leaf.traced().primal : leaf;
    const size_t number = next_++;
    Value symbol = with_small_extents(stager_.parameters().add(primal, name), primal, number);
    note(ir::id_of(symbol), primal);
    if (in_arguments_ && written_ != nullptr && next_leaf_ < written_->size())
      return as_written(std::move(symbol), (*written_)[next_leaf_++]);
    return leaf.is_traced() ? active_walk_->input(std::move(symbol), signature_.active[number]) : symbol;
  }

  void note(ir::Id parameter, const Value& leaf) {
    ir::FirstValue& first = first_values_.emplace_back(ir::FirstValue{parameter, argument_});
    if (leaf.is_scalar()) first.number = leaf;
    if (!leaf.is_tensor()) return;
    for (unsigned axis = 0; axis < leaf.tensor().rank(); ++axis) first.extents.push_back(leaf.tensor().dim(axis));
  }

  Value with_small_extents(Value symbol, const Value& leaf, size_t number) {
    if (small_ == nullptr || !leaf.is_tensor()) return symbol;
    const SmallExtents known = small_->known_of(number, small_extents(leaf));
    const unsigned rank = leaf.tensor().rank();
    for (unsigned axis = 0; known != 0 && axis < rank; ++axis) {
      const SmallExtents extent = extent_in(known, rank - 1 - axis);
      if (extent != 0) symbol = stager_.with_extent(symbol, axis, extent);
    }
    return symbol;
  }

  // Axes of one name have one extent.
  Value as_written(Value symbol, std::span<const WrittenExtent> extents) {
    for (unsigned axis = 0; axis < extents.size(); ++axis) {
      const WrittenExtent& extent = extents[axis];
      if (extent.number >= 0) symbol = stager_.with_extent(symbol, axis, extent.number);
      if (extent.name.empty()) continue;
      const Dim dim = static_cast<const Symbol&>(*symbol.object()).type.shape[axis];
      const auto [known, is_new] = named_.try_emplace(extent.name, dim);
      if (!is_new) symbol = stager_.parameters().with_dim(symbol, axis, known->second);
    }
    return symbol;
  }

  Value fixed(const Value& leaf, const std::string& name) {
    if (!given_ && leaf.is_scalar()) return leaf;
    fixed_->parameters.push_back({leaf, given_});
    Value symbol = stager_.parameters().add(leaf, name);
    if (given_ && written_ != nullptr) return as_written(std::move(symbol), (*written_)[next_leaf_++]);
    for (unsigned axis = 0; axis < rank_of(leaf); ++axis)
      symbol = stager_.with_extent(symbol, axis, leaf.tensor().dim(axis));
    return symbol;
  }

  ir::Stager& stager_;
  const Signature& signature_;
  FixedWalk* const fixed_;
  const WrittenExtents* const written_;
  const Family* const small_;
  std::map<std::string, Dim> named_;
  size_t next_leaf_ = 0;
  bool in_arguments_ = false;
  bool given_ = false;
  const std::unique_ptr<ir::ActiveWalk> active_walk_;
  size_t next_ = 0;
  size_t argument_ = ir::FirstValue::no_argument;  // whose leaves are met
  std::vector<ir::FirstValue> first_values_;
};

// What a statement has left to the interpreter gives values whose types only the run knows: where the function needs
// them, that statement is the reason.
void interpret(Specialization& made, const ir::Graph& graph, ErrorKind kind, const std::string& message, Span at) {
  if (kind != ErrorKind::not_staged || graph.unstaged.empty()) return made.interpret(message, at);
  made.interpret(graph.unstaged[0].reason, graph.unstaged[0].at);
}

// `gives`: the dtype of the number that the function gives, if it calls itself.
std::unique_ptr<ir::Graph> stage_once(ops::Context& context, Walker& walker, Specialization& made,
                                      const Value& function, std::span<Value> args, const Signature& signature,
                                      std::optional<Dtype> gives, const KnownExtents& known, const Watch& watch,
                                      ir::SelfCalls::Recursive& recursive) {
  if (known.walk != nullptr) known.walk->parameters.clear();
  auto graph = std::make_unique<ir::Graph>();
  graph->name = function.function().name();
  graph->may_replay = made.may_replay;
  const NoLevels alone(context);
  ir::Stager stager(context, walker.eager_builder(), *graph, recursive);
  if (watch) stager.set_watch([&](const StagedStep& step) { watch(*graph, step); });
  Symbols symbols(stager, signature, known);
  const Value staged_function = symbols(function, "");
  std::vector<Value> staged_args = symbols.of_arguments(function.function(), args);
  const bool of_numbers = std::ranges::all_of(args, [](const Value& arg) { return arg.is_scalar(); }) &&
                          (known.walk == nullptr || known.walk->given == args.size());
  if (of_numbers && function.function().captures().empty()) stager.recursion().set_itself(args.size(), gives);
  StagedGlobals globals(made, [&](const Value& value) { return symbols(value, ""); });
  stager.set_globals([&](const core::Function& body, Value* real, std::span<const uint32_t> given_rules) {
    return globals.of(body, real, given_rules);
  });
  try {
    const NoOutput quiet(context);
    walker.stage(staged_function, staged_args, stager.builder(), stager,
                 [&](Value result) { symbols.finish(std::move(result), made); });
  } catch (const OpError& error) {
    if (ends_all(error.kind)) throw;
    interpret(made, *graph, error.kind, error.message, Span());
  } catch (const CovecError& error) {
    const Diagnostic& first = error.diagnostics.front();
    if (ends_all(first.kind) || first.code == "internal") throw;
    interpret(made, *graph, first.kind, first.message, first.labels.empty() ? Span() : first.labels.front().span);
  }
  return graph;
}

// Whether a function that was taken to give a number of this dtype does.
bool gives(const ir::Graph& graph, Dtype dtype) {
  if (graph.recursive || graph.body.results.size() != 1) return false;
  const Value& result = graph.body.results[0];
  if (!ir::is_symbol(result)) return result.is_scalar() && result.scalar_dtype() == dtype;
  const ir::ValueInfo& info = graph.values[ir::id_of(result)];
  return !info.boxed && info.type.shape.empty() && info.type.dtype == dtype;
}

// A function that calls itself gives what it gives without doing so, of which only one dtype can be right. First those
// of its arguments are tried.
std::vector<Dtype> dtypes_to_try(std::span<const Value> args) {
  using enum Dtype;
  std::vector<Dtype> all;
  const auto add = [&](Dtype dtype) {
    if (std::ranges::find(all, dtype) == all.end()) all.push_back(dtype);
  };
  for (const Value& arg : args) add(arg.scalar_dtype());
  for (const Dtype dtype : {f64, i64, boolean, f32, i32, f16, bf16}) add(dtype);
  return all;
}

}  // namespace

std::unique_ptr<ir::Graph> stage(ops::Context& context, Walker& walker, Specialization& made, const Value& function,
                                 std::span<Value> args, const Signature& signature, const KnownExtents& known,
                                 const Watch& watch) {
  constexpr unsigned max_functions = 8;  // that call themselves
  ir::SelfCalls::Recursive recursive;
  ClosureParts parts;
  const bool is_closure = closure_parts(function.function(), parts);
  const auto once = [&](std::optional<Dtype> dtype) {
    for (;;) {
      const size_t before = recursive.size();
      std::unique_ptr<ir::Graph> graph =
          stage_once(context, walker, made, function, args, signature, dtype, known, watch, recursive);
      graph->recursive |= made.interpreted && is_closure && recursive.contains(parts.function);
      if (recursive.size() == before || before > max_functions) return graph;
      made.begin_again();
    }
  };
  std::unique_ptr<ir::Graph> graph = once(std::nullopt);
  if (!graph->awaits_result) return graph;
  for (const Dtype dtype : dtypes_to_try(args)) {
    made.begin_again();
    graph = once(dtype);
    if (gives(*graph, dtype) && is_of_numbers(*graph)) return graph;
  }
  if (is_closure) recursive.insert(parts.function);  // not of numbers alone: as functions of tensors do
  made.begin_again();
  return once(std::nullopt);
}

}  // namespace covec::jit
