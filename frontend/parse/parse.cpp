// The parser's driver. It first reads a text without any error handling. Only if that fails, it reads the text again,
// with recovery and messages; where brackets are wrong, once more with repairs. So a correct text never pays for them.
// (One token decides the grammar everywhere, so ANTLR's two-stage prediction, SLL then LL, is not needed.) Start
// reading at parse.
#include "frontend/parse/parse.hpp"

#include <algorithm>
#include <cstdio>
#include <new>
#include <optional>

#include "CovecLexer.h"
#include "CovecParser.h"
#include "frontend/parse/builder.hpp"
#include "frontend/parse/byte_stream.hpp"
#include "frontend/parse/cache_lock.hpp"
#include "frontend/parse/errors.hpp"
#include "frontend/parse/text.hpp"
#include "frontend/parse/tokens/roles.hpp"
#include "frontend/source/messages.hpp"
#include "frontend/source/unicode.hpp"

namespace covec {

namespace {

using namespace grammar;
using messages::message;

// The generated code ends an expression in a destructor, out of which nothing may be thrown.
class Parser : public CovecParser {
 public:
  using CovecParser::CovecParser;
  void unrollRecursionContexts(antlr4::ParserRuleContext* outer) override {
    try {
      CovecParser::unrollRecursionContexts(outer);
    } catch (const std::bad_alloc&) {
      no_memory_ = true;
    }
  }
  CovecParser::UnitContext& whole() {
    CovecParser::UnitContext* tree = unit();
    if (no_memory_) throw std::bad_alloc();
    return *tree;
  }

 private:
  bool no_memory_ = false;
};

class Reader {
 public:
  Reader(std::string_view text, uint32_t file, bool interactive, const TextLimits& limits, bool keeps_tree,
         Meter& meter, BracketRepairs repairs = {})
      : text_(text),
        meter_(meter),
        file_(file),
        interactive_(interactive),
        limits_(limits),
        keeps_tree_(keeps_tree),
        stream_(text),
        lexer_(&stream_),
        tokens_(&lexer_) {
    lexer_.removeErrorListeners();
    lexer_.start(file, text, interactive, limits, meter, std::move(repairs));
  }

  ParseResult read() {
    return guarded([this](ParseResult& result) {
      tokens_.fill();
      parse(result);
    });
  }

  // The problems are in the result.
  ParseResult read_tokens(TokenList& list, bool with_roles) {
    return guarded([&](ParseResult& result) {
      tokens_.fill();
      lister_.emplace(text_, list).list(tokens_);
      if (with_roles) parse(result);
      for (const Diagnostic& problem : lexer_.problems()) {
        for (const Label& label : problem.labels) list.altered.push_back(label.span);
      }
      list.whole = true;
    });
  }

  // Where the lexer has met errors of brackets: how a second reading may do better.
  BracketRepairs repairs() {
    std::vector<BracketSign> signs;
    if (!note_faults(signs)) return {};
    for (const antlr4::Token* token : tokens_.getTokens()) note_sign(*token, signs);
    std::ranges::stable_sort(signs, {}, &BracketSign::at);
    return find_repairs(text_, signs);
  }

 private:
  template <class Read>
  ParseResult guarded(Read read) {
    ParseResult result;
    try {
      read(result);
      return result;
    } catch (const TooMany&) {
      result.problems = lexer_.problems();
      keep_first(result.problems);
    } catch (TooDeep& e) {
      result.problems.push_back(std::move(e.diagnostic));
    } catch (const ExpressionTooDeep& e) {
      uint32_t at = static_cast<uint32_t>(e.at);
      result.problems.push_back(
          messages::make(message("nested_too_deeply"), {file_, at, at + 1}, {std::to_string(limits_.nesting)}));
    }
    result.unit = nullptr;
    return result;
  }

