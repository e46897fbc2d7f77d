// Checks of operands, and what the entries of text operators share. Text is structure: it is known while a function is
// staged, or the statement is interpreted. It has no derivative.
#pragma once

#include <string>
#include <string_view>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

const String& text_argument(const Call& call, unsigned operand);
// The same, but an error where it is empty: it stands everywhere.
const std::string& separator_text(const Call& call, unsigned operand);
// There is memory for a text of so many bytes.
void need_text(uint64_t bytes);

// Ctrl-C is seen in the middle of a long text; called for each of its characters.
void look_around(const Builder& b, size_t passed);

bool is_white(char32_t character);
std::string_view without_white(std::string_view text);  // at its ends

// The first code point of a text that is not empty, and how many bytes it takes.
struct Character {
  char32_t number;
  size_t bytes;
  static Character first_of(std::string_view text);
};

Entry text_operator(std::string_view name, std::string_view doc, std::vector<Parameter> parameters,
                    Value (*eager)(Builder&, Call&), std::vector<Sample> samples, const char* gives);

}  // namespace covec::ops
