// See repairs.hpp.
#include "frontend/parse/layout/repairs.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace covec::grammar {

namespace {

bool is_head_of_block(std::string_view line) {
  if (line.starts_with('@')) return true;
  if (line.starts_with('}')) line.remove_prefix(std::min(line.find_first_not_of(" \t", 1), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(" \t({"));
  for (std::string_view head : {"fn", "if", "else", "for", "while", "try", "catch"}) {
    if (word == head) return true;
  }
  return false;
}

// Matches brackets as the lexer does, and notes what does not fit.
class Finder {
 public:
  explicit Finder(std::string_view text) : text_(text) {}

  void see(const BracketSign& sign) {
    if (sign.at >= next_line_) enter_line(sign.at);
    if (!sign.opens) return close(sign.at);
    open_.push_back({sign, line_, indentation_});
    if (text_[sign.at] == '{' && !sign.interpolation) braces_.push_back(line_);
  }

  BracketRepairs finish() {
    while (!open_.empty()) give_up();
    std::ranges::sort(unclosed_, {}, &UnclosedBracket::at);
    for (const uint32_t closer : unmatched_) add_head(closer);
    std::ranges::sort(missing_, {}, &MissingBrace::end);
    return {std::move(unclosed_), std::move(missing_), std::move(extra_)};
  }

 private:
  struct Open {
    BracketSign sign;
    size_t line = 0;  // its first byte
    size_t indentation = 0;
  };
  struct Closed {
    uint32_t opener = 0, closer = 0;
  };
  // A closing brace that is indented more than the line of its `{`, and that line's indentation.
  struct TooDeep {
    uint32_t at = 0;
    size_t indentation = 0;
  };

  void enter_line(size_t at) {
    line_ = text_.rfind('\n', at) + 1;  // npos + 1 is 0
    next_line_ = std::min(text_.find('\n', at), text_.size());
    indentation_ = text_.find_first_not_of(" \t", line_) - line_;
  }

  char sign(const Open& open) const { return text_[open.sign.at]; }
  bool fits(char closer, const Open& open) const {
    return closer == (sign(open) == '(' ? ')' : sign(open) == '[' ? ']' : '}');
  }
  size_t find(char closer) const {
    for (size_t i = open_.size(); i-- > 0;) {
      if (fits(closer, open_[i])) return i;
      if (open_[i].sign.interpolation) break;
    }
    return open_.size();
  }

  void close(uint32_t at) {
    const bool begins_line = line_ + indentation_ == at;
    const size_t opener = find(text_[at]);
    if (opener < open_.size()) {
      while (open_.size() > opener + 1) give_up();
      close_top(at, begins_line);
    } else if (open_.empty() || open_.back().line != line_) {
      if (text_[at] == '}' && begins_line) add_unmatched(at);
    } else {
      open_.pop_back();  // another bracket was meant
    }
  }
  // One that is indented more than its opening brace's line may belong to a block whose brace is missing. If there is
  // none, it may be one too many: the block of its brace goes on up to here.
  void add_unmatched(uint32_t at) {
    if (unmatched_.size() + extra_.size() >= most) return;
    const auto deep =
        std::ranges::find_if(too_deep_, [&](const TooDeep& each) { return head_line(each.at).has_value(); });
    const auto early = std::ranges::find_if(too_deep_, [&](const TooDeep& each) {
      return each.indentation == indentation_ && is_indented_between(each.at, at);
    });
    if (deep == too_deep_.end() && early != too_deep_.end())
      extra_.push_back(early->at);
    else
      unmatched_.push_back(deep == too_deep_.end() ? at : deep->at);
    too_deep_.clear();
  }

  // All lines between those of two closing braces are indented more than the second one.
  bool is_indented_between(uint32_t first, uint32_t second) const {
    for (size_t line = text_.find('\n', first) + 1; line + indentation_ < second; line = text_.find('\n', line) + 1) {
      const size_t begin = text_.find_first_not_of(" \t", line);
      const bool is_blank = text_[begin] == '\n' || text_[begin] == '\r' || text_[begin] == '#';
      if (!is_blank && begin - line <= indentation_) return false;
    }
    return true;
  }

  // Its line has only closing brackets before it.
  bool follows_closers(uint32_t at) const { return text_.find_first_not_of(" \t)]}", line_) >= at; }

  void close_top(uint32_t at, bool begins_line) {
    const Open top = open_.back();
    open_.pop_back();
    closed_.push_back({top.sign.at, at});
    if (begins_line && indentation_ < top.indentation) doubtful_.push_back({top.sign.at, top.indentation});
    if (text_[at] == '}' && follows_closers(at) && indentation_ > top.indentation && too_deep_.size() < most)
      too_deep_.push_back({at, top.indentation});
  }

  // The innermost bracket is not closed, or one in it is not, whose closing bracket is indented less than itself.
  void give_up() {
    const Open top = open_.back();
    open_.pop_back();
    unclosed_.push_back({top.sign.at, top.indentation});
    while (!doubtful_.empty() && doubtful_.back().at > top.sign.at) {
      unclosed_.push_back(doubtful_.back());
      doubtful_.pop_back();
    }
  }

  // The first byte of the line above that is indented as the closing bracket's line, where it begins a block.
  std::optional<size_t> head_line(uint32_t closer) const {
    size_t line = text_.rfind('\n', closer) + 1;
    const size_t indentation = closer - line;
    while (line > 0) {
      line = line > 1 ? text_.rfind('\n', line - 2) + 1 : 0;
      const size_t first = text_.find_first_not_of(" \t", line);
      if (text_[first] == '\n' || text_[first] == '\r' || text_[first] == '#' || first - line > indentation) continue;
      const bool fitting = first - line == indentation && !std::ranges::binary_search(braces_, line);
      const std::string_view whole = text_.substr(first, text_.find('\n', first) - first);
      return fitting && is_head_of_block(whole) ? std::optional(line) : std::nullopt;
    }
    return {};
  }

  // The `{` is missing where the head's brackets are closed.
  void add_head(uint32_t closer) {
    const std::optional<size_t> line = head_line(closer);
    if (!line) return;
    const size_t first_end = text_.find('\n', *line);
    size_t last = *line;
    for (const Closed& each : closed_) {
      if (each.opener >= *line && each.opener < first_end) last = std::max<size_t>(last, each.closer);
    }
    const size_t end = text_.find_first_of("\r\n", last);
    if (end < closer) missing_.push_back({static_cast<uint32_t>(*line), static_cast<uint32_t>(end)});
  }

  static constexpr size_t most = 30;  // braces whose heads are looked for: each may look at the whole text

  const std::string_view text_;
  size_t line_ = 0;         // the first byte of the sign's line
  size_t next_line_ = 0;    // where it ends
  size_t indentation_ = 0;  // its blanks
  std::vector<Open> open_;
  std::vector<Closed> closed_;
  std::vector<size_t> braces_;  // lines with a `{`
  std::vector<UnclosedBracket> doubtful_, unclosed_;
  std::vector<TooDeep> too_deep_;
  std::vector<uint32_t> unmatched_;  // closing braces without a `{`
  std::vector<uint32_t> extra_;      // closing braces that close a block too early
  std::vector<MissingBrace> missing_;
};

}  // namespace

BracketRepairs::BracketRepairs(std::vector<UnclosedBracket> unclosed, std::vector<MissingBrace> missing,
                               std::vector<uint32_t> extra)
    : unclosed_(std::move(unclosed)), missing_(std::move(missing)), extra_(std::move(extra)) {}

bool BracketRepairs::ends_before(uint32_t opener, size_t indentation, bool begins_with_closer) const {
  const auto found = std::ranges::lower_bound(unclosed_, opener, {}, &UnclosedBracket::at);
  if (found == unclosed_.end() || found->at != opener) return false;
  return begins_with_closer ? indentation < found->indentation : indentation <= found->indentation;
}

const MissingBrace* BracketRepairs::brace_at(size_t line_end) const {
  const auto found = std::ranges::lower_bound(missing_, line_end, {}, &MissingBrace::end);
  return found != missing_.end() && found->end == line_end ? &*found : nullptr;
}

bool BracketRepairs::is_extra(size_t closer) const { return std::ranges::binary_search(extra_, closer); }

BracketRepairs find_repairs(std::string_view text, const std::vector<BracketSign>& signs) {
  Finder finder(text);
  for (const BracketSign& sign : signs) finder.see(sign);
  return finder.finish();
}

}  // namespace covec::grammar
