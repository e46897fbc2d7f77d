// Places: walks down the path of an update. The root is updated in place, and shared parts are copied. No user code
// runs during that. If an operator fails, the part taken out for it is put back: data stays whole. Start at update().
#pragma once

#include "interpreter/eval/walk/indexing.hpp"

namespace covec {

struct Parts;

// The indices on the way, evaluated.
struct PathValues {
  std::vector<IndexValues> steps;  // by step, those of fields empty; none at all when there are only fields
};

// What is to happen at the end of the way.
struct Change {
  enum class Kind : uint8_t { assign, augment, push, pop } kind = Kind::assign;
  Value value;                  // what pop takes out is here afterwards
  const Builtin* op = nullptr;  // of augment and pop
  bool literal = false;
  Span value_span;
  const Span& whole;

  static Kind of(core::Push::Kind how) {
    if (how == core::Push::Kind::push) return Kind::push;
    return how == core::Push::Kind::pop ? Kind::pop : Kind::augment;
  }
};

class UpdatePath {
 public:
  explicit UpdatePath(Parts& parts) : parts_(parts) {}

  // The part of `place` that the target's steps from `step` on lead to.
  void update(Value& place, const core::Target& target, size_t step, const PathValues& path, Change& change,
              const Frame& f) const;

 private:
  void update_field(Value& place, const core::Target& target, size_t step, std::string_view field,
                    const PathValues& path, Change& change, const Frame& f) const;
  void update_item(Value& place, const core::Target& target, size_t step, const PathValues& path, Change& change,
                   const Frame& f) const;
  void update_run_item(Value& place, const core::Target& target, size_t step, const PathValues& path, Change& change,
                       const Frame& f) const;
  void update_key(Value& place, const core::Target& target, size_t step, const PathValues& path, Change& change,
                  const Frame& f) const;
  void update_tensor(Value& place, const core::Target& target, size_t step, const PathValues& path, Change& change,
                     const Frame& f) const;
  Value write(const ops::Entry& entry, std::span<Value> args, const IndexValues& at, const Change& change, Span span,
              const Frame& f) const;
  bool may_repeat(const Value& place, const IndexValues& at, const Change& change, const Frame& f) const;
  void update_in_rounds(Value& place, const core::Target& target, const IndexValues& at, const Change& change,
                        Span span, const Frame& f) const;
  void finish(Value& place, const core::Target& target, Change& change, const Frame& f) const;
  void push(Value& place, const core::Target& target, Change& change, const Frame& f) const;
  void pop(Value& place, const core::Target& target, Change& change, const Frame& f) const;
  void augment(Value& place, const core::Target& target, Change& change, const Frame& f) const;
  Value widened(Value value, const Value& tensor) const;
  static bool fits_in(const Value& value, const Value& tensor);
  Value negated(Value value, Span span, const Frame& f) const;

  Parts& parts_;
};

}  // namespace covec
