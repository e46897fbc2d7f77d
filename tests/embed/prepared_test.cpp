// Prepared calls: the same bits as the session's calls, errors with their places, refusals, and what they outlive.
#include "prepared.hpp"

namespace {

struct Same {
  const char* function;
  const char* types;
};

void PrintTo(const Same& same, std::ostream* out) { *out << same.function << " for " << same.types; }

constexpr const char* program_text = R"(
fn powers(x, n: i64) { y = 1.0
 for i in range(n) { y = y * x + i }
 return y }
fn newton(x) { y = x
 while abs(y * y - x) > 1e-12 { y = (y + x / y) / 2 }
 return y }
fn branch(x) { if x > 1.0 { return x * 2 }
 return x - 3 }
fn fib(n) { if n < 2 { return n }
 return fib(n - 1) + fib(n - 2) }
fn halve(x, n) { if n < 1 { return x }
 return halve(x * 0.5 + x[0], n - 1) }
fn set(x) { y = x
 y[1] = 7.0
 y[0] = y[2]
 return y }
fn sums(x) { s = 0.0
 for i in range(len(x)) { s += x[i] * x[len(x) - 1 - i] }
 return s }
fn gather(x, i) = x[i]
fn scatter(x, i) { y = zeros(6)
 y[i] += x
 return y }
fn loss(x) { s = 0.0
 for i in range(10) { s = s + sin(x[i % len(x)]) * i }
 return s }
w = randn(8, 5)
scale = 3.0
fn layer(x) = tanh(w @ x) * scale
fn record(x) = {sum: sum(x), all: (x, x[0])}
vmap_loss = x -> sum(vmap(y -> sum(y * y) if y[0] > 0.7 else sum(y))(x))
fn find(x) { for i in range(len(x)) { if x[i] > 2.0 { return i } }
 return -1 }
fn largest(x) { best = x[0]
 for v in x { best = v if v > best else best }
 return best }
fn growing(x, n) { xs = list()
 for i in range(n + 3) { xs.push(x * i) }
 return (sum(stack(xs)), len(xs)) }
fn matrix(a) { for i in range(1, 6) { for j in range(i) { a[i, j] = a[i, j] * a[i - 1, j] + a[j, i] } }
 return a }
net = {w: randn(3), b: 0.5}
fn quadratic(x, a=2.0, b=1.0) = a * x * x + b
)";

class PreparedSame : public testing::TestWithParam<Same> {};

TEST_P(PreparedSame, AsTheSession) {
  Program program(program_text);
  covec_value* const function = program.value_of(GetParam().function);
  PreparedCall call(program.session, function, GetParam().types);
  ASSERT_NE(call.worker, nullptr);
  const std::vector<Bytes> before = call.in;
  for (int run = 0; run < 3; ++run) {
    for (Bytes& bytes : call.out) std::fill(bytes.begin(), bytes.end(), std::byte(0xee));
    ASSERT_EQ(call.run(), COVEC_OK) << call.message();
    EXPECT_EQ(call.out, called(program.session, function, call));
    EXPECT_EQ(call.in, before);
  }
}

