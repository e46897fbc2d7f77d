// While a function is staged the compiler is told the places before an operator is applied, since its errors may only
// come at the run.
#include "interpreter/eval/applier.hpp"

#include "interpreter/eval/staged_place.hpp"

namespace covec {

Value Applier::call(const ops::Entry& entry, std::span<Value> args, std::span<Value> rest, uint32_t literals,
                    Span whole, std::span<const Span> operands, const Frame& f) const {
  const MaybePlace place(staging_, whole, operands, operands.empty() ? nullptr : &entry, f);
  try {
    return ops::call(*builder_, entry, args, rest, literals);
  } catch (...) {
    reporter_.raise(current_error(), whole, operands, &f, operands.empty() ? nullptr : &entry);
  }
}

}  // namespace covec
