#include "stdlib/ops/text/operands.hpp"

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::ops {

const String& text_argument(const Call& call, unsigned operand) {
  const Value& value = call.operand(operand);
  if (!value.is(ObjectKind::string)) fail_attribute(call, operand, "a string");
  return value.string();
}

const std::string& separator_text(const Call& call, unsigned operand) {
  const std::string& text = text_argument(call, operand).text;
  const std::string_view name = call.entry.part_of.empty() ? call.entry.name : call.entry.part_of;
  if (text.empty())
    fail(message("empty_separator"), {std::string(name)}, {{static_cast<int>(operand), "this is empty"}});
  return text;
}

void need_text(uint64_t bytes) {
  if (Memory* memory = Memory::current()) memory->need(bytes);
}

void look_around(const Builder& b, size_t passed) {
  constexpr size_t between_polls = size_t{1} << 20;  // characters or occurrences
  if (passed % between_polls == 0) kernels::poll_interrupt(b.context());
}

// The characters with Unicode's property White_Space.
bool is_white(char32_t c) {
  if (c <= 0x20) return c == 0x20 || (c >= 0x09 && c <= 0x0d);
  if (c < 0x1680) return c == 0x85 || c == 0xa0;
  return c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
         c == 0x3000;
}

Character Character::first_of(std::string_view text) {
  size_t bytes = 1;
  while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) ++bytes;
  return {first_code_point(text), bytes};
}

std::string_view without_white(std::string_view text) {
  while (!text.empty()) {
    const Character first = Character::first_of(text);
    if (!is_white(first.number)) break;
    text.remove_prefix(first.bytes);
  }
  while (!text.empty()) {
    size_t last = text.size() - 1;
    while (last > 0 && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
    if (!is_white(first_code_point(text.substr(last)))) break;
    text = text.substr(0, last);
  }
  return text;
}

Entry text_operator(std::string_view name, std::string_view doc, std::vector<Parameter> parameters,
                    Value (*eager)(Builder&, Call&), std::vector<Sample> samples, const char* gives) {
  Entry entry{.name = name,
              .doc = doc,
              .parameters = std::move(parameters),
              .eager = eager,
              .derivative = Derivative::none(gives),
              .effects = {.may_fail = true},
              .samples = std::move(samples),
              .staging = Staging::structural};
  return entry;
}

}  // namespace covec::ops
