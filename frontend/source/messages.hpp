// The keys of the frontend's messages; their texts are in message_texts.cpp. The code that reports a message fills its
// `{}` in order; the hint follows under the source line. A key that is not in the table does not compile. Tests provoke
// each message.
#pragma once

#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>

#include "frontend/source/diagnostic.hpp"

namespace covec::messages {

struct Message {
  std::string_view key;
  std::string_view text;
  std::string_view hint = {};
};

struct MessageKey {
  std::string_view key;
  int parts = 0;  // how many {} its text has
};

inline constexpr MessageKey message_keys[] = {
    // --- characters and tokens ---
    {"invalid_utf8", 2},
    {"text_too_large", 2},
    {"unexpected_character", 1},
    {"unclosed_string", 0},
    {"unclosed_interpolation", 0},
    {"single_brace", 0},
    {"empty_interpolation", 0},
    {"format_text", 0},
    {"bad_escape", 1},
    {"bad_number", 1},
    {"number_dot", 1},
    {"number_too_large", 2},
    // --- brackets and lines ---
    {"unclosed_bracket", 1},
    {"mismatched_bracket", 2},
    {"unmatched_closer", 1},
    {"nested_too_deeply", 1},
    {"else_on_new_line", 0},
    {"catch_on_new_line", 0},
    {"try_alone", 0},
    {"catch_alone", 0},
    {"else_without_if", 0},
    {"brace_on_new_line", 0},
    {"missing_block", 2},
    {"missing_body", 1},
    {"unexpected_end", 1},
    {"run_on", 1},
    {"unexpected_token", 1},
    {"expected_token", 2},
    {"expected_expression", 2},
    {"keyword_as_field", 1},
    {"keyword_as_name", 1},
    {"assignment_in_condition", 0},
    {"assignment_in_expression", 1},
    {"loop_filter", 0},
    {"conditional_needs_else", 0},
    {"filter_with_else", 0},
    {"second_filter", 0},
    {"decorator_without_fn", 0},
    {"unknown_word", 2},
    // --- statements and targets ---
    {"bare_tuple", 1},
    {"chained_assignment", 0},
    {"spread_place", 1},
    {"spread_alone", 1},
    {"two_rests", 0},
    {"bad_target", 1},
    {"update_of_tuple", 1},
    {"assert_tuple", 0},
    {"break_outside_loop", 0},
    {"continue_outside_loop", 0},
    {"return_outside_function", 0},
    {"no_function_in_text", 0},
    {"import_needs_name", 1},
    {"import_path", 0},
    {"unused_value", 1},
    {"unused_in_function", 1},
    {"hides_constant", 1},
    {"hides_builtin", 1},
    {"import_in_try", 0},
    {"unread_import", 1},
    {"unread_variable", 2},
    {"unreachable", 0},
    {"update_of_outer", 2},
    // --- functions ---
    {"duplicate_parameter", 1},
    {"default_order", 1},
    {"rest_parameter", 3},
    {"options_last", 1},
    {"options_sign", 0},
    {"lambda_parameters", 0},
    {"function_expression_form", 0},
    {"unknown_decorator", 1},
    {"decorator_arguments", 2},
    {"unknown_annotation", 1},
    {"annotation_dimension", 0},
    {"annotation_ellipsis", 0},
    // --- expressions ---
    {"in_chain", 0},
    {"mixed_keys", 1},
    {"key_form", 2},
    {"key_float", 2},
    {"duplicate_key", 1},
    {"map_comprehension", 3},
    {"duplicate_field", 1},
    {"keyword_argument", 0},
    {"positional_after_keyword", 0},
    {"given_twice", 1},
    {"index_ellipsis", 0},
    {"generator_not_alone", 1},
    {"generator_argument", 2},
    {"comprehension_target", 0},
    {"indexes_nothing", 2},
    {"pair_unpacked", 2},
    {"adds_brackets", 0},
    // --- names and arguments ---
    {"unknown_name", 1},
    {"unknown_parameter", 2},
    {"missing_argument", 2},
    {"too_many_arguments", 3},
};

extern const Message table[std::size(message_keys)];

// The table's entry of that key; found at compile time.
consteval const Message& message(std::string_view key) {
  for (size_t i = 0; i < std::size(message_keys); ++i) {
    if (message_keys[i].key == key) return table[i];
  }
  throw "no such message";
}

// `text` with each `{}` replaced in order, `{{` and `}}` by single braces.
std::string fill(std::string_view text, std::initializer_list<std::string_view> values);

// A diagnostic with one caret span. The values fill the message's text first, then its hint.
Diagnostic make(const Message& message, Span span, std::initializer_list<std::string_view> values = {},
                std::string label = {});

}  // namespace covec::messages
