// grad and value_and_grad: the derivative of a scalar result by one or several parameters.
#pragma once

#include "stdlib/ops/derivatives/transformed.hpp"

namespace covec::autodiff {

struct GradOptions {
  Parameters wrt;
  bool has_aux = false;
  bool ieee = false;
  bool debug = false;
  bool with_value = false;
  bool holomorphic = false;  // f'(z) of a complex result
  uint64_t memory = 0;       // bytes that it may take beside what is there already; 0: as many as it needs
  // The function of all ranks together: parameters of which each rank has its own. Nothing: it is of one rank.
  std::optional<std::vector<size_t>> local = {};
};

// `transform` names it in messages: "grad", "value_and_grad", "hessian". It must outlive the function (a literal).
Value make_grad(std::string_view transform, Value f, GradOptions options);

// "grad(loss): the result does not depend on x", once per session.
void warn_once(ops::Context& context, std::string text);
// The same, unless a condition holds that only the run may know.
const ops::Entry& warn_unless_entry();
void warn_unless(ops::Builder& builder, const Value& condition, std::string text);

}  // namespace covec::autodiff
