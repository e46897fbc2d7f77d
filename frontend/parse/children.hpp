// Finds the children of a context in ANTLR's parse tree by their type.
#pragma once

#include "CovecParser.h"
#include "frontend/parse/token_spans.hpp"

namespace covec::grammar {

// The children of a context that are of type Context, in order.
template <class Context, class Visit>
void each(const antlr4::ParserRuleContext& parent, Visit visit) {
  for (antlr4::tree::ParseTree* child : parent.children) {
    if (auto* context = dynamic_cast<Context*>(child)) visit(*context);
  }
}

template <class Context>
Context* first(const antlr4::ParserRuleContext& parent) {
  for (antlr4::tree::ParseTree* child : parent.children) {
    if (auto* context = dynamic_cast<Context*>(child)) return context;
  }
  return nullptr;
}

// Between two fields of a record stand a comma, newlines or both: not two commas.
inline void check_commas(const antlr4::ParserRuleContext& record, TokenSpans& places) {
  bool comma = false;
  for (antlr4::tree::ParseTree* child : record.children) {
    auto* terminal = dynamic_cast<antlr4::tree::TerminalNode*>(child);
    if (terminal == nullptr) {
      comma = false;
    } else if (terminal->getSymbol()->getType() == CovecParser::COMMA) {
      Span here = places.span(*terminal->getSymbol());
      if (comma) places.report(messages::message("expected_token"), here, {"a field", "`,`"});
      comma = true;
    }
  }
}

}  // namespace covec::grammar
