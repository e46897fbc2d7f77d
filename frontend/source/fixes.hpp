// Edits that cure what diagnostics tell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/source/diagnostic.hpp"

namespace covec {

// All edits of a diagnostic's fix; none, where it has no fix. Another use of an unknown name is wrong in the same way.
std::vector<Fix> edits_of(const Diagnostic& diagnostic);

// Puts a word or number there, with blanks where the text beside it would become a part of it.
Fix separate_word(std::string_view text, Span span, std::string word);
// An inserted line ends as the first line of the text does.
std::string_view line_end_of(std::string_view text);

}  // namespace covec
