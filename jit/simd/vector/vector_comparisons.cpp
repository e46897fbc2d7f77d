#include "jit/simd/vector/vector_comparisons.hpp"

namespace covec::simd {

using ops::ScalarOp;

namespace {

// Predicates of vcmpps: quiet, and false with a NaN but for ne. Those of vpcmpd have the same low bits.
int float_predicate(ScalarOp op) {
  switch (op) {
    case ScalarOp::lt: return 17;
    case ScalarOp::le: return 18;
    case ScalarOp::eq: return 0;
    default: return 4;
  }
}
int integer_predicate(ScalarOp op) { return float_predicate(op) & 7; }

}  // namespace

x86::Reg VectorComparisons::apply(const VectorRequest& r) {
  if (r.from == Dtype::boolean) return bools(r);
  if (!is_float(r.from)) return integers(r);
  x86::Reg d = v_.make(e_.avx512() ? Dtype::boolean : r.from);
  cc_.emit(pick(r.from, Inst::kIdVcmpps, Inst::kIdVcmppd), d, r.operands[0], r.operands[1], imm(float_predicate(r.op)));
  return e_.avx512() ? d : v_.as_mask(d.as<x86::Vec>(), r.from);
}

x86::Reg VectorComparisons::integers(const VectorRequest& r) {
  const Operand_& a = r.operands[0];
  const Operand_& b = r.operands[1];
  const bool wide = r.from == Dtype::i64;
  if (e_.avx512()) {
    x86::Reg d = v_.make(Dtype::boolean);
    cc_.emit(wide ? Inst::kIdVpcmpq : Inst::kIdVpcmpd, d, a, b, imm(integer_predicate(r.op)));
    return d;
  }
  const bool equality = r.op == ScalarOp::eq || r.op == ScalarOp::ne;
  const InstId id =
      equality ? (wide ? Inst::kIdVpcmpeqq : Inst::kIdVpcmpeqd) : (wide ? Inst::kIdVpcmpgtq : Inst::kIdVpcmpgtd);
  x86::Reg d = r.op == ScalarOp::lt ? v_.emit(id, r.from, b, a) : v_.emit(id, r.from, a, b);
  x86::Reg mask = v_.as_mask(d.as<x86::Vec>(), r.from);
  return r.op == ScalarOp::ne || r.op == ScalarOp::le ? v_.inverted_bool(mask) : mask;
}

// As numbers 0 and 1.
x86::Reg VectorComparisons::bools(const VectorRequest& r) {
  const Operand_& a = r.operands[0];
  const Operand_& b = r.operands[1];
  switch (r.op) {
    case ScalarOp::lt: return v_.on_bools(ScalarOp::bit_and, v_.inverted_bool(a), b);
    case ScalarOp::le: return v_.on_bools(ScalarOp::bit_or, v_.inverted_bool(a), b);
    case ScalarOp::eq: return v_.inverted_bool(v_.on_bools(ScalarOp::bit_xor, a, b));
    default: return v_.on_bools(ScalarOp::bit_xor, a, b);
  }
}

}  // namespace covec::simd
