// Makes a prepared call of a function: code for fixed types that needs neither the interpreter nor the session. Start
// at prepare(); the result is described in jit/prepared.
#pragma once

#include <memory>
#include <string>

#include "frontend/source/source.hpp"
#include "jit/prepared/prepared.hpp"
#include "jit/specialize/example_arguments.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec {
class Compiler;
}  // namespace covec

namespace covec::jit {

struct CompilerParts;
struct FixedWalk;

using PlaceOf = FunctionRef<SourcePosition(Span)>;

// Why a function cannot be made code that needs neither interpreter nor session.
struct NotPrepared {
  std::string why;
  Span at = {};
};
// Where the interpreter would raise that an assertion does not hold, the step raises it itself from now on. Its text is
// as the interpreter says it, where the program has no text that only the run knows.
void leave_assertion(loops::Step& step);

// `types`: of the arguments, with their extents, "f64, f32[100, 4]"; empty: those of the annotations. Throws
// CovecError, which says why it cannot be.
std::shared_ptr<const Prepared> prepare(Compiler& compiler, const Value& function, const std::string& types,
                                        PlaceOf place_of);

// For who knows the arguments: covec emit. `written`: of their leaves, where not all extents are numbers.
std::unique_ptr<ir::Graph> stage_fixed(CompilerParts& parts, const Value& function, std::span<const Value> given,
                                       FixedWalk& walk, const WrittenExtents* written = nullptr);
// none_too: a result that is none is refused; else it is left out.
std::shared_ptr<const Prepared> prepare(CompilerParts& parts, const Value& body, std::span<const Value> given,
                                        PlaceOf place_of, bool none_too);

}  // namespace covec::jit
