// Recognizes spellings of other languages (`x++`, `a === b`, `lambda x:`) at the token that does not fit, and says what
// is written here instead. Words are in the table of frontend/source/foreign_syntax.hpp. Start reading at the list of
// questions.
#include "frontend/parse/surroundings.hpp"
#include "frontend/source/foreign_syntax.hpp"

namespace covec::grammar {

namespace {

using P = CovecParser;
using foreign_syntax::At;
using messages::message;
using std::string;

bool is_arithmetic(size_t type) { return (type >= P::POWER && type <= P::PERCENT) || type == P::AMPERSAND; }
bool is_comparison(size_t type) { return type >= P::LESS && type <= P::NOT_EQUAL; }

class Spelling {
 public:
  explicit Spelling(const Surroundings& around) : s_(around), found_(around.found().getType()) {}

  Answer answer() const {
    using Question = Answer (Spelling::*)() const;
    constexpr Question questions[] = {
        &Spelling::statement,  &Spelling::word_between, &Spelling::word_before, &Spelling::lambda,
        &Spelling::increment,  &Spelling::dotted,       &Spelling::comparison,  &Spelling::fat_arrow,
        &Spelling::assignment, &Spelling::pipe,         &Spelling::dots,        &Spelling::comment,
        &Spelling::number_end, &Spelling::function_of,  &Spelling::assertion,
    };
    for (Question question : questions) {
      if (Answer given = (this->*question)()) return given;
    }
    return {};
  }

 private:
  Answer foreign(Span span, std::string_view hint) const {
    return messages::make(message("unknown_word"), span, {s_.text(span), hint});
  }
  Answer foreign(const antlr4::Token& token, std::string_view hint) const { return foreign(s_.span(token), hint); }
  // The fix puts `sign` in its place, and changes nothing else.
  Answer other_sign(Span span, std::string_view hint, std::string sign) const {
    Answer answer = foreign(span, hint);
    answer->fix = Fix{span, std::move(sign)};
    return answer;
  }
  // The two tokens as one, where nothing is between them.
  bool follows(size_t first, size_t second) const {
    return found_ == second && s_.type_before() == first && s_.adjacent(*s_.before(), s_.found());
  }
  bool leads(size_t first, size_t second) const {
    return found_ == first && s_.type_after() == second && s_.adjacent(s_.found(), *s_.after());
  }
  Span with_before() const { return s_.span(*s_.before()).to(s_.span(s_.found())); }
  Span with_after() const { return s_.span(s_.found()).to(s_.span(*s_.after())); }

  // `def f(x):`, `let x = 1`, `print x`: the second word does not fit.
  Answer statement() const {
    auto* line = s_.enclosing(P::RuleLine);
    if (line == nullptr || line->getStart()->getType() != P::NAME) return {};
    const antlr4::Token& first = *line->getStart();
    if (s_.index() != first.getTokenIndex() + 1) return {};
    const std::string_view word = s_.text(first);
    std::string_view replacement = foreign_syntax::replacement(At::statement, word);
    if (replacement.empty()) return {};
    const std::string_view module =
        word == "from" ? foreign_syntax::replacement(At::module, s_.text(s_.found())) : std::string_view();
    return foreign(first, module.empty() ? replacement : module);
  }

  // `} elif c {`, `x is none`, `for x of xs`.
  Answer word_between() const {
    if (found_ != P::NAME) return {};
    const std::string_view word = s_.text(s_.found());
    if (word == "is" && ends_operand(s_.type_before())) {
      const bool negated = s_.type_after() == P::NOT;
      return negated ? other_sign(with_after(), "write x != none", "!=")
                     : other_sign(s_.span(s_.found()), "write x == none", "==");
    }
    if (s_.type_before() != P::RBRACE) return {};
    const std::string_view replacement = foreign_syntax::replacement(At::statement, word);
    return replacement.empty() ? Answer() : foreign(s_.found(), replacement);
  }

  // `p = new Point(1, 2)`.
  Answer word_before() const {
    if (found_ != P::NAME || s_.type_before() != P::NAME) return {};
    const std::string_view word = s_.text_before();
    if (word != "new" && word != "await") return {};
    return foreign(*s_.before(), foreign_syntax::replacement(At::statement, word));
  }

  Answer lambda() const {
    const bool parameters = s_.type_before() == P::NAME && s_.text_before() == "lambda";
    if (!parameters || (found_ != P::NAME && found_ != P::COLON && found_ != P::PARAMETER)) return {};
    return foreign(*s_.before(), "write x -> e");
  }

  // `x++;`: at the end of a line the lexer has seen it.
  Answer increment() const {
    const size_t type = s_.type_before();
    const bool doubled = (type == P::PLUS || type == P::MINUS) && s_.type_before(2) == type &&
                         ends_operand(s_.type_before(3)) && s_.adjacent(*s_.before(2), *s_.before());
    if (!doubled) return {};
    return foreign(s_.span(*s_.before(2)).to(s_.span(*s_.before())), type == P::PLUS ? "write x += 1" : "write x -= 1");
  }

