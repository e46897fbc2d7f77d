// Says how an operation on tensors of a few known elements is computed with numbers instead. For each element of the
// result the recipe names the elements of the operands. For an operator that rearranges elements, the eager engine
// gives the answer: it is applied to numbered elements. Start at recipe_of().
#pragma once

#include <optional>
#include <vector>

#include "jit/ir/graph.hpp"
#include "jit/passes/analysis/evaluate.hpp"
#include "jit/passes/analysis/part_index.hpp"

namespace covec::passes {

constexpr int64_t max_elements = 64;  // of a tensor that becomes numbers: layers of 8 × 8

struct Recipe {
  struct Part {
    uint32_t source = 0;  // of `sources`
    int32_t element = 0;  // row-major; `zero` stands for the number 0
    static constexpr int32_t zero = -1;
  };
  enum class Kind : uint8_t {
    pick,         // each element is one part
    pointwise,    // the entry of a part of each operand
    add,          // a part, or the sum of two (index_add)
    lanes,        // parts combined as the lanes of a reduction are
    in_order,     // parts combined one after the other
    dot,          // pairs: their products are added as lanes are
    draw,         // no part: element k of a draw of floats
    chain,        // pairs: a chain of fused multiply-adds from 0
    part,         // elements of a tensor of any size (`part`)
    unless_zero,  // the first part, the second where all others are 0
    extreme,      // where the first largest (smallest) part is, or whether it is the one at `positions`
    system,       // of linear algebra: all elements together (scalar_systems.hpp), of all those of the sources
  };
  Kind kind = Kind::pick;
  std::vector<Value> sources;
  std::vector<std::vector<Part>> elements;
  Dtype operands[3] = {};  // pointwise: what they are converted to
  uint64_t zeros = 0;      // chain: bit i says that factor i is a cotangent, of which ±0 makes a term 0
  PartIndex part;          // part: where its elements lie
  bool smallest = false;   // extreme
  std::vector<int64_t> positions;
  unsigned instructions = 1;  // an element's, roughly
  unsigned usual = 1;         // pointwise: of these, those that mostly run
};

// Extents that are known, and not too many elements; a number too.
bool is_small(const Type& type);
bool is_small_operand(const ir::Graph& graph, const Value& value);
inline int64_t elements_of(const Shape& shape) {
  int64_t count = 1;
  for (const Dim dim : shape) count *= dim.number();
  return count;
}

// The element of an operand that stands at a place of the result, where it is repeated.
int32_t repeated_element(const Shape& operand, const Shape& result, int64_t place);
// Whether the number or tensor `value` of the operation, which sets or adds to a part, can be written by elements; the
// others are errors, or are written otherwise.
bool can_be_written(const ir::Graph& graph, const ir::Operation& change, const Shape& part);
// Whether there are operands for which it can be done so, as far as its entry tells.
bool has_form(const ir::Graph& graph, const ir::Operation& operation);
// Of linear algebra, on a square matrix and what is solved for.
bool is_system(const ops::Entry* entry);
// Of matrices and vectors: the second form is that of an adjoint.
bool is_product(const ops::Entry* entry);

// Nothing where the operation is none of those that can be done so, or may fail.
std::optional<Recipe> recipe_of(const ir::Graph& graph, Evaluator& evaluator, const ir::Operation& operation);
// How many instructions of an elementwise operation mostly run, for each element; of others 1.
unsigned usual_instructions(const ir::Graph& graph, const ir::Operation& operation);
// How an operation sets or adds to a few elements of a tensor of any size: the recipe's elements are what it writes.
// It fails where the operation does. Nothing for other operations.
std::optional<Recipe> change_of(const ir::Graph& graph, Evaluator& evaluator, const ir::Operation& operation);

}  // namespace covec::passes
