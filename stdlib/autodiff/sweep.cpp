// The sweep. Cotangents of one value are added in reverse program order, the first on the left. They are moved from
// entry to entry, so an unshared buffer is updated in place. An index read or write then costs only the elements that
// it touches.
#include "stdlib/autodiff/sweep.hpp"

#include <optional>
#include <set>

#include "stdlib/autodiff/conditional_tangents.hpp"
#include "stdlib/autodiff/forward.hpp"
#include "stdlib/autodiff/in_rule.hpp"
#include "stdlib/autodiff/not_finite.hpp"
#include "stdlib/autodiff/operands.hpp"
#include "stdlib/autodiff/renewal.hpp"
#include "stdlib/autodiff/safe_substitute.hpp"
#include "stdlib/autodiff/split.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::autodiff {

using ops::Derivative;
using ops::Residuals;
using ops::RuleContext;

namespace {

// Rebuilds what a rule may look at from a compact entry.
class ResidualsView {
 public:
  const Residuals& load(const TapeEntry& entry) {
    if (types_.size() < entry.operands) types_.renew(entry.operands);
    if (entry.of_numbers) return load_numbers(entry);
    const TapeEntry::General& general = entry.general();
    const Dim* dims = general.dims;
    for (uint32_t i = 0; i < entry.operands; ++i) dims = load_type(types_[i], entry.slots()[i], dims);
    load_type(result_type_, entry.result_slot, general.result_dims);
    return give(entry, general.values, general.result);
  }

 private:
  const Residuals& load_numbers(const TapeEntry& entry) {
    if (numbers_.size() < entry.operands) numbers_.renew(entry.operands);
    const TapeEntry::Number* next = entry.numbers();
    for (uint32_t i = 0; i < entry.operands; ++i) load_number(numbers_[i], types_[i], entry.slots()[i], next);
    load_number(result_, result_type_, entry.result_slot, next);
    return give(entry, numbers_.data(), result_);
  }
  static void load_number(Value& value, Type& type, const TapeSlot& slot, const TapeEntry::Number*& next) {
    type = Type{slot.dtype, Shape()};
    value = slot.kept ? Value::scalar(slot.dtype, next++->bytes) : Value();
  }
  const Residuals& give(const TapeEntry& entry, const Value* values, const Value& result) {
    residuals_ =
        Residuals{{values, entry.operands}, {types_.data(), entry.operands}, &result, &result_type_, entry.parameters};
    return residuals_;
  }
  static const Dim* load_type(Type& type, const TapeSlot& slot, const Dim* dims) {
    type.dtype = slot.dtype;
    std::construct_at(&type.shape, dims, size_t{slot.rank});
    return dims + slot.rank;
  }
  SmallVector<Type, 4> types_;     // of the entry with the most operands so far
  SmallVector<Value, 4> numbers_;  // of entries of numbers
  Value result_;
  Type result_type_;
  Residuals residuals_;
};

class Sweep final : public ops::Cotangents {
 public:
  // `conditional`: that a value depends on what is differentiated by may be said of too many, since a compiled function
  // says it of its result on every path.
  Sweep(ops::Builder& builder, std::vector<Value>& cotangents, const SweepOptions& options, bool conditional = false)
      : builder_(builder),
        paths_(conditional_tangents(builder)),
        rules_(builder, options.ieee),
        cotangents_(cotangents),
        options_(options),
        debug_(options.debug || builder.watch() == ops::Watch::first),
        conditional_(conditional) {
    if (debug_ && !builder.is_eager()) fail_not_staged("whether a gradient is finite");
  }

