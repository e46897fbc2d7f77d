// How two texts differ, line by line, in the form of diff -u without its heads.
#pragma once

#include <string>

namespace covec::test {

std::string line_diff(const std::string& expected, const std::string& found);

}  // namespace covec::test
