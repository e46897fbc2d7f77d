// What the tests of staging share: functions that run on either engine, and the comparison of the two.
#pragma once

#include <functional>

#include "tests/ops/entries_support.hpp"
#include "tests/staging/recorder.hpp"

namespace covec::test {

using Function = std::function<Value(ops::Builder&, std::span<Value>)>;

// A function of the test as a callable.
Value wrap(Function f);
// Records f on Symbols, runs that, and compares with f itself. False where f cannot be staged.
bool check_staged(Language& language, const Function& f, const std::vector<Value>& operands);

bool is_float_value(const Value& value);
// Like `value`, but other numbers; none for what has no derivative.
Value direction(ops::Builder& b, const Value& value);
// x -> all cotangents of f at x, of a cotangent of its result.
Function gradient_of(const Value& f, std::vector<Value> cotangent);
// Three examples like `value`.
Value stacked(ops::Builder& b, const Value& value);

}  // namespace covec::test