  void pass(const TapeEntry& entry) {
    if (!conditional_) [[likely]]
      return pass_one(entry);
    if (refused_ != nullptr && is_refused(entry))
      spread(entry);
    else
      attempt(entry);
  }
  void pass_one(const TapeEntry& entry) {
    if (entry.composite() != nullptr) return pass_composite(entry);
    if (entry.operation == nullptr) return pass_on(entry);
    if (entry.operation->effects.meets) return pass_collective(entry);
    Value& cotangent = cotangents_[entry.result_slot.node];
    if (!cotangent.is_unbound()) [[likely]]
      return pass_operation(entry);
    if (may_read_absent(entry, cotangent)) return pass_conditional(entry);
    std::vector<Value*> others;
    for (uint32_t i = 0; i < entry.operands; ++i) {
      if (entry.slots()[i].node != 0) others.push_back(&cotangents_[entry.slots()[i].node]);
    }
    paths_.where_present(cotangent, others, [&] { pass_operation(entry); });
  }

  bool wants(unsigned operand) const override { return entry_->slots()[operand].node != 0; }
  void add(unsigned operand, Value cotangent) override {
    const uint32_t node = entry_->slots()[operand].node;
    if (node == 0 || cotangent.is_none()) return;
    cotangent = sum_into(rules_, std::move(cotangent), residuals_->types[operand]);
    if (!is_defined_.is_none()) cotangent = paths_.conditional(std::move(cotangent), is_defined_, zeros_);
    accumulate(node, std::move(cotangent));
  }
  void add_at(unsigned operand, const Value& spec, std::span<const Value> items, Value cotangent) override;
  void refuse(unsigned operand, FunctionRef<void()> fail) override;
  // Throws what was said of a node that an input led to, or else what went wrong later on.
  void tell_refused(const TapeEntry* last, const TapeEntry* mark);

 private:
  void attempt(const TapeEntry& entry);
  void pass_operation(const TapeEntry& entry);
  bool may_read_absent(const TapeEntry& entry, const Value& cotangent) const;
  void pass_conditional(const TapeEntry& entry);
  void add_conditional_at(Value& sum, Value cotangent, const Value& spec, std::span<const Value> items,
                          const Type& type);
  void pass_on(const TapeEntry& entry);
  void pass_collective(const TapeEntry& entry);
  void apply_rule(const TapeEntry& entry, Value cotangent);
  void pass_composite(const TapeEntry& entry);
  void apply_composite(const TapeEntry& entry, std::span<const Value> results);
  void accumulate(uint32_t node, Value cotangent);
  void check(const Value& cotangent) const {
    if (watching_ && !is_finite(cotangent)) fail_not_finite(*entry_);
  }
  bool is_finite(const Value& cotangent) const { return !not_finite(builder_.context(), cotangent).any(); }
  [[noreturn]] void fail_not_finite(const TapeEntry& entry) const;
  bool is_refused(const TapeEntry& entry) const;
  void spread(const TapeEntry& entry);

