// Writes the operators that a step applies as C. A table lists the supported ones; all others are refused. Start at
// write_operator().
#pragma once

#include "jit/emit/frame.hpp"

namespace covec::emit {

// One application: operands and attributes in the order of the call, those of its rest behind.
struct Application {
  Frame& frame;
  const loops::Step& step;
  const loops::step::Apply& apply;
  std::vector<Argument> operands = {};  // attributes that are neither numbers nor tensors have no type that counts
  Argument result = {};
  const ops::Entry& entry() const { return *apply.op.entry; }
  uint32_t parameters() const { return apply.op.parameters; }  // operands before those of its rest
  const Value& attribute(size_t number) const { return step.operands[number].value; }
  std::span<const Argument> rest() const { return std::span(operands).subspan(parameters()); }
  std::string fail(const std::string& text) const { return frame.fail(step.place, text); }
  [[noreturn]] void refuse(std::string why) const { throw Refusal{std::move(why), step.place}; }
  // "is not written as C": this operator.
  [[noreturn]] void refuse_operator(std::string why) const { throw Refusal{std::move(why), step.place, &entry()}; }
};

using OperatorWriter = void (*)(const Application&);

struct OperatorRow {
  const ops::Entry& (*entry)();
  OperatorWriter write;
  bool in_place = false;           // the result may lie where the first operand does
  bool constant_if_known = false;  // where all operands are known, so is the result
  bool only_moves = false;         // it moves elements, and cannot fail where their extents are known
};

// The rows of each file.
std::span<const OperatorRow> shape_rows();
std::span<const OperatorRow> linalg_rows();
std::span<const OperatorRow> reduce_rows();
std::span<const OperatorRow> index_rows();
std::span<const OperatorRow> derivative_rows();
std::span<const OperatorRow> running_rows();
std::span<const OperatorRow> system_rows();
std::span<const OperatorRow> convolution_rows();

inline constexpr const char* not_written = "is not written as C";

// What errors say in place of numbers that only the run knows.
inline constexpr const char* fit_error = "extents do not agree";
inline constexpr const char* require_error = "extents or numbers do not agree";
inline constexpr const char* singular_error = "the matrix is singular";
inline constexpr const char* symmetric_error = "the matrix is not symmetric";
inline constexpr const char* hermitian_error = "the matrix is not Hermitian";
inline constexpr const char* definite_error = "the matrix is not positive definite";
inline constexpr const char* range_error = "an index is out of range";

// Throws a Refusal for one that is in no row.
void write_operator(Frame& frame, const loops::Step& step, const loops::step::Apply& apply);
// What an error of this operator says where no number of the run is known.
std::string error_text(const ops::Entry& entry);
std::string pointwise_error_text(const ops::Entry& entry);

}  // namespace covec::emit
