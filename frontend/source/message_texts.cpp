// The texts of the frontend's messages, in the order of their keys. Only this source contains them, so a new wording
// recompiles one source.
#include "frontend/source/messages.hpp"

namespace covec::messages {

constexpr Message table[] = {
    // --- characters and tokens ---
    {"invalid_utf8", "the text is not UTF-8: byte {} at offset {}", "save the file as UTF-8"},
    {"text_too_large", "the text has {} bytes; at most {} are read", {}},
    {"unexpected_character", "unexpected character {}", {}},
    {"unclosed_string", "this string is not closed on its line",
     "a string must end on its line; write \\n for a line break"},
    {"unclosed_interpolation", "the `{{` in this f-string is not closed", "write {{{{ for a brace in the text"},
    {"single_brace", "a single `}}` in an f-string", "write }}}} for a brace in the text"},
    {"empty_interpolation", "the braces of this f-string are empty", "write {{{{ and }}}} for braces in the text"},
    {"format_text", "a format is plain text, without braces", "write {{format(x, f\"<{{width}}\")}}"},
    {"bad_escape", "unknown escape `\\{}`", "the escapes are \\n \\t \\r \\0 \\\\ \\' \\\" \\xhh \\uhhhh \\u{{…}}"},
    {"bad_number", "`{}` is not a number", {}},
    {"number_dot", "a number has digits on both sides of its dot", "write {}"},
    {"number_too_large", "the number {} does not fit in {}", {}},
    // --- brackets and lines ---
    {"unclosed_bracket", "`{}` is never closed", {}},
    {"mismatched_bracket", "`{}` does not close `{}`", {}},
    {"unmatched_closer", "`{}` closes nothing", {}},
    {"nested_too_deeply", "nested too deeply: more than {} levels", {}},
    {"else_on_new_line", "`else` must be on the line of the closing brace", "write } else {{"},
    {"catch_on_new_line", "`catch` must be on the line of the closing brace", "write } catch err {{"},
    {"try_alone", "a `try` without a `catch`", "write try {{ … }} catch err {{ … }}"},
    {"catch_alone", "`catch` without a `try` before it", "write try {{ … }} catch err {{ … }}"},
    {"else_without_if", "`else` without an `if` before it", {}},
    {"brace_on_new_line", "the `{{` of a block must be on the same line as its head", {}},
    {"missing_block", "expected `{{` after {}, found {}", {}},
    {"missing_body", "expected `= expression` or `{{` after the head of `fn`, found {}", {}},
    {"unexpected_end", "the text ends in the middle of {}", {}},
    {"run_on", "expected the end of the statement before {}", "a statement ends with its line or with `;`"},
    {"unexpected_token", "unexpected {}", {}},
    {"expected_token", "expected {} before {}", {}},
    {"expected_expression", "expected an expression after {}, found {}", {}},
    {"keyword_as_field", "`{}` is a keyword and cannot name a field", {}},
    {"keyword_as_name", "`{}` is a keyword and cannot be a name", {}},
    {"assignment_in_condition", "`=` assigns; a condition compares with `==`", {}},
    {"assignment_in_expression", "`{}` is not an operator", "`==` compares; an assignment is a statement of its own"},
    {"loop_filter", "a loop has no filter", {}},
    {"conditional_needs_else", "`a if c` as an expression needs an `else`", "write a if c else b"},
    {"filter_with_else", "the `if` behind a comprehension's `for` is its filter, which has no `else`",
     "put `a if c else b` into parentheses"},
    {"second_filter", "a comprehension has one filter, behind all of its clauses", "join conditions by `and`"},
    {"decorator_without_fn", "a decorator must be before a `fn`", {}},
    {"unknown_word", "`{}` is not part of the language", "{}"},
    // --- statements and targets ---
    {"bare_tuple", "a tuple needs parentheses here", "write ({})"},
    {"chained_assignment", "a statement has only one `=`", "write two assignments"},
    {"spread_place", "`{}` is not allowed here", "*t gives items, **r arguments of a call; a lambda is (**o) -> o"},
    {"spread_alone", "`{}` needs other items around it", "write (*t,) for a tuple of the items of t"},
    {"two_rests", "only one `*` is allowed", {}},
    {"bad_target", "cannot assign to {}", "a target is a name, x[i], x.field, or several of them"},
    {"update_of_tuple", "`{}` takes one target", {}},
    {"assert_tuple", "`assert` takes a condition, but this is a tuple", "write assert c, \"message\""},
    {"break_outside_loop", "`break` outside a loop", {}},
    {"continue_outside_loop", "`continue` outside a loop", {}},
    {"return_outside_function", "`return` outside a function", {}},
    {"no_function_in_text", "the text defines no function", "write fn name(…) = … outside of all blocks"},
    {"import_needs_name", "an import of a path needs a name", "write import \"{}\" as name"},
    {"import_path", "an imported path must end in .covec", {}},
    {"unused_value", "the value of this statement is not used", "write print({}), or give it a name"},
    {"unused_in_function", "the value of this statement is not used", "{}"},
    {"hides_constant", "`{}` hides the constant of that name", "give the variable another name"},
    {"hides_builtin", "`{}` hides the builtin of that name from here on", "give the error another name, such as err"},
    {"import_in_try", "`import` is not allowed in `try`", "a program needs its modules: import them at the top"},
    {"unread_import", "nothing reads the import `{}`", "remove it"},
    {"unread_variable", "nothing reads the variable `{}`", "remove it, or call it _{}"},
    {"unreachable", "this statement is never reached", {}},
    {"update_of_outer", "`{}` is not a variable of this function, so it cannot be updated here",
     "a function cannot change names outside it: pass `{}` in and return it"},
    // --- functions ---
    {"duplicate_parameter", "parameter `{}` appears twice", {}},
    {"default_order", "parameter `{}` without a default follows one with a default", {}},
    {"rest_parameter", "the parameter `{}{}` takes the {} arguments: it has no annotation and no default", {}},
    {"options_last", "the parameter `**{}` takes the remaining named arguments: it is the last one", {}},
    {"options_sign", "a parameter that takes the remaining named arguments is written with `**`, not `^`", {}},
    {"lambda_parameters", "the left side of `->` must be names", "write x -> e, (x, y) -> e or fn(x, k=1) {{ … }}"},
    {"function_expression_form", "a function expression needs a block", "write x -> e, or fn(x) {{ return e }}"},
    {"unknown_decorator", "unknown decorator `@{}`", {}},
    {"decorator_arguments", "`@{}` {}", {}},
    {"unknown_annotation", "unknown type `{}`", {}},
    {"annotation_dimension", "a dimension is a number, a name, `_`, `...` or arithmetic of these", {}},
    {"annotation_ellipsis", "an annotation has only one `...`", {}},
    // --- expressions ---
    {"in_chain", "`in` does not chain with other comparisons", "write `and` between them, or parentheses"},
    {"mixed_keys", "this literal mixes record fields and map keys",
     "in a map, put a name in quotes and a variable in parentheses: {{\"{}\": 1, (k): 2}}"},
    {"key_form", "`{}` cannot be a key of a map in this form", "write it in parentheses: ({}): value"},
    {"key_float", "`{}` cannot be a key of a map",
     "keys are strings, integers, bools and tuples of them: write (str({})): value"},
    {"duplicate_key", "the key {} appears twice", {}},
    {"map_comprehension", "a comprehension cannot stand in braces", "write map(({}, {}) {})"},
    {"duplicate_field", "field `{}` appears twice", {}},
    {"keyword_argument", "the left side of `=` in a call must be a parameter's name", {}},
    {"positional_after_keyword", "a positional argument follows a keyword argument", {}},
    {"given_twice", "argument `{}` is given twice", {}},
    {"index_ellipsis", "an index has only one `...`", {}},
    {"generator_not_alone", "a comprehension must be the only argument of `{}`", {}},
    {"generator_argument", "`{}` does not take a comprehension", "write [{}] for a tensor of the values"},
    {"comprehension_target", "a comprehension's target must be a name or a tuple of names",
     "write for i, for (i, x) in …"},
    {"indexes_nothing", "no tensor is indexed by `{}`, so its range is unknown", "{}"},
    {"pair_unpacked", "`{}` is an index of its own here: a pair needs parentheses", "write for ({}) in …"},
    {"adds_brackets", "`+` adds the one number to each of the others", "to join, write concat(([a], b))"},
    // --- names and arguments ---
    {"unknown_name", "unknown name `{}`", {}},
    {"unknown_parameter", "`{}` has no parameter `{}`", {}},
    {"missing_argument", "`{}` needs its argument `{}`", {}},
    {"too_many_arguments", "`{}` takes {}, got {}", {}},
};

namespace {

consteval int parts_of(std::string_view text) {
  int count = 0;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == text[i + 1]) {
      i += text[i] == '{' || text[i] == '}';
    } else if (text[i] == '{' && text[i + 1] == '}') {
      ++count;
    }
  }
  return count;
}

consteval bool keys_agree() {
  for (size_t i = 0; i < std::size(message_keys); ++i) {
    const Message& row = table[i];
    if (row.key != message_keys[i].key || parts_of(row.text) + parts_of(row.hint) != message_keys[i].parts)
      return false;
  }
  return true;
}

}  // namespace

static_assert(keys_agree(), "messages.hpp has other keys, another order, or other numbers of {}");

}  // namespace covec::messages
