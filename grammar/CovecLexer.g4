// The tokens of Covec. What depends on context is done by the base class (frontend/parse/lexer_base.hpp): the bracket
// stack, which newlines count, the modes of f-strings; and it tells apart by type what the parser would have to look
// ahead for: a comma before a closing bracket (TRAILING_COMMA), `fn` before a parenthesis (FN_EXPRESSION), and the name
// or parenthesis that begins a lambda (PARAMETER, LAMBDA_PAREN), the brace of a block after its arrow (BLOCK_BRACE). So this file is free of actions and the parser decides
// by one token; the `in` that begins a clause's range (IN) from the operator (IN_OPERATOR, NOT_IN); the `if` behind a comprehension's clauses (FILTER) from that of a choice; and `max=` and `min=` after an operand (UPDATE) from a name. Trade-off: the text is read as bytes and NAME takes every byte past ASCII; the base class checks letters
// afterwards, since \p{L} here would cost three milliseconds of every start.
lexer grammar CovecLexer;

options { superClass = LexerBase; }

@header {
#include "frontend/parse/lexer_base.hpp"
}

tokens { FSTRING_END, FSTRING_CLOSE, FORMAT_COLON, TRAILING_COMMA, PARAMETER, LAMBDA_PAREN, BLOCK_BRACE, FN_EXPRESSION, IN_OPERATOR, NOT_IN, FILTER }

FN: 'fn';
RETURN: 'return';
IF: 'if';
ELSE: 'else';
FOR: 'for';
IN: 'in';
WHILE: 'while';
BREAK: 'break';
CONTINUE: 'continue';
IMPORT: 'import';
AS: 'as';
AND: 'and';
OR: 'or';
NOT: 'not';
ASSERT: 'assert';
TRY: 'try';
CATCH: 'catch';
TRUE: 'true';
FALSE: 'false';
NONE: 'none';

INTEGER: DIGITS | '0' [xX] [0-9a-fA-F]+ ('_' [0-9a-fA-F]+)*;
FLOAT: (DIGITS '.' DIGITS EXPONENT? | DIGITS EXPONENT) 'im'? | DIGITS 'im';
BAD_NUMBER: DIGITS ('.' DIGITS)? [a-zA-Z_] [a-zA-Z_0-9]*;
STRING: '"' (~["\\\r\n] | '\\' ~[\r\n])* '"' | '\'' (~['\\\r\n] | '\\' ~[\r\n])* '\'';
OPEN_STRING: '"' (~["\\\r\n] | '\\' ~[\r\n])* '\\'? | '\'' (~['\\\r\n] | '\\' ~[\r\n])* '\\'?;
FSTRING_DOUBLE: 'f"' -> type(FSTRING_START), pushMode(DOUBLE_TEXT);
FSTRING_START: 'f\'' -> pushMode(SINGLE_TEXT);
NAME: [a-zA-Z_\u0080-\u00FF] [a-zA-Z_0-9\u0080-\u00FF]*;

LPAREN: '(';
RPAREN: ')';
LBRACKET: '[';
RBRACKET: ']';
LBRACE: '{';
RBRACE: '}';
ELLIPSIS: '...';
DOT: '.';
COMMA: ',';
SEMICOLON: ';';
COLON: ':';
ARROW: '->';
POWER: '^' | '**';
PLUS: '+';
MINUS: '-';
TILDE: '~';
STAR: '*';
SLASH: '/';
FLOOR_DIVIDE: '//';
PERCENT: '%';
AT: '@';
SHIFT_LEFT: '<<';
SHIFT_RIGHT: '>>';
LESS: '<';
LESS_EQUAL: '<=';
GREATER: '>';
GREATER_EQUAL: '>=';
EQUAL: '==';
NOT_EQUAL: '!=';
AMPERSAND: '&';
PIPE: '|';
ASSIGN: '=';
UPDATE: '+=' | '-=' | '*=' | '/=' | '//=' | '%=' | '^=' | '**=' | '@=' | '&=' | '|=' | '<<=' | '>>=';

NEWLINE: [\r\n]+;
SPACE: [ \t]+ -> skip;
COMMENT: '#' ~[\r\n]* -> skip;
UNEXPECTED: .;

// The text of an f-string, up to its quote or a single brace. The base class turns the brace that ends an
// interpolation into FSTRING_CLOSE, and the first ':' directly inside it into FORMAT_COLON.
mode DOUBLE_TEXT;
DOUBLE_CONTENT: (~["\\\r\n{}] | '\\' ~[\r\n] | '{{' | '}}')+ -> type(FSTRING_TEXT);
DOUBLE_OPEN: '{' -> type(FSTRING_OPEN);
DOUBLE_END: '"' -> type(FSTRING_END), popMode;
DOUBLE_BROKEN: . -> type(FSTRING_BROKEN);

mode SINGLE_TEXT;
FSTRING_TEXT: (~['\\\r\n{}] | '\\' ~[\r\n] | '{{' | '}}')+;
FSTRING_OPEN: '{';
SINGLE_END: '\'' -> type(FSTRING_END), popMode;
FSTRING_BROKEN: .;

// A format specification: plain text to the closing brace.
mode FORMAT;
FORMAT_TEXT: ~[{}"'\r\n]+;
FORMAT_CLOSE: '}' -> type(FSTRING_CLOSE), popMode;
FORMAT_BROKEN: . -> type(FSTRING_BROKEN);

fragment DIGITS: [0-9]+ ('_' [0-9]+)*;
fragment EXPONENT: [eE] [+-]? DIGITS;