  ops::Builder& builder_;
  const ConditionalTangents& paths_;
  RuleContext rules_;
  std::vector<Value>& cotangents_;
  const SweepOptions options_;
  const bool debug_, conditional_;
  const TapeEntry* refused_ = nullptr;  // the first entry whose rule has refused an operand
  std::optional<OpError> refusal_, later_;
  std::set<uint32_t> refused_nodes_;  // what was refused, and what it was made of
  bool watching_ = false;             // debug: what came into this entry was finite
  Value is_defined_;                  // none, or where the cotangent that a rule has been given is there
  bool zeros_ = false;                // what the rule makes of it is zeros elsewhere
  const TapeEntry* entry_ = nullptr;
  const Residuals* residuals_ = nullptr;
  ResidualsView view_;
  SafeSubstitute substitute_;
};

// The sum of a new value is one term of the old one's.
void Sweep::pass_on(const TapeEntry& entry) {
  Value cotangent = std::exchange(cotangents_[entry.result_slot.node], Value());
  autodiff::accumulate(rules_, cotangents_[entry.slots()[0].node], std::move(cotangent));
}

// The other ranks wait for this one: a cotangent that has not come, or on some paths only, is zeros.
void Sweep::pass_collective(const TapeEntry& entry) {
  Value& cotangent = cotangents_[entry.result_slot.node];
  cotangent = zeros_where_absent(rules_, std::move(cotangent), Type(*view_.load(entry).result_type));
  pass_operation(entry);
}

// A rule that costs little and raises nothing is applied whether there is a cotangent or not.
bool Sweep::may_read_absent(const TapeEntry& entry, const Value& cotangent) const {
  const bool simple = entry.operation->pointwise != nullptr || is_of_elements(*entry.operation);
  return simple && !debug_ && paths_.or_anything(cotangent) != nullptr;
}

// Whether a rule makes zeros of zeros. A product with a partial derivative is +0 where the cotangent is 0, if it is
// finite; a linear rule may give -0 (that of `subtract`).
bool keeps_zeros(const ops::Entry& operation, bool ieee) {
  return &operation == &ops::handles().add || is_of_elements(operation) ||
         (operation.derivative.partial() != nullptr && !ieee);
}

void Sweep::pass_conditional(const TapeEntry& entry) {
  Value& cotangent = cotangents_[entry.result_slot.node];
  zeros_ = paths_.or_zeros(cotangent) != nullptr && keeps_zeros(*entry.operation, options_.ieee);
  is_defined_ = paths_.is_present(cotangent);
  cotangent = Value(*paths_.or_anything(cotangent));
  try {
    pass_operation(entry);
  } catch (...) {
    is_defined_ = Value();
    throw;
  }
  is_defined_ = Value();
}

// Where there is nothing -0 is added, which changes no number.
void Sweep::add_conditional_at(Value& sum, Value cotangent, const Value& spec, std::span<const Value> items,
                               const Type& type) {
  const Value nothing = rules_.number(-0.0, logical_type(cotangent).dtype);
  cotangent = ops::call(builder_, ops::handles().where, {is_defined_, std::move(cotangent), nothing});
  const bool certain = !sum.is_none() && !sum.is_unbound();
  Value here = certain ? Value() : paths_.is_present(sum);
  Value args[] = {zeros_where_absent(rules_, std::move(sum), type), std::move(cotangent), spec};
  SmallVector<Value, 4> rest(items.size());
  for (size_t i = 0; i < items.size(); ++i) rest[i] = items[i];
  sum = ops::call(builder_, ops::handles().index_add, args, span_of(rest));
  if (certain) return;
  const bool never = here.tag() == Tag::boolean && !here.boolean();
  const Value is_defined = never ? is_defined_ : ops::call(builder_, ops::handles().bit_or, {here, is_defined_});
  sum = paths_.conditional(std::move(sum), is_defined);
}

void Sweep::pass_operation(const TapeEntry& entry) {
  Value cotangent = std::move(cotangents_[entry.result_slot.node]);
  if (cotangent.is_none()) return;
  entry_ = &entry;
  residuals_ = &view_.load(entry);
  watching_ = debug_ && is_finite(cotangent);
  const InRule rule(builder_.context(), *entry.written(), entry.site);
  rule.run([&] {
    try {
      apply_rule(entry, std::move(cotangent));
    } catch (const OpError& error) {
      if (error.code == message("not_finite_tangent").key) fail_not_finite(entry);
      throw;
    }
  });
}

void Sweep::apply_rule(const TapeEntry& entry, Value cotangent) {
  const Derivative& derivative = entry.operation->derivative;
  if (const Derivative::Custom* const custom = derivative.custom()) {
    const bool guarded = (derivative.keeps & Derivative::guarded_bit) != 0 && !options_.ieee;
    const Residuals& residuals =
        guarded ? substitute_.of(builder_, *entry.operation, *residuals_, cotangent) : *residuals_;
    custom->vjp(rules_, residuals, std::move(cotangent), *this);
    return;
  }
  const Derivative::Linear* const linear = derivative.linear();
  uint32_t wanted = 0;
  for (uint32_t i = 0; i < entry.operands; ++i) wanted += wants(i);
  for (uint32_t i = 0; i < entry.operands; ++i) {
    if (!wants(i) && !(i == 0 && entry.operation->effects.meets)) continue;  // the other ranks make it
    if (linear != nullptr) {
      add(i, linear->transpose(rules_, i, *residuals_, cotangent));
      continue;
    }
    Value given = --wanted == 0 ? std::move(cotangent) : cotangent;
    Value product = derivative.partial()->times(rules_, i, *residuals_, std::move(given));
    // The product has the result's shape, to which the operand's broadcasts: no need to ask when sizes are not known.
    const Type& type = residuals_->types[i];
    if (!type.shape.known() && !has_type(product, type)) product = rules_.sum_to(std::move(product), type);
    add(i, std::move(product));
  }
}

void Sweep::pass_composite(const TapeEntry& entry) {
  if (entry.composite()->pass(builder_, cotangents_, options_)) return;
  std::vector<Value> results(entry.results());
  Value any(entry.composite()->meets());
  for (uint32_t i = 0; i < entry.results(); ++i) {
    results[i] = std::move(cotangents_[entry.result_slot.node + i]);
    const Value here = paths_.is_present(results[i]);
    const bool known = here.tag() == Tag::boolean;
    if (any.tag() == Tag::boolean && any.boolean()) continue;
    if (known && here.boolean() == false) continue;
    any = known || any.tag() == Tag::boolean ? here : ops::call(builder_, ops::handles().bit_or, {any, here});
  }
  if (any.tag() == Tag::boolean) {
    if (any.boolean()) apply_composite(entry, results);
    return;
  }
  std::vector<Value*> sums;
  for (uint32_t i = 0; i < entry.operands; ++i) {
    if (entry.slots()[i].node != 0) sums.push_back(&cotangents_[entry.slots()[i].node]);
  }
  paths_.where_holds(any, sums, [&] { apply_composite(entry, results); });
}

// Some result has a cotangent.
void Sweep::apply_composite(const TapeEntry& entry, std::span<const Value> results) {
  entry_ = &entry;
  watching_ = debug_;
  for (const Value& result : results) watching_ = watching_ && is_finite(result);
  std::vector<Value> found = entry.composite()->cotangents(builder_, results);
  for (uint32_t i = 0; i < entry.operands; ++i) {
    if (entry.slots()[i].node != 0 && !found[i].is_none()) accumulate(entry.slots()[i].node, std::move(found[i]));
  }
}

void Sweep::accumulate(uint32_t node, Value cotangent) {
  check(cotangent);
  autodiff::accumulate(rules_, cotangents_[node], std::move(cotangent));
}

void Sweep::add_at(unsigned operand, const Value& spec, std::span<const Value> items, Value cotangent) {
  const uint32_t node = entry_->slots()[operand].node;
  if (node == 0 || cotangent.is_none()) return;
  check(cotangent);
  Value& sum = cotangents_[node];
  if (!is_defined_.is_none())
    return add_conditional_at(sum, std::move(cotangent), spec, items, residuals_->types[operand]);
  if (sum.is_none() || sum.is_unbound())
    sum = zeros_where_absent(rules_, std::move(sum), Type(residuals_->types[operand]));
  Value args[] = {std::move(sum), std::move(cotangent), spec};
  SmallVector<Value, 4> rest(items.size());
  for (size_t i = 0; i < items.size(); ++i) rest[i] = items[i];
  sum = ops::call(builder_, ops::handles().index_add, args, span_of(rest));
}

// A path of a compiled function may have left the operand independent of everything, and then nothing is asked for: a
// zero goes on in its place, and where it arrives is noted.
void Sweep::refuse(unsigned operand, FunctionRef<void()> fail) {
  if (!conditional_) return fail();
  try {
    fail();
  } catch (OpError& error) {
    if (refused_ == nullptr) {
      refused_ = entry_;
      refusal_ = std::move(error);
    }
  }
  refused_nodes_.insert(entry_->slots()[operand].node);
  add(operand, rules_.zeros(residuals_->types[operand]));
}

bool Sweep::is_refused(const TapeEntry& entry) const {
  for (uint32_t i = 0; i < entry.results(); ++i) {
    if (refused_nodes_.count(entry.result_slot.node + i) != 0) return true;
  }
  return false;
}

// What goes wrong after a refusal is told only if that need not be: the sweep goes on with zeros, to see where it
// leads.
void Sweep::attempt(const TapeEntry& entry) {
  try {
    pass_one(entry);
  } catch (OpError& error) {
    if (entry.composite() != nullptr || refused_ == nullptr) throw;
    if (!later_) later_ = std::move(error);
    for (uint32_t i = 0; i < entry.operands; ++i) {
      if (wants(i)) add(i, rules_.zeros(residuals_->types[i]));
    }
  }
}

// The cotangents that are there already are put aside, to see where the entry adds to.
void Sweep::spread(const TapeEntry& entry) {
  std::vector<Value> before(entry.operands);
  for (uint32_t i = 0; i < entry.operands; ++i) {
    if (entry.slots()[i].node != 0) before[i] = std::exchange(cotangents_[entry.slots()[i].node], Value());
  }
  attempt(entry);
  for (uint32_t i = entry.operands; i-- > 0;) {
    const uint32_t node = entry.slots()[i].node;
    if (node == 0) continue;
    Value more = std::move(cotangents_[node]);
    if (!more.is_none()) refused_nodes_.insert(node);
    cotangents_[node] = std::move(before[i]);
    if (!more.is_none()) accumulate(node, std::move(more));
  }
}

void Sweep::tell_refused(const TapeEntry* last, const TapeEntry* mark) {
  if (refused_ == nullptr) return;
  for (const TapeEntry* entry = last; entry != mark; entry = entry->previous) {
    for (uint32_t i = 0; i < entry->results(); ++i) refused_nodes_.erase(entry->result_slot.node + i);
  }
  if (refused_nodes_.empty() && later_) throw OpError(*later_);
  if (refused_nodes_.empty()) return;
  const InRule rule(builder_.context(), *refused_->written(), refused_->site);
  rule.run([&] { throw OpError(*refusal_); });
}

void Sweep::fail_not_finite(const TapeEntry& entry) const {
  const std::string name(entry.operation == nullptr ? "a function with its own rule" : entry.operation->name);
  try {
    fail(message("not_finite_gradient"), {name});
  } catch (OpError& error) {
    error.site = entry.site;
    error.is_at_site = builder_.watch() != ops::Watch::nothing;
    if (error.is_at_site) error.kind = ErrorKind::not_finite;
    throw;
  }
}

}  // namespace

