// Adds hints for habits of other languages: `if x > 0:`, `[1, 2; 3, 4]`, `A(1, :)`. For these the grammar's own message
// is good and only the cure is missing. Start reading at the list of questions; the first match answers.
#include <algorithm>
#include <iterator>

#include "frontend/parse/surroundings.hpp"
#include "frontend/source/foreign_syntax.hpp"

namespace covec::grammar {

namespace {

using P = CovecParser;
using foreign_syntax::At;
using std::string;

bool starts_operand(size_t type) {
  return type == P::NAME || type == P::INTEGER || type == P::FLOAT || type == P::STRING || type == P::FSTRING_START;
}

// Whether the line goes on to a block, so that the colon does not begin one.
bool has_block_on_line(const Surroundings& s) {
  for (size_t i = 1; s.after(i) != nullptr; ++i) {
    const size_t type = s.type_after(i);
    if (type == P::LBRACE) return true;
    if (type == P::NEWLINE || type == P::SEMICOLON || type == antlr4::Token::EOF) return false;
  }
  return false;
}

// "11" for 10, "n + 1" for n.
string one_more(const string& last) {
  const bool counts = last.size() < 18 && last.find_first_not_of("0123456789") == string::npos;
  return counts ? std::to_string(std::stoll(last) + 1) : last + " + 1";
}

// "range(1, 11)" for 1:10 around the colon, `at` tokens after the one that was found; both ends count there.
string range_of(const Surroundings& s, size_t at) {
  const antlr4::Token* from = at == 0 ? s.before() : s.after(at - 1);
  const antlr4::Token* to = s.after(at + 1);
  if (to == nullptr || s.type_after(at + 2) == P::COLON) return "range(a, b + 1, step)";
  if (from->getType() != P::INTEGER || to->getType() != P::INTEGER) return "range(a, b + 1)";
  return "range(" + string(s.text(*from)) + ", " + one_more(string(s.text(*to))) + ")";
}

// Comprehensions and filters as other languages write them: (e for x in xs), {e for x in xs}, [e for x in xs where c],
// [e if c for x in xs], [y for x in xs if c for y in x].
class FilterHint {
 public:
  explicit FilterHint(const Surroundings& around)
      : s_(around), found_(around.found().getType()), word_(around.text(around.found())) {}

  string text() const {
    const antlr4::Token* open = s_.opener();
    if (open == nullptr) return {};
    if (open->getType() == P::LBRACE || open->getType() == P::BLOCK_BRACE) return set();
    if (open->getType() != P::LBRACKET && open->getType() != P::LPAREN) return {};
    if (found_ == P::FOR && s_.type_before() == P::LBRACKET) return "write [e for x in xs]";
    if (found_ == P::FOR && s_.expects(P::ELSE) && steps_back(P::IF) > 0) return before_for();
    if (found_ == P::FOR && steps_back(P::FOR) == 0 && open->getType() == P::LPAREN && callee().empty())
      return "write " + quoted(inside(), "e for x in xs");
    if (steps_back(P::FOR) == 0) return {};
    if (steps_back(P::FILTER) > 0) return behind_filter();
    const bool comma = word_ == "," && (s_.type_after() == P::IF || s_.type_after() == P::FILTER);
    const bool sign = (found_ == P::AMPERSAND || found_ == P::PIPE) && s_.type_before() == found_;
    if (!comma && !sign && !is_word()) return {};
    const string clauses = between(begin(), span_of_before(sign ? 1 : 0).begin);
    const string condition = between(comma ? s_.span(*s_.after()).end : s_.span(s_.found()).end, end());
    const bool negated = word_ == "unless";
    return "write " + quoted(clauses + " if " + (negated ? "not (" + condition + ")" : condition),
                             negated ? "e for x in xs if not c" : "e for x in xs if c");
  }

 private:
  bool is_word() const { return found_ == P::NAME && (word_ == "where" || word_ == "when" || word_ == "unless"); }