  // The lexer drops what closes nothing.
  bool note_faults(std::vector<BracketSign>& signs) const {
    bool found = false;
    for (const Diagnostic& problem : lexer_.problems()) {
      if (problem.code == "unmatched_closer") signs.push_back({problem.labels.front().span.begin, false, false});
      found = found || problem.code == "unmatched_closer" || problem.code == "unclosed_bracket" ||
              problem.code == "mismatched_bracket";
    }
    return found;
  }
  static void note_sign(const antlr4::Token& token, std::vector<BracketSign>& signs) {
    const auto begin = static_cast<uint32_t>(token.getStartIndex());
    if (span_of(token, 1).end == begin) return;  // put in by the lexer
    switch (token.getType()) {
      case CovecLexer::LPAREN:
      case CovecLexer::LAMBDA_PAREN:
      case CovecLexer::LBRACKET:
      case CovecLexer::BLOCK_BRACE:
      case CovecLexer::LBRACE: return signs.push_back({begin, true, false});
      case CovecLexer::FSTRING_OPEN: return signs.push_back({begin, true, true});
      case CovecLexer::RPAREN:
      case CovecLexer::RBRACKET:
      case CovecLexer::RBRACE:
      case CovecLexer::FSTRING_CLOSE: return signs.push_back({begin, false, false});
      default: return;
    }
  }

  void parse(ParseResult& result) {
    Parser parser(&tokens_);
    parser.removeErrorListeners();
    parser.predict_operators_by_table();
    parser.limit_nesting(limits_.nesting);
    parser.tell(meter_);
    if (lexer_.problems().empty() && parse_fast(parser, result)) return;
    tokens_.seek(0);
    parser.reset();
    report(parser, result);
  }

  bool parse_fast(Parser& parser, ParseResult& result) {
    parser.setErrorHandler(std::make_shared<antlr4::BailErrorStrategy>());
    try {
      CovecParser::UnitContext& unit = parser.whole();
      build(unit, result);
      if (keeps_tree_ && !result.problems.empty()) keep_tree(unit, {}, result);
      return true;
    } catch (const antlr4::ParseCancellationException&) {
      return false;
    }
  }

  void report(Parser& parser, ParseResult& result) {
    auto strategy = std::make_shared<StatementErrorStrategy>(lexer_, text_, file_, limits_.problems);
    parser.setErrorHandler(strategy);
    CovecParser::UnitContext& unit = parser.whole();
    const auto& found = strategy->problems();
    if (found.empty() && lexer_.problems().empty()) return build(unit, result);
    if (interactive_ && lexer_.problems().empty() && strategy->first_is_at_end()) {
      result.incomplete = true;
      return;
    }
    std::vector<Diagnostic> problems = lexer_.problems();
    problems.insert(problems.end(), found.begin(), found.end());
    if (lister_) lister_->add_roles(unit);
    if (keeps_tree_) return keep_tree(unit, std::move(problems), result);
    keep_first(problems);
    result.problems = std::move(problems);
  }

  void keep_tree(CovecParser::UnitContext& unit, std::vector<Diagnostic> problems, ParseResult& result) {
    const std::vector<antlr4::Token*> tokens = tokens_.getTokens();
    const TokenSpans places(text_, file_);
    BrokenLines broken(places, tokens, lexer_.notes());
    for (const Diagnostic& problem : lexer_.problems()) broken.note(unit, problem);
    result.unit = std::make_unique<ast::Unit>(meter_);
    Builder builder(text_, file_, result.unit->arena, &broken);
    result.unit->body = builder.unit(unit);
    const std::vector<Diagnostic> more = builder.take_problems();
    problems.insert(problems.end(), more.begin(), more.end());
    keep_first(problems);
    result.problems = std::move(problems);
  }

  // In the order of the text, and not all of very many.
  void keep_first(std::vector<Diagnostic>& problems) const {
    std::stable_sort(problems.begin(), problems.end(), [](const Diagnostic& a, const Diagnostic& b) {
      return a.labels.front().span.begin < b.labels.front().span.begin;
    });
    if (problems.size() > limits_.problems) problems.resize(limits_.problems);
  }

