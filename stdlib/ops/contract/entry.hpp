// Entry: one operator, one place. An operator's Entry, in its family's file, holds everything that the project knows of
// it. The language, completion, the manual, both engines, derivatives, vmap and the generated tests read it from here.
// A family is a folder of stdlib/ops. A new operator changes one file of the folder and its test, nothing else.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "stdlib/ops/contract/device_form.hpp"
#include "stdlib/ops/contract/rules.hpp"

namespace covec::ops {

enum class ParameterKind : uint8_t {
  tensor,     // a numeric operand: traced, batched, differentiated
  tensors,    // a tuple or list of them: its leaves become the call's rest (the argument itself is then none)
  attribute,  // a number, dtype, string, tuple of ints…: never traced
  any,        // any value, handed over as it is (trees, functions, traced values)
};

struct Parameter {
  std::string_view name;
  ParameterKind kind = ParameterKind::tensor;
  bool required = true;
  Value fallback = {};  // when not required
};

struct Effects {
  bool may_fail = false;  // can raise an error depending on values or shapes
  bool random = false;    // draws: one call number
  bool prints = false;
  bool outside = false;     // reads or changes what lies outside the program: files, the clock, the command line
  bool calls = false;       // calls functions that it is given
  bool repeatable = false;  // once or twice is the same: a warning that comes once in a session
  bool shared = false;      // changes what all examples of a vmap share (a file, the seed): an error under one
  bool meets = false;       // a collective: all ranks make it, and in the same order; it is `outside` and may fail

  // What open vmaps must see although no operand is batched: it happens for each example, or must not.
  bool counts_examples() const { return random || prints || shared || meets; }
};

// A case for the generated tests, in the language: `name(arguments)` must equal `expected`, which an independent source
// gave (NumPy, MPFR: say which in `source`); `ulp` is the tolerance for floats in units in the last place, 0 meaning
// bit for bit.
struct Sample {
  std::string_view arguments;
  std::string_view expected;
  std::string_view source = "numpy";
  double ulp = 0;
  bool differentiate = false;  // gradients are compared: forward = reverse = finite differences, first and second order
};

// What a compiler does with an operator.
enum class Staging : uint8_t {
  typed,       // appends it: the type rule says what comes out
  structural,  // runs its eager function: it rearranges values and calls functions, but never looks at data
  opaque,      // leaves the call to the run
  lists,       // appends it: it works on lists of one type, and the compiler knows what comes out
};

struct PointwiseOperator;  // bodies, kernels and lowering: elementwise/operator.hpp
struct ReduceOperator;     // reduce/reduce.hpp

struct Entry {
  std::string_view name;
  std::string_view doc;  // Markdown; first line is the summary
  std::vector<Parameter> parameters;
  bool variadic = false;    // parameters[variadic_at] takes any number of positional arguments, given as the
  uint8_t variadic_at = 0;  //   rest (reshape(x, 2, 3): 1); by keyword it is an argument like others
  // Elements go through it as they are, or it sees to narrow dtypes itself. Any other entry but the pointwise ones is
  // given what they are computed with, and what it gives is narrowed (narrow_dtypes.hpp).
  bool carries = false;
  bool widens_integers = false;  // sums, products, positions: of narrow integers the result stays wide
  Type (*type)(ShapeBuilder&, const Call&) = nullptr;  // of the one result; null for what gives no tensor
  Value (*eager)(Builder&, Call&) = nullptr;
  DeviceForm device = DeviceForm::none;
  const PointwiseOperator* pointwise = nullptr;
  const ReduceOperator* reduce = nullptr;
  // Of complex operands, which are pairs of real ones (complex.hpp); all arguments are given. Without one, an operator
  // that carries elements acts on both parts, and any other is an error with this hint.
  Value (*complex)(Builder&, Call&) = nullptr;
  std::string_view instead_of_complex = {};
  std::optional<Dtype> part_dtype = {};  // c64 and c128: dtypes' values, and casts
  Derivative derivative;
  BatchRule batch = nullptr;  // nullptr: a loop over the examples
  // Which inputs the elements of a result depend on. nullptr: those of pointwise entries and of entries that carry
  // elements are known; else each on all elements of all operands.
  PatternRule pattern = nullptr;
  Effects effects = {};
  std::vector<Sample> samples = {};
  // Another entry for these arguments (same parameters), or nullptr: x ^ 2 is repeated squaring, == of trees is no
  // tensor's. Asked by ops::call before anything else.
  const Entry* (*instead)(std::span<const Value> args, uint32_t literals) = nullptr;
  const Entry& (*squared)() = nullptr;  // what f(x)^2 is, with the 2 as a literal (same parameters)
  std::optional<Dtype> dtype = {};      // the casts bool(…) … f64(…) are also the dtypes' values
  std::optional<double> constant = {};  // pi, inf, nan, e: a name that is this number, not a function
  bool is_cast() const { return dtype.has_value(); }
  bool internal = false;  // not a name of the language (index_read, scale, …)
  Staging staging = type != nullptr ? Staging::typed : Staging::opaque;
  // A program for the manual, where samples cannot show what it does; what it prints stands behind `# expect:`.
  std::string_view example = {};
  std::string_view part_of = {};  // the builtin that is made of it, which messages speak of
};

// Entries that belong together: a file's, a family's.
using Family = std::span<const Entry* const>;
std::vector<const Entry*> joined(std::initializer_list<Family> lists);

// The registry (stdlib/ops/registry): all families, all their entries, and one by its name (nullptr when there is
// none). Names are for programs: C++ that wants an operator has its handle (handles.hpp).
struct FamilyRow {
  std::string_view chapter;  // of the manual
  Family (*entries)();
};
std::span<const FamilyRow> all_families();
std::span<const Entry* const> all_entries();
const Entry* find_entry(std::string_view name);

// A builtin as a value.
Value function_of(const Entry& entry);

}  // namespace covec::ops
