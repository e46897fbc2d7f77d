// Guesses what was meant by operands that do not fit an operator, from the error and from what the program has written.
// It runs only when an error is reported.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "interpreter/eval/report/host.hpp"
#include "stdlib/value/error.hpp"

namespace covec {

// `written`: the text of each operand, "" where that is unknown. The hint of the error itself is among the answers.
std::string hint_for_operands(const InterpreterHost& host, const OpError& error, const ops::Entry* entry,
                              std::span<const std::string> written);

// Short enough to be quoted in a hint, on one line.
bool is_quotable(std::string_view text);

// `n / 2` where an integer is needed; "" for text that does not divide.
std::string hint_for_quotient(std::string_view written);

}  // namespace covec
