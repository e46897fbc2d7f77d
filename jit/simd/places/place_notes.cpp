#include "jit/simd/places/place_notes.hpp"

#include <charconv>
#include <cstring>

namespace covec::simd {

namespace {

class PlaceReader final : public x86::Assembler {
 public:
  PlaceReader(x86::Compiler& compiler, ops::PlacedCode& placed) : x86::Assembler(compiler.code()), placed_(placed) {
    addEncodingOptions(compiler.encodingOptions());
    addDiagnosticOptions(compiler.diagnosticOptions());
  }
  asmjit::Error _emit(asmjit::InstId id, const asmjit::Operand_& first, const asmjit::Operand_& second,
                      const asmjit::Operand_& third, const asmjit::Operand_* others) override {
    if (const char* const text = inlineComment()) {
      uint32_t place = 0;
      std::from_chars(text, text + std::strlen(text), place);
      placed_.add(static_cast<uint32_t>(offset()), place);
    }
    return x86::Assembler::_emit(id, first, second, third, others);
  }

 private:
  ops::PlacedCode& placed_;
};

}  // namespace

void PlaceNotes::note() {
  const char* text = nullptr;
  for (asmjit::BaseNode* node = compiler_.cursor(); node != nullptr; node = node->prev()) {
    if (!node->isInst()) continue;
    if (node->hasInlineComment()) break;
    if (text == nullptr) text = texts_.try_emplace(place_, std::to_string(place_)).first->second.c_str();
    node->setInlineComment(text);
  }
}

asmjit::Error PlaceNotes::finalize(ops::PlacedCode& placed) {
  note();
  if (const asmjit::Error error = compiler_.runPasses(); error != asmjit::kErrorOk) return error;
  PlaceReader reader(compiler_, placed);
  return compiler_.serializeTo(&reader);
}

}  // namespace covec::simd
