// Operators on strings: the entries that replace operators if they are given strings (Entry::instead), or nullptr.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry* join_instead(std::span<const Value> args, uint32_t literals);
const Entry* repeat_instead(std::span<const Value> args, uint32_t literals);
const Entry* less_instead(std::span<const Value> args, uint32_t literals);
const Entry* less_equal_instead(std::span<const Value> args, uint32_t literals);
const Entry* greater_instead(std::span<const Value> args, uint32_t literals);
const Entry* greater_equal_instead(std::span<const Value> args, uint32_t literals);
// What stands in for a cast.
decltype(Entry::instead) number_of_text(Dtype dtype);

Entry text_entry(std::string_view name, std::string_view doc, std::vector<Parameter> parameters,
                 Value (*eager)(Builder&, Call&));

Family elementwise_text_entries();
Family elementwise_number_text_entries();

}  // namespace covec::ops
