// Explains a syntax error in the user's terms. It uses the token that does not fit, the tokens before it, the rule
// being read and the bracket around it. The first matching question answers; the order goes from the particular to the
// general. Start reading at explain, at the end.
#include "frontend/parse/surroundings.hpp"

namespace covec::grammar {

namespace {

using P = CovecParser;
using messages::message;

class Explainer : Surroundings {
 public:
  using Surroundings::Surroundings;

  Diagnostic answer() {
    using Question = Answer (Explainer::*)();
    constexpr Question questions[] = {
        &Explainer::else_alone,
        &Explainer::catch_missing,
        &Explainer::foreign_syntax,
        &Explainer::number_with_bare_dot,
        &Explainer::keyword_as_name,
        &Explainer::misplaced_filter,
        &Explainer::conditional_without_else,
        &Explainer::block_missing,
        &Explainer::arrow_misplaced,
        &Explainer::decorator_alone,
        &Explainer::generator_after_arguments,
        &Explainer::empty_braces,
        &Explainer::bracket_left_open,
        &Explainer::end_of_text,
        &Explainer::assignment_misplaced,
        &Explainer::expression_missing,
        &Explainer::statement_runs_on,
    };
    for (Question question : questions) {
      if (Answer given = (this->*question)()) return *given;
    }
    return general();
  }

  // With what another language's habit tells of it.
  Diagnostic whole_answer() {
    Diagnostic d = answer();
    if (d.code == "unknown_word") return d;
    if (std::string hint = hint_of_foreign_syntax(*this); !hint.empty()) {
      d.hint = std::move(hint);
      d.fix.reset();
    }
    return d;
  }

 private:
  // --- questions ---

  Answer else_alone() {
    if (found().getType() != P::ELSE || (!between_statements() && type_before() != P::RBRACE)) return {};
    bool after_block = type_before(1) == P::NEWLINE && type_before(2) == P::RBRACE;
    if (!after_block) return messages::make(message("else_without_if"), span(found()));
    Diagnostic d = messages::make(message("else_on_new_line"), span(found()));
    d.labels.push_back({span(*before(2)), "here"});
    return d;
  }

  Answer catch_missing() {
    if (found().getType() == P::CATCH && (between_statements() || type_before() == P::RBRACE))
      return messages::make(message("catch_alone"), span(found()));
    if (!expects(P::CATCH) || type_before() != P::RBRACE) return {};
    size_t next = 0;
    while (type_after(next) == P::NEWLINE) ++next;
    const bool is_next = found().getType() == P::NEWLINE && type_after(next) == P::CATCH;
    if (!is_next) return messages::make(message("try_alone"), span(found()));
    Diagnostic d = messages::make(message("catch_on_new_line"), span(*after(next)));
    d.labels.push_back({span(*before()), "here"});
    return d;
  }

  Answer foreign_syntax() { return explain_foreign_syntax(*this); }

  Answer number_with_bare_dot() {
    auto number = [](size_t type) { return type == P::INTEGER || type == P::FLOAT; };
    if (type_before(1) == P::DOT && number(type_before(2))) {
      Span whole = span(*before(2)).to(span(*before(1)));
      Diagnostic d = messages::make(message("number_dot"), whole, {std::string(text(*before(2))) + ".0"});
      if (type_before(2) == P::FLOAT)
        d.hint.clear();
      else
        d.fix = fix(whole, std::string(text(*before(2))) + ".0");
      return d;
    }
    if (found().getType() == P::DOT && after() != nullptr && number(after()->getType())) {
      const Span whole = span(found()).to(span(*after()));
      const std::string number = "0." + std::string(text(*after()));
      Diagnostic d = messages::make(message("number_dot"), whole, {number});
      if (after()->getType() == P::INTEGER) d.fix = fix(whole, number);
      return d;
    }
    return {};
  }

  Answer keyword_as_name() {
    if (!is_keyword_token(found().getType())) return {};
    bool field = type_before() == P::DOT || field_expected();
    if (field) return messages::make(message("keyword_as_field"), span(found()), {text(found())});
    bool keyword_argument = after() != nullptr && after()->getType() == P::ASSIGN;
    bool parameter =
        (in_rule(P::RuleSignature) || keyword_argument) && (type_before() == P::LPAREN || type_before() == P::COMMA);
    bool name = parameter || (expects(P::NAME) && !expects(P::INTEGER));
    if (!name) return {};
    return messages::make(message("keyword_as_name"), span(found()), {text(found())});
  }

