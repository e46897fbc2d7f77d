"""Random calls of builtins by what they make: tensors of a wanted class and shape from reductions, rearrangements, products,
factorizations, convolutions, grids and draws, with their options. What takes numbers and gives as many (words.py) is not here.
Start at Vocabulary.builtin()."""


class Vocabulary:
    """A part of Expressions, whose number() makes the operands."""

    def builtin(self, scope, cls, shape, depth):
        make = lambda s, c=cls: self.number(scope, c, tuple(s), min(depth, 1))
        options = self.of_any_rank(make, cls, shape) if shape else self.scalars(make, cls)
        if len(shape) == 1:
            options += self.vectors(make, cls, shape[0])
        if len(shape) == 2:
            options += self.matrices(make, cls, *shape)
        if cls == "f" and self.chance(0.15):
            options = [lambda: self.factorized(make, shape)]
        if len(shape) == 3:
            options += self.stacks(make, cls, *shape)
        return self.choose(options)() if options else None

    def quoted(self, *words):
        return f'"{self.choose(words)}"'

    def axis_of(self, shape):
        return self.random.randint(-len(shape), len(shape) - 1)

    def factorized(self, make, shape):
        """Of the wanted shape by broadcasting: a number that a factorization has, times something."""
        n = self.choose("23")
        number = self.choose(["sum(lu({a})[2])", "sum(lu({a})[1])", "sum(matrix_power({a}, 2))", "sum(matrix_power({a}, -1))", "sum(imag(matrix_power({a} + 1im, 3)))", "sum(imag(lu({a} + 1im)[2]))", "sum(real(lu({a} + 1im)[1]))", "sum(imag(cho_solve(2 + 1im * {a}, {b})))", "sum(real(solve_triangular({a} + 2im, {b}, trans=true)))", "sum(imag(solve_triangular({a} * 1im + 2, {b}, lower=true, unit_diagonal=true)))", "cond({a} + 1im, 1)", "cond({a} * 1im + 2)", "matrix_rank({a} + 1im)", "sum(abs(cov({a} + 1im * {a} @ {a})))", "real(corrcoef({b} + 1im * {b} ^ 2, {b})[0, 1])", "sum(sqrtm({a} @ {a}.T))", "sum(expm(tanh({a})))", "sum(real(logm(expm(tanh({a})))))",
                              "sum(cho_solve({a}, {b}, lower=false))", "sum(cho_solve(cholesky({a} @ {a}.T), {b}))", "sum(solve_triangular({a}, {b}, unit_diagonal=true))", "sum(solve_triangular({a}, {b}, lower=true, trans=true))", "sum(solve_triangular({a}, {b}, trans=true, lower=false))",
                              "sum(tridiagonal_solve(tanh({b}), 4 + tanh({b}), tanh({b}), {b}))", "sum(banded_solve((1, 0), stack((4 + tanh({b}), tanh({b}))), {b}))", "sum({{data: {b}, indices: arange(len({b})), indptr: arange(len({b}) + 1), shape: (len({b}), len({b}))}} @ {b})", "sum({b} @ {{data: {b}, indices: arange(len({b})), indptr: arange(len({b}) + 1), shape: (len({b}), len({b}))}})", "det({a})", "slogdet({a})[1]", "slogdet({a})[0] * 0.5", "logdet({a})", "sum(solve({a}, {b}))", "sum(lstsq({a}, {b}, rcond=1e-9))", "sum(lstsq({a}[:, 1:], {b}))",
                              "sum(abs(qr({a})[1]))", 'sum(abs(qr({a}[:, :1], mode="complete")[0]))', 'sum(qr({a}[:, :1], mode="reduced")[1] ^ 2)', "sum(svd({a}[:1], full_matrices=false)[1])",
                              "sum(svd({a})[1])", "sum(abs(eigvals({a})))", "sum(abs(eig({a})[0]))", "sum(abs(roots([1.0, 0.5, tanh(sum({b}))])))", "sum(schur(stop_gradient({a}))[0] ^ 2)", "real(det({a} + 1im))", "sum(abs(solve({a} * 1im + 2, {b})))",
                              "sum(eigh({a} + {a}.T)[0])", "sum(cholesky({a} @ {a}.T))", "trace(inv({a}))", "sum(pinv({a}[:, :1], rcond=1e-9))", "norm({a}, ord=2)", "norm({a}, -2)", 'norm({a}, "nuc")', "norm({a}, -1)", 'norm({a} + 1im, "nuc")', "norm({a} * 1im + 2, 2)",
                              "det({a} - {a})", "sum(inv({a} @ {a}))", "sum(einsum(\"ij,kj->ik\", {a}, {a}))", "sum(abs(eigh({a} @ {a}.T)[1]))"]).format(a=self.matrix(make, n), b=make((n,)))
        return f"({make(shape)} * {number})" if self.chance(0.7) else f"({number} + {make(shape)})"

    # --- the same shape as an operand ---

    def of_any_rank(self, make, cls, shape):
        k, dims = self.axis_of(shape), ", ".join(shape)
        n = shape[k]
        index = lambda: f"({make(shape, 'i')}) % {n}"
        sides = ", ".join(["(1, 0)"] + ["(0, 0)"] * (len(shape) - 1)) + ("," if len(shape) == 1 else "")
        options = [
            lambda: f"sort({make(shape)}, axis={k}{self.choose(['', ', descending=true', ', descending=false'])})",
            lambda: f"roll({make(shape)}, {self.choose(['1', '-2', '5'])}{self.choose(['', f', axis={k}'])})",
            lambda: f"flip({make(shape)}{self.choose(['', f', axis={k}'])})",
            lambda: f"gather({make(shape)}, {index()}, axis={k})",
            lambda: f"pad({make(shape)}, ({sides}){self.choose(['', ', value=1', ', 0'])})[:-1]",
            lambda: f"pad({make(shape)}, ({sides}), mode={self.quoted('edge', 'constant')})[:-1]",
            lambda: f"pad({make(shape)}, 1)[{', '.join(['1:-1'] * len(shape))}]",
            lambda: f"concat(split({make(shape)}, (1,), axis={k}), axis={k})",
            lambda: f"tile({make(('1',) + shape[1:])}, {', '.join(shape[:1] + ('1',) * (len(shape) - 1))})",
            lambda: f"repeat({make(shape)}, 2, axis={k})[{', '.join(['::2' if a == k % len(shape) else ':' for a in range(len(shape))])}]",
            lambda: f"reshape(ravel({make(shape)}), ({dims},))",
            lambda: f"squeeze(unsqueeze({make(shape)}, {k}), {k})", lambda: f"squeeze(({make(shape)})[newaxis], axis=0)",
            lambda: f"stack(({make(shape)}, {make(shape)}), axis={k % len(shape)})[{':, ' * (k % len(shape))}1]",
            lambda: f"({make(shape)})[..., ::-1]",
            lambda: f"({make(shape)})[newaxis][0]",
            lambda: f"({make(shape)}).T.T",
            lambda: f"windows({make(shape)}, 1, axis={k}{self.choose(['', ', step=1'])})[..., 0]",
            lambda: f"zeros({dims}, dtype={self.dtype_of(cls)})",
            lambda: f"full(({dims},), {make(())}, dtype={self.dtype_of(cls)})",
            lambda: f"choice({make(shape)}, {shape[0]}, replace=true, key=3)",
            lambda: f"permutation({make(shape)}, key=4)",
            lambda: f"permutation({make(shape)})",
            lambda: f"tensor({make(shape)}, dtype={self.dtype_of(cls)})",
            lambda: f"ones_like({make(shape)}, dtype={self.dtype_of(cls)})",
            lambda: f"zeros_like({make(shape)}, dtype={self.dtype_of(cls)})",
        ]
        if cls == "b":
            return options + [lambda: f"isin({make(shape, self.choose('fi'))}, {make(('3',), self.choose('fi'))})", lambda: f"({make(shape + ('2',))})[..., 0]", lambda: f"bool({make(shape, 'i')})",
                              lambda: f"isclose({make(shape, 'f')}, {make(shape, 'f')}{self.choose(['', ', rtol=0.5, atol=0.1', ', equal_nan=true'])})"]
        options += [
            lambda: f"{self.choose(['cummax', 'cummin'])}({make(shape)}, axis={k})",
            lambda: f"diff({make(shape)}, axis={k}, {self.choose(['prepend=0', 'append=1', 'n=2, prepend=0, append=1'])})",
            lambda: f"round({make(shape)}, digits={self.choose(['2', '-1', '0'])})",
            lambda: f"cumsum({make(shape)}, axis={k})",
            lambda: f"cumprod({make(shape)}, axis={k})",
            lambda: f"cumlogsumexp({make(shape)}, axis={k})",
            lambda: f"scatter_add({make(shape)}, {index()}, {make(shape)}, axis={k})",
            lambda: f"sum_to(stack(({make(shape)}, {make(shape)})), {dims})",
            lambda: f"topk({make(shape)}, {n}, axis={k})[{0 if cls == 'f' else self.choose('01')}]",
            lambda: f"clip({make(shape)}, {make(())}, {make(shape)})",
        ]
        if cls == "i":
            return options + [lambda: f"digitize({make(shape, 'f')}, [-1.0, 0.0, 1.0]{self.choose(['', ', right=true'])})",
                              lambda: f"argsort({make(shape, self.choose('fi'))}, axis={k}{self.choose(['', ', descending=true'])})",
                              lambda: f"count_nonzero({make(shape + ('2',), 'b')}, axis=-1{self.choose(['', ', keepdims=false'])})",
                              lambda: f"unwrap({make(shape)}, period={self.choose('34')}, axis={k})",
                              lambda: f"comb(abs({make(shape)}) % 20, {make(())} % 9)",
                              lambda: f"randint(0, 9, {dims}{self.choose(['', ', key=7'])})"]
        return options + [
            lambda: f"real(sort({make(shape)} + 1im * round({make(shape)}), axis={k}{self.choose(['', ', descending=true'])}))",
            *[lambda: self.at_points(make, shape, k)] * 3,
            lambda: f"softmax({make(shape)}, axis={k})",
            lambda: f"log_softmax({make(shape)}, axis={k})",
            *[lambda: self.axis_statistic(make, shape)] * 4,
            *[lambda: self.known_statistic(make, shape)] * 4,
            lambda: f"{self.choose(['betainc', 'betaincc'])}(abs({make(())}) + 0.5, 1.5, sigmoid({make(shape)}))",
            lambda: f"{self.choose(['betaincinv', 'betainccinv'])}(abs({make(())}) + 0.5, 1.5, sigmoid({make(shape)}))",
            lambda: f"{self.choose(['gammaincinv(2.5, ', 'gammainccinv(0.7, ', 'ndtri(', 'erfinv('])}sigmoid({make(shape)}))",
            lambda: f"zeta(abs({make(shape)}) + 1.5{self.choose(['', ', q=2.5'])})",
            lambda: f"interp({make(shape)}, [-1.0, 0.5, 2.0], {make(('3',))}{self.choose(['', ', left=0', ', left=-1, right=0.5'])})",
            lambda: f"fma({make(shape)}, {make(())}, {make(shape)})",
            lambda: f"{self.choose(['rand', 'randn'])}({dims}, key={self.random.randint(0, 9)})",
            lambda: f"{self.choose(['rand', 'randn'])}(({dims},), dtype=f32, key=1)",
        ]

    def at_points(self, make, shape, k):
        """Series, blends and replaced numbers."""
        return self.choose([
            f"lerp({make(shape)}, {make(())}, {make(shape)})", f"smoothstep({make(())}, {make(shape)}, {make(shape)})",
            f"nan_to_num({make(shape)}{self.choose(['', ', nan=0.5', ', posinf=9, neginf=-9'])})",
            f"gradient(stack(({make(shape)}, {make(shape)}, {make(shape)}), axis=-1){self.choose(['', ', 0.5', ', [0.0, 1.0, 1.5]'])}, axis=-1)[..., {self.choose('012')}]",
            f"unwrap({make(shape)}, axis={k}{self.choose(['', ', period=2.5'])})",
            f"cumulative_trapezoid({make(shape + ('2',))}, axis=-1, {self.choose(['dx=0.5', 'x=[0.0, 1.5]'])}, {self.choose(['initial=0', 'initial=none'])})[..., -1]",
            f"comb(abs({make(shape)}), abs({make(())}))",
            f"mean({make(shape + ('2',))}, axis=-1, weights=[0.25, 2.0])", f"mean({make(shape + ('2',))}, -1, true, {make(shape + ('2',))})[..., 0]",
        ])

    def axis_statistic(self, make, shape):
        name = self.choose(["var({}, axis=-1)", "std({}, axis=-1, correction=0)", "var({}, axis=-1, correction=1)", "norm({}, axis=-1)",
                            "norm({}, ord=1, axis=-1)", "norm({}, axis=-1, keepdims=true)[..., 0]", "var({}, axis=-1, keepdims=true)[..., 0]", "argmax({}, axis=-1, keepdims=true)[..., 0] * 0.5", "norm({}, inf, axis=-1)", "norm({}, 3, axis=-1, keepdims=false)",
                            "logsumexp({}, axis=-1)", "std({}, axis=-1, keepdims=true)[..., 0]", "logsumexp({}, axis=-1, keepdims=true)[..., 0]",
                            "argmax({}, axis=-1, keepdims=false) * 0.5", "argmin({}, axis=-1) * 0.25", "median({}, axis=-1)", "median({}, axis=-1, keepdims=true)[..., 0]", "nanmedian({}, axis=-1, keepdims=true)[..., 0]",
                            "quantile({}, 0.3, axis=-1)", "nanquantile({}, 0.7, axis=-1, keepdims=true, method=\"midpoint\")[..., 0]", "quantile({}, 0.4, axis=-1, method=\"lower\", keepdims=false)"])
        return name.format(make(shape + ("2",)))

    def known_statistic(self, make, shape):
        """Without what is nan, along an axis."""
        name = self.choose("nansum nanprod nanmean nanvar nanstd nanstd nanmax nanmin nanargmax nanargmin median nanmedian".split())
        options = self.choose(["", ", correction=1", ", correction=1"]) if name in ("nanvar", "nanstd") else ""
        if self.chance(0.2):
            return f"trapezoid({make(shape + ('2',))}, {self.choose(['dx=0.5', 'x=[0.0, 1.5]'])}, axis=-1)"
        kept = self.chance(0.7)
        call = f"{name}({make(shape + ('2',))}, axis=-1{options}{', keepdims=true' if kept else ''}){'[..., 0]' if kept else ''}"
        return f"({call} * 0.5)" if name.startswith("nanarg") else call

    def dtype_of(self, cls):
        return self.choose({"f": ["f64", "f32", "f64", "f32", "f16", "bf16"], "i": ["i64", "i32", "i64", "i32", "u8", "i8", "i16", "u32"], "b": ["bool"]}[cls])

    # --- vectors, matrices, stacks ---

    def vectors(self, make, cls, n):
        options = [lambda: f"diag({make((n, n))})", lambda: f"repeat({make((n,))}, 2)[::2]", lambda: f"tile({make((n,))}, 2)[:{n}]"]
        if cls == "i":
            options += [lambda: f"searchsorted(sort({make(('3',), 'f')}), {make((n,), 'f')}, side={self.quoted('left', 'right')})",
                        lambda: f"permutation({n})", lambda: f"choice(5, {n})", lambda: f"arange(0, 2 * {n}, 2)",
                        lambda: f"bincount({make(('5',), 'i')} % 3, minlength=1, length={n})",
                        lambda: f"arange({n}, dtype=i32)", lambda: f"randint(-3, 4, {n})"]
        if cls != "f":
            return options
        return options + [
            lambda: f"einsum(\"ij,j->i\", {make((n, '3'))}, {make(('3',))})",
            lambda: self.einsum(make, (n,)),
            lambda: f"norm({make(('2', n, '3'))}, {self.choose(['1', '-1', '2', '-inf', self.quoted('fro', 'nuc')])}, axis={self.choose(['(0, 2)', '(-1, 0)'])})",
            lambda: f"polyval({make(('3',))}, tanh({make((n,))}))",
            lambda: self.choose([f"polyder(concat(({make((n,))}, [2.0])){self.choose(['', ', m=1'])})", f"polyint({make((n,))}{self.choose(['', ', m=2, k=0.5', ', k=1'])})[:{n}]"]),
            lambda: f"logspace({make(())}, {make(())}, {n}{self.choose(['', ', base=2, endpoint=false', ', dtype=f32'])})",
            lambda: f"geomspace(abs({make(())}) + 0.5, {self.choose('27')}, {n}{self.choose(['', ', endpoint=false', ', endpoint=true, dtype=f32'])})",
            lambda: f"convolve({make((n,))}, {make(('2',))}{self.choose([')', ', mode=' + self.quoted('same') + ')'])}[:{n}]",
            *[lambda: f"correlate({make((n,))}, {make(('1',))}, mode={self.quoted('valid', 'full', 'same')})"] * 2,
            lambda: f"cross({make((n, '3'))}, {make(('3',))}{self.choose(['', ', axis=-1'])})[:, 0]",
            lambda: f"imag(cross({make((n, '3'))} + 1im, {make(('3',))} * 1im - 1))[:, 0]",
            lambda: f"imag(linspace({make(())} * 1im, {make(())} + 2im, {n}))",
            lambda: f"bincount({make(('5',), 'i')} % 3, weights={make(('5',))}, length={n})",
            lambda: f"linspace({make(())}, {make(())}, {n}{self.choose(['', ', endpoint=false', ', endpoint=true, dtype=f64', ', dtype=f32', ', dtype=f16'])})",
            lambda: f"arange({n}, 0, -1) * 0.5",
            lambda: f"conv1d({make(('1', n))}, {make(('1', '1', '3'))}, padding={self.quoted('same')})[0]",
            lambda: f"conv1d({make(('2', n))}, {make(('2', '1', '3'))}, bias={make(('2',))}, groups=2, dilation=2, padding=2, stride=1)[1]",
            lambda: f"conv1d(repeat({make(('1', n))}, 2, axis=1), {make(('1', '1', '2'))}, stride=2, padding=\"valid\")[0]",
            lambda: f"sum({make((n, '3'))} * {make(('3',))}, axis=1)",
            lambda: f"choice({n}, {n}, replace=false, p=full(({n},), 1.0 / {n}), key=2) * 0.5",
        ] + ([lambda: self.system(make, n)] * 2 if n.isdigit() else [])

    def einsum(self, make, shape):
        """Three or four operands: the result's letters are a and b, those that are summed over have extents of their own."""
        extents = dict(zip("ab", shape)) | {letter: self.choose("1234") for letter in "xyz"}
        letters = list(extents)
        terms = [[self.choose(letters) for _ in range(self.random.randint(0, 3))] for _ in range(self.random.randint(3, 4))]
        for letter in "ab"[:len(shape)]:
            if not any(letter in term for term in terms):
                self.choose(terms).append(letter)
        written = ",".join("".join(term) for term in terms)
        operands = ", ".join(make(tuple(extents[letter] for letter in term)) for term in terms)
        return f"einsum(\"{written}->{'ab'[:len(shape)]}\", {operands})"

    def matrix(self, make, n):
        """One that has an inverse, unless numbers are not finite."""
        return f"(tanh({make((n, n))}) + {2 * int(n)} * eye({n}))"

    def system(self, make, n):
        return self.choose(["solve({a}, {b})", "lstsq({a}, {b})", "lstsq({a}, {b}, rcond=1e-9)", "inv({a}) @ {b}", "eigh({a} + {a}.T)[0]", "svd({a})[1]",
                            "diag(cholesky({a} @ {a}.T))", "solve_triangular({a}, {b})", "solve_triangular({a}, {b}, lower=true, trans=true)", "solve_triangular({a}, {b}, unit_diagonal=true)",
                            "cho_solve(cholesky({a} @ {a}.T), {b})", "cho_solve({a}, {b}, lower=false)", "tridiagonal_solve(tanh({b}), 4 + tanh({b}), tanh({b}), {b})",
                            "banded_solve((1, 0), stack((4 + tanh({b}), tanh({b}))), {b})", "abs(diag(qr({a})[1]))", "pinv({a})[0]", "det({a}) * {b}"]).format(
                                a=self.matrix(make, n), b=make((n,)))

    def matrices(self, make, cls, n, m):
        options = [lambda: f"{self.choose(['tril', 'triu'])}({make((n, m))}, k={self.choose(['-1', '0', '1'])})",
                   lambda: f"transpose({make((m, n))}, 1, 0)", lambda: f"permute({make((m, n))}, (1, 0))",
                   lambda: f"meshgrid({make((n,))}, {make((m,))}, indexing=\"ij\")[{self.choose('01')}]",
                   lambda: f"meshgrid({make((m,))}, {make((n,))}{self.choose(['', ', indexing=' + self.quoted('xy')])})[{self.choose('01')}]",
                   lambda: f"({make((n, m))})[:, {make((m,), 'i')} % {m}]", lambda: f"broadcast_to({make((m,))}, ({n}, {m}))"]
        if cls != "b":
            options += [lambda: f"rot90({make((m, n))}{self.choose(['', ', k=-1', ', 3, axes=(1, 0)'])})", lambda: f"block_diag({make((n, m))}, {make(('2',))})[:{n}, :{m}]"]
        if n == m:
            options += [lambda: f"diag({make((n,))}{self.choose(['', ', k=0'])})"]
        if cls == "b":
            return options
        options += [lambda: f"outer({make((n,))}, {make((m,))})", lambda: f"kron({make((n, '1'))}, {make(('1', m))})",
                    lambda: f"matmul({make((n, '2'))}, {make(('2', m))})"]
        if cls == "i":
            return options + [lambda: f"max_pool2d({make((n, m))}, 1{self.choose(['', ', dilation=2'])})"]
        return options + [
            lambda: f"cdist({make((n, '2'))}, {make((m, '2'))})",
            lambda: f"einsum(\"ij,jk->ik\", {make((n, '2'))}, {make(('2', m))})",
            lambda: f"einsum(\"ji,jk->ik\", {make(('3', n))}, {make(('3', m))})",
            *[lambda: self.einsum(make, (n, m))] * 3,
            lambda: f"one_hot({make((n,), 'i')} % {m}, {m}{self.choose(['', ', dtype=f32', ', dtype=bf16'])})",
            lambda: f"eye({n}, {m}{self.choose(['', ', dtype=f32'])})",
            lambda: f"conv1d({make(('2', m))}, {make((n, '2', '3'))}, {make((n,))}, padding=1)",
            *[lambda: f"conv2d({make(('1', n, m))}, {make(('1', '1', '3', '3'))}, padding={self.choose(['1', '(1, 1)', self.quoted('same'), self.quoted('same')])})[0]"] * 2,
            lambda: f"conv2d({make(('2', n, m))}, {make(('2', '1', '1', '2'))}, bias={make(('2',))}, stride=(1, 1), padding=(0, 1), dilation=(1, 2), groups=2)[0]",
            lambda: f"{self.choose(['max', 'avg'])}_pool2d(repeat(repeat({make((n, m))}, 2, axis=0), 2, axis=1), 2)",
            lambda: f"{self.choose(['max', 'avg'])}_pool2d({make((n, m))}, 3, stride=1, padding=1)",
            lambda: f"{self.choose(['max', 'avg'])}_pool2d({make((n, m))}, 1, dilation=2)",
            lambda: f"{self.choose(['max', 'avg'])}_pool2d({make((n, m))}, (1, 3), (1, 1), padding=(0, 1))",
        ] + ([lambda: self.factored(make, n)] if n == m and n.isdigit() else [])

    def factored(self, make, n):
        return self.choose(["inv({a})", "pinv({a})", "pinv({a}, rcond=1e-9)", "cholesky({a} @ {a}.T)", "solve({a}, {b})", "qr({a})[1]",
                            "qr({a}, mode=\"reduced\")[0]", "qr({a}, \"complete\")[0]", "(svd({a})[0] * svd({a})[1]) @ svd({a})[2]",
                            "svd({a}, full_matrices=false)[2] ^ 2", "eigh({a} + {a}.T)[1] ^ 2"]).format(
                                a=self.matrix(make, n), b=make((n, n)))

    def stacks(self, make, cls, n, m, k):
        options = [lambda: f"permute({make((k, n, m))}, 1, 2, 0)", lambda: f"transpose({make((m, k, n))}, (2, 0, 1))",
                   lambda: f"({make((n, k))})[:, newaxis, :] + {make((n, m, k))}" if cls != "b" else f"({make((n, m, k))})[..., :]"]
        if cls == "b":
            return options
        return options + [lambda: f"({make((n, m, '2'))} @ {make((n, '2', k))})", lambda: f"tril({make((n, m, k))})",
                          lambda: f"meshgrid({make((n,))}, {make((m,))}, {make((k,))}, indexing=\"ij\")[{self.choose('012')}]"]

    # --- numbers ---

    def scalars(self, make, cls):
        vector, axes = lambda c=cls: make((self.choose(["3", "4", "2"]),), c), self.choose([("2", "3"), ("3", "3")])
        if cls == "b":
            compare = self.choose(["equal", "greater", "greater_equal", "less", "less_equal", "not_equal"])
            return [lambda: f"{compare}({make((), 'f')}, {make((), self.choose('if'))})", lambda: f"logical_not({make(())})", lambda: f"allclose({make(axes, 'f')}, {make((), 'f')}{self.choose(['', ', rtol=1, atol=2', ', equal_nan=true'])})", lambda: f"isnan(nan * {make((), 'f')})"] + [
                lambda: f"{self.choose(['any', 'all'])}({make(axes)}, axis=(0, 1))", lambda: f"any({vector('f')} > 0, axis=0, keepdims=true)[0]",
                    lambda: f"({vector('f')}).dtype == f32", lambda: f"({make(axes, 'f')}).device == \"cpu\"", lambda: f"{make((), 'i')} == none",
                    lambda: f"({make((), 'i')}, {make((), 'b')}) == ({make((), 'i')}, true)", lambda: f"has({{w: {make((), 'f')}}}, {self.quoted('w', 'b')})",
                    lambda: f"str({make((), 'i')}) == \"{self.random.randint(-2, 3)}\""]
        options = [lambda: f"sum({make(axes)}, axis=(0, 1))", lambda: f"max({make(axes)}, axis=(0, -1), keepdims=true)[0, 0]",
                   lambda: f"min({make(axes)}, axis=0, keepdims=false)[1]", lambda: f"prod({make(axes)}, axis=0, keepdims=true)[0, -1]", lambda: f"trace({make(('3', '3'))}, k=1)",
                   lambda: f"get({{w: {make(())}}}, \"w\")", lambda: f"tree_leaves(({make(())}, {make(())}))[{self.choose('01')}]",
                   lambda: f"choice({vector()}, key=5)", lambda: f"({make(axes)})[[1, 0], [0, 1]][0]", lambda: f"({make(('3',))})[[true, false, true]].size + {make(())}"]
        if cls == "i":
            return options + [lambda: f"len(nonzero({vector('f')})[0])", lambda: f"argwhere({make(axes, 'f')}).size", lambda: f"len(bincount({vector('i')} % 3))",
                              lambda: f"histogram({vector('f')}, 3, range=(-1, 1))[0][1]", lambda: f"matrix_rank({self.matrix(make, '3')}{self.choose(['', ', tol=1e-3'])})",
                              lambda: f"sum(repeat({make(('3',))}, [2, 0, 1]))", lambda: f"argmax({vector('f')})", lambda: f"argmin({make(axes, 'f')}, axis=0, keepdims=true)[0, 0]", lambda: f"choice(9{self.choose(['', ', key=5'])})",
                              lambda: f"count_nonzero({vector('f')}{self.choose([')', ', keepdims=true)[0]', ', axis=0)'])}",
                              lambda: f"len(keys({{w: {make(())}, b: 1}}))", lambda: f"len(unique({vector()}))", lambda: f"randint(0, 9{self.choose(['', ', key=7'])})",
                              lambda: f"len({self.choose(['union', 'intersect', 'setdiff'])}({vector(self.choose('fi'))}, {vector()}))",
                              lambda: f"unique({make(('3',))}, {self.choose(['counts', 'inverse'])}=true)[1][0]", lambda: f"len(unique({vector('f')}, inverse=true, counts=true)[2])",
                              lambda: f"len({self.choose(['tril', 'triu'])}_indices(3, k={self.choose(['-1', '0', '1'])}, m={self.choose('234')})[0])",
                              lambda: f"unravel_index(abs({make(())}) % 6, (2, 3))[{self.choose('01')}]",
                              lambda: f"len(str({make(axes)}.shape))", lambda: f"{self.choose(['0x1f', '1_000', '2 ** 3', '+7'])}", lambda: f"({make(axes)}).size"]
        return options + [
            lambda: self.choose(["det({a})", "slogdet({a})[1]", "slogdet({a})[0] * 0.5", "trace(inv({a}))", "norm({a})", 'norm({a}, ord="fro")', 'norm({a}, "nuc")', "norm({a}, 2)", "norm({a}, -2, axis=(1, 0))", "norm({a}, 1)", "norm({a}, -inf)", "sum(svd({a})[1])", "sum(eigh({a} + {a}.T)[0])",
                                 "sum(cholesky({a} @ {a}.T))", "sum(pinv({a}))"]).format(a=self.matrix(make, self.choose("23"))),
            lambda: f"cond({self.matrix(make, '3')}{self.choose(['', ', p=1', ', p=inf'])})", lambda: f"cov({vector()}, correction=0)", lambda: f"sum(cov({make(axes)}, y={make(axes)}, rowvar=false))",
            lambda: f"corrcoef({make(axes)}, rowvar=true)[0, 1]", lambda: f"corrcoef({make(('3',))}, y={make(('3',))})[0, 1]", lambda: f"polyfit([-1.0, 0.0, 0.5, 2.0], {make(('4',))}, 1)[0]",
            lambda: f"sum(histogram({make(('3',))}, bins=2, range=(-1, 1), weights={make(('3',))})[0])", lambda: f"histogram({vector()}, 2, range=(-9, 9), density=true)[0][0]",
            lambda: f"sum(unique({vector()}))", lambda: f"mean({make(axes)}, axis=(0, 1))", lambda: f"mean({make(axes)}, axis=0, keepdims=true)[0, 0]",
            lambda: f"norm({vector()}, {self.choose(['1', 'inf', '-inf', '0', '3', 'ord=2'])})", lambda: f"var({vector()}, correction=1)", lambda: f"std({make(axes)}, keepdims=true)[0, 0]",
            lambda: f"einsum(\"i,i->\", {make(('3',))}, {make(('3',))})", lambda: self.einsum(make, ()), lambda: f"polyval({vector()}, tanh({make(())}))", lambda: f"({self.choose(['pi', 'π'])} * {make(())} + e)",
            lambda: f"rand(key={self.random.randint(0, 9)})", lambda: "randn()", lambda: f"logsumexp({make(axes)}, axis=(0, 1))", lambda: f"argmax({vector()}) * 0.5",
        ]