  // {e for x in xs}, {1, 2}.
  string set() const {
    const bool items = found_ == P::COMMA || found_ == P::RBRACE || found_ == P::FOR;
    const bool spreads = s_.type_before(s_.index() - s_.opener()->getTokenIndex() - 1) == P::POWER;  // {**p, b: 2}
    if (!items || spreads || !s_.expects(P::COLON) || steps_back(P::COLON) > 0 || s_.in_signature()) return {};
    if (found_ == P::FOR) return "there are no sets: write unique(" + quoted(inside(), "e for x in xs") + ")";
    const string list = inside().size() > 24 || inside().empty() ? "a, b" : inside();
    return "there are no sets: write list(" + list + "), or unique([1, 2]) of numbers";
  }

  // [e if c for x in xs].
  string before_for() const {
    const Span word = s_.span(*s_.before(steps_back(P::IF)));
    const uint32_t here = s_.span(s_.found()).begin;
    return "a filter comes last: write " +
           quoted(between(begin(), word.begin) + " " + between(here, end()) + " if " + between(word.end, here),
                  "e for x in xs if c");
  }

  // [y for x in xs if c for y in x], [e for x in xs if c, d].
  string behind_filter() const {
    if (word_ == "," || is_word()) return "a filter is one condition: join several by `and`";
    if (found_ != P::FOR) return {};
    const Span word = s_.span(*s_.before(steps_back(P::FILTER)));
    const Span here = s_.span(s_.found());
    return "a filter comes last: write " + quoted(between(begin(), word.begin) + ", " + between(here.end, end()) +
                                                      " if " + between(word.end, here.begin),
                                                  "e for x in xs, y in x if c");
  }

  // How many tokens before the error one of this type stands, in the bracket around; 0: none does.
  size_t steps_back(size_t type) const {
    for (size_t i = 1; s_.before(i) != nullptr && s_.before(i) != s_.opener(); ++i) {
      if (s_.type_before(i) == type) return i;
    }
    return 0;
  }

  uint32_t begin() const { return s_.span(*s_.opener()).end; }

  // The end of what stands in the bracket; where it is not closed, the place of the error.
  uint32_t end() const {
    int depth = 0;
    for (size_t i = 1; s_.after(i) != nullptr; ++i) {
      const size_t type = s_.type_after(i);
      if (type == P::LPAREN || type == P::LBRACKET || type == P::LBRACE) ++depth;
      const bool closes = type == P::RPAREN || type == P::RBRACKET || type == P::RBRACE;
      if (closes && depth-- == 0) return s_.span(*s_.after(i)).begin;
    }
    return s_.span(s_.found()).begin;
  }

  // All of the bracket; "" where it is not closed.
  string inside() const {
    return end() == s_.span(s_.found()).begin && found_ != P::RBRACE ? "" : between(begin(), end());
  }

  // The name before the parenthesis, if that is a call's.
  string callee() const {
    const size_t back = s_.index() - s_.opener()->getTokenIndex() + 1;
    return s_.before(back) != nullptr && ends_operand(s_.type_before(back)) ? string(s_.text_before(back)) : "";
  }

  Span span_of_before(size_t steps) const { return steps == 0 ? s_.span(s_.found()) : s_.span(*s_.before(steps)); }

  // Without the blanks at both ends.
  string between(uint32_t first, uint32_t last) const {
    if (last <= first) return {};
    const string text(s_.text(Span{s_.span(s_.found()).file, first, last}));
    const size_t from = text.find_first_not_of(' ');
    return from == string::npos ? "" : text.substr(from, text.find_last_not_of(' ') + 1 - from);
  }

  // The comprehension in its bracket, where it is short; else as a pattern.
  string quoted(const string& whole, std::string_view pattern) const {
    constexpr size_t longest = 48;  // bytes of a comprehension that a hint repeats
    const bool brackets = s_.opener()->getType() != P::LPAREN || callee().empty();
    const bool plain =
        !whole.empty() && whole.size() <= longest && whole.find('\n') == string::npos && !whole.ends_with(' ');
    return (brackets ? "[" : callee() + "(") + (plain ? whole : string(pattern)) + (brackets ? "]" : ")");
  }

  const Surroundings& s_;
  const size_t found_;
  const std::string_view word_;
};

// Heads of loops as other languages write them: for (int i = 0; i < n; i++), for i := 0, for (const x of xs), for i =
// 1:n.
class LoopHint {
 public:
  explicit LoopHint(const Surroundings& around) : s_(around), found_(around.found().getType()) {}

