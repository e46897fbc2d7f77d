// What a name may look like; and the tree of a text as text.
#include "frontend/parse/parse.hpp"
#include "frontend/resolve/resolve.hpp"
#include "frontend/source/unicode.hpp"

namespace covec {

bool is_identifier(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    unicode::Decoded d = unicode::decode(text, i);
    bool good = d.length != 0 && (i == 0 ? unicode::is_letter(d.character) : unicode::continues_name(d.character));
    if (!good) return false;
    i += d.length;
  }
  return !text.empty();
}

bool is_variable_name(std::string_view text) { return is_identifier(text) && !is_keyword(text); }

std::string dump_ast(SourceMap& sources, uint32_t file) {
  ParseResult result = parse(sources, file, false, ample_stack);
  if (!result.problems.empty()) throw CovecError(std::move(result.problems));
  return ast::dump(*result.unit);
}

}  // namespace covec
