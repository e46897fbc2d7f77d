#include "jit/lower/graph/graph_writer.hpp"

#include <algorithm>
#include <stdexcept>

#include "jit/lower/graph/conditional_value.hpp"
#include "jit/lower/graph/not_staged.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/derivatives/directional.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

namespace {

constexpr size_t max_operations = 100'000;  // of one function; past it the rest is interpreted
// Operations that rules of derivatives apply: those that are few always may be, more only as many times those of the
// program; past it the interpreter takes the derivative. Chosen so that no random program takes 2 s.
constexpr size_t few_of_rules = 20'000, max_of_rules = 100;
constexpr size_t between_polls = 32;  // operations

}  // namespace

void not_staged(std::string what) { fail(message("not_staged"), {std::move(what)}); }

void require_plain(const Value& value) {
  const bool on_some_paths = value.is_unbound() && !is_undefined(value);
  if (value.is_traced() || on_some_paths) throw std::logic_error("a value that the run cannot be given");
  if (!value.is_object() || value.is_tensor() || is_symbol(value)) return;
  if (value.is(ObjectKind::function) && autodiff::is_staged_pullback(value)) not_staged("a pullback from vjp");
  for (const Value& part : parts_of(value)) require_plain(part);
}

GraphWriter::GraphWriter(const ops::Context& context, Graph& graph)
    : context_(context), graph_(graph), dimensions_(graph), open_{&graph.body} {
  graph_.places.emplace_back();
}

// --- operations ---

Operation& GraphWriter::append(Operation operation) {
  count_operation();
  loops_ += is_loop(operation) || operation.kind == Kind::recursion;
  each_operand(operation, [](const Value& operand) { require_plain(operand); });
  if (operation.place == 0) operation.place = place_number();
  return open_.back()->operations.emplace_back(std::move(operation));
}

Operation& GraphWriter::append_applied(Operation operation) {
  if (in_batch() && is_ordered(graph_, operation)) leave_error(graph_, operation);
  return append(std::move(operation));
}

void leave_error(Graph& graph, Operation& operation) {
  if (!graph.may_replay)
    not_staged(
        "an error here would make the call run again, and it has too many results of files or collectives for that");
  operation.replays_error = graph.replays_errors = true;
}

bool GraphWriter::in_batch() const {
  for (const autodiff::OpenLevel* level = context_.innermost; level != nullptr; level = level->outer) {
    if (level->kind == TraceKind::batch) return true;
  }
  return std::ranges::any_of(context_.batches, [](const ops::OpenBatch& batch) { return batch.together; });
}

// Counts operations of derivative rules against those of the program: a mixture of derivatives may multiply them with
// each level.
void GraphWriter::count_operation() {
  if (operations_ % between_polls == 0) kernels::poll_interrupt(context_);
  if (++operations_ > max_operations) fail(message("compiler_limit"), {std::to_string(max_operations)});
  if (context_.rule_of == nullptr) return;
  ++graph_.of_rules;
  const size_t of_program = operations_ - graph_.of_rules;
  if (graph_.of_rules > few_of_rules && graph_.of_rules > of_program * max_of_rules)
    fail(message("derivative_limit"), {std::to_string(graph_.of_rules), std::to_string(of_program)});
}

Value GraphWriter::result_of(Operation& operation, const Type& type) {
  const Id id = graph_.add(type);
  dimensions_.bind(type, id);
  operation.results.push_back(id);
  return graph_.symbol(id);
}

Value GraphWriter::boxed_result_of(Operation& operation) {
  operation.results.push_back(graph_.add_boxed());
  graph_.values.back().of_collective = operation.entry != nullptr && operation.entry->effects.meets;
  return graph_.symbol(operation.results.back());
}

Value GraphWriter::list_result_of(Operation& operation, Dtype dtype, unsigned rank) {
  operation.results.push_back(graph_.add_list(dtype, rank));
  return graph_.symbol(operation.results.back());
}

namespace {

// Something in it is wrapped by a derivative or vmap, or is there on some paths only.
bool holds_wrapped(const Value& value) {
  if (value.is_traced()) return true;
  if (value.is_unbound()) return !is_undefined(value);
  if (!value.is_object() || value.is_tensor() || is_symbol(value)) return false;
  if (value.is(ObjectKind::function) && autodiff::is_staged_pullback(value)) return false;
  return std::ranges::any_of(parts_of(value), holds_wrapped);
}

}  // namespace

// A boxed value hides its parts, active ones too.
Value GraphWriter::box(const Value& tree) {
  if (is_boxed(tree) && !is_list_symbol(tree)) return tree;
  if (holds_wrapped(tree)) not_staged("the structure of an active or batched value");
  Operation operation;
  operation.kind = Kind::box;
  operation.args = {tree};
  Value result = boxed_result_of(operation);
  append(std::move(operation));
  return result;
}

void GraphWriter::require(const Value& holds) {
  Operation operation;
  operation.entry = &ops::handles().require;
  operation.args = {holds};
  leave_error(graph_, operation);
  boxed_result_of(operation);
  append(std::move(operation));
}

