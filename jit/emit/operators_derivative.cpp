// Operators that only derivatives use, beside those of the language.
#include "jit/emit/moves.hpp"
#include "jit/loops/build_code.hpp"
#include "stdlib/autodiff/safe_substitute.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/derivatives/grad.hpp"
#include "stdlib/ops/elementwise/compose.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::emit {

namespace {

Value zeros_like(ops::Builder& eager, const SlotType& type) {
  const uint64_t zero = 0;
  if (type.number) return Value::scalar(type.dtype, &zero);
  Value tensor = make_tensor(eager.pool(), type.dtype, type.shape());
  std::fill_n(tensor.tensor().data(), static_cast<size_t>(type.bytes().number()), std::byte{});
  return tensor;
}

// x, but numbers that do no harm where all of a cotangent is 0. Those are what the operator gives of zeros.
void write_unless_zero(const Application& application) {
  Frame& frame = application.frame;
  const Argument &x = application.operands[0], &cotangent = application.operands[1], &result = application.result;
  if (!x.type.elements().known() || !cotangent.type.elements().known())
    application.refuse_operator("with extents that the caller gives");
  std::vector<Value> zeros = {zeros_like(frame.file.eager, x.type), zeros_like(frame.file.eager, cotangent.type),
                              application.attribute(2), application.attribute(3)};
  const Argument substitute = frame.argument(computed(application, zeros), application.step.place);
  int64_t examples = 1;
  for (int64_t axis = 0; axis < application.attribute(2).i64(); ++axis)
    examples *= x.type.extents[static_cast<size_t>(axis)].number();
  if (examples == 0 || result.type.is_empty()) return;
  const std::string zero = frame.fresh("zero");
  frame.open("");
  std::string example;
  if (examples > 1) example = frame.open_loop(examples);
  frame.put("int " + zero + " = 1;");
  const auto from = [&](const Argument& argument) {
    const int64_t each = argument.type.elements().number() / examples;
    return example.empty() || argument.is_number() ? argument.text
                                                   : argument.text + " + " + example + " * " + std::to_string(each);
  };
  if (cotangent.is_number()) {
    frame.put(zero + " = " + cotangent.text + " == 0;");
  } else {
    const std::string c = frame.fresh("c"), k = frame.fresh("k");
    const std::string type = memory_type(cotangent.type.dtype);
    if (is_half(cotangent.type.dtype))
      application.refuse("a derivative of " + std::string(name_of(cotangent.type.dtype)));
    frame.put("const " + type + "* const " + c + " = " + from(cotangent) + ";");
    frame.put("for (int64_t " + k + " = 0; " + k + " < " +
              std::to_string(cotangent.type.elements().number() / examples) + "; ++" + k + ") " + zero + " &= " + c +
              "[" + k + "] == 0;");
  }
  if (result.is_number()) {
    frame.put(result.text + " = " + zero + " ? " + substitute.text + " : " + x.text + ";");
  } else if (!result.type.is_empty()) {
    frame.put("memcpy(" + from(result) + ", " + zero + " ? " + from(substitute) + " : " + from(x) + ", " +
              std::to_string(result.type.bytes().number() / examples) + ");");
  }
  if (examples > 1) frame.close();
  frame.close();
}

// Nobody hears a warning.
void write_nothing(const Application&) {}

}  // namespace

std::span<const OperatorRow> derivative_rows() {
  static constexpr OperatorRow rows[] = {{autodiff::unless_zero_entry, write_unless_zero},
                                         {autodiff::warn_unless_entry, write_nothing},
                                         {ops::warn_where_entry, write_nothing}};
  return rows;
}

}  // namespace covec::emit