  string text() const {
    if (s_.statement_word() == nullptr || s_.statement_word()->getType() != P::FOR) return {};
    if (found_ == P::LBRACE && s_.expects(P::ELSE)) return filtered_loop();
    const string counts = counting_loop();
    return counts.empty() ? loop_without_in() : counts;
  }

 private:
  struct LoopHead {
    size_t name = 0;  // numbers of tokens
    size_t sign = 0;  // behind the name: its `=`, or another
    bool declares = false;
    bool in_parentheses = false;
  };

  LoopHead loop_head() const {
    LoopHead head;
    head.name = s_.statement_word()->getTokenIndex() + 1;
    head.in_parentheses = type_at(head.name) == P::LPAREN;
    if (head.in_parentheses) ++head.name;
    head.declares = type_at(head.name) == P::NAME && type_at(head.name + 1) == P::NAME && !is_of(head.name + 1);
    if (head.declares) ++head.name;
    head.sign = head.name + 1;
    if (type_at(head.sign) == P::COLON && type_at(head.sign + 1) == P::ASSIGN) ++head.sign;
    return head;
  }

  const antlr4::Token* at(size_t number) const {
    if (number == s_.index()) return &s_.found();
    return number < s_.index() ? s_.before(s_.index() - number) : s_.after(number - s_.index());
  }
  size_t type_at(size_t number) const { return at(number) == nullptr ? 0 : at(number)->getType(); }
  string text_at(size_t number) const { return string(s_.text(*at(number))); }
  bool is_of(size_t number) const { return type_at(number) == P::NAME && text_at(number) == "of"; }
  bool is_simple(size_t number) const { return type_at(number) == P::NAME || type_at(number) == P::INTEGER; }

  // for i in 1:10 {, for i = 1:10, for (i = 0; i < 10; i++).
  string counting_loop() const {
    const LoopHead head = loop_head();
    if (head.in_parentheses && type_at(head.name) == P::SEMICOLON) return "write while c { … }";
    const bool assigns = type_at(head.name) == P::NAME && type_at(head.sign) == P::ASSIGN && s_.index() <= head.sign;
    if (!assigns) {
      const bool by_colon =
          found_ == P::COLON && starts_operand(s_.type_after()) && s_.expects(P::LBRACE) && has_block_on_line(s_);
      return by_colon ? "write for i in " + range_of(s_, 0) + " { … }" : "";
    }
    const bool by_colon = type_at(head.sign + 2) == P::COLON;
    const string range = by_colon ? range_of(s_, head.sign + 2 - s_.index()) : counted_range(head);
    return "write for " + text_at(head.name) + " in " + range + " { … }";
  }

  // "range(n)" of `i = 0; i < n; i++`, where its parts are as plain.
  string counted_range(const LoopHead& head) const {
    const size_t start = head.sign + 1, name = start + 2, bound = name + 2, step = bound + 2;
    const bool plain = is_simple(start) && type_at(start + 1) == P::SEMICOLON && type_at(name) == P::NAME &&
                       (type_at(name + 1) == P::LESS || type_at(name + 1) == P::LESS_EQUAL) && is_simple(bound) &&
                       type_at(bound + 1) == P::SEMICOLON;
    const bool by_one = type_at(step) == P::PLUS || (type_at(step + 1) == P::PLUS && type_at(step + 2) == P::PLUS);
    if (!plain || !by_one) return "range(n)";
    const string end = type_at(name + 1) == P::LESS ? text_at(bound) : one_more(text_at(bound));
    return "range(" + (text_at(start) == "0" ? "" : text_at(start) + ", ") + end + ")";
  }

  // for x in xs if c {.
  string filtered_loop() const {
    constexpr size_t longest = 40;  // bytes of a head that a hint repeats
    size_t in = s_.statement_word()->getTokenIndex(), filter = s_.index();
    while (in < filter && type_at(in) != P::IN && type_at(in) != P::IN_OPERATOR) ++in;
    while (filter > in && type_at(filter) != P::IF) --filter;
    if (filter == in) return {};
    const auto between = [&](size_t first, size_t last) { return s_.text(s_.span(*at(first)).to(s_.span(*at(last)))); };
    const string target(between(s_.statement_word()->getTokenIndex() + 1, in - 1));
    const bool pair = target.find(',') != string::npos && !target.starts_with('(');
    const string rest = string(between(in, s_.index() - 1));
    const bool plain = target.size() + rest.size() <= longest && rest.find('\n') == string::npos;
    const string item = pair ? "(" + target + ")" : target;
    return "write for " + (plain ? target + " in [" + item + " for " + item + " " + rest : "x in [x for x in xs if c") +
           "] { … }, or an `if` in the block";
  }