namespace {

Value chosen(RuleContext& rules, Value condition, Value then, Value otherwise) {
  return ops::call(rules.builder(), ops::handles().where,
                   {std::move(condition), std::move(then), std::move(otherwise)});
}

// Where what is absent may be read nothing branches: it is passed over by a choice, since a sum with zeros is not
// always the same number.
bool accumulate_read(RuleContext& rules, Value& sum, const Value& more) {
  const ConditionalTangents& paths = conditional_tangents(rules.builder());
  const Value* const before = paths.or_anything(sum);
  const Value* const term = paths.or_anything(more);
  for (const Value* read : {before, term}) {
    if (read != nullptr && read->is(ObjectKind::tuple)) fail_not_staged("an active list used in two ways");
  }
  if ((sum.is_unbound() && before == nullptr) || (more.is_unbound() && term == nullptr)) return false;
  const bool zeros = (before == nullptr || paths.or_zeros(sum) != nullptr);
  const Value old = before != nullptr ? *before : sum, added = term != nullptr ? *term : more;
  const Value here = paths.is_present(sum), more_here = paths.is_present(more);
  Value total = rules.add(old, added);
  if (before != nullptr) total = chosen(rules, here, std::move(total), added);
  if (term != nullptr) total = chosen(rules, more_here, std::move(total), old);
  const bool certain = before == nullptr || term == nullptr;
  sum = certain ? std::move(total)
                : paths.conditional(std::move(total),
                                    ops::call(rules.builder(), ops::handles().bit_or, {here, more_here}), zeros);
  return true;
}

}  // namespace

