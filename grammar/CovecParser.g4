// The syntax of Covec. `expression` is one left-recursive rule: the order of its alternatives is the table of
// precedence, tightest first. Every alternative has one token labelled `op`, by which the builder of the AST
// (frontend/parse) tells them apart. Alternatives with a common prefix are merged, so that one token decides everywhere
// (ParserBase does the same for the operators of `expression`): what `(` or `[` turns out to be, whether a statement
// assigns, which expressions may be targets, is checked by the builder, since deciding it here would look ahead over
// whole expressions and be superlinear when they nest.
// The lexer sees to it that a block's last statement is followed by a NEWLINE, and so is a text's.
parser grammar CovecParser;

options { tokenVocab = CovecLexer; superClass = ParserBase; }

@header {
#include "frontend/parse/parser_base.hpp"
}

unit: terminator? line* EOF;

// What recovery from an error skips.
line: statement terminator;

terminator: (NEWLINE | SEMICOLON)+;

statement
  : left=expressions ((op=ASSIGN expressions)+ | op=UPDATE right=expressions)?
  | op=IF expression block (ELSE (IF expression)? block)*
  | op=WHILE expression block
  | op=FOR left=expressions IN right=expressions block
  | (decorator NEWLINE?)* op=FN name=NAME signature
  | op=RETURN right=expressions?
  | op=BREAK
  | op=CONTINUE
  | op=ASSERT expression (COMMA expression)?
  | op=TRY block CATCH name=NAME? block
  | op=IMPORT (module=NAME | path=STRING) (AS alias=NAME)?
  ;

block: (LBRACE | BLOCK_BRACE) terminator? line* RBRACE;

expressions: expression (COMMA expression)*;

decorator: AT NAME (LPAREN arguments? RPAREN)?;

// --- functions ---

signature
  : LPAREN (parameter (COMMA parameter)* TRAILING_COMMA?)? RPAREN (ARROW result=annotation)?
    (op=ASSIGN expression | block)
  ;

parameter: star=(STAR | POWER)? NAME (COLON annotation)? (ASSIGN expression)?;

annotation
  : NAME (op=LBRACKET (dimension (COMMA dimension)* TRAILING_COMMA?)? RBRACKET)?
  | op=LBRACE NEWLINE? (annotationField ((COMMA | NEWLINE) annotationField?)*)? RBRACE
  | op=LPAREN (annotation (TRAILING_COMMA | (COMMA annotation)+ TRAILING_COMMA?))? RPAREN
  ;

annotationField: NAME COLON annotation;

dimension: expression | ELLIPSIS;

// --- expressions ---

expression
  : op=(INTEGER | FLOAT | STRING | TRUE | FALSE | NONE | NAME)
  | op=FSTRING_START (FSTRING_TEXT | interpolation)* FSTRING_END
  | op=LPAREN (expression (COMMA expression)* trailing=TRAILING_COMMA?)? RPAREN
  | op=LBRACKET (expression (generator | (COMMA expression)* TRAILING_COMMA?))? RBRACKET
  | op=LBRACE NEWLINE? (recordField ((COMMA | NEWLINE) recordField?)*)? RBRACE
  | op=FN_EXPRESSION signature
  | left=expression op=LPAREN arguments? RPAREN
  | left=expression op=LBRACKET indexItem (COMMA indexItem)* TRAILING_COMMA? RBRACKET
  | left=expression op=DOT NAME
  | <assoc=right> left=expression op=POWER right=expression
  | op=(MINUS | PLUS | TILDE) right=expression
  | left=expression op=(STAR | SLASH | FLOOR_DIVIDE | PERCENT | AT) right=expression
  | left=expression op=(PLUS | MINUS) right=expression
  | left=expression op=(SHIFT_LEFT | SHIFT_RIGHT) right=expression
  | left=expression op=(LESS | LESS_EQUAL | GREATER | GREATER_EQUAL | EQUAL | NOT_EQUAL | IN_OPERATOR | NOT_IN) right=expression
  | left=expression op=AMPERSAND right=expression
  | left=expression op=PIPE right=expression
  | op=NOT right=expression
  | left=expression op=AND right=expression
  | left=expression op=OR right=expression
  | <assoc=right> left=expression op=IF condition=expression ELSE right=expression
  | op=PARAMETER ARROW (right=expression | block)
  | op=LAMBDA_PAREN (lambdaParameter (COMMA lambdaParameter)* TRAILING_COMMA?)? RPAREN ARROW (right=expression | block)
  | op=(STAR | POWER) right=expression
  ;

lambdaParameter: star=(STAR | POWER)? NAME;

arguments: argument (generator | (COMMA argument)* TRAILING_COMMA?);

argument: expression (op=ASSIGN expression)?;

generator: FOR clause (COMMA clause)* (FILTER expression)?;

clause: expression (IN expression)?;

indexItem
  : expression (op=COLON expression? (COLON expression?)?)?
  | op=COLON expression? (COLON expression?)?
  | op=ELLIPSIS
  ;

recordField
  : key=expression op=COLON value=expression generator?
  | op=ELLIPSIS value=expression
  ;

interpolation: FSTRING_OPEN expression (FORMAT_COLON FORMAT_TEXT?)? FSTRING_CLOSE;
