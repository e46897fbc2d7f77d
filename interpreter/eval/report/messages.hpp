// The keys of the interpreter's messages; their texts are in message_texts.cpp. Operators have a table of their own in
// stdlib. `eval::row("key")` finds a row at compile time, and the tests check that each message is provoked. {} marks a
// part to fill in.
#pragma once

#include <iterator>
#include <string_view>

#include "stdlib/value/message.hpp"

namespace covec::eval {

inline constexpr MessageKey message_keys[] = {
    // names
    {"no_value", 1},
    {"no_global_value", 1},
    {"no_captured_value", 1},
    // choice
    {"condition", 1},
    {"logical_operand", 2},
    // calls
    {"spread_fields", 1},
    {"spread_keys", 1},
    {"not_callable", 1},
    {"too_many_arguments", 3},
    {"missing_argument", 2},
    {"unknown_keyword", 2},
    {"duplicate_argument", 2},
    {"unknown_option", 2},
    {"recursion", 1},
    {"stack", 0},
    {"names_limit", 1},
    // annotations
    {"annotation_dtype", 3},
    {"annotation_range", 3},
    {"annotation_rank", 3},
    {"annotation_kind", 3},
    {"annotation_dimension", 5},
    {"annotation_parameter", 5},
    {"annotation_literal", 5},
    {"annotation_expression", 5},
    {"annotation_field", 3},
    {"annotation_items", 3},
    {"annotation_number", 1},
    // parts
    {"no_field", 2},
    {"unused_method", 0},
    {"method_arguments", 1},
    {"no_method", 2},
    {"no_attribute", 2},
    {"module_name", 2},
    {"not_indexable", 1},
    {"one_index", 2},
    {"index_kind", 2},
    {"key_slice", 0},
    {"slice_part", 1},
    {"slice_step", 0},
    {"too_many_items", 2},
    // updates
    {"not_assignable", 1},
    {"new_field", 2},
    {"slice_update", 1},
    {"string_update", 0},
    {"push", 1},
    {"ellipsis_list", 1},
    {"unpack", 2},
    {"unpack_kind", 1},
    // loops and comprehensions
    {"not_iterable", 1},
    {"filter_of_examples", 0},
    {"extent_mismatch", 3},
    {"extent_operand", 2},
    // statements
    {"assertion", 0},
    {"assertion_message", 1},
    {"interrupted", 0},
    // derivatives
    {"derivative_target", 1},
    {"derivative_place", 0},
    {"derivative_parameters", 6},
    {"compile_target", 1},
    // modules
    {"module_not_found", 1},
    {"module_cycle", 1},
    {"unreadable_file", 1},
    {"endless_file", 1},
    // the rest
    {"loop_not_staged", 1},
    {"host_exception", 1},
    {"host_nothing", 1},
    {"host_foreign", 1},
    {"host_result", 3},
    {"host_failed", 2},
    {"host_ranks", 2},
    {"host_ranks_moved", 1},
    {"host_ranks_ended", 1},
    // limits of a run
    {"deadline", 1},
    {"no_watchdog", 1},
    {"no_timer", 1},
    {"isa_not_built", 2},
    {"print_limit", 1},
    {"internal", 1},
};

extern const Message message_table[std::size(message_keys)];

struct UnknownMessageKey {};
consteval const Message& row(std::string_view key) {
  for (size_t i = 0; i < std::size(message_keys); ++i) {
    if (message_keys[i].key == key) return message_table[i];
  }
  throw UnknownMessageKey{};
}

}  // namespace covec::eval
