#include "jit/prepared/prepared.hpp"

namespace covec::jit {

Prepared::Prepared() : pool(Pool::create()) {}
Prepared::~Prepared() = default;

int64_t FixedType::elements() const { return shape().elements(); }

}  // namespace covec::jit
