// What goes wrong in prepared calls, and what cannot be prepared.
#include "prepared.hpp"

namespace {

// --- errors of the program: as the session has them, and the worker goes on ---

struct Wrong {
  const char* text;  // the program; the function is f
  const char* types;
  std::vector<int64_t> bad;  // for the inputs that are i64
};

void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.text; }

class PreparedErrors : public testing::TestWithParam<Wrong> {};

void set_integers(PreparedCall& call, const std::vector<int64_t>& numbers) {
  size_t next = 0;
  for (size_t i = 0; i < call.in.size(); ++i) {
    if (call.in_types[i].dtype == COVEC_I64 && call.in_types[i].rank == 0) call.set(i, numbers.at(next++));
  }
}

TEST_P(PreparedErrors, AsTheSession) {
  Program program(GetParam().text);
  covec_value* const f = program.get("f");
  PreparedCall call(program.session, f, GetParam().types);
  ASSERT_NE(call.worker, nullptr);
  ASSERT_EQ(call.run(), COVEC_OK) << call.message();
  const std::vector<Bytes> good_in = call.in, good = call.out;
  set_integers(call, GetParam().bad);
  EXPECT_EQ(call.run(), COVEC_ERROR);
  EXPECT_EQ(call.out, good);  // as they were
  std::vector<covec_value*> args;
  for (size_t i = 0; i < call.in.size(); ++i) {
    const covec_type& type = call.in_types[i];
    covec_value* arg = nullptr;
    ASSERT_EQ(covec_lend(program.session, type.dtype, type.rank, type.dims, call.in[i].data(), nullptr, nullptr, &arg),
              COVEC_OK);
    args.push_back(program.hold(arg));
  }
  ASSERT_EQ(covec_call(program.session, f, args.data(), args.size(), nullptr), COVEC_ERROR);
  EXPECT_EQ(call.kind(), program.kind());
  EXPECT_EQ(call.message(), program.message());
  EXPECT_EQ(call.place(), std::string(covec_error_file(program.session)) + ":" +
                              std::to_string(covec_error_line(program.session)) + ":" +
                              std::to_string(covec_error_column(program.session)));
  call.in = good_in;
  for (size_t i = 0; i < call.in.size(); ++i)
    ASSERT_EQ(covec_worker_bind_input(call.worker, i, call.in[i].data()), COVEC_OK);
  EXPECT_EQ(call.run(), COVEC_OK);
  EXPECT_EQ(call.message() + call.kind(), "");
  EXPECT_EQ(call.out, good);
}

const Wrong wrong[] = {
    {"fn f(x, i) = x[i] * 2", "f64[5], i64", {5}},
    {"fn f(x, i) {\n  s = 0.0\n  for k in range(3) { s += x[k + i] }\n  return s\n}", "f64[5], i64", {4}},
    {"fn f(x, i) { y = x\n y[i] = 2.0\n return y }", "f64[5], i64", {-6}},
    {"fn f(a, b) = a // (b - 2)", "i64, i64", {1, 2}},
    {"fn f(a, b) = a % (b - 2) + 1", "i64, i64", {1, 2}},
    {"fn inner(x, i) = x[i]\nfn f(x, i) =\n  inner(x, i) + 1", "f64[5], i64", {9}},
    {"fn f(a, i) = solve(a * 0.0 + (9.0 - i) * eye(3), a[0])", "f64[3, 3], i64", {9}},
    {"fn f(x, i) { if i > 3 { error(\"too large\") }\n return x }", "f64, i64", {4}},
    {"fn f(x, i) { assert i < 4\n return x }", "f64, i64", {4}},
    {"fn f(x, i) { assert i < 4, \"small ones only\"\n return x }", "f64, i64", {4}},
    {"fn f(x, i) = sum(x[[0, i]])", "f64[5], i64", {7}},
    {"import nn\nfn f(x, i) = nn.cross_entropy(x, stack((i, i)))", "f64[2, 5], i64", {7}},
    {"fn f(x, i) = grad(x -> x[i] * x[0])(x)", "f64[5], i64", {7}},
    {"fn h(x, i) = x[i] * x\nfn f(x, i) = jacobian(x -> h(x, i))(x)", "f64[5], i64", {7}},
    {"fn f(x, i) { if i > 4 { y = x }\n return y if i > 3 else x }", "f64, i64", {4}},
    {"fn f(i) { x = 2^(i + 1)\n return x }", "i64", {-4}},
};

