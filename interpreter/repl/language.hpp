// What the editor of a prompt asks of the language, and the history that prompts share.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "interpreter/repl/editor/editor.hpp"
#include "interpreter/session/session.hpp"

namespace covec {

// $COVEC_HISTORY, else a file in the user's state folder; "" (no history on disk) when there is no home.
std::string history_path();

// "x" of `?x` and `x?`; nothing: it is no question. A text that ends in a question mark may be another thing: a
// comment.
std::optional<std::string> question_in(std::string_view text);
// Whether it begins with a colon, or is a question.
bool is_command(std::string_view text);

// What more lines would do to a text.
enum class Wholeness : uint8_t { whole, open, wrong };
Wholeness wholeness(const Session& session, std::string_view text);

// Without syntax errors in parentheses; names may be unknown.
bool is_expression(std::string_view text);

using Completer = std::function<editor::Completion(std::string_view before_cursor)>;
editor::Language language_of(const Session& session, Completer complete);

// An error of a prompt's own.
void tell_error(const std::string& message);

}  // namespace covec