void accumulate(RuleContext& rules, Value& sum, Value more) {
  if (more.is_none()) return;
  ops::Builder& b = rules.builder();
  if (sum.is_none()) {
    // To an outer derivative each cotangent is a value of its own, as what a compiled region hands on is.
    if (more.is_unbound()) return void(sum = conditional_tangents(b).renewed(more));
    renew_if_open(b.context(), more);
    return void(sum = std::move(more));
  }
  if (!sum.is_unbound() && !more.is_unbound()) [[likely]] {
    if (sum.is(ObjectKind::tuple)) fail_not_staged("an active list used in two ways");
    return void(sum = rules.add(std::move(sum), std::move(more)));
  }
  if (accumulate_read(rules, sum, more)) return;
  const ConditionalTangents& paths = conditional_tangents(b);
  if (more.is_unbound()) {
    Value* const sums[] = {&sum};
    return paths.where_present(more, sums, [&] { accumulate(rules, sum, more); });
  }
  sum =
      paths.completed(sum, [&](Value before) { return before.is_none() ? more : rules.add(std::move(before), more); });
}

void sweep_since(ops::Builder& builder, Tape& tape, const TapeEntry* mark, std::vector<Value>& cotangents,
                 const SweepOptions& options) {
  Sweep walk(builder, cotangents, options, builder.is_eager() && tape.has_composites());
  for (TapeEntry* entry = tape.last(); entry != mark; entry = entry->previous) {
    kernels::poll_interrupt(builder.context());
    walk.pass(*entry);
    if (options.consume) Tape::drop_values(*entry);
  }
  walk.tell_refused(tape.last(), mark);
}

