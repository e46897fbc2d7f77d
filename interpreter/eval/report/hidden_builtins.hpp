// Finds where a name became a variable and so hides a builtin. It searches the statements when an error is reported, so
// nothing is recorded for it beforehand.
#pragma once

#include "interpreter/eval/values/frame.hpp"

namespace covec {

struct Binding {
  Span place;               // of the name; unknown where there is none
  bool definition = false;  // fn f(x) …
};

// The first parameter, assignment, loop or definition in the text of `f` that binds what `expr` reads; unknown where
// another text did, or an enclosing function.
Binding binding_of(const core::Expr& expr, const Frame& f);

}  // namespace covec
