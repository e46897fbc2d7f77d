// What is wrong, in the user's terms: from the token that does not fit, the ones before it, the rule being read and
// the bracket around it. The first question that fits answers; the order goes from the particular to the general.
// Start reading at explain, at the end.
#include <algorithm>
#include <optional>

#include "frontend/parse/errors.hpp"
#include "frontend/parse/text.hpp"
#include "frontend/source/messages.hpp"

namespace covec::grammar {

namespace {

using P = CovecParser;
using messages::message;
using Answer = std::optional<Diagnostic>;

bool is_keyword(size_t type) {
  return (type >= P::FN && type <= P::NONE) || type == P::FN_EXPRESSION || type == P::IN_OPERATOR || type == P::NOT_IN;
}

struct Habit {
  std::string_view word;
  std::string_view hint;
};

// Words of other languages at the start of a statement.
constexpr Habit kHabits[] = {
    {"elif", "write } else if c {"},
    {"def", "write fn f(x) { … }"},
    {"function", "write fn f(x) { … }"},
    {"func", "write fn f(x) { … }"},
    {"lambda", "write x -> e"},
    {"let", "write x = e"},
    {"var", "write x = e"},
    {"const", "write x = e"},
    {"class", "records hold values: {w: 1, b: 2}"},
    {"from", "write import m"},
    {"elseif", "write } else if c {"},
    {"global", "functions take and return what they change"},
    {"del", "names need not be deleted"},
    {"raise", "write error(\"message\")"},
    {"throw", "write error(\"message\")"},
    {"try", "errors are not caught"},
    {"switch", "write if … else if …"},
    {"match", "write if … else if …"},
};

class Explainer {
 public:
  Explainer(const ErrorSite& site, const antlr4::misc::IntervalSet& expected)
      : site_(site), expected_(expected), found_(*site.found), index_(found_.getTokenIndex()) {}

  Diagnostic answer() {
    using Question = Answer (Explainer::*)();
    constexpr Question questions[] = {
        &Explainer::else_alone,           &Explainer::foreign_word,
        &Explainer::number_with_bare_dot, &Explainer::keyword_as_name,
        &Explainer::comprehension_filter, &Explainer::conditional_without_else,
        &Explainer::block_missing,        &Explainer::arrow_misplaced,
        &Explainer::decorator_alone,      &Explainer::generator_after_arguments,
        &Explainer::empty_braces,         &Explainer::bracket_left_open,
        &Explainer::end_of_text,          &Explainer::assignment_misplaced,
        &Explainer::expression_missing,   &Explainer::statement_runs_on,
    };
    for (Question question : questions) {
      if (Answer given = (this->*question)()) return *given;
    }
    return general();
  }

 private:
  // --- what is around ---

  antlr4::Token* before(size_t steps = 1) const { return index_ >= steps ? site_.tokens.get(index_ - steps) : nullptr; }
  size_t type_before(size_t steps = 1) const { return before(steps) != nullptr ? before(steps)->getType() : 0; }
  antlr4::Token* after() const { return index_ + 1 < site_.notes.size() ? site_.tokens.get(index_ + 1) : nullptr; }
  Span span(const antlr4::Token& token) const { return span_of(token, site_.file); }
  std::string_view text(const antlr4::Token& token) const {
    Span s = span(token);
    return site_.text.substr(s.begin, s.end - s.begin);
  }
  bool expects(size_t type) const { return expected_.contains(type); }

  // The nearest rule around the error, the innermost included.
  antlr4::ParserRuleContext* enclosing(size_t rule) const {
    for (auto* c = site_.context; c != nullptr; c = static_cast<antlr4::ParserRuleContext*>(c->parent)) {
      if (c->getRuleIndex() == rule) return c;
    }
    return nullptr;
  }
  bool between_statements() const {
    size_t rule = site_.context->getRuleIndex();
    return rule == P::RuleUnit || (rule == P::RuleBlock && !expects(P::LBRACE));
  }
  // The statement's own keyword, 0 for an expression or assignment.
  antlr4::Token* statement_word() const {
    auto* c = static_cast<P::StatementContext*>(enclosing(P::RuleStatement));
    return c == nullptr ? nullptr : c->op;
  }

  std::string describe(const antlr4::Token& token) const {
    constexpr size_t kLongest = 24;
    size_t type = token.getType();
    if (type == antlr4::Token::EOF) return "the end of the text";
    if (type == P::NEWLINE) return "the end of the line";
    std::string quoted(text(token).substr(0, kLongest));
    if (text(token).size() > kLongest)
      quoted = "the text";
    else
      quoted = "`" + quoted + "`";
    return is_keyword(type) ? "the keyword " + quoted : quoted;
  }

  // --- questions ---

