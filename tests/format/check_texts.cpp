// Formats many texts in one process and checks each result: tokens and comments are the same (format_text sees to it by
// itself, and must not have to), the AST is the same where there are no errors, and a second time changes nothing.
//
//     format_texts [--write] [FILE…]      files, else texts on standard input, each followed by a zero byte
//
// --write: files are replaced by their results. The exit status is 1 where a check fails; what fails is written out.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include "frontend/format/format.hpp"
#include "frontend/parse/parse.hpp"

namespace {

using namespace covec;

constexpr size_t stack = size_t{8} << 20;

struct Counts {
  size_t texts = 0, left_alone = 0, changed = 0, failed = 0;
};

Formatted formatted(const std::string& text) {
  SourceMap sources;
  return format_text(sources, sources.add("a.covec", text), stack);
}

// "" where there are errors.
std::string tree_of(const std::string& text) {
  SourceMap sources;
  Meter meter;
  const ParseResult read = parse(sources, sources.add("a.covec", text), false, stack, meter);
  return read.unit == nullptr ? "" : dump(*read.unit);
}

// "" where nothing is wrong.
std::string_view wrong_with(const std::string& text, const Formatted& result) {
  if (result.outcome == FormatOutcome::mistaken) return "other tokens or comments";
  if (result.outcome == FormatOutcome::left_alone) return result.text == text ? "" : "a text left alone is changed";
  if (tree_of(result.text) != tree_of(text)) return "another AST";
  const Formatted again = formatted(result.text);
  if (again.outcome != FormatOutcome::formatted) return "the result is left alone";
  return again.text == result.text ? "" : "a second time changes it";
}

std::string check(const std::string& name, const std::string& text, Counts& counts) {
  Formatted result = formatted(text);
  ++counts.texts;
  counts.left_alone += result.outcome == FormatOutcome::left_alone;
  counts.changed += result.text != text;
  const std::string_view wrong = wrong_with(text, result);
  if (!wrong.empty()) {
    ++counts.failed;
    std::cout << "--- " << name << ": " << wrong << "\n" << text << "--- result\n" << result.text;
    if (wrong == "another AST")
      std::cout << "--- AST\n" << tree_of(text) << "--- of the result\n" << tree_of(result.text);
    if (wrong.starts_with("a second")) std::cout << "--- second result\n" << formatted(result.text).text;
  }
  return std::move(result.text);
}

std::string text_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void check_files(int begin, int count, char** files, bool writes, Counts& counts) {
  for (int i = begin; i < count; ++i) {
    const std::string result = check(files[i], text_of(files[i]), counts);
    if (writes) std::ofstream(files[i], std::ios::binary) << result;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Counts counts;
  const bool writes = argc > 1 && std::string_view(argv[1]) == "--write";
  check_files(writes ? 2 : 1, argc, argv, writes, counts);
  if (argc == 1) {
    for (std::string text; std::getline(std::cin, text, '\0');) check("input", text, counts);
  }
  std::cout << counts.texts << " texts: " << counts.changed << " changed, " << counts.left_alone << " left alone, "
            << counts.failed << " failed\n";
  return counts.failed == 0 ? 0 : 1;
}
