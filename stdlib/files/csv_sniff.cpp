// Guesses the format of a text of rows from its first rows. The separator is the one that cuts most of them into
// equally many fields, at least two. The quotes are those with which the rows can be read. In doubt nothing is changed:
// a failed read is better than a lost row. Start reading at sniff_csv.
#include <algorithm>
#include <map>

#include "stdlib/files/csv.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::files {

namespace {

constexpr int64_t max_rows = 200;  // rows that are looked at

char comment_of(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  const char first = begin == std::string_view::npos ? ' ' : text[begin];
  return first == '#' || first == '%' ? first : '\0';
}

// How separator and quotes cut the first rows. The table begins at the first of the rows that most are like; rows
// before it are left out only where two that are alike begin it, so that names are not taken for a title.
struct Cut {
  CsvRules rules;
  int64_t rows = 0, fields = 1, equal = 0, skip = 0;
  bool every = true;    // row is cut
  bool headed = false;  // the first row of the table is as most are
  bool broken = false;
  bool shorter = false, longer = false;

  double share() const { return rows == 0 ? 0 : static_cast<double>(equal) / static_cast<double>(rows); }
  bool better_than(const Cut& other) const {
    if ((fields > 1) != (other.fields > 1)) return fields > 1;
    return broken == other.broken ? fields > 1 && share() > other.share() : !broken;
  }
  const char* ragged() const {
    if (!longer) return shorter ? "pad" : "error";
    return fields > 1 && 2 * equal > rows ? "skip" : "error";
  }
};

struct SeenRow {
  int64_t fields, line;
};

// The most frequent number of fields. Of those that are as frequent it is the largest; where all rows differ it is that
// of the first one.
void choose_fields(Cut& cut, const std::vector<SeenRow>& seen) {
  std::map<int64_t, int64_t> counts;
  for (const SeenRow& row : seen) ++counts[row.fields];
  for (const auto& [fields, count] : counts) {
    if (count < cut.equal) continue;
    cut.fields = fields;
    cut.equal = count;
  }
  if (cut.equal == 1) cut.fields = seen[0].fields;
}

size_t begin_of(const Cut& cut, const std::vector<SeenRow>& seen) {
  if (cut.fields == 1 || cut.rules.separator.is_blanks()) return 0;  // a column of texts may have two words in each
  for (size_t i = 0; i + 1 < seen.size(); ++i) {
    if (seen[i].fields == cut.fields && seen[i + 1].fields == cut.fields) return i;
  }
  return 0;
}

Cut cut(const File& file, std::string_view text, const CsvRules& rules) {
  CsvRows rows(file, text, rules);
  std::vector<SeenRow> seen;
  while (static_cast<int64_t>(seen.size()) < max_rows && rows.next_row()) {
    const int64_t line = rows.line();
    seen.push_back({rows.count_fields(), line});
  }
  Cut result;
  result.rules = rules;
  result.rows = static_cast<int64_t>(seen.size());
  result.broken = rows.was_lenient();
  if (seen.empty()) return result;
  choose_fields(result, seen);
  const size_t begin = begin_of(result, seen);
  result.headed = seen[begin].fields == result.fields;
  if (begin > 0) result.skip = seen[begin].line - 1;
  for (size_t i = 0; i < seen.size(); ++i) {
    result.every = result.every && seen[i].fields > 1;
    result.shorter |= i >= begin && seen[i].fields < seen[begin].fields;
    result.longer |= i >= begin && seen[i].fields > seen[begin].fields;
  }
  return result;
}

// Blanks separate only where nothing else cuts every row, and cut the first one as most.
Cut best_cut(const File& file, std::string_view text, CsvRules rules) {
  rules.separator = CsvSeparator(',');
  Cut best = cut(file, text, rules);
  bool every = best.every;
  for (const char candidate : {';', '\t', '|'}) {
    rules.separator = CsvSeparator(candidate);
    const Cut found = cut(file, text, rules);
    every |= found.every;
    if (found.better_than(best)) best = found;
  }
  if (every) return best;
  rules.separator = CsvSeparator(std::string_view(" +"));
  const Cut found = cut(file, text, rules);
  return found.headed && found.better_than(best) ? found : best;
}

bool reads_whole(const File& file, std::string_view text, const CsvRules& rules) {
  CsvRows rows(file, text, rules);
  while (!rows.was_lenient() && rows.next_row()) rows.count_fields();
  return !rows.was_lenient();
}

// Other quotes, or an escape, only where the whole text reads with them, and better than without.
Cut best_quoting(const File& file, std::string_view text, CsvRules rules) {
  const Cut plain = best_cut(file, text, rules);
  if (text.find("\\\"") != std::string_view::npos) {
    rules.escape = '\\';
    const Cut escaped = best_cut(file, text, rules);
    if (reads_whole(file, text, escaped.rules) && (escaped.better_than(plain) || !reads_whole(file, text, plain.rules)))
      return escaped;
    rules.escape = '\0';
  }
  if (text.find('\'') == std::string_view::npos) return plain;
  rules.quote = '\'';
  const Cut other = best_cut(file, text, rules);
  return other.better_than(plain) && reads_whole(file, text, other.rules) ? other : plain;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A comma where most numbers with a fraction have one.
char decimal_of(std::string_view text, const CsvSeparator& separator) {
  if (separator.is(',')) return '.';
  int64_t commas = 0, points = 0;
  for (size_t i = 1; i + 1 < std::min(text.size(), size_t{1} << 16); ++i) {
    if (!is_digit(text[i - 1]) || !is_digit(text[i + 1])) continue;
    commas += text[i] == ',';
    points += text[i] == '.';
  }
  return commas > points ? ',' : '.';
}

Value text_of(char c) { return c == '\0' ? Value() : make_string(std::string(1, c)); }

}  // namespace

Value sniff_csv(const File& file) {
  const Scratch bytes(file.pool(), file.size());
  file.read(0, bytes.data(), file.size());
  const TextEncoding encoding = encoding_of(bytes.text());
  Converted converted;
  const std::string_view text = table_text(file, bytes, encoding, converted);
  const Cut best = best_quoting(file, text, {.comment = comment_of(text), .across = true, .lenient = true});
  const CsvSeparator& separator = best.rules.separator;
  return make_record(std::make_shared<const RecordLayout>(RecordLayout{
                         {"separator", "decimal", "comment", "skip", "quote", "escape", "ragged", "encoding"}}),
                     {make_string(separator.text + (separator.run ? "+" : "")), text_of(decimal_of(text, separator)),
                      text_of(best.rules.comment), Value(best.skip), text_of(best.rules.quote),
                      text_of(best.rules.escape), make_string(best.ragged()), make_string(name_of(encoding))});
}

}  // namespace covec::files
