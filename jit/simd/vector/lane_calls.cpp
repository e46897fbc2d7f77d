#include "jit/simd/vector/lane_calls.hpp"

namespace covec::simd {

x86::Reg LaneCalls::apply(const VectorRequest& r) {
  for (x86::Mem& place : places_) {
    if (!place.hasBase()) place = cc_.newStack(64, 64);
  }
  const Dtype as_float = size_of(r.to) == 8 ? Dtype::f64 : Dtype::f32;
  v_.move(places_[0], r.operands[0], as_float);
  v_.move(places_[1], r.operands[1], as_float);
  x86::Gp a = cc_.newIntPtr(), b = cc_.newIntPtr();
  cc_.lea(a, places_[0]);
  cc_.lea(b, places_[1]);
  asmjit::InvokeNode* call = nullptr;
  using Signature = asmjit::FuncSignatureT<void, void*, const void*, const void*, int64_t>;
  cc_.invoke(&call, e_.helper(helper_for(r.op, r.to)), Signature());
  x86::Reg d = v_.make(r.to);
  if (call == nullptr) return d;
  call->setArg(0, a);
  call->setArg(1, a);
  call->setArg(2, b);
  call->setArg(3, imm(v_.lanes()));
  v_.move(d, places_[0], as_float);
  return d;
}

}  // namespace covec::simd