  // `a if c` whose `else` is missing: the expression being read, or one around it.
  bool in_open_conditional() const {
    auto* e = dynamic_cast<P::ExpressionContext*>(&context());
    return e != nullptr && e->op != nullptr && e->op->getType() == P::IF && expects(P::ELSE);
  }

  Answer misplaced_filter() {
    if (found().getType() == P::FILTER) return messages::make(message("second_filter"), span(found()));
    const antlr4::Token* filter = found().getType() == P::ELSE ? filter_before() : nullptr;
    if (filter == nullptr) return {};
    return messages::make(message("filter_with_else"), span(*filter).to(span(found())));
  }

  // The filter between the bracket around and what was found; nullptr: there is none.
  antlr4::Token* filter_before() const {
    const antlr4::Token* const open = opener();
    for (size_t steps = 1; before(steps) != nullptr && before(steps) != open; ++steps) {
      if (before(steps)->getType() == P::FILTER) return before(steps);
    }
    return nullptr;
  }

  Answer conditional_without_else() {
    if (!in_open_conditional() || found().getType() == antlr4::Token::EOF) return {};
    auto* e = static_cast<P::ExpressionContext*>(&context());
    const antlr4::Token* const word = statement_word();
    const bool loop = word != nullptr && word->getType() == P::FOR && found().getType() == P::LBRACE;
    return messages::make(loop ? message("loop_filter") : message("conditional_needs_else"), span(*e->op));
  }

  Answer block_missing() {
    if (!expects(P::LBRACE) || expects(P::INTEGER) || found().getType() == antlr4::Token::EOF) return {};
    bool next_is_block = found().getType() == P::NEWLINE && after() != nullptr && after()->getType() == P::LBRACE;
    if (next_is_block) return messages::make(message("brace_on_new_line"), span(*after()));
    if (in_signature() && !in_rule(P::RuleAnnotation)) {
      return messages::make(message("missing_body"), span(found()), {describe(found())});
    }
    antlr4::Token* word = statement_word();
    if (word == nullptr) return {};
    bool condition = word->getType() == P::IF || word->getType() == P::WHILE;
    if (condition && found().getType() == P::ASSIGN)
      return messages::make(message("assignment_in_condition"), span(found()));
    return messages::make(message("missing_block"), span(found()), {head(*word), describe(found())});
  }

  std::string head(const antlr4::Token& word) const {
    if (type_before() == P::ELSE) return "`else`";
    std::string quoted = "`" + std::string(text(word)) + "`";
    if (word.getType() == P::TRY) return type_before() == P::TRY ? quoted : "`catch`";
    return (word.getType() == P::FOR || word.getType() == P::FN ? "the head of " : "the condition of ") + quoted;
  }

  Answer arrow_misplaced() {
    auto* e = dynamic_cast<P::ExpressionContext*>(&context());
    bool in_parameters = e != nullptr && e->op != nullptr && e->op->getType() == P::LAMBDA_PAREN && expects(P::NAME);
    bool has_default = found().getType() == P::ASSIGN && opener() != nullptr && opener()->getType() == P::LAMBDA_PAREN;
    in_parameters |= context().getRuleIndex() == P::RuleLambdaParameter;
    if (found().getType() != P::ARROW && found().getType() != P::PARAMETER && !in_parameters && !has_default) return {};
    return messages::make(message("lambda_parameters"), span(found()));
  }

  Answer decorator_alone() {
    bool expects_fn = expects(P::FN) && !expects(P::INTEGER);
    if (!expects_fn || found().getType() == antlr4::Token::EOF) return {};
    return messages::make(message("decorator_without_fn"), span(found()));
  }

  Answer generator_after_arguments() {
    auto* call = dynamic_cast<P::ExpressionContext*>(&context());
    bool in_call = call != nullptr && call->op != nullptr && call->op->getType() == P::LPAREN && call->left != nullptr;
    if (found().getType() != P::FOR || !in_call || type_before() == P::LPAREN) return {};
    Span callee = span(*call->left->start).to(span(*call->left->stop));
    return messages::make(message("generator_not_alone"), span(found()), {text(callee)});
  }