  Answer else_alone() {
    if (found_.getType() != P::ELSE || !between_statements()) return {};
    bool after_block = type_before(1) == P::NEWLINE && type_before(2) == P::RBRACE;
    if (!after_block) return messages::make(message("else_without_if"), span(found_));
    Diagnostic d = messages::make(message("else_on_new_line"), span(found_));
    d.labels.push_back({span(*before(2)), "here"});
    return d;
  }

  Answer foreign_word() {
    auto* line = enclosing(P::RuleLine);
    if (line == nullptr || line->getStart()->getType() != P::NAME) return {};
    const antlr4::Token& first = *line->getStart();
    size_t distance = index_ - first.getTokenIndex();
    if (distance > 1) return {};
    for (const Habit& habit : kHabits) {
      if (text(first) == habit.word) {
        return messages::make(message("unknown_word"), span(first), {habit.word, habit.hint});
      }
    }
    return {};
  }

  Answer number_with_bare_dot() {
    auto number = [](size_t type) { return type == P::INTEGER || type == P::FLOAT; };
    if (type_before(1) == P::DOT && number(type_before(2))) {
      Span whole = span(*before(2)).to(span(*before(1)));
      return messages::make(message("number_dot"), whole, {std::string(text(*before(2))) + ".0"});
    }
    if (found_.getType() == P::DOT && after() != nullptr && number(after()->getType())) {
      return messages::make(message("number_dot"), span(found_).to(span(*after())),
                            {"0." + std::string(text(*after()))});
    }
    return {};
  }

  Answer keyword_as_name() {
    if (!is_keyword(found_.getType())) return {};
    bool field = type_before() == P::DOT || field_expected();
    if (field) return messages::make(message("keyword_as_field"), span(found_), {text(found_)});
    bool keyword_argument = after() != nullptr && after()->getType() == P::ASSIGN;
    bool parameter = (enclosing_is(P::RuleSignature) || keyword_argument) &&
                     (type_before() == P::LPAREN || type_before() == P::COMMA);
    bool name = parameter || (expects(P::NAME) && !expects(P::INTEGER));
    if (!name) return {};
    return messages::make(message("keyword_as_name"), span(found_), {text(found_)});
  }

  bool enclosing_is(size_t rule) const { return site_.context->getRuleIndex() == rule; }

  // In the braces of a record, where a field begins.
  bool field_expected() const {
    auto* e = dynamic_cast<P::ExpressionContext*>(site_.context);
    auto* a = dynamic_cast<P::AnnotationContext*>(site_.context);
    const antlr4::Token* op = e != nullptr ? e->op : a != nullptr ? a->op : nullptr;
    size_t last = type_before();
    return op != nullptr && op->getType() == P::LBRACE && (last == P::LBRACE || last == P::COMMA || last == P::NEWLINE);
  }

  // `a if c` whose `else` is missing: the expression being read, or one around it.
  bool in_open_conditional() const {
    auto* e = dynamic_cast<P::ExpressionContext*>(site_.context);
    return e != nullptr && e->op != nullptr && e->op->getType() == P::IF && expects(P::ELSE);
  }

  Answer comprehension_filter() {
    if (!in_open_conditional() || enclosing(P::RuleClause) == nullptr) return {};
    auto* e = static_cast<P::ExpressionContext*>(site_.context);
    return messages::make(message("comprehension_filter"), span(*e->op));
  }

  Answer conditional_without_else() {
    if (!in_open_conditional() || found_.getType() == antlr4::Token::EOF) return {};
    auto* e = static_cast<P::ExpressionContext*>(site_.context);
    return messages::make(message("conditional_needs_else"), span(*e->op));
  }

  Answer block_missing() {
    if (!expects(P::LBRACE) || expects(P::INTEGER) || found_.getType() == antlr4::Token::EOF) return {};
    bool next_is_block = found_.getType() == P::NEWLINE && after() != nullptr && after()->getType() == P::LBRACE;
    if (next_is_block) return messages::make(message("brace_on_new_line"), span(*after()));
    if (enclosing(P::RuleSignature) != nullptr && site_.context->getRuleIndex() != P::RuleAnnotation) {
      return messages::make(message("missing_body"), span(found_), {describe(found_)});
    }
    antlr4::Token* word = statement_word();
    if (word == nullptr) return {};
    bool condition = word->getType() == P::IF || word->getType() == P::WHILE;
    if (condition && found_.getType() == P::ASSIGN)
      return messages::make(message("assignment_in_condition"), span(found_));
    return messages::make(message("missing_block"), span(found_), {head(*word), describe(found_)});
  }

  std::string head(const antlr4::Token& word) const {
    if (type_before() == P::ELSE) return "`else`";
    std::string quoted = "`" + std::string(text(word)) + "`";
    return (word.getType() == P::FOR || word.getType() == P::FN ? "the head of " : "the condition of ") + quoted;
  }

