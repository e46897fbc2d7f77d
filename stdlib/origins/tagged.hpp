// An operator applied once more to find which elements it hands on: each NaN and infinity among the operands, or each
// of one kind, is a NaN whose payload names it. Processors keep the payload of an operand in their result, and so does
// what moves elements. A number in the new result, where the first one has a NaN or infinity, was not made of those
// operands.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/origins/causes.hpp"

namespace covec::origins {

class TaggedCall {
 public:
  // Elements of other kinds than `only` stay as they are. Nothing is applied where that would act, draw or call.
  // `apply` may throw what the operator throws.
  TaggedCall(ops::Context& context, const ops::Call& call, std::span<const Followed> operands, std::optional<Kind> only,
             FunctionRef<Value(ops::Call&)> apply);
  bool is_made() const { return made_; }

  enum class Seen : uint8_t { number, unknown, cause };
  // The element of that number, of that leaf of the result.
  Seen at(size_t leaf, int64_t number, Cause& cause) const;

 private:
  Value tagged(ops::Context& context, const Followed& operand, std::optional<Kind> only);
  uint64_t number_of(const Cause& cause);

  bool made_ = false;
  std::vector<Cause> causes_;
  std::vector<Value> leaves_;
};

}  // namespace covec::origins