bool GraphWriter::is_in_adjoint() const {
  return std::any_of(open_.begin(), open_.end(), [](const Region* region) { return region->adjoint_of != 0; });
}

uint32_t GraphWriter::walk_back(uint32_t through) {
  for (size_t i = open_.size(); i-- > 0;) {
    if (open_[i]->adjoint_of == 0) continue;
    uint32_t& number = walks_back_[{open_[i]->sweep, through}];
    return number != 0 ? number : number = ++graph_.sweeps;
  }
  return ++graph_.sweeps;
}

void GraphWriter::note_region(const Region& region) {
  if (region.adjoint_of == 0) return;
  const Forward through = forward_of(region.adjoint_of);
  forward_[region.serial] = {through.serial, !through.back, region.adjoint_of};
}

namespace {

bool makes(const Region& region, Id id) {
  const auto has = [&](const std::vector<Id>& ids) { return std::ranges::find(ids, id) != ids.end(); };
  return has(region.parameters) ||
         std::ranges::any_of(region.operations, [&](const Operation& operation) { return has(operation.results); });
}

const Region* region_that_makes(const Region& around, Id id) {
  for (const Operation& operation : around.operations) {
    for (const Region& region : operation.regions) {
      if (makes(region, id)) return &region;
      if (const Region* const found = region_that_makes(region, id)) return found;
    }
  }
  return nullptr;
}

}  // namespace

// A parameter of a function that is being walked is nowhere yet.
bool GraphWriter::is_fixed(Dim dim, const Region& body) const {
  if (dim.known()) return true;
  const DimExpression& expression = graph_.dims[dim.id()];
  const bool of_value =
      expression.kind == DimExpression::Kind::axis_of || expression.kind == DimExpression::Kind::number;
  if (!of_value) return is_fixed(expression.left, body) && is_fixed(expression.right, body);
  const Id id = expression.value;
  if (std::ranges::any_of(open_, [&](const Region* region) { return makes(*region, id); })) return true;
  for (const Region* region : open_) {
    const Region* const closed = region_that_makes(*region, id);
    if (closed == nullptr) continue;
    const auto goes_back = [&](const Region* other) {
      uint32_t of = other->adjoint_of;
      while (of != 0 && of != closed->serial) of = forward_of(of).adjoint_of;
      return of != 0;
    };
    return std::ranges::any_of(open_, goes_back) && !goes_back(&body);
  }
  return true;
}

std::set<uint32_t> GraphWriter::open_loops() const {
  std::set<uint32_t> serials;
  for (const Region* region : open_) {
    if (!region->parameters.empty()) serials.insert(forward_of(region->serial).serial);
  }
  return serials;
}

// --- places ---

uint32_t GraphWriter::place_number() { return context_.rule_of != nullptr ? place_in_rule() : written_place(); }

// Errors inside a rule are told of the operator that it is the rule of (stdlib/autodiff/in_rule.hpp).
uint32_t GraphWriter::place_in_rule() {
  RuleSource& last = rule_place_;
  const uint32_t around = written_place();
  const bool same = last.rule_of == context_.rule_of && last.site == context_.site && last.around == around;
  if (same && last.number != 0) return last.number;
  SourcePlace place = graph_.places[around];
  place.operands.clear();
  place.entry = nullptr;
  place.rule_of = context_.rule_of;
  if (context_.site != nullptr) place.site = *context_.site;
  graph_.places.push_back(std::move(place));
  last = {around, context_.rule_of, context_.site, static_cast<uint32_t>(graph_.places.size() - 1)};
  return last.number;
}

uint32_t GraphWriter::written_place() {
  if (place_ == nullptr) return 0;
  if (place_->number == 0) {
    SourcePlace place;
    place.whole = place_->whole;
    place.operands = {place_->operands.begin(), place_->operands.end()};
    place.entry = place_->entry;
    place.frame = place_->frame;
    // What derivatives and comprehensions apply has the place of the node that called them.
    for (const StagedSource* at = place_->outer; at != nullptr && !place.whole.known(); at = at->outer) {
      place.whole = at->whole;
      place.frame = at->frame;
    }
    graph_.places.push_back(std::move(place));
    place_->number = static_cast<uint32_t>(graph_.places.size() - 1);
  }
  return place_->number;
}

uint32_t GraphWriter::enter(const Callable& closure, uint32_t caller, Span site) {
  graph_.frames.push_back({reference_to(const_cast<Callable*>(&closure)), caller, site});
  return static_cast<uint32_t>(graph_.frames.size() - 1);
}

// --- taking back ---

void GraphWriter::insert(Position at, Operation operation) {
  append(std::move(operation));
  std::vector<Operation>& operations = open_.back()->operations;
  std::rotate(operations.begin() + static_cast<ptrdiff_t>(at.operations), operations.end() - 1, operations.end());
}

void GraphWriter::rollback(Position to) {
  open_.back()->operations.resize(to.operations);
  graph_.unstaged.resize(to.unstaged);
  dimensions_.rollback(to.assumed);
}

std::span<const Operation> GraphWriter::appended_since(size_t position) const {
  return std::span<const Operation>(open_.back()->operations).subspan(position);
}

}  // namespace covec::ir
