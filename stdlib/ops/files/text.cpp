// Text files: read whole and checked, written whole or not at all.
#include <algorithm>

#include "stdlib/files/atomic.hpp"
#include "stdlib/files/file.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/files/family.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

const std::string& string_argument(const Call& call, unsigned operand, std::string_view must_be) {
  if (!call.args[operand].is(ObjectKind::string)) fail_attribute(call, operand, must_be);
  return call.args[operand].string().text;
}

// A zero byte is no text: what holds one is another kind of file.
void require_text(const std::string& path, std::string_view text) {
  const size_t good = files::utf8_prefix(text);
  if (good == text.size()) return;
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(good), '\n');
  fail(message("file_not_utf8"), {path, std::to_string(line)});
}

std::string text_of_file(Builder& b, const Call& call) {
  const files::File file(string_argument(call, 0, "a path in a string"), b.context());
  files::require_memory(b.pool(), file.size());
  std::string text(static_cast<size_t>(file.size()), '\0');
  file.read(0, text.data(), text.size());
  require_text(file.path(), text);
  return text;
}

Value read_text(Builder& b, Call& call) { return make_string(text_of_file(b, call)); }

Value read_lines(Builder& b, Call& call) {
  const std::string text = text_of_file(b, call);
  std::vector<Value> lines;
  for (std::string_view rest = text; !rest.empty();) {
    if (lines.size() % 4096 == 0) kernels::poll_interrupt(b.context());
    const size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (end != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(make_string(std::string(line)));
  }
  return make_list(std::move(lines));
}

Value write_text(Builder& b, Call& call) {
  const std::string& path = string_argument(call, 0, "a path in a string");
  const std::string& text = string_argument(call, 1, "a string");
  files::AtomicFile file(path, b.context());
  file.write(text);
  file.commit();
  return Value();
}

const Entry& read_text_entry() {
  static const Entry entry{
      .name = "read_text",
      .doc =
          "What a text file holds, as a string, line ends as they are.\n\n"
          "A file that is not UTF-8, or holds a zero byte, is an error that names the line.",
      .parameters = {attribute("path")},
      .eager = read_text,
      .derivative = Derivative::none("reads a file"),
      .effects = {.may_fail = true, .outside = true},
      .example = R"(write_text("notes.txt", "one\ntwo\n")
print(read_text("notes.txt").upper().split())  # expect: list("ONE", "TWO"))",
  };
  return entry;
}

const Entry& read_lines_entry() {
  static const Entry entry{
      .name = "read_lines",
      .doc = "The lines of a text file, a list of strings without their ends (`\\n` or `\\r\\n`).",
      .parameters = {attribute("path")},
      .eager = read_lines,
      .derivative = Derivative::none("reads a file"),
      .effects = {.may_fail = true, .outside = true},
      .example = R"(write_text("numbers.txt", "1.5\n2\n")
print(sum([f64(line) for line in read_lines("numbers.txt")]))  # expect: 3.5)",
  };
  return entry;
}

const Entry& write_text_entry() {
  static const Entry entry{
      .name = "write_text",
      .doc =
          "Writes a string to a file, as UTF-8.\n\n"
          "The file is replaced as a whole, or stays as it was when anything goes wrong.",
      .parameters = {attribute("path"), attribute("text")},
      .eager = write_text,
      .derivative = Derivative::none("writes a file"),
      .effects = {.may_fail = true, .outside = true, .shared = true},
      .example = R"(write_text("hello.txt", "Grüße\n")
print(len(read_text("hello.txt")))  # expect: 6)",
  };
  return entry;
}

}  // namespace

Family files_text_entries() {
  static const Entry* const entries[] = {&read_text_entry(), &read_lines_entry(), &write_text_entry()};
  return entries;
}

}  // namespace covec::ops