void sweep(ops::Builder& builder, Tape& tape, std::vector<Value>& cotangents, const SweepOptions& options) {
  const SplitScope split(builder.context(), tape);
  sweep_since(builder, tape, nullptr, cotangents, options);
  if (!tape.is_split()) return;
  for (Value& cotangent : cotangents) cotangent = split_parts(builder, cotangent, tape.split_number()).plain;
}

void sweep_entries(ops::Builder& builder, std::span<TapeEntry* const> entries, std::vector<Value>& cotangents,
                   const SweepOptions& options) {
  Sweep walk(builder, cotangents, options);
  for (const TapeEntry* entry : entries) walk.pass(*entry);
}

void push(ops::Builder& builder, const Tape& tape, std::vector<Value>& tangents, bool ieee) {
  std::vector<const TapeEntry*> entries;
  for (const TapeEntry* entry = tape.last(); entry != nullptr; entry = entry->previous) entries.push_back(entry);
  RuleContext rules(builder, ieee);
  ResidualsView view;
  for (size_t at = entries.size(); at-- > 0;) {
    const TapeEntry& entry = *entries[at];
    if (entry.operation == nullptr) {
      tangents[entry.result_slot.node] = tangents[entry.slots()[0].node];
      continue;
    }
    SmallVector<Value, 4> given(entry.operands);
    SmallVector<bool, 4> numeric(entry.operands);
    bool any = false;
    for (uint32_t i = 0; i < entry.operands; ++i) {
      const uint32_t node = entry.slots()[i].node;
      if (node != 0) given[i] = tangents[node];
      any |= !given[i].is_none();
      numeric[i] = entry.slots()[i].numeric;
    }
    if (!any) continue;
    const Application application{*entry.operation, view.load(entry), span_of(numeric), entry.literals};
    tangents[entry.result_slot.node] = tangent_of(rules, application, span_of(given));
  }
}

}  // namespace covec::autodiff