  // for x of xs, for x : xs, for (x in xs), for (const x of xs).
  string loop_without_in() const {
    const LoopHead head = loop_head();
    const bool declares = head.declares && s_.index() == head.name &&
                          (type_at(head.sign) == P::IN || type_at(head.sign) == P::IN_OPERATOR ||
                           type_at(head.sign) == P::COLON || is_of(head.sign));
    const bool in_parentheses = found_ == P::IN && s_.opener() != nullptr && s_.opener()->getType() == P::LPAREN;
    const bool no_in = s_.expects(P::IN) && !s_.expects(P::LBRACE);
    const bool other =
        found_ == P::COLON || is_of(s_.index()) || (found_ == P::LBRACE && s_.type_before() == P::RPAREN);
    return declares || in_parentheses || (no_in && other) ? "write for x in xs { … }" : "";
  }

  const Surroundings& s_;
  const size_t found_;
};

class Hint {
 public:
  explicit Hint(const Surroundings& around) : s_(around), found_(around.found().getType()) {}

  string text() const {
    using Question = string (Hint::*)() const;
    constexpr Question questions[] = {
        &Hint::block_after_assign,
        &Hint::block_after_arrow,
        &Hint::head_without_parameters,
        &Hint::three_dots,
        &Hint::loop_head,
        &Hint::block_in_braces,
        &Hint::import_of_part,
        &Hint::other_decorator,
        &Hint::index_by_parentheses,
        &Hint::semicolon_in_brackets,
        &Hint::comma_missing,
        &Hint::map_after_arrow,
        &Hint::declared_type,
        &Hint::range_by_colon,
        &Hint::field_by_equals,
        &Hint::second_for,
        &Hint::strings_in_a_row,
        &Hint::shown_name,
        &Hint::value_of_if,
        &Hint::item_by_dot,
        &Hint::definition,
        &Hint::parameter_stars,
        &Hint::record_stars,
        &Hint::command,
        &Hint::else_elsewhere,
        &Hint::comment,
        &Hint::transposed,
    };
    for (Question question : questions) {
      if (string given = (this->*question)(); !given.empty()) return given;
    }
    return {};
  }

 private:
  size_t opener_type() const { return s_.opener() == nullptr ? 0 : s_.opener()->getType(); }
  const antlr4::Token* token_before_opener() const {
    const antlr4::Token* opener = s_.opener();
    const size_t back = opener == nullptr ? 0 : s_.index() - opener->getTokenIndex() + 1;
    return back == 0 ? nullptr : s_.before(back);
  }
  bool in_call() const {
    const antlr4::Token* callee = token_before_opener();
    return opener_type() == P::LPAREN && callee != nullptr && ends_operand(callee->getType());
  }
  size_t word_type() const { return s_.statement_word() == nullptr ? 0 : s_.statement_word()->getType(); }

  // The statement may have been read whole when what follows it does not fit: the line is what both lie in.
  const antlr4::Token* first_of_line() const {
    auto* line = s_.enclosing(P::RuleLine);
    return line == nullptr ? nullptr : line->getStart();
  }
  bool in_import() const { return first_of_line() != nullptr && first_of_line()->getType() == P::IMPORT; }

  // From the statement's first token to the one before the error, where that is short.
  string head(string otherwise) const {
    constexpr size_t longest = 40;  // bytes of a statement that a hint repeats
    auto* statement = s_.enclosing(P::RuleStatement);
    const antlr4::Token* first = statement != nullptr ? statement->getStart() : first_of_line();
    if (first == nullptr || s_.before() == nullptr) return otherwise;
    const std::string_view text = s_.text(s_.span(*first).to(s_.span(*s_.before())));
    return text.size() > longest || text.find('\n') != std::string_view::npos ? otherwise : string(text);
  }

