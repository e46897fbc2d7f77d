#include "stdlib/gate/effect_journal.hpp"

#include <algorithm>
#include <utility>

#include "stdlib/value/messages.hpp"
#include "stdlib/value/tensor_header.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

class Flag {
 public:
  explicit Flag(bool& flag) : flag_(flag), before_(std::exchange(flag, true)) {}
  Flag(const Flag&) = delete;
  Flag& operator=(const Flag&) = delete;
  ~Flag() { flag_ = before_; }

 private:
  bool& flag_;
  const bool before_;
};

// Whether no derivative or vmap can follow it.
bool is_constant(const Value& result) {
  bool constant = true;
  each_leaf(result, [&](const Value& leaf) {
    constant &= !leaf.is_traced() && !leaf.is(ObjectKind::function) && !leaf.is(ObjectKind::sequence);
  });
  return constant;
}

void expect(const Effecting& by, const Entry* before) {
  if (by.entry != before) fail(message("internal"), {"a call that does something else when made again"});
}

uint64_t bytes_of(const Value& result) {
  uint64_t bytes = 0;
  each_leaf(result, [&](const Value& leaf) {
    bytes += sizeof(Value);
    if (leaf.is_tensor())
      bytes += static_cast<uint64_t>(tensor_header(leaf).size()) * size_of(tensor_header(leaf).dtype());
    if (leaf.is(ObjectKind::string)) bytes += leaf.string().text.size();
  });
  return bytes;
}

}  // namespace

Value EffectJournal::perform(Context& context, const Effecting& by, FunctionRef<Value()> act) {
  EffectJournal* const journal = context.journal;
  return journal == nullptr ? act() : journal->given_or_done(context, by, act);
}

Value EffectJournal::given_or_done(Context& context, const Effecting& by, FunctionRef<Value()> act) {
  if (!refused_by_.empty() && by.outside)  // debug notes what it has raised, and reaches nothing
    fail(message("pattern_outside"), {std::string(refused_by_), std::string(by.name)});
  if (of_derivative_ && by.meets) return keeps_collectives_ ? meet(context, by, act) : happen(context, by, act);
  if (!acting_ && next_ < effects_.size()) {
    expect(by, effects_[next_].entry);
    return given(context);
  }
  const bool notes = takes_notes();
  const Flag inside(acting_);
  return notes ? noted(context, by, [&] { return happen(context, by, act); }) : happen(context, by, act);
}

// Of what happens now.
bool EffectJournal::takes_notes() {
  if (acting_ || open_ == 0 || (full_ && keeps_what_fits_)) return false;
  if (bytes_ < most_) return true;
  full_ = true;
  if (!keeps_what_fits_) fail_not_staged("what a call does that keeps too much of it");
  return false;
}

// A collective in a part that this rank alone may run again. The effects inside it are noted by themselves until its
// result turns out to be one that it can give again.
Value EffectJournal::meet(Context& context, const Effecting& by, FunctionRef<Value()> act) {
  if (!acting_ && next_ < effects_.size()) {
    expect(by, effects_[next_].entry);
    if (!effects_[next_].is_made_again) return given(context);
    ++next_;
    return happen(context, by, act);
  }
  if (!takes_notes()) return happen(context, by, act);
  const size_t place = next_;
  add({by.entry, around_ == nullptr ? 0 : around_->place(), 0, Value(), {}, nullptr, {}, true});
  const auto settle = [&] {
    const size_t last = effects_.size() - 1;
    is_constant(effects_[last].result) ? erase(place, last) : erase(last, last + 1);
    next_ = effects_.size();
  };
  try {
    Value result = noted(context, by, [&] { return happen(context, by, act); });
    settle();
    return result;
  } catch (...) {
    settle();
    throw;
  }
}

Value EffectJournal::happen(Context& context, const Effecting& by, FunctionRef<Value()> act) {
  return around_ == nullptr ? act() : around_->given_or_done(context, by, act);
}

Value EffectJournal::given(Context& context) {
  const Effect& effect = effects_[next_++];
  if (effect.random) context.random = *effect.random;
  if (effect.error) throw OpError(*effect.error);
  if (effect.other_error != nullptr) std::rethrow_exception(effect.other_error);
  return effect.result;
}

Value EffectJournal::noted(Context& context, const Effecting& by, FunctionRef<Value()> act) {
  const Random before = context.random;
  const size_t around = around_ == nullptr ? 0 : around_->place();
  const auto note = [&](uint64_t bytes, Value result, std::optional<OpError> error, std::exception_ptr other_error) {
    const bool draws = before.calls != context.random.calls || before.key != context.random.key;
    add({by.entry, around, bytes, std::move(result), std::move(error), std::move(other_error),
         draws ? std::optional(context.random) : std::nullopt});
  };
  try {
    Value result = act();
    note(bytes_of(result), result, {}, nullptr);
    return result;
  } catch (const OpError& error) {
    note(error.message.size(), Value(), error, nullptr);
    throw;
  } catch (...) {
    note(0, Value(), {}, std::current_exception());
    throw;
  }
}

void EffectJournal::add(Effect effect) {
  effect.bytes += sizeof(Effect);
  bytes_ += effect.bytes;
  effects_.push_back(std::move(effect));
  next_ = effects_.size();
}

void EffectJournal::begin_again(size_t place) {
  redone_ = std::max(redone_, effects_.size());
  next_ = place;
}

void EffectJournal::rollback(size_t place) {
  const size_t kept = std::max(place, std::min(redone_, effects_.size()));
  if (around_ != nullptr && kept < effects_.size()) around_->rollback(effects_[kept].around);
  erase(kept, effects_.size());
  next_ = place;
}

void EffectJournal::erase(size_t from, size_t to) {
  for (size_t i = from; i < to; ++i) bytes_ -= effects_[i].bytes;
  effects_.erase(effects_.begin() + static_cast<ptrdiff_t>(from), effects_.begin() + static_cast<ptrdiff_t>(to));
}

void EffectJournal::enter(EffectJournal* around, bool again) {
  of_derivative_ = true;
  around_ = around;
  if (again)
    begin_again(0);
  else
    begin();
}

void EffectJournal::leave(bool again) {
  if (!again) end();
  around_ = nullptr;
}

EffectScope::EffectScope(Context& context, EffectJournal& journal, bool again)
    : context_(context), journal_(journal), around_(context.journal), again_(again) {
  context.journal = &journal_;
  journal_.enter(around_, again_);
}

EffectScope::~EffectScope() {
  journal_.leave(again_);
  context_.journal = around_;
}

}  // namespace covec::ops
