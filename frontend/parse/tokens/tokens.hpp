// The tokens of a text as the formatter sees them: their places, and the role that the grammar gives each. The AST
// cannot print a program: it has no comments, parentheses or line ends. No code outside frontend/parse sees ANTLR, so
// the roles are read from the parse tree here. Start reading at read_tokens in parse.hpp, which fills a TokenList.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/source/diagnostic.hpp"

namespace covec {

enum class Role : uint8_t {
  unread,         // of a statement that could not be read
  operand,        // a name, a literal, `...` alone
  text,           // an f-string, from its first quote to its last
  word,           // a keyword, also `not`, `in` and `not in`
  binary,         // an operator between two operands, but no power
  power,          // ^ or ** between two operands
  prefix,         // a sign, a spread, the star of a parameter, the @ of a decorator
  assign,         // = of a statement, of a function's body, of a default behind an annotation; an update
  option,         // = of a named argument, or of a default without annotation
  arrow,          // ->
  comma,          // also one behind the last item
  semicolon,      // between statements
  dot,            // before a member
  slice_colon,    // in an index
  field_colon,    // of a record, a map or an annotation
  open_call,      // ( or [ right behind what is called or indexed; of a signature
  open_group,     // ( or [ that begins an operand
  open_record,    // { of a record, of a map, of an annotation
  open_block,     // { of statements
  close_bracket,  // what closes a call, a group or a record
  close_block,    // what closes statements
};

struct Token {
  uint32_t begin = 0;  // bytes
  uint32_t end = 0;
  // The number of the first token of the statement or function that a block, its brace, `else` or `catch` belongs to;
  // else the token's own.
  uint32_t owner = 0;
  uint16_t kind = 0;               // of the lexer
  Role role = Role::unread;        // by the grammar
  bool follows_terminator = true;  // the first token, or behind a line end that counts or a semicolon
};

// What is read of a text with or without errors.
struct TokenList {
  std::vector<Token> tokens;         // without line ends
  std::vector<Diagnostic> problems;  // in the order of the text
  std::vector<Span> altered;         // places where the lexer dropped or changed what it reported
  bool whole = false;                // the text was read to its end
};

}  // namespace covec
