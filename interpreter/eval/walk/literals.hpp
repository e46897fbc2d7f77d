// Literals: tensors, tuples, records and text made of their written parts.
#pragma once

#include "interpreter/eval/apply/applier.hpp"
#include "interpreter/eval/walk/expressions.hpp"

namespace covec {

struct Parts;

class Literals {
 public:
  explicit Literals(Parts& parts) : parts_(parts) {}

  Raw tensor(const core::MakeTensor& node, Frame& f);
  Raw tuple(const core::MakeTuple& node, Frame& f);
  Raw record(const core::MakeRecord& node, Frame& f);
  Raw format(const core::Format& node, Frame& f);

 private:
  std::vector<Value> values_of(const std::vector<core::Expr*>& items, Frame& f);

  Parts& parts_;
};

}  // namespace covec
