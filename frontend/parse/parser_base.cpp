// Decides the operators of `expression` by one token. After an operand, an operator token of at least the current
// precedence continues the expression; any other token ends it. ANTLR's prediction gives the same result for a
// left-recursive rule whose operators begin with different tokens. The table is read from the automaton that ANTLR
// builds of the grammar, so only the grammar knows the precedences.
#include "frontend/parse/parser_base.hpp"

#include <array>

#include "CovecParser.h"

namespace covec::grammar {

namespace {

using namespace antlr4::atn;

struct OperatorEntry {
  uint8_t alternative = 0;  // of the loop's block; 0: no operator
  int precedence = 0;
};

struct OperatorTable {
  size_t loop = 0;   // the decision "another operator?"
  size_t block = 0;  // the decision "which one?"
  std::array<OperatorEntry, 128> by_token{};
};

// Follows one alternative to its first token, noting the precedence it asks for on the way.
void add_alternative(OperatorTable& table, size_t alternative, ATNState* state) {
  int precedence = 0;
  for (;;) {
    Transition* next = state->transitions[0];
    if (next->getSerializationType() == Transition::PRECEDENCE) {
      precedence = static_cast<PrecedencePredicateTransition*>(next)->precedence;
    }
    if (!next->isEpsilon()) {
      for (ssize_t token : next->label().toList()) {
        table.by_token[static_cast<size_t>(token)] = {static_cast<uint8_t>(alternative), precedence};
      }
      return;
    }
    state = next->target;
  }
}

OperatorTable read_table(const ATN& atn) {
  OperatorTable table;
  for (DecisionState* decision : atn.decisionToState) {
    auto* loop = dynamic_cast<StarLoopEntryState*>(decision);
    if (loop == nullptr || !loop->isPrecedenceDecision) continue;
    auto* block = static_cast<DecisionState*>(loop->transitions[0]->target);
    table.loop = static_cast<size_t>(loop->decision);
    table.block = static_cast<size_t>(block->decision);
    for (size_t i = 0; i < block->transitions.size(); ++i) add_alternative(table, i + 1, block->transitions[i]->target);
  }
  return table;
}

class TablePredictor : public ParserATNSimulator {
 public:
  using ParserATNSimulator::ParserATNSimulator;

  size_t adaptivePredict(antlr4::TokenStream* input, size_t decision, antlr4::ParserRuleContext* context) override {
    static const OperatorTable table = read_table(atn);
    constexpr size_t kEnter = 1, kLeave = 2;
    size_t token = input->LA(1);
    OperatorEntry entry = token < table.by_token.size() ? table.by_token[token] : OperatorEntry{};
    if (decision == table.block) return entry.alternative;
    if (decision != table.loop) return ParserATNSimulator::adaptivePredict(input, decision, context);
    return entry.alternative != 0 && parser->precpred(context, entry.precedence) ? kEnter : kLeave;
  }
};

}  // namespace

void ParserBase::predict_operators_by_table() {
  auto* present = getInterpreter<ParserATNSimulator>();
  setInterpreter(new TablePredictor(this, getATN(), present->decisionToDFA, present->getSharedContextCache()));
}

}  // namespace covec::grammar