INSTANTIATE_TEST_SUITE_P(All, PreparedErrors, testing::ValuesIn(wrong));

TEST(PreparedErrors, OfRecursion) {
  Program program("fn f(n) { if n < 1 { return 1 }\n return f(n - 1) + 1 }");
  PreparedCall call(program.session, program.get("f"), "i64");
  call.set(0, int64_t{50});
  ASSERT_EQ(call.run(), COVEC_OK) << call.message();
  EXPECT_EQ(call.number<int64_t>(), 51);
  call.set(0, int64_t{1000000});
  EXPECT_EQ(call.run(), COVEC_ERROR);
  EXPECT_EQ(call.kind(), "limit");
  call.set(0, int64_t{5});
  EXPECT_EQ(call.run(), COVEC_OK);
}

// --- what cannot be prepared ---

std::string refusal(const char* text, const char* types) {
  Program program(text);
  covec_prepared* prepared = nullptr;
  const covec_status status = covec_prepare(program.session, program.get("f"), types, &prepared);
  EXPECT_EQ(prepared, nullptr);
  covec_prepared_release(prepared);
  return status == COVEC_ERROR ? program.message() : status == COVEC_OK ? "prepared" : "misuse: " + program.message();
}

TEST(PreparedRefusals, SayWhy) {
  struct {
    const char *text, *types, *why;
  } const cases[] = {
      {"fn f(x) { print(x)\n return x }", "f64", "`print` prints"},
      {"fn f(x) = x + rand()", "f64", "draws random numbers"},
      {"fn f(x) { t = time()\n return x }", "f64", "reaches outside of the program"},
      {"fn f(x) { t = load(\"none.npy\")\n return x }", "f64", "reaches outside of the program"},
      {"fn f(x) { seed(3)\n return x }", "f64", "`seed` changes a value that calls share"},
      {"import parallel\nfn f(x) = parallel.all_sum(x)", "f64[3]",
       "`parallel.all_sum` is a collective: it needs the other"},
      {"import parallel\nfn f(x) { parallel.sum(i -> i, 4)\n return x }", "f64",
       "`parallel.sum` is a collective: it needs"},
      {"import parallel\nfn f(x) = x * parallel.sum(i -> i, 4)", "f64",
       "the type of what a collective gives is known only"},
      {"fn f(x) = exit(3)", "f64", "`exit` reaches outside of the program"},
      {"fn f(x) = sort(x, by=y -> -y)", "f64[4]", "known only at run time"},
      {"fn f(x: f64[3]) = x", "i64[3]", "`x` must be f64[3], got i64[3]"},
      {"fn f(x) = \"a\"", "f64", "it gives a string, which is neither a number nor a tensor"},
      {"fn f(x) { }", "f64", "it gives none, which is neither a number nor a tensor"},
      {"fn f(x) = (x, y -> y)", "f64", "it gives a function, which is neither a number nor a tensor"},
      {"fn f(x, n) = x + zeros(n)", "f64, i64", "extents are known only at run time"},
      {"fn f(x) = x[x > 0]", "f64[4]", "extents are known only at run time"},
      {"fn f(x, i) { if i > 0 { return \"a\" }\n return x }", "f64, i64",
       "a value whose type is known only at run time"},
      {"fn f(x) { try { return x } catch err { return 0.0 } }", "f64", "cannot be prepared: "},
      {"fn f(*xs) = xs[0]", "f64, f64", "it takes any number of arguments"},
      {"fn f(x: f32) = x", "f64", "f32"},
      {"fn f(x: f64[3]) = x", "f64[4]", "`x` must be f64[3]"},
      {"fn f(x) = x", "f64, f64", "f"},
      {"fn f(x) = x", nullptr, "the type of 'x' is not known with its extents"},
      {"fn f(x: f64[n]) = x", nullptr, "the type of 'x' is not known with its extents"},
      {"f = grad(x -> x * x)", nullptr, "the types of the parameters are not known"},
      {"fn f(x) = x", "f64[_]", "'_' is not an extent"},
      {"fn f(x) = x", "f64[-1]", "'-1' is not an extent"},
      {"fn f(x) = x", "f64[99999999999999999999]", "is not an extent"},
      {"fn f(x) = x", "f64[1000000000, 1000000000, 1000000000]", "memory"},
      {"fn f(x) = x", "f64[3", "the types end too early"},
      {"fn f(x) = x", "f65", "'f65' is not a dtype"},
      {"fn f(x) = x", "f64[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "16 axes"},
      {"fn f(x) = x + zeros(4)", "f64[3]", "f64[4]"},
  };
  for (const auto& each : cases) {
    EXPECT_NE(refusal(each.text, each.types).find(each.why), std::string::npos)
        << each.text << "\n  says " << refusal(each.text, each.types);
  }
  EXPECT_NE(refusal("fn f(x) = x", std::string(400, '(').c_str()).find("too deep"), std::string::npos);
}

TEST(PreparedRefusals, HaveAPlace) {
  Program program("fn g(x) = x + rand()\nfn f(x) =\n  g(x) * 2");
  covec_prepared* prepared = nullptr;
  ASSERT_EQ(covec_prepare(program.session, program.get("f"), "f64", &prepared), COVEC_ERROR);
  EXPECT_STREQ(covec_error_file(program.session), "program");
  EXPECT_EQ(covec_error_line(program.session), 1u);
  EXPECT_EQ(covec_error_column(program.session), 15u);
}

TEST(PreparedRefusals, OfSharedMemory) {
  Program program("w = 1\nfn f(x) = x + w");
  const double elements[3] = {1, 2, 3};
  const int64_t dims[1] = {3};
  covec_value* const w = program.made([&](covec_value** value) {
    return covec_lend(program.session, COVEC_F64, 1, dims, elements, nullptr, nullptr, value);
  });
  ASSERT_EQ(covec_set(program.session, "w", w), COVEC_OK);
  covec_prepared* prepared = nullptr;
  EXPECT_EQ(covec_prepare(program.session, program.get("f"), "f64", &prepared), COVEC_ERROR);
  EXPECT_NE(program.message().find("the host's memory"), std::string::npos) << program.message();
}

// --- misuse ---

TEST(PreparedMisuse, IsTold) {
  Program program("fn f(x, y) = (x + y, x - y)");
  covec_session* const session = program.session;
  covec_value* const f = program.get("f");
  covec_prepared* prepared = nullptr;
  EXPECT_EQ(covec_prepare(nullptr, f, "f64, f64", &prepared), COVEC_MISUSE);
  EXPECT_EQ(covec_prepare(session, nullptr, "f64, f64", &prepared), COVEC_MISUSE);
  EXPECT_EQ(covec_prepare(session, f, "f64, f64", nullptr), COVEC_MISUSE);
  EXPECT_EQ(covec_prepare(session, program.number(1), "f64", &prepared), COVEC_ERROR);
  EXPECT_EQ(program.kind(), "type");
  ASSERT_EQ(covec_prepare(session, f, "f64[3], f64[3]", &prepared), COVEC_OK);
  covec_type type;
  EXPECT_EQ(covec_prepared_inputs(prepared), 2u);
  EXPECT_EQ(covec_prepared_outputs(prepared), 2u);
  EXPECT_EQ(covec_prepared_inputs(nullptr) + covec_prepared_outputs(nullptr), 0u);
  EXPECT_EQ(covec_prepared_input(prepared, 2, &type), COVEC_MISUSE);
  EXPECT_EQ(covec_prepared_output(prepared, 2, &type), COVEC_MISUSE);
  EXPECT_EQ(covec_prepared_input(prepared, 0, nullptr), COVEC_MISUSE);
  EXPECT_EQ(covec_prepared_input(nullptr, 0, &type), COVEC_MISUSE);
  EXPECT_EQ(covec_prepared_output(nullptr, 0, &type), COVEC_MISUSE);
  ASSERT_EQ(covec_prepared_output(prepared, 1, &type), COVEC_OK);
  EXPECT_EQ(type.dtype, COVEC_F64);
  EXPECT_EQ(type.rank, 1u);
  EXPECT_EQ(type.dims[0], 3);
  EXPECT_EQ(type.bytes, 24u);

  covec_worker* worker = nullptr;
  EXPECT_EQ(covec_worker_open(nullptr, &worker), COVEC_MISUSE);
  EXPECT_EQ(covec_worker_open(prepared, nullptr), COVEC_MISUSE);
  ASSERT_EQ(covec_worker_open(prepared, &worker), COVEC_OK);
  covec_prepared_release(prepared);
  covec_prepared_release(nullptr);
  double memory[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(covec_worker_run(worker), COVEC_MISUSE);
  EXPECT_STREQ(covec_worker_error_message(worker), "an input or output is not bound");
  EXPECT_STREQ(covec_worker_error_kind(worker), "misuse");
  EXPECT_STREQ(covec_worker_error_file(worker), "");
  EXPECT_EQ(covec_worker_error_line(worker) + covec_worker_error_column(worker), 0u);
  EXPECT_EQ(covec_worker_bind_input(worker, 2, memory), COVEC_MISUSE);
  EXPECT_EQ(covec_worker_bind_output(worker, 2, memory), COVEC_MISUSE);
  EXPECT_EQ(covec_worker_bind_input(worker, 0, nullptr), COVEC_MISUSE);
  EXPECT_EQ(covec_worker_bind_output(worker, 0, nullptr), COVEC_MISUSE);
  EXPECT_EQ(covec_worker_bind_input(worker, 0, reinterpret_cast<char*>(memory) + 4), COVEC_MISUSE);
  EXPECT_EQ(covec_worker_bind_input(worker, 0, memory), COVEC_OK);
  EXPECT_EQ(covec_worker_bind_input(worker, 1, memory + 3), COVEC_OK);
  EXPECT_EQ(covec_worker_bind_output(worker, 0, memory + 5), COVEC_OK);
  EXPECT_EQ(covec_worker_bind_output(worker, 1, memory + 6), COVEC_OK);
  EXPECT_EQ(covec_worker_run(worker), COVEC_MISUSE);
  EXPECT_STREQ(covec_worker_error_message(worker), "two outputs share the same memory");
  // Inputs may be outputs: all is read before anything is written.
  EXPECT_EQ(covec_worker_bind_output(worker, 0, memory + 1), COVEC_OK);
  EXPECT_EQ(covec_worker_bind_output(worker, 1, memory + 4), COVEC_OK);
  ASSERT_EQ(covec_worker_run(worker), COVEC_OK) << covec_worker_error_message(worker);
  const double wanted[9] = {1, 5, 7, 9, -3, -3, -3, 8, 9};
  EXPECT_EQ(std::memcmp(memory, wanted, sizeof memory), 0);
  EXPECT_EQ(covec_worker_close(worker), COVEC_OK);
  EXPECT_EQ(covec_worker_close(nullptr), COVEC_OK);
  EXPECT_EQ(covec_worker_run(nullptr), COVEC_MISUSE);
  EXPECT_EQ(covec_worker_bind_input(nullptr, 0, memory), COVEC_MISUSE);
  EXPECT_EQ(covec_worker_bind_output(nullptr, 0, memory), COVEC_MISUSE);
  covec_worker_interrupt(nullptr);
  EXPECT_STREQ(covec_worker_error_kind(nullptr), "");
  EXPECT_STREQ(covec_worker_error_message(nullptr), "");
  EXPECT_STREQ(covec_worker_error_file(nullptr), "");
  EXPECT_EQ(covec_worker_error_line(nullptr) + covec_worker_error_column(nullptr), 0u);
}

// Results that are views of inputs, where outputs lie in the same memory.
TEST(PreparedMisuse, OutputsMayLieWhereInputsDo) {
  Program program("fn f(x, y) = (y, x[::-1])");
  PreparedCall call(program.session, program.get("f"), "f64[20], f64[20]");
  const std::vector<Bytes> wanted = called(program.session, program.get("f"), call);
  for (size_t i = 0; i < 2; ++i) ASSERT_EQ(covec_worker_bind_output(call.worker, i, call.in[i].data()), COVEC_OK);
  ASSERT_EQ(call.run(), COVEC_OK);
  EXPECT_EQ(call.in, wanted);
}

TEST(PreparedMisuse, BoolsAreLookedAt) {
  Program program("fn f(x) = not x");
  PreparedCall call(program.session, program.get("f"), "bool[9]");
  ASSERT_EQ(call.run(), COVEC_OK);
  call.in[0][7] = std::byte(2);
  EXPECT_EQ(call.run(), COVEC_MISUSE);
  EXPECT_EQ(call.message(), "a bool is neither 0 nor 1");
}

}  // namespace
