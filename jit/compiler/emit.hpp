// `covec emit`: writes a function, or a derivative of it, as C that needs nothing of Covec. The function is staged for
// fixed types, as for a prepared call; jit/emit writes the C from its plan. Start at emit_function().
#pragma once

#include "jit/compiler/prepare.hpp"
#include "jit/emit/emit.hpp"
#include "jit/specialize/example_arguments.hpp"

namespace covec::jit {

// "file:line:column" of a place in the program; nothing: it is not known.
using PlaceText = FunctionRef<std::string(Span)>;

struct EmitRequest {
  Value function;          // or its derivative, which takes the same arguments
  Value types_of;          // the function itself, whose annotations count
  bool cotangent = false;  // the last argument is of the type that `types_of` gives
  std::string types;       // empty: those of the annotations
  std::string name;        // of the C function
  std::string origin;      // what stands in the file's first comment
};

// Throws CovecError with the line and the reason where it cannot be written.
emit::Emitted emit_function(Compiler& compiler, const EmitRequest& request, PlaceText place_text);

// The same function as a prepared call, for these sizes of its extents.
std::shared_ptr<const Prepared> prepare_emitted(Compiler& compiler, const EmitRequest& request,
                                                const ExtentSizes& sizes, PlaceText place_text);

}  // namespace covec::jit
