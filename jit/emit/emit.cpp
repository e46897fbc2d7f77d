#include "jit/emit/emit.hpp"

#include <algorithm>
#include <set>

#include "jit/emit/function.hpp"
#include "jit/emit/library.hpp"
#include "jit/emit/operators.hpp"
#include "jit/source/c99.hpp"

namespace covec::emit {

namespace {

std::string parameter(const Port& port, bool output) {
  if (port.type.number && !output) return memory_type(port.type.dtype) + " " + port.name;
  return (output ? "" : "const ") + memory_type(port.type.dtype) + "* " + port.name;
}

std::string signature(const Request& request) {
  std::string text = "int " + request.name + "(";
  for (const Extent& extent : request.extents) text += "int64_t " + extent.name + ", ";
  for (const Port& input : request.inputs) text += parameter(input, false) + ", ";
  for (const Port& output : request.outputs) text += parameter(output, true) + ", ";
  return text + "void* work)";
}

std::string quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\n') {
      quoted += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
    if (c == '?') quoted += "\"\"";  // no trigraphs
  }
  return quoted + "\"";
}

std::string error_function(const Request& request, std::span<const std::string> errors) {
  std::string text = "\nconst char* " + request.name + "_error(int number) {\n  switch (number) {\n";
  text += "    case 0: return \"no error\";\n";
  for (size_t k = 0; k < errors.size(); ++k)
    text += "    case " + std::to_string(k + 1) + ": return " + quoted(errors[k]) + ";\n";
  return text + "    default: return \"no error has this number\";\n  }\n}\n";
}

std::string work_name(const Request& request) { return request.name + "_work_bytes"; }

// With the names of extents' types and without brackets: what they are arguments of.
std::string of_extents(const Request& request, const std::string& type) {
  std::string text;
  for (const Extent& extent : request.extents) text += (text.empty() ? "" : ", ") + type + extent.name;
  return text;
}

// Where the caller gives extents: the function of them that says how many bytes it works in.
std::string work_function(const Request& request, const Body& body, const std::vector<Size>& tensors) {
  std::string text = "\nint64_t " + work_name(request) + "(" + of_extents(request, "int64_t ") + ") {\n";
  std::string negative;
  for (const Extent& extent : request.extents) negative += (negative.empty() ? "" : " || ") + extent.name + " < 0";
  text += "  if (" + negative + ") return -1;\n";
  // No number of bytes, and no sum of them, is too large to be counted.
  Size all = body.work_bytes;
  for (const Size& scratch : body.scratch_bytes) all += scratch;
  std::set<std::string> bounds;
  for (const Size& tensor : tensors) bounds.insert(tensor.bound());
  if (!all.known()) bounds.insert(all.bound());
  for (const std::string& bound : bounds) text += "  if (" + bound + " > (double)PTRDIFF_MAX / 4) return -1;\n";
  if (body.scratch_bytes.empty()) return text + "  return " + body.work_bytes.text() + ";\n}\n";
  text += "  {\n    int64_t most = 0;\n";
  for (const Size& scratch : body.scratch_bytes)
    text += "    if (" + scratch.factor() + " > most) most = " + scratch.text() + ";\n";
  const std::string before = body.work_bytes.is(0) ? "" : body.work_bytes.text() + " + ";
  return text + "    return " + before + "most;\n  }\n}\n";
}

// Of known sizes.
int64_t known_bytes(const Body& body) {
  int64_t most = 0;
  for (const Size& scratch : body.scratch_bytes) most = std::max(most, scratch.number());
  return body.work_bytes.number() + Size::blocks(most).number();
}