  // fn f(x) = { return x }.
  string block_after_assign() const {
    const antlr4::Token* sign = token_before_opener();
    if (opener_type() != P::LBRACE || sign == nullptr) return {};
    const bool body = s_.enclosing(P::RuleSignature) != nullptr && s_.enclosing(P::RuleParameter) == nullptr;
    return sign->getType() == P::ASSIGN && body ? "a block needs no =: write fn f(x) { … }" : "";
  }

  // fn f(x) -> { return x }, f = fn(x) -> { return x }: the braces would be the type of a record.
  string block_after_arrow() const {
    const antlr4::Token* sign = token_before_opener();
    const bool type = opener_type() == P::LBRACE && sign != nullptr && sign->getType() == P::ARROW && s_.in_signature();
    if (!type) return {};
    const bool statement = is_keyword_token(found_) && s_.type_after() != P::COLON;
    const bool no_field = s_.type_before() == P::LBRACE || s_.expects(P::COLON);
    const bool block = statement || (no_field && found_ != P::NAME && !is_keyword_token(found_));
    return block ? "a block needs no ->: write fn f(x) { … }, or f = x -> { … }" : "";
  }

  // x -> { f"a{x}": 1 }: braces that do not begin as a map's are a block.
  string map_after_arrow() const {
    if (found_ != P::COLON || opener_type() != P::BLOCK_BRACE) return {};
    for (size_t i = 1; s_.before(i) != s_.opener(); ++i) {
      const size_t type = s_.type_before(i);
      const bool of_statement = type == P::ASSIGN || type == P::NEWLINE || type == P::SEMICOLON;
      if (of_statement || is_keyword_token(type)) return {};
    }
    return "a map in a lambda may need parentheses: write x -> ({k: v})";
  }

  // fn f = 3, fn f { … }.
  string head_without_parameters() const {
    if (s_.type_before() != P::NAME || s_.type_before(2) != P::FN || found_ == P::LPAREN) return {};
    const string name(s_.text_before());
    return found_ == P::LBRACE ? "write fn " + name + "() { … }" : "write fn " + name + "(x) = e";
  }

  string loop_head() const { return LoopHint(s_).text(); }

  // if x > 0:, if x > 0 then, while c do, fn f(x):, and a statement without braces.
  string block_in_braces() const {
    if (!s_.expects(P::LBRACE) || s_.expects(P::INTEGER) || found_ == antlr4::Token::EOF) return {};
    const bool brace_below = found_ == P::NEWLINE && s_.type_after() == P::LBRACE;  // has a message of its own
    if (brace_below || s_.enclosing(P::RuleStatement) == nullptr || s_.before() == nullptr) return {};
    if (found_ == P::ASSIGN || word_type() == 0) return {};
    if (s_.type_before() == P::ELSE) return "write else { … }";
    if (s_.type_before() == P::CATCH) return "write try { … } catch err { … }";
    if (s_.in_signature()) {
      if (word_type() != P::FN) return "write fn(x) { … }";
      string name = head("fn f(x)");
      name = name.substr(0, name.find(") ->") == string::npos ? name.size() : name.find(") ->") + 1);
      return "write " + name + " = e, or " + name + " { … }";
    }
    const string otherwise = word_type() == P::FOR ? "for x in xs" : string(s_.text(*s_.statement_word())) + " c";
    return "write " + head(otherwise) + " { … }";
  }

  string import_of_part() const {
    if (!in_import() || found_ != P::DOT) return {};
    const std::string_view known = foreign_syntax::replacement(At::module, s_.text_before());
    return known.empty() ? "write import \"folder/file.covec\" as m" : string(known);
  }

  // @jax.jit, @time f(x).
  string other_decorator() const {
    if (s_.type_before() != P::NAME || s_.type_before(2) != P::AT) return {};
    return string(foreign_syntax::replacement(At::decorator, s_.text_before()));
  }

  // A(1, :).
  string index_by_parentheses() const {
    const size_t last = s_.type_before();
    const bool part = found_ == P::COLON && (last == P::LPAREN || last == P::COMMA || ends_operand(last));
    if (!part || !in_call()) return {};
    return "brackets index, counted from 0: write " + string(s_.text(*token_before_opener())) + "[…]";
  }

  // [1, 2; 3, 4].
  string semicolon_in_brackets() const {
    if (found_ != P::SEMICOLON) return {};
    if (opener_type() == P::LBRACKET) return "a matrix is a list of rows: write [[1, 2], [3, 4]]";
    return opener_type() == P::LPAREN && word_type() != P::FOR ? "separate the items in parentheses with commas" : "";
  }

