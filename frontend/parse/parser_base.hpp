// The base of the generated parser. It counts how deep expressions nest and stops before the stack overflows. It
// catches nesting without brackets (not not x, a ^ b ^ c, x -> y -> z); the lexer counts brackets. It also decides the
// loop of operators in `expression` by one token and a table read from the grammar's own automaton. ANTLR would
// simulate that automaton, which took 90 % of a short program's start.
#pragma once

#include "antlr4-runtime.h"
#include "frontend/parse/lexer_base.hpp"
#include "frontend/parse/limits.hpp"

namespace covec::grammar {

struct ExpressionTooDeep {
  size_t at = 0;  // offset in the text
};

class ParserBase : public antlr4::Parser {
 public:
  explicit ParserBase(antlr4::TokenStream* input) : antlr4::Parser(input) {}

  // Replaces the prediction of operators; once, after construction.
  void predict_operators_by_table();

  void limit_nesting(uint32_t nesting) { max_depth_ = expression_depth(nesting); }

  void tell(Meter& meter) { meter_ = &meter; }

  // A node for what no rule has read; the tree owns it.
  template <class Context>
  Context* make_context(antlr4::ParserRuleContext& parent) {
    return _tracker.createInstance<Context>(&parent, getState());
  }

  void enterRule(antlr4::ParserRuleContext* context, size_t state, size_t rule) override {
    meter_->use(bytes_of_context);
    antlr4::Parser::enterRule(context, state, rule);
  }
  void pushNewRecursionContext(antlr4::ParserRuleContext* context, size_t state, size_t rule) override {
    meter_->use(bytes_of_context);
    antlr4::Parser::pushNewRecursionContext(context, state, rule);
  }
  using antlr4::Parser::enterRecursionRule;
  void enterRecursionRule(antlr4::ParserRuleContext* context, size_t state, size_t rule, int precedence) override {
    if (++depth_ > max_depth_) throw ExpressionTooDeep{getCurrentToken()->getStartIndex()};
    meter_->use(bytes_of_context);
    antlr4::Parser::enterRecursionRule(context, state, rule, precedence);
  }
  void unrollRecursionContexts(antlr4::ParserRuleContext* parent) override {
    --depth_;
    antlr4::Parser::unrollRecursionContexts(parent);
  }

 private:
  // With its list of children and its place among those of another.
  static constexpr size_t bytes_of_context = sizeof(antlr4::ParserRuleContext) + 160;

  Meter* meter_ = nullptr;
  uint32_t depth_ = 0;
  uint32_t max_depth_ = kMaxExpressionDepth;
};

}  // namespace covec::grammar