std::string header(const Request& request, const Body& body) {
  std::string text = "/* " + request.origin + ", as C that needs nothing else.\n\n   Takes ";
  for (const Extent& extent : request.extents) text += extent.name + ": extent, ";
  for (const Port& input : request.inputs) text += input.name + ": " + text_of(input.type) + ", ";
  text += "gives ";
  for (const Port& output : request.outputs)
    text += (&output == &request.outputs.front() ? "" : ", ") + output.name + ": " + text_of(output.type);
  text +=
      ". Tensors lie row by row. `work` is memory of " + work_name(request) +
      (request.extents.empty() ? "" : "(" + of_extents(request, "") + ")") +
      "\n   bytes, aligned as malloc aligns it; it may be NULL where that is 0. No two of the pointers may overlap but "
      "inputs.\n" +
      (request.extents.empty()
           ? std::string()
           : "   " + work_name(request) +
                 " gives -1 where an extent is negative or makes tensors too large to be counted;\n   "
                 "the function then gives an error.\n") +
      "   Gives 0, or the number of an error, which " + request.name +
      "_error turns into a text; outputs then hold anything.\n   It keeps nothing between calls: "
      "threads may call it at once, each with work of its own. */\n";
  std::string guard = request.name + "_h";
  for (char& c : guard) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  text += "#ifndef " + guard + "\n#define " + guard +
          "\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  if (request.extents.empty())
    text += "enum { " + work_name(request) + " = " + std::to_string(known_bytes(body)) + " };\n";
  else
    text += "int64_t " + work_name(request) + "(" + of_extents(request, "int64_t ") + ");\n";
  text += signature(request) + ";\nconst char* " + request.name + "_error(int number);\n";
  return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

constexpr const char* extent_error = "an extent is negative or too large";

// One that rounds multiplications and additions once is written for processors with an instruction for that, too. In
// its own dialect GCC may use the instruction where the program does not, unless it is told not to, which no macro
// shows.
std::string function_text(const Request& request, const std::string& lines) {
  if (!names_word(lines, fma_name) && !names_word(lines, std::string(fma_name) + "f"))
    return "\n" + signature(request) + " {\n" + lines + "}\n";
  std::string arguments;
  for (const Extent& extent : request.extents) arguments += extent.name + ", ";
  for (const std::vector<Port>* const ports : {&request.inputs, &request.outputs})
    for (const Port& port : *ports) arguments += port.name + ", ";
  arguments = "(" + arguments + "work)";
  const std::string parameters = signature(request).substr(("int " + request.name).size());
  return "\nCOVEC_INLINE int covec_body" + parameters + " {\n" + lines +
         "}\n\n#if COVEC_ASKS_FOR_ALL\n"
         "__attribute__((target(\"fma\"))) static int covec_quick_body" +
         parameters + " { return covec_body" + arguments + "; }\n#endif\n\n" + signature(request) +
         " {\n#if COVEC_ASKS_FOR_ALL\n  if (__builtin_cpu_supports(\"fma\")) return covec_quick_body" + arguments +
         ";\n#endif\n  return covec_body" + arguments + ";\n}\n";
}

}  // namespace

bool says_no_numbers(const std::string& message) {
  return message == fit_error || message == range_error || message == require_error || message == extent_error ||
         message.find(": the matrix is ") != std::string::npos;  // of a stack: which one
}

Emitted emit(const loops::Plan& plan, const Shapes& shapes, const Request& request, ops::Builder& eager,
             TextOf error_text) {
  File file(request.name, eager);
  const Body body = write_function(plan, shapes, file, request.inputs, request.outputs);
  const bool fixed = request.extents.empty();
  if (fixed && known_bytes(body) > INT32_MAX) throw Refusal{"it needs more than 2 GiB of working memory"};
  std::string function;
  if (!fixed) {
    std::vector<Size> tensors;
    for (const std::vector<Port>* const ports : {&request.inputs, &request.outputs}) {
      for (const Port& port : *ports) {
        if (!port.type.elements().known()) tensors.push_back(port.type.bytes());
      }
    }
    function += work_function(request, body, tensors);
  }
  std::string lines;
  for (const Port& input : request.inputs) lines += "  (void)" + input.name + ";\n";
  for (const Port& output : request.outputs) {
    if (output.type.is_empty()) lines += "  (void)" + output.name + ";\n";
  }
  lines += "  (void)work;\n";
  if (!fixed)
    lines += "  if (" + work_name(request) + "(" + of_extents(request, "") + ") < 0) return " +
             std::to_string(file.error(Refusal::nowhere, extent_error)) + ";\n";
  function += function_text(request, lines + body.text);
  const std::string own = file.definitions(function) + function;
  Emitted emitted;
  emitted.name = request.name;
  emitted.extents = request.extents;
  emitted.header = header(request, body);
  for (const Error& error : file.errors()) emitted.errors.push_back(error_text(error));
  const std::string rest =
      "\n" + file_head() + "\n" + used_functions(own) + own + error_function(request, emitted.errors);
  emitted.source =
      "/* " + request.origin +
      ", as C99 that needs nothing else: see the header.\n   Compile with -ffp-contract=off: the results are "
      "those of Covec, bit by bit, only where no\n   multiplication and addition are made one that the "
      "program does not make one. */\n#include \"" +
      request.name + ".h\"\n" + rest;
  emitted.text = emitted.header + rest;
  for (const Port& input : request.inputs) {
    emitted.inputs.push_back(input.type);
    emitted.lines.push_back(input.name + ": " + text_of(input.type));
  }
  for (const Port& output : request.outputs) {
    emitted.outputs.push_back(output.type);
    emitted.lines.push_back(output.name + ": " + text_of(output.type));
  }
  return emitted;
}

}  // namespace covec::emit