  // [1 2 3].
  string comma_missing() const {
    const bool brackets = opener_type() == P::LBRACKET || in_call();
    const bool goes_on = s_.expects(P::COMMA) || s_.expects(P::RBRACKET) || s_.expects(P::RPAREN);
    const bool gap = starts_operand(found_) && ends_operand(s_.type_before()) && goes_on;
    if (!brackets || !gap) return {};
    const bool index = token_before_opener() != nullptr && ends_operand(token_before_opener()->getType());
    const bool list = opener_type() == P::LBRACKET && !index;
    if (s_.note().starts_line) return list ? "a comma or a bracket is missing before this" : "";
    const bool clause = s_.type_after() == P::IN || s_.type_after() == P::IN_OPERATOR;  // [e for i in a j in b]
    if (after_another_for()) return clause ? "write [e for i in range(n), j in range(m)]" : "";
    if (list) return "separate elements with commas: write [1, 2]";
    return opener_type() == P::LBRACKET ? "separate indices with commas: write x[i, j]"
                                        : "separate arguments with commas: write f(x, y)";
  }

  // x: f64 = 3.0.
  string declared_type() const {
    const bool declares = found_ == P::COLON && s_.type_before() == P::NAME && s_.type_after() == P::NAME &&
                          s_.type_after(2) == P::ASSIGN && s_.opener() == nullptr;
    return declares ? "a variable has the type of its value: write x = f64(e)" : "";
  }

  // x = 1:3.
  string range_by_colon() const {
    const bool between = found_ == P::COLON && ends_operand(s_.type_before()) && starts_operand(s_.type_after());
    const size_t opener = opener_type();
    const bool in_braces = opener == P::LBRACE && s_.enclosing(P::RuleBlock) == nullptr;
    const size_t word = word_type();
    const bool head = opener == 0 && (word == P::FOR || word == P::IF || word == P::WHILE);
    if (!between || in_braces || head || opener == P::FSTRING_OPEN) return {};
    if (s_.type_after(2) == P::COLON) return "write arange(first, end, step): the end is excluded";
    return "write " + range_of(s_, 0) + ": the end is excluded";
  }

  // {a = 1}.
  string field_by_equals() const {
    auto* e = dynamic_cast<P::ExpressionContext*>(&s_.context());
    const bool record =
        opener_type() == P::LBRACE &&
        (s_.in_rule(P::RuleRecordField) || (e != nullptr && e->op != nullptr && e->op->getType() == P::LBRACE));
    return found_ == P::ASSIGN && record ? "write a field as {a: 1}" : "";
  }

  // [e for i in a for j in b].
  string second_for() const {
    return found_ == P::FOR && after_another_for() ? "write [e for i in range(n), j in range(m)]" : "";
  }

  bool after_another_for() const { return inside_after(P::FOR); }

  // Whether a token of the type stands before the error in the bracket around it.
  bool inside_after(size_t type) const {
    const size_t inside = s_.opener() == nullptr ? 0 : s_.index() - s_.opener()->getTokenIndex();
    for (size_t i = 1; i < inside; ++i) {
      if (s_.type_before(i) == type) return true;
    }
    return false;
  }

  string strings_in_a_row() const {
    const bool string_before = s_.type_before() == P::STRING || s_.type_before() == P::FSTRING_END;
    const bool string_here = found_ == P::STRING || found_ == P::FSTRING_START;
    return string_before && string_here && s_.opener() == nullptr ? "write \"a\" + \"b\"" : "";
  }

  // f"{x=}".
  string shown_name() const {
    if (found_ != P::ASSIGN || s_.type_after() != P::FSTRING_CLOSE || s_.type_before() != P::NAME) return {};
    const string name(s_.text_before());
    return "write f\"" + name + " = {" + name + "}\"";
  }

  // x = if c { a } else { b }, (if c then a else b).
  string value_of_if() const {
    if (found_ != P::IF) return {};
    constexpr size_t openers[] = {P::ASSIGN, P::RETURN, P::LPAREN, P::LBRACKET, P::COMMA, P::ARROW};
    return std::ranges::find(openers, s_.type_before()) != std::end(openers) ? "write a if c else b" : "";
  }