  void build(CovecParser::UnitContext& tree, ParseResult& result) {
    if (lister_) return lister_->add_roles(tree);
    result.unit = std::make_unique<ast::Unit>(meter_);
    Builder builder(text_, file_, result.unit->arena);
    result.unit->body = builder.unit(tree);
    result.problems = builder.take_problems();
    if (!result.problems.empty()) result.unit = nullptr;
    if (result.problems.size() > limits_.problems) result.problems.resize(limits_.problems);
  }

  std::string_view text_;
  Meter& meter_;
  uint32_t file_;
  bool interactive_;
  const TextLimits limits_;
  const bool keeps_tree_;
  ByteStream stream_;
  CovecLexer lexer_;
  antlr4::CommonTokenStream tokens_;
  std::optional<TokenLister> lister_;
};

// What keeps a text from being read at all.
bool refuse(std::string_view text, uint32_t file, size_t longest, ParseResult& result) {
  if (text.size() > longest) {
    result.problems.push_back(messages::make(message("text_too_large"), {file, 0, 0},
                                             {std::to_string(text.size()), std::to_string(longest)}));
    return true;
  }
  size_t invalid = unicode::find_invalid(text);
  if (invalid == std::string_view::npos) return false;
  char byte[8];
  std::snprintf(byte, sizeof byte, "0x%02x", static_cast<unsigned char>(text[invalid]));
  uint32_t at = static_cast<uint32_t>(invalid);
  result.problems.push_back(
      messages::make(message("invalid_utf8"), {file, at, at + 1}, {byte, std::to_string(invalid)}));
  return true;
}

TextLimits limits_on(size_t stack, TextLimits limits) {
  limits.nesting = std::min(nesting_on(stack), limits.nesting);
  return limits;
}

// They stand in its vocabulary in quotes.
std::vector<std::string> keywords_of_grammar() {
  ByteStream stream{std::string_view()};
  CovecLexer lexer(&stream);
  std::vector<std::string> words;
  for (size_t type = CovecLexer::FN; type <= CovecLexer::NONE; ++type) {
    const std::string quoted(lexer.getVocabulary().getLiteralName(type));
    words.push_back(quoted.substr(1, quoted.size() - 2));
  }
  return words;
}

}  // namespace

const std::vector<std::string>& keywords() {
  static const std::vector<std::string> words = keywords_of_grammar();
  return words;
}

bool is_keyword(std::string_view word) {
  return std::find(keywords().begin(), keywords().end(), word) != keywords().end();
}

ParseResult parse(const SourceMap& sources, uint32_t file, bool interactive, size_t stack, Meter& meter,
                  const TextLimits& limits, bool keeps_tree) {
  ParseResult refused;
  const std::string& text = sources.file(file).text();
  if (refuse(text, file, limits.bytes, refused)) return refused;
  const CacheLock lock;
  const TextLimits here = limits_on(stack, limits);
  Reader first(text, file, interactive, here, keeps_tree, meter);
  ParseResult result = first.read();
  BracketRepairs repairs = first.repairs();
  if (repairs.empty()) return result;
  return Reader(text, file, interactive, here, keeps_tree, meter, std::move(repairs)).read();
}

TokenList read_tokens(const SourceMap& sources, uint32_t file, size_t stack, Meter& meter, const TextLimits& limits,
                      bool with_roles) {
  TokenList list;
  ParseResult result;
  const std::string& text = sources.file(file).text();
  if (!refuse(text, file, limits.bytes, result)) {
    const CacheLock lock;
    result = Reader(text, file, false, limits_on(stack, limits), false, meter).read_tokens(list, with_roles);
  }
  list.problems = std::move(result.problems);
  return list;
}

}  // namespace covec
