#include "interpreter/eval/staged/recursion.hpp"

#include "interpreter/eval/staged/parts.hpp"

#include <cstring>

#include "interpreter/eval/staged/point.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

class Description {
 public:
  void add(const Value& value) {
    if (value.is_scalar()) return add_number(value);
    if (!value.is_object()) return add_word(static_cast<uint64_t>(value.tag()));
    if (value.is_traced()) return add(value.traced().primal);
    add_word(static_cast<uint64_t>(value.object()->kind));
    if (is_boxed_symbol(value)) return;  // only the run knows its type
    if (is_operand(value)) return add_type(value);
    if (value.is(ObjectKind::string)) return add_text(value.string().text);
    if (value.is(ObjectKind::function)) add_function(value.function());
    if (value.is(ObjectKind::record)) add_names(value.record());
    const std::vector<Value> parts = parts_of(value);
    add_word(parts.size());
    if (++depth_ > max_depth) return;
    for (const Value& part : parts) add(part);
    --depth_;
  }
  std::string take() { return std::move(text_); }

 private:
  static constexpr unsigned max_depth = 1000;  // closures capture closures

  void add_bytes(const void* data, size_t size) { text_.append(static_cast<const char*>(data), size); }
  void add_word(uint64_t word) { add_bytes(&word, sizeof word); }
  void add_text(std::string_view text) {
    add_word(text.size());
    text_ += text;
  }
  void add_number(const Value& number) {
    add_word(static_cast<uint64_t>(number.tag()));
    const size_t size = number.tag() == Tag::boolean ? 1 : size_of(number.scalar_dtype());
    add_bytes(number.scalar_data(), size);
  }
  void add_type(const Value& value) {
    const Type type = logical_type(value);
    add_word(static_cast<uint64_t>(type.dtype));
    add_word(type.shape.rank());
    for (const Dim dim : type.shape) add_word(dim.known() ? static_cast<uint64_t>(dim.number()) : ~uint64_t{0});
  }
  void add_function(const Callable& function) {
    const void* const own = function.callable_kind == CallableKind::closure
                                ? static_cast<const void*>(&static_cast<const Closure&>(function).function)
                                : static_cast<const void*>(&function);
    add_bytes(&own, sizeof own);
  }
  void add_names(const Record& record) {
    for (const std::string& name : record.layout->names) add_text(name);
  }

  std::string text_;
  unsigned depth_ = 0;
};

}  // namespace

std::string known_arguments(const Frame& f) {
  Description description;
  for (size_t i = 0; i < f.closure->function.parameters.size(); ++i) description.add(f.slots[i]);
  for (const Value& captured : f.closure->captured) description.add(captured);
  return description.take();
}

unsigned depth_of(const Frame& f) {
  unsigned depth = 0;
  for (const Frame* outer = f.caller; outer && outer->is_staged(); outer = outer->caller) ++depth;
  return depth;
}

CallsOfItself calls_of_itself(const Frame& f, const std::string& known) {
  CallsOfItself calls;
  for (const Frame* outer = f.caller; outer && outer->is_staged(); outer = outer->caller) {
    if (outer->closure == nullptr || &outer->closure->function != &f.closure->function) continue;
    if (calls.innermost == nullptr) calls.innermost = outer;
    calls.outermost = outer;
    calls.known |= outer->exit != nullptr && outer->exit->known == known;
    ++calls.open;
  }
  return calls;
}

}  // namespace covec