  Answer empty_braces() {
    if (found().getType() != P::FSTRING_CLOSE || type_before() != P::FSTRING_OPEN) return {};
    return messages::make(message("empty_interpolation"), span(*before()).to(span(found())));
  }

  // A new line inside ( or [ that does not go on with the expression: the bracket was forgotten.
  Answer bracket_left_open() {
    if (!note().starts_line || opener() == nullptr || found().getType() == antlr4::Token::EOF) return {};
    const antlr4::Token& opener = *this->opener();
    if (opener.getType() != P::LPAREN && opener.getType() != P::LBRACKET) return {};
    std::string closer = opener.getType() == P::LPAREN ? ")" : "]";
    Diagnostic d = messages::make(message("unclosed_bracket"), span(opener), {text(opener)}, "opened here");
    d.labels.push_back({span(found()), "expected `" + closer + "` before this"});
    return d;
  }

  Answer end_of_text() {
    if (found().getType() != antlr4::Token::EOF) return {};
    return messages::make(message("unexpected_end"), span(found()),
                          {enclosing(P::RuleBlock) != nullptr ? "a block" : "a statement"});
  }

  Answer assignment_misplaced() {
    bool assigns = found().getType() == P::ASSIGN || found().getType() == P::UPDATE;
    if (!assigns) return {};
    if (is_keyword_token(type_before()))
      return messages::make(message("keyword_as_name"), span(*before()), {text(*before())});
    if (expects(P::INTEGER)) return {};
    Diagnostic d = messages::make(message("assignment_in_expression"), span(found()), {text(found())});
    if (found().getType() == P::UPDATE) d.hint = "an update of a variable is a statement of its own";
    return d;
  }

  // After an operator or a comma, or after an opening bracket what cannot even close it.
  Answer expression_missing() {
    size_t last = type_before();
    bool opened =
        (last == P::LPAREN || last == P::LBRACKET || last == P::COMMA) && !field_expected() && !expects(P::NAME);
    if ((!expects(P::INTEGER) && !opened) || between_statements() || before() == nullptr) return {};
    Diagnostic d =
        messages::make(message("expected_expression"), span(found()), {describe(*before()), describe(found())});
    bool doubled = found().getType() == last;
    const std::string_view word = !doubled ? "" : last == P::AMPERSAND ? "and" : last == P::PIPE ? "or" : "";
    if (word.empty()) return d;
    d.hint = "write " + std::string(word);
    const bool more = type_after() == last && adjacent(found(), *after());  // `a &&& b`
    if (adjacent(*before(), found()) && !more) d.fix = fix(span(*before()).to(span(found())), std::string(word));
    return d;
  }

  Answer statement_runs_on() {
    if (between_statements() || !expects(P::NEWLINE) || !expects(P::SEMICOLON)) return {};
    return messages::make(message("run_on"), span(found()), {describe(found())});
  }

  Diagnostic general() {
    std::string wanted;
    size_t choices = 0;
    for (size_t type : {P::COMMA, P::COLON, P::RPAREN, P::RBRACKET, P::RBRACE, P::ASSIGN, P::LPAREN, P::IN, P::NAME,
                        P::AS, P::FSTRING_CLOSE, P::STRING}) {
      if (!expects(type)) continue;
      wanted += (choices++ == 0 ? "" : " or ") + name_of(type);
    }
    if (between_statements() || choices == 0 || choices > 3) {
      std::string what = describe(found());
      if (what.starts_with("the ")) what.erase(0, 4);
      return messages::make(message("unexpected_token"), span(found()), {what});
    }
    return messages::make(message("expected_token"), span(found()), {wanted, describe(found())});
  }

  static std::string name_of(size_t type) {
    switch (type) {
      case P::COMMA: return "`,`";
      case P::COLON: return "`:`";
      case P::RPAREN: return "`)`";
      case P::RBRACKET: return "`]`";
      case P::RBRACE:
      case P::FSTRING_CLOSE: return "`}`";
      case P::ASSIGN: return "`=`";
      case P::LPAREN: return "`(`";
      case P::IN: return "`in`";
      case P::AS: return "`as`";
      case P::STRING: return "a path in quotes";
      default: return "a name";
    }
  }
};

}  // namespace

Diagnostic explain(const ErrorSite& site, const antlr4::misc::IntervalSet& expected) {
  return Explainer(site, expected).whole_answer();
}

}  // namespace covec::grammar
