#include "jit/prepared/result_writer.hpp"

#include <algorithm>
#include <cstring>

#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::jit {

using loops::Operand;

// What is still to be read lies where something is to be written.
void ResultWriter::keep_apart(Pool& pool) {
  for (const PreparedOutput& result : results_) {
    const Value& made = value_of(result.from);
    if (result.from.kind != Operand::Kind::slot || !made.is_tensor()) continue;
    Value copy = make_tensor(pool, made.tensor().dtype(), made.tensor().shape());
    copy_elements(made.tensor(), copy.tensor());
    activation_.put(result.from.slot, std::move(copy));
  }
}

void ResultWriter::write_tensor(Output& output, const Value& made) {
  Tensor& to = output.tensor.tensor();
  const bool fits =
      made.is_tensor() && made.tensor().dtype() == to.dtype() && std::ranges::equal(made.tensor().dims(), to.dims());
  if (!fits) fail(message("internal"), {"a prepared call whose result has another type"});
  const Tensor& from = made.tensor();
  if (from.contiguous())
    std::memmove(output.memory, from.data(), output.bytes);
  else
    copy_elements(from, to);
}

void ResultWriter::write_number(const Output& output, const Value& made) {
  if (!made.is_scalar() || made.scalar_dtype() != output.dtype)
    fail(message("internal"), {"a prepared call whose result has another type"});
  if (output.bytes == sizeof(uint64_t))
    std::memcpy(output.memory, made.scalar_data(), sizeof(uint64_t));
  else
    std::memcpy(output.memory, made.scalar_data(), output.bytes);
}

void ResultWriter::write_numbers(const Output& output, const std::vector<Operand>& numbers) {
  const size_t size = size_of(output.dtype);
  auto* to = static_cast<std::byte*>(output.memory);
  for (const Operand& number : numbers) {
    std::memcpy(to, value_of(number).scalar_data(), size);
    to += size;
  }
}

void ResultWriter::write(Pool& pool) {
  if (bindings_.overlap()) keep_apart(pool);
  Output* next = bindings_.outputs().data();
  for (const PreparedOutput& result : results_) {
    Output& output = *next++;
    if (!result.numbers.empty())
      write_numbers(output, result.numbers);
    else if (output.tensor.is_object())
      write_tensor(output, value_of(result.from));
    else
      write_number(output, value_of(result.from));
  }
}

}  // namespace covec::jit