  Answer arrow_misplaced() {
    auto* e = dynamic_cast<P::ExpressionContext*>(site_.context);
    bool in_parameters = e != nullptr && e->op != nullptr && e->op->getType() == P::LAMBDA_PAREN && expects(P::NAME);
    in_parameters |= enclosing_is(P::RuleLambdaParameter);
    if (found_.getType() != P::ARROW && found_.getType() != P::PARAMETER && !in_parameters) return {};
    return messages::make(message("lambda_parameters"), span(found_));
  }

  Answer decorator_alone() {
    bool expects_fn = expects(P::FN) && !expects(P::INTEGER);
    if (!expects_fn || found_.getType() == antlr4::Token::EOF) return {};
    return messages::make(message("decorator_without_fn"), span(found_));
  }

  Answer generator_after_arguments() {
    auto* call = dynamic_cast<P::ExpressionContext*>(site_.context);
    bool in_call = call != nullptr && call->op != nullptr && call->op->getType() == P::LPAREN && call->left != nullptr;
    if (found_.getType() != P::FOR || !in_call || type_before() == P::LPAREN) return {};
    Span callee = span(*call->left->start).to(span(*call->left->stop));
    std::string_view name = site_.text.substr(callee.begin, callee.end - callee.begin);
    return messages::make(message("generator_not_alone"), span(found_), {name});
  }

  Answer empty_braces() {
    if (found_.getType() != P::FSTRING_CLOSE || type_before() != P::FSTRING_OPEN) return {};
    return messages::make(message("empty_interpolation"), span(*before()).to(span(found_)));
  }

  // A new line inside ( or [ that does not go on with the expression: the bracket was forgotten.
  Answer bracket_left_open() {
    const TokenNote& note = site_.notes[index_];
    if (!note.starts_line || note.opener == kNoToken || found_.getType() == antlr4::Token::EOF) return {};
    const antlr4::Token& opener = *site_.tokens.get(note.opener);
    if (opener.getType() != P::LPAREN && opener.getType() != P::LBRACKET) return {};
    std::string closer = opener.getType() == P::LPAREN ? ")" : "]";
    Diagnostic d = messages::make(message("unclosed_bracket"), span(opener), {text(opener)}, "opened here");
    d.labels.push_back({span(found_), "expected `" + closer + "` before this"});
    return d;
  }

  Answer end_of_text() {
    if (found_.getType() != antlr4::Token::EOF) return {};
    return messages::make(message("unexpected_end"), span(found_),
                          {enclosing(P::RuleBlock) != nullptr ? "a block" : "a statement"});
  }

  Answer assignment_misplaced() {
    bool assigns = found_.getType() == P::ASSIGN || found_.getType() == P::UPDATE;
    if (!assigns) return {};
    if (is_keyword(type_before()))
      return messages::make(message("keyword_as_name"), span(*before()), {text(*before())});
    if (expects(P::INTEGER)) return {};
    return messages::make(message("assignment_in_expression"), span(found_));
  }

  // After an operator or a comma, or after an opening bracket what cannot even close it.
  Answer expression_missing() {
    size_t last = type_before();
    bool opened =
        (last == P::LPAREN || last == P::LBRACKET || last == P::COMMA) && !field_expected() && !expects(P::NAME);
    if ((!expects(P::INTEGER) && !opened) || between_statements() || before() == nullptr) return {};
    Diagnostic d =
        messages::make(message("expected_expression"), span(found_), {describe(*before()), describe(found_)});
    bool doubled = found_.getType() == last;
    if (doubled && found_.getType() == P::AMPERSAND) d.hint = "write and";
    if (doubled && found_.getType() == P::PIPE) d.hint = "write or";
    return d;
  }

  Answer statement_runs_on() {
    if (between_statements() || !expects(P::NEWLINE) || !expects(P::SEMICOLON)) return {};
    return messages::make(message("run_on"), span(found_), {describe(found_)});
  }

  Diagnostic general() {
    std::string wanted;
    size_t choices = 0;
    for (size_t type : {P::COMMA, P::COLON, P::RPAREN, P::RBRACKET, P::RBRACE, P::ASSIGN, P::LPAREN, P::IN, P::NAME,
                        P::AS, P::FSTRING_CLOSE, P::STRING}) {
      if (!expects(type)) continue;
      wanted += (choices++ == 0 ? "" : " or ") + name_of(type);
    }
    if (between_statements() || choices == 0 || choices > 3)
      return messages::make(message("unexpected_token"), span(found_), {describe(found_)});
    return messages::make(message("expected_token"), span(found_), {wanted, describe(found_)});
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

  const ErrorSite& site_;
  const antlr4::misc::IntervalSet& expected_;
  const antlr4::Token& found_;
  size_t index_;
};

}  // namespace

Diagnostic explain(const ErrorSite& site, const antlr4::misc::IntervalSet& expected) {
  return Explainer(site, expected).answer();
}

}  // namespace covec::grammar
