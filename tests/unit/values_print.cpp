// Printing: numbers as Python writes them, tensors in NumPy's layout with commas.
#include <cmath>

#include "stdlib/tensor/print.hpp"
#include "values_support.hpp"

namespace covec {
namespace {

TEST(PrintNumbers, ShortestThatReadsBack) {
  EXPECT_EQ(text_of(1.0), "1.0");
  EXPECT_EQ(text_of(-0.0), "-0.0");
  EXPECT_EQ(text_of(0.1), "0.1");
  EXPECT_EQ(text_of(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(text_of(1e300), "1e+300");
  EXPECT_EQ(text_of(1.5e-7), "1.5e-07");
  EXPECT_EQ(text_of(100000.0), "100000.0");
  EXPECT_EQ(text_of(1e15), "1000000000000000.0");
  EXPECT_EQ(text_of(1e16), "1e+16");
  EXPECT_EQ(text_of(0.0001), "0.0001");
  EXPECT_EQ(text_of(0.00001), "1e-05");
  EXPECT_EQ(text_of(5e-324), "5e-324");
  EXPECT_EQ(text_of(123456.789), "123456.789");
  EXPECT_EQ(text_of(0.1f), "0.1");
  EXPECT_EQ(text_of(16777216.0f), "16777216.0");
  EXPECT_EQ(text_of(1.17549435e-38f), "1.1754944e-38");
  EXPECT_EQ(text_of(INFINITY), "inf");
  EXPECT_EQ(text_of(-static_cast<double>(INFINITY)), "-inf");
  EXPECT_EQ(text_of(NAN), "nan");
  EXPECT_EQ(text_of(-static_cast<double>(NAN)), "nan");
  EXPECT_EQ(text_of(int64_t{INT64_MIN}), "-9223372036854775808");
  EXPECT_EQ(text_of(true), "true");
  EXPECT_EQ(text_of(3.14159265358979, 3), "3.14");
}

TEST_F(Values, PrintRows) {
  EXPECT_EQ(text_of(f64({3}, {1, 2.5, 100})), "[1.0, 2.5, 100.0]");
  EXPECT_EQ(text_of(f32({2}, {0.1f, -2})), "[0.1, -2.0]");
  EXPECT_EQ(text_of(i64({3}, {1, -20, 300})), "[1, -20, 300]");
  EXPECT_EQ(text_of(tensor<uint8_t>(Dtype::boolean, {2}, {1, 0})), "[true, false]");
  EXPECT_EQ(text_of(f64({3}, {NAN, INFINITY, -INFINITY})), "[nan, inf, -inf]");
  EXPECT_EQ(text_of(f64({1, 2}, {1, 2.25})), "[[1.0, 2.25]]");
  EXPECT_EQ(text_of(make_tensor(pool, Dtype::f64, Shape{0, 3})), "[] (f64[0, 3])");
  EXPECT_EQ(text_of(make_tensor(pool, Dtype::i32, Shape{0})), "[] (i32[0])");
}

TEST_F(Values, PrintEightDigitsOrMore) {
  EXPECT_EQ(text_of(f64({2}, {1.0 / 3, 200.0 / 3})), "[0.33333333, 66.666667]");
  EXPECT_EQ(text_of(f64({2}, {1.0 / 3, 200.0 / 3}), 17), "[0.3333333333333333, 66.66666666666667]");
  EXPECT_EQ(text_of(f64({2}, {1.0 / 3, 200.0 / 3}), 3), "[0.333, 66.7]");
}

TEST_F(Values, PrintMatrices) {
  EXPECT_EQ(text_of(f64({2, 2}, {1, 2.25, -13.5, 4})),
            "[[  1.0 ,   2.25],\n"
            " [-13.5 ,   4.0 ]]");
  EXPECT_EQ(text_of(i64({2, 3}, {1, 2, 3, 40, 50, -60})),
            "[[  1,   2,   3],\n"
            " [ 40,  50, -60]]");
  EXPECT_EQ(text_of(tensor<uint8_t>(Dtype::boolean, {2, 2}, {1, 0, 0, 1})),
            "[[ true, false],\n"
            " [false,  true]]");
  EXPECT_EQ(text_of(f64({2, 2}, {1, NAN, -INFINITY, 0.5})),
            "[[ 1.0,  nan],\n"
            " [-inf,  0.5]]");
  EXPECT_EQ(text_of(i64({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})),
            "[[[1, 2],\n"
            "  [3, 4]],\n"
            "\n"
            " [[5, 6],\n"
            "  [7, 8]]]");
}

TEST_F(Values, PrintScientificWhenTheRangeIsLarge) {
  EXPECT_EQ(text_of(f64({2}, {1e10, 1.5})), "[1.0e+10, 1.5e+00]");
  EXPECT_EQ(text_of(f64({2}, {1e-5, 1})), "[1e-05, 1e+00]");
  EXPECT_EQ(text_of(f64({2}, {1e-300, 1})), "[1e-300, 1e+000]");
  EXPECT_EQ(text_of(f64({2}, {0.0012345678, 12.345678})), "[1.2345678e-03, 1.2345678e+01]");
  EXPECT_EQ(text_of(f64({3}, {0.001, 1, 2500})), "[0.001, 1.0, 2500.0]") << "short enough without exponents";
  EXPECT_EQ(text_of(f64({2}, {0, 0})), "[0.0, 0.0]");
  EXPECT_EQ(text_of(f64({2}, {1e8, 1})), "[1e+08, 1e+00]");
  EXPECT_EQ(text_of(f64({2}, {1e300, NAN})), "[1e+300, nan]");
}

TEST_F(Values, PrintWrapsLongRows) {
  EXPECT_EQ(text_of(count(25)),
            "[ 0.0,  1.0,  2.0,  3.0,  4.0,  5.0,  6.0,  7.0,  8.0,  9.0, 10.0, 11.0, 12.0,\n"
            " 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0]");
}

TEST_F(Values, PrintEdgesOfLargeTensors) {
  EXPECT_EQ(text_of(count(1001)), "[0.0, 1.0, 2.0, ..., 998.0, 999.0, 1000.0]");
  Value square = make_tensor(pool, Dtype::i64, Shape{40, 40});
  for (int64_t i = 0; i < 1600; ++i) square.tensor().as<int64_t>()[i] = i;
  EXPECT_EQ(text_of(square),
            "[[   0,    1,    2, ...,   37,   38,   39],\n"
            " [  40,   41,   42, ...,   77,   78,   79],\n"
            " [  80,   81,   82, ...,  117,  118,  119],\n"
            " ...,\n"
            " [1480, 1481, 1482, ..., 1517, 1518, 1519],\n"
            " [1520, 1521, 1522, ..., 1557, 1558, 1559],\n"
            " [1560, 1561, 1562, ..., 1597, 1598, 1599]]");
}

TEST_F(Values, PrintTrees) {
  EXPECT_EQ(text_of(record({"w", "b"}, {1.0, f64({2}, {0, 0})})), "{w: 1.0, b: [0.0, 0.0]}");
  EXPECT_EQ(text_of(make_tuple({int64_t{1}, int64_t{2}})), "(1, 2)");
  EXPECT_EQ(text_of(make_tuple({int64_t{1}})), "(1,)");
  EXPECT_EQ(text_of(make_tuple({})), "()");
  EXPECT_EQ(text_of(make_list({int64_t{1}, int64_t{2}})), "list(1, 2)");
  EXPECT_EQ(text_of(record({}, {})), "{}");
  EXPECT_EQ(text_of(make_string("bare \"text\"")), "bare \"text\"");
  EXPECT_EQ(repr_of(make_string("a\n\"b\"")), "\"a\\n\\\"b\\\"\"");
  EXPECT_EQ(text_of(make_tuple({make_string("in"), Value()})), "(\"in\", none)");
  EXPECT_EQ(text_of(make_range(0, 5, 1)), "range(0, 5)");
}

TEST_F(Values, PrintIndentsWhatIsInTrees) {
  const Value w = f64({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(text_of(record({"w", "b"}, {w, f64({2}, {0, 0})})),
            "{w: [[1.0, 2.0],\n"
            "     [3.0, 4.0]],\n"
            " b: [0.0, 0.0]}");
  EXPECT_EQ(text_of(make_list({w, w})),
            "list([[1.0, 2.0],\n"
            "      [3.0, 4.0]],\n"
            "     [[1.0, 2.0],\n"
            "      [3.0, 4.0]])");
}

TEST_F(Values, PrintFillsLinesOfLongTuples) {
  std::vector<Value> numbers;
  for (int64_t i = 100; i < 120; ++i) numbers.push_back(i);
  EXPECT_EQ(text_of(make_tuple(numbers)),
            "(100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115,\n"
            " 116, 117, 118, 119)");
  std::vector<Value> many(2000, Value(int64_t{7}));
  EXPECT_EQ(text_of(make_list(many)), "list(7, 7, 7, ..., 7, 7, 7)");
}

}  // namespace
}  // namespace covec
