// The stored index cases (stored/index_cases.txt, written by make_index_cases.py) as specs and items.
#pragma once

#include <fstream>
#include <sstream>

#include "tests/ops/structure_support.hpp"

namespace covec::test {

struct IndexCase {
  std::string line;
  std::vector<int64_t> dims;
  std::vector<std::string> items;
  std::vector<int64_t> read_dims;
  std::vector<double> read, written, added;
};

inline std::vector<std::string> split(const std::string& text, const std::string& at) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(at, begin)) != std::string::npos; begin = end + at.size())
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

template <class T>
std::vector<T> numbers_in(const std::string& text) {
  std::vector<T> result;
  if (text.empty()) return result;
  for (const std::string& part : split(text, ","))
    result.push_back(static_cast<T>(std::is_integral_v<T> ? std::stoll(part) : std::stod(part)));
  return result;
}

inline std::vector<IndexCase> index_cases() {
  std::ifstream file(COVEC_INDEX_CASES);
  std::vector<IndexCase> cases;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> fields = split(line + " ", "| ");
    for (std::string& field : fields) {
      while (!field.empty() && field.back() == ' ') field.pop_back();
    }
    IndexCase one{line,
                  numbers_in<int64_t>(fields[0]),
                  {},
                  numbers_in<int64_t>(fields[2]),
                  numbers_in<double>(fields[3]),
                  numbers_in<double>(fields[4]),
                  numbers_in<double>(fields[5])};
    std::istringstream items(fields[1]);
    for (std::string item; items >> item;) one.items.push_back(item);
    cases.push_back(one);
  }
  return cases;
}

class IndexEngine : public Engine {
 protected:
  struct Index {
    IndexSpec spec;
    std::vector<Value> items;
  };

  Value array(const std::string& text) {
    const size_t open = text.find('('), close = text.find(')');
    const auto shape = numbers_in<int64_t>(text.substr(open + 1, close - open - 1));
    const std::string elements = text.substr(close + 1);
    return text[0] == 'm' ? mask(shape, numbers_in<uint8_t>(elements)) : i64(shape, numbers_in<int64_t>(elements));
  }

  Index parse(const std::vector<std::string>& items) {
    using Item = IndexSpec::Item;
    Index index;
    for (const std::string& text : items) {
      if (text == "...") {
        index.spec.push(Item::ellipsis);
      } else if (text == "newaxis") {
        index.spec.push(Item::newaxis);
      } else if (text[0] == 'i' || text[0] == 'm') {
        index.spec.push(Item::at);
        index.items.push_back(array(text));
      } else if (text[0] == 'b') {
        index.spec.push(Item::at);
        index.items.push_back(Value(text == "b1"));
      } else if (text.find(':') != std::string::npos) {
        const auto parts = split(text, ":");
        index.spec.push(Item::slice, !parts[0].empty(), !parts[1].empty(), !parts[2].empty());
        for (const std::string& part : parts) {
          if (!part.empty()) index.items.emplace_back(static_cast<int64_t>(std::stoll(part)));
        }
      } else {
        index.spec.push(Item::at);
        index.items.emplace_back(static_cast<int64_t>(std::stoll(text)));
      }
    }
    return index;
  }
};

}  // namespace covec::test
