#include "jit/emit/emit.hpp"

#include "jit/emit/function.hpp"
#include "jit/emit/library.hpp"
#include "jit/source/c99.hpp"

namespace covec::emit {

namespace {

std::string parameter(const Port& port, bool output) {
  if (port.type.number && !output) return memory_type(port.type.dtype) + " " + port.name;
  return (output ? "" : "const ") + memory_type(port.type.dtype) + "* " + port.name;
}

std::string signature(const Request& request) {
  std::string text = "int " + request.name + "(";
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

std::string error_function(const Request& request, const File& file, TextOf error_text) {
  std::string text = "\nconst char* " + request.name + "_error(int number) {\n  switch (number) {\n";
  text += "    case 0: return \"no error\";\n";
  for (size_t k = 0; k < file.errors().size(); ++k)
    text += "    case " + std::to_string(k + 1) + ": return " + quoted(error_text(file.errors()[k])) + ";\n";
  return text + "    default: return \"no error has this number\";\n  }\n}\n";
}

std::string work_name(const Request& request) { return request.name + "_work_bytes"; }

std::string header(const Request& request, size_t work_bytes) {
  std::string text = "/* " + request.origin + ", as C that needs nothing else.\n\n   Takes ";
  for (const Port& input : request.inputs) text += input.name + ": " + text_of(input.type) + ", ";
  text += "gives ";
  for (const Port& output : request.outputs)
    text += (&output == &request.outputs.front() ? "" : ", ") + output.name + ": " + text_of(output.type);
  text +=
      ". Tensors lie row by row. `work` is memory of " + work_name(request) +
      "\n   bytes, aligned as malloc aligns it; it may be NULL where that is 0. No two of the pointers may overlap but "
      "inputs.\n   Gives 0, or the number of an error, which " +
      request.name +
      "_error turns into a text; outputs then hold anything.\n   It keeps nothing between calls: "
      "threads may call it at once, each with work of its own. */\n";
  std::string guard = request.name + "_h";
  for (char& c : guard) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  text += "#ifndef " + guard + "\n#define " + guard +
          "\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  text += "enum { " + work_name(request) + " = " + std::to_string(work_bytes) + " };\n";
  text += signature(request) + ";\nconst char* " + request.name + "_error(int number);\n";
  return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

}  // namespace

Emitted emit(const loops::Plan& plan, const Request& request, ops::Builder& eager, TextOf error_text) {
  File file(request.name, eager);
  const Body body = write_function(plan, file, request.inputs, request.outputs);
  if (body.work_bytes > INT32_MAX) throw Refusal{"it works in more than 2 GiB of memory"};
  std::string function = "\n" + signature(request) + " {\n";
  for (const Port& input : request.inputs) function += "  (void)" + input.name + ";\n";
  for (const Port& output : request.outputs) {
    if (output.type.elements() == 0) function += "  (void)" + output.name + ";\n";
  }
  function += "  (void)work;\n" + body.text + "}\n";
  const std::string own = file.functions() + function;
  Emitted emitted;
  emitted.name = request.name;
  emitted.work_bytes = body.work_bytes;
  emitted.header = header(request, body.work_bytes);
  const std::string rest =
      "\n" + file_head() + "\n" + used_functions(own) + own + error_function(request, file, error_text);
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