  // `A .* B`, `f.(x)`, `@. f(x)`.
  Answer dotted() const {
    if (follows(P::AT, P::DOT))
      return foreign(with_before(), "all functions and operators work element by element: leave this out");
    if (s_.type_before() != P::DOT || !s_.adjacent(*s_.before(), s_.found())) return {};
    if (found_ == P::LPAREN) return foreign(with_before(), "functions work element by element: write f(x)");
    if (!is_arithmetic(found_) && !is_comparison(found_) && found_ != P::ASSIGN && found_ != P::UPDATE) return {};
    return foreign(with_before(), "operators work element by element: write x " + string(s_.text(s_.found())) + " y");
  }

  Answer comparison() const {
    if (follows(P::LESS, P::GREATER)) return other_sign(with_before(), "write x != y", "!=");
    if (follows(P::EQUAL, P::ASSIGN)) return other_sign(with_before(), "write x == y", "==");
    if (follows(P::NOT_EQUAL, P::ASSIGN)) return other_sign(with_before(), "write x != y", "!=");
    if (leads(P::TILDE, P::ASSIGN) && ends_operand(s_.type_before()))
      return other_sign(with_after(), "write x != y", "!=");
    if (follows(P::ASSIGN, P::LESS)) return other_sign(with_before(), "write x <= y", "<=");
    const antlr4::Token* word = s_.statement_word();
    const bool condition = word != nullptr && (word->getType() == P::IF || word->getType() == P::WHILE);
    if (condition && leads(P::ASSIGN, P::GREATER)) return other_sign(with_after(), "write x >= y", ">=");
    return {};
  }

  Answer fat_arrow() const {
    if (!follows(P::ASSIGN, P::GREATER)) return {};
    return foreign(with_before(), s_.in_signature() ? "write fn f(x) = e" : "write x -> e");
  }

  Answer assertion() const {
    return follows(P::AT, P::ASSERT) ? foreign(with_before(), "write assert c, \"message\"") : Answer();
  }

  Answer assignment() const {
    const bool loop = s_.statement_word() != nullptr && s_.statement_word()->getType() == P::FOR;
    const bool definition = s_.type_before() == P::RPAREN;
    if (!leads(P::COLON, P::ASSIGN) || loop) return {};
    return definition ? foreign(with_after(), "write fn f(x) = e") : other_sign(with_after(), "write x = e", "=");
  }

  Answer pipe() const {
    if (follows(P::PIPE, P::GREATER)) return foreign(with_before(), "write f(x)");
    return {};
  }

  // `0..3`, `"a" .. "b"`.
  Answer dots() const {
    if (!follows(P::DOT, P::DOT)) return {};
    const size_t last = s_.type_before(2);
    const bool text = last == P::STRING || last == P::FSTRING_END;
    return foreign(with_before(), text ? "write \"a\" + \"b\"" : "write range(a, b)");
  }

  Answer comment() const {
    constexpr std::string_view hash = "a comment starts with #";
    if (s_.between_statements() && leads(P::SLASH, P::STAR)) return foreign(with_after(), hash);
    return follows(P::SLASH, P::STAR) || follows(P::STAR, P::SLASH) ? foreign(with_before(), hash) : Answer();
  }

  // `1e-3f0`.
  Answer number_end() const {
    const bool number = s_.type_before() == P::FLOAT || s_.type_before() == P::INTEGER;
    if (found_ != P::NAME || !number || !s_.adjacent(*s_.before(), s_.found())) return {};
    const string value(s_.text_before());
    const bool single = s_.text(s_.found()).starts_with('f');
    return foreign(with_before(),
                   single ? "write f32(" + value + ")" : "write " + value + " * " + string(s_.text(s_.found())));
  }

  // `f = function(x) { … }`, and `f(x) { … }` as a definition.
  Answer function_of() const {
    if (found_ != P::LBRACE || s_.type_before() != P::RPAREN) return {};
    size_t steps = 1;
    for (int depth = 0; s_.before(steps) != nullptr; ++steps) {
      depth += s_.type_before(steps) == P::RPAREN ? 1 : s_.type_before(steps) == P::LPAREN ? -1 : 0;
      if (depth == 0) break;
    }
    const antlr4::Token* name = s_.before(steps + 1);
    if (name == nullptr || name->getType() != P::NAME) return {};
    if (s_.text(*name) == "function" || s_.text(*name) == "func") return foreign(*name, "write fn(x) { … }");
    return {};
  }

  const Surroundings& s_;
  const size_t found_;
};

}  // namespace

Answer explain_foreign_syntax(const Surroundings& around) { return Spelling(around).answer(); }

}  // namespace covec::grammar