  // t.0.
  string item_by_dot() const {
    const size_t object = s_.type_before(2);
    const bool has_items = object == P::NAME || object == P::RPAREN || object == P::RBRACKET;
    return found_ == P::INTEGER && s_.type_before() == P::DOT && has_items
               ? "write x[" + string(s_.text(s_.found())) + "]"
               : "";
  }

  // f(x) { … } as a statement.
  string definition() const {
    const antlr4::Token* first = first_of_line();
    if (found_ != P::LBRACE || s_.type_before() != P::RPAREN || first == nullptr || s_.opener() != nullptr) return {};
    size_t steps = 2;
    while (s_.type_before(steps) == P::NAME || s_.type_before(steps) == P::COMMA) ++steps;
    const bool names = s_.type_before(steps) == P::LPAREN && s_.before(steps + 1) == first;
    if (!names || first->getType() != P::NAME) return {};
    const std::string_view known = foreign_syntax::replacement(At::statement, s_.text(*first));  // switch (x) { … }
    return known.empty() ? "write fn " + head("f(x)") + " { … }" : string(known);
  }

  // fn f(x, *, k=1).
  string parameter_stars() const {
    const bool alone = word_type() == P::FN && found_ == P::COMMA && s_.type_before() == P::STAR;
    return alone ? "keyword-only parameters come after a rest parameter: *rest, k=1" : "";
  }

  // {**p, b: 2}.
  string record_stars() const {
    if (opener_type() != P::LBRACE || s_.type_before() != P::NAME || s_.type_before(2) != P::POWER) return {};
    return "spread with three dots: write {..." + string(s_.text_before()) + "}";
  }

  // print "x".
  string command() const {
    const antlr4::Token* first = first_of_line();
    const bool second = first != nullptr && first->getType() == P::NAME && s_.index() == first->getTokenIndex() + 1;
    return second ? string(foreign_syntax::replacement(At::command, s_.text(*first))) : "";
  }

  // for … { } else { }, x = 1 else 2.
  string else_elsewhere() const {
    if (found_ != P::ELSE || first_of_line() == nullptr) return {};
    const size_t first = first_of_line()->getType();
    const bool block = s_.type_before() == P::RBRACE;
    if (block && (first == P::FOR || first == P::WHILE))
      return "a loop has no `else`: set a variable before `break`, and test it behind the loop";
    if (block && first == P::TRY) return "a `try` has no `else`: write its statements at the end of the first block";
    const bool value = !block && ends_operand(s_.type_before()) && !inside_after(P::FILTER);
    return value ? "write a if c else b" : "";
  }

  // // a comment, x = 1 // a comment, % a comment.
  string comment() const {
    const bool prose = found_ == P::NAME && s_.type_before() == P::NAME;
    const size_t sign = s_.between_statements() ? found_ : prose ? s_.type_before(2) : 0;
    if (sign == P::FLOOR_DIVIDE) return "a comment starts with #, and // divides";
    return sign == P::PERCENT ? "a comment starts with #, and % gives a remainder" : "";
  }

  // 0...3, f(x...), fn f(xs...), f(; kwargs...).
  string three_dots() const {
    if (found_ != P::ELLIPSIS || !ends_operand(s_.type_before())) return {};
    const string name(s_.text_before());
    if (name == "kwargs" || name == "kw" || name == "kws") return "write **" + name;
    if (s_.in_signature()) return "write *" + name;
    return s_.type_after() == P::RPAREN && in_call() ? "write f(*x)" : "write range(a, b)";
  }

  // A' * B' is a name and a string.
  string transposed() const {
    if (found_ != P::STRING || !s_.text(s_.found()).starts_with('\'')) return {};
    const size_t last = s_.type_before();
    const bool matrix = last == P::NAME || last == P::RPAREN || last == P::RBRACKET;
    return matrix && s_.adjacent(*s_.before(), s_.found()) ? "write a transpose as A.T" : "";
  }

  const Surroundings& s_;
  const size_t found_;
};

}  // namespace

string hint_of_foreign_syntax(const Surroundings& around) {
  if (string filter = FilterHint(around).text(); !filter.empty()) return filter;
  return Hint(around).text();
}

}  // namespace covec::grammar