const Same same[] = {
    {"x -> sin(x) * x + 1", "f64"},
    {"(x, y) -> (x * y, x - y)", "f64, f64"},
    {"(a, b) -> a // (b + 1) + a % (b + 2)", "i64, i64"},
    {"x -> x * 2 + 1", "f32"},
    {"x -> x * 2 + 1", "f16"},
    {"x -> x * 2 + 1", "bf16[40]"},
    {"x -> not x", "bool"},
    {"x -> x", "f64[3]"},
    {"sin", "f64[4]"},
    {"x -> exp(x) * 2 + x[0]", "f64[5]"},
    {"x -> exp(x) * 2 + x[0]", "f64[5000]"},
    {"x -> sum(x * x, axis=0)", "f64[100, 40]"},
    {"x -> (sum(x), max(x), mean(x), std(x))", "f32[1000]"},
    {"(a, b) -> a @ b", "f64[7, 5], f64[5, 9]"},
    {"(a, b) -> a @ b + 1", "f32[100, 70], f32[70, 90]"},
    {"a -> transpose(a)", "f64[30, 40]"},
    {"a -> a[::-1, 1:3]", "f64[30, 40]"},
    {"x -> 4.5", "f64"},
    {"() -> zeros(3) + 1", ""},
    {"x -> zeros(0) + x", "f64"},
    {"x -> x + 1", "f64[0, 3]"},
    {"powers", "f64, i64"},
    {"(x, i) -> (sin if i > 0 else cos)(x)", "f64, i64"},
    {"newton", "f64"},
    {"branch", "f64"},
    {"fib", "i64"},
    {"halve", "f64[3], i64"},
    {"set", "f64[3]"},
    {"set", "f64[300]"},
    {"sums", "f64[30]"},
    {"gather", "f64[30], i64[5]"},
    {"scatter", "f64[5], i64[5]"},
    {"layer", "f64[5]"},
    {"record", "f64[5]"},
    {"quadratic", "f64"},
    {"quadratic", "f64, f64"},
    {"grad(x -> sum(sin(x) * x))", "f64[3]"},
    {"grad(x -> x * x * x)", "f64"},
    {"grad(compile(newton))", "f64"},
    {"compile(grad(loss))", "f64[3]"},
    {"value_and_grad(x -> sum(layer(x)))", "f64[5]"},
    {"grad((x, y) -> sum(x * y), wrt=(0, 1))", "f64[3], f64[3]"},
    {"jacobian(layer)", "f64[5]"},
    {"jacobian(x -> stack((x[0] * x[1], sin(x[2]))))", "f64[3]"},
    {"hessian(x -> sum(x * x * x))", "f64[3]"},
    {"vmap(x -> sum(x) * x)", "f64[4, 3]"},
    {"vmap(newton)", "f64[4]"},
    {"grad(x -> sum(halve(x, 3)))", "f64[3]"},
    {"(a, b) -> solve(a + 9 * eye(4), b)", "f64[4, 4], f64[4]"},
    {"(a, b) -> solve(a + 90 * eye(40), b)", "f64[40, 40], f64[40]"},
    {"grad((a, b) -> sum(solve(a + 9 * eye(4), b)))", "f64[4, 4], f64[4]"},
    {"a -> inv(a + 9 * eye(3))", "f64[3, 3]"},
    {"a -> cholesky(a @ transpose(a) + 9 * eye(5))", "f64[5, 5]"},
    {"x -> sort(x)", "f64[20]"},
    {"x -> cumsum(x)", "f64[20]"},
    {"x -> where(x > 1, x, -x)", "f64[20]"},
    {"x -> concat((x, x * 2))", "f64[20]"},
    {"x -> reshape(x, 4, 5)", "f64[20]"},
    {"x -> [i * x for i in range(3)]", "f64"},
    {"x -> argmax(x)", "f64[20]"},
    {"x -> svd(x)", "f64[4, 4]"},
    {"x -> qr(x)", "f64[4, 4]"},
    {"x -> eigh(x + transpose(x))", "f64[4, 4]"},
    {"x -> lu(x)", "f64[4, 4]"},
    {"(x, y) -> lstsq(x, y)", "f64[6, 4], f64[6]"},
    {"x -> pinv(x)", "f64[4, 4]"},
    {"x -> expm(x * 0.01)", "f64[4, 4]"},
    {"x -> slogdet(x)", "f64[4, 4]"},
    {"x -> logdet(x@transpose(x)+eye(4))", "f64[4, 4]"},
    {"x -> trace(x)", "f64[4, 4]"},
    {"(x,y) -> convolve(x,y)", "f64[16], f64[3]"},
    {"(x,y) -> conv1d(x,y)", "f64[1, 2, 16], f64[3, 2, 3]"},
    {"x -> quantile(x, 0.5)", "f64[16]"},
    {"x -> median(x)", "f64[16]"},
    {"x -> topk(x, 3)", "f64[16]"},
    {"x -> argsort(x)", "f64[16]"},
    {"x -> sort(x, axis=0)", "f64[4, 4]"},
    {"x -> cumprod(x)", "f64[16]"},
    {"x -> diff(x)", "f64[16]"},
    {"x -> tril(x)", "f64[4, 4]"},
    {"x -> kron(x,x)", "f64[4, 4]"},
    {"x -> outer(x,x)", "f64[4]"},
    {"x -> tile(x,2)", "f64[4]"},
    {"x -> repeat(x,2)", "f64[4]"},
    {"x -> roll(x,2)", "f64[4]"},
    {"x -> flip(x)", "f64[4]"},
    {"x -> pad(x,(1,1))", "f64[4]"},
    {"x -> softmax(x)", "f64[4]"},
    {"x -> logsumexp(x)", "f64[4]"},
    {"x -> norm(x)", "f64[4]"},
    {"x -> diag(x)", "f64[4]"},
    {"x -> var(x)", "f64[4]"},
    {"x -> all(x > 1)", "f64[4]"},
    {"x -> clip(x, 1.0, 2.0)", "f64[4]"},
    {"x -> round(x)", "f64[4]"},
    {"x -> erf(x)", "f64[4]"},
    {"x -> gamma(x)", "f64[4]"},
    {"(x,y) -> polyval(x,y)", "f64[4], f64[5]"},
    {"(x,y) -> cross(x,y)", "f64[3], f64[3]"},
    {"(x,y) -> dot(x,y)", "f64[3], f64[3]"},
    {"(x,y) -> searchsorted(x, y)", "f64[6], f64[6]"},
    {"x -> stack([x, x])", "f64[6]"},
    {"x -> concat([x, x, x])", "f64[6]"},
    {"x -> linspace(0.0, 1.0, 5) * x", "f64"},
    {"x -> arange(5) * x", "f64"},
    {"x -> x^3 + x^0.5", "f64[5]"},
    {"x -> matrix_power(x, 3)", "f64[4, 4]"},
    {"x -> sum(x, axis=(0, 1))", "f64[3, 4, 5]"},
    {"x -> mean(x, axis=1)", "f64[30, 40]"},
    {"x -> max(x, axis=1)", "f64[30, 40]"},
    {"x -> argmax(x, axis=1)", "f64[30, 40]"},
    {"x -> x[1:, ::2]", "f64[30, 40]"},
    {"x -> x[..., 0]", "f64[30, 40]"},
    {"(x, y) -> x @ y", "f64[3, 4], f64[4]"},
    {"(x, y) -> x @ y", "f64[2, 3, 4], f64[2, 4, 3]"},
    {"grad(x -> sum(cumsum(x) * x))", "f64[6]"},
    {"grad(x -> sum(sort(x) * x))", "f64[6]"},
    {"grad(x -> sum(concat([x, x]) * 2))", "f64[6]"},
    {"grad(x -> max(x))", "f64[6]"},
    {"grad(x -> sum(max(x, axis=1)))", "f64[6, 4]"},
    {"grad(x -> sum(softmax(x) * x))", "f64[6]"},
    {"grad(x -> logsumexp(x))", "f64[6]"},
    {"grad(x -> norm(x))", "f64[6]"},
    {"grad(x -> sum(x[1:] * x[:-1]))", "f64[6]"},
    {"grad(x -> sum(tanh(x @ x)))", "f64[6, 6]"},
    {"grad(x -> det(x))", "f64[4, 4]"},
    {"grad(x -> sum(inv(x)))", "f64[4, 4]"},
    {"grad(x -> logdet(x@transpose(x)+eye(4)))", "f64[4, 4]"},
    {"grad(x -> mean(x * x) + std(x))", "f64[40]"},
    {"hessian(x -> sum(x * x * x) + x[0] * x[1])", "f64[6]"},
    {"jacobian(x -> cumsum(x) * x)", "f64[6]"},
    {"vmap(x -> solve(x, x[0]))", "f64[3, 4, 4]"},
    {"vmap(x -> sort(x))", "f64[3, 4]"},
    {"(x, y) -> einsum(\"ij,jk->ik\", x, y)", "f64[3, 4], f64[4, 5]"},
    {"vmap(vmap((x, y) -> x * sin(y)))", "f32[3, 4], f32[3, 4]"},
    {"grad(grad(x -> sin(x) * x * x))", "f64"},
    {"jacobian(grad(x -> sum(x * x * x) * x[1]))", "f64[5]"},
    {"value_and_grad(vmap_loss)", "f64[4, 3]"},
    {"x -> stack((x[0], 2.5, x[1] * x[0]))", "f64[3]"},
    {"x -> { y = stack((x[0], x[1])); return (y, y, sum(y)) }", "f32[3]"},
    {"value_and_grad(x -> sin(x[0]) * x[1] + x[2] * x[2])", "f64[3]"},
    {"jacobian(x -> stack((x[0] * x[1], x[1])))", "f64[2]"},
    {"find", "f64[9]"},
    {"largest", "f64[9]"},
    {"growing", "f64, i64"},
    {"matrix", "f64[6, 6]"},
    {"p -> p * net.w + net.b", "f64[3]"},
};

INSTANTIATE_TEST_SUITE_P(All, PreparedSame, testing::ValuesIn(same));

}  // namespace
