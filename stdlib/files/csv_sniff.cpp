// What a text of rows seems to be written with, by its first rows: the separator that cuts most of them into equally
// many fields, two at least. Start reading at sniff_csv.
#include <algorithm>
#include <map>

#include "stdlib/files/csv.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::files {

namespace {

constexpr int64_t most_rows = 200;

char comment_of(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  const char first = begin == std::string_view::npos ? ' ' : text[begin];
  return first == '#' || first == '%' ? first : '\0';
}

// How many of the rows have how many fields, and where the first with the most frequent number is.
struct Cut {
  int64_t rows = 0, fields = 1, equal = 0, first_line = 1;
  bool shorter = false, longer = false;
  double share() const { return rows == 0 ? 0 : static_cast<double>(equal) / static_cast<double>(rows); }
};

Cut cut(const File& file, std::string_view text, const CsvRules& rules) {
  CsvRows rows(file, text, rules);
  std::vector<std::pair<int64_t, int64_t>> seen;  // fields, line
  std::map<int64_t, int64_t> counts;
  while (static_cast<int64_t>(seen.size()) < most_rows && rows.next_row()) {
    const int64_t line = rows.line();
    seen.emplace_back(rows.count_fields(), line);
    ++counts[seen.back().first];
  }
  Cut result;
  result.rows = static_cast<int64_t>(seen.size());
  for (const auto& [fields, count] : counts) {
    if (count > result.equal || (count == result.equal && fields > result.fields)) {
      result.fields = fields;
      result.equal = count;
    }
  }
  bool begun = false;
  for (const auto& [fields, line] : seen) {
    if (!begun && fields == result.fields) result.first_line = line, begun = true;
    result.shorter |= begun && fields < result.fields;
    result.longer |= begun && fields > result.fields;
  }
  return result;
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
  const bool escaped = text.find("\\\"") != std::string_view::npos;
  CsvRules rules{.comment = comment_of(text), .across = true, .escape = escaped ? '\\' : '\0', .lenient = true};
  std::string separator = ",";
  Cut best;
  for (const char* candidate : {",", ";", "\t", "|", " +"}) {
    rules.separator = CsvSeparator(std::string_view(candidate));
    const Cut found = cut(file, text, rules);
    if (found.fields > 1 && (best.fields == 1 || found.share() > best.share())) {
      best = found;
      separator = candidate;
    }
  }
  const char* const ragged = best.longer ? "skip" : best.shorter ? "pad" : "error";
  const CsvSeparator chosen{std::string_view(separator)};
  return make_record(std::make_shared<const RecordLayout>(
                         RecordLayout{{"separator", "decimal", "comment", "skip", "escape", "ragged", "encoding"}}),
                     {make_string(separator), text_of(decimal_of(text, chosen)), text_of(rules.comment),
                      Value(rules.comment != '\0' ? int64_t{0} : best.first_line - 1), text_of(rules.escape),
                      make_string(ragged), make_string(name_of(encoding))});
}

}  // namespace covec::files
