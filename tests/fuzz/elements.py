"""Random loops over elements: tensors of sizes around vectors and tiles, read and set by places that move with the loop's
index, forth and back, in one axis or two, with conditions and sums beside them."""
from maps import Maps
from scope import Num

SIZES = ["1", "5", "15", "16", "17", "18", "24", "31", "33", "64", "100", "257", "1030"]
SMALL_SIZES = ["1", "3", "16", "17", "20", "33"]


class Elements(Maps):
    def element_loop(self, scope):
        scope.loops_inside = True
        two = self.chance(0.4)
        n, m = (self.choose(SMALL_SIZES), self.choose(SMALL_SIZES)) if two else (self.choose(SIZES), None)
        if two and self.chance(0.3):
            m = n
        names = [self.element_tensor(scope, n, m) for _ in range(self.random.randint(1, 3))]
        if self.chance(0.2):
            names.append(scope.names.fresh("t"))
            self.put(f"{names[-1]} = {names[0]}")
        total = scope.names.fresh("t") if self.chance(0.3) else None
        if total:
            self.put(f"{total} = 0.0")
        i, j = scope.names.fresh("i"), scope.names.fresh("j")
        indices = [(i, n), (j, m)] if two else [(i, n)]
        if two and self.chance(0.2):
            indices.reverse()
        for index, size in indices:
            self.open(f"for {index} in {self.element_range(size)}")
        for _ in range(self.random.randint(1, 3)):
            self.element_statement(names, [i, j] if two else [i], total)
        for _ in indices:
            self.close()
        for name in names[:2]:
            t = scope.names.fresh("t")
            self.put(f"{t} = mean(tanh({name} * 0.25))")
            scope.add(t, Num("f", ()))
        if total:
            self.put(f"{total} = tanh({total} * 0.01)")
            scope.add(total, Num("f", ()))

    def element_tensor(self, scope, n, m):
        name = scope.names.fresh("t")
        count, shape = (f"{n} * {m}", f"({n}, {m})") if m else (n, f"({n},)")
        text = f"reshape(sin(arange({count}) * {self.choose(['0.7', '1.3', '0.01'])} + {self.number(scope, 'f', (), 1)}), {shape})"
        text = self.pick([(6, text), (1, f"f32({text})"), (1, f"{text}[::-1]"), (1, f"i64(8 * tanh({text}))"), (1, f"zeros{shape}"), (0.5, f"{text} * 0.0"),
                          (0.5, f"(arange({count}) * 0.5)[:{n}]" if not m else f"reshape(arange({count}) * 0.5, {m}, {n}).T")])
        self.put(f"{name} = {text}")
        return name

    def element_range(self, size):
        return self.pick([(3, f"range({size})"), (4, f"range(2, {size} - 2)"), (1, f"range({size} - 3, 1, -1)"), (0.7, f"range({size} - 1, -1, -1)"), (0.4, f"range(2, {size} - 2, 2)"),
                          (0.3, f"range(1, minimum({size}, 20))"), (0.15, f"range({size} + 1)")])

    def moving_place(self, indices):
        """In range where the loops keep two off the ends; elsewhere from the end, or an error."""
        def moved(index):
            return self.pick([(5, index), (1.2, f"{index} - 1"), (1.2, f"{index} + 1"), (0.5, f"{index} - 2"), (0.5, f"2 + {index}"), (0.3, "0"), (0.15, "-1"), (0.05, f"{index} // 2")])
        return ", ".join(moved(index) for index in (reversed(indices) if self.chance(0.03) else indices))

    def of_elements(self, names, indices, depth):
        if depth == 0 or self.chance(0.4):
            return self.pick([(6, f"{self.choose(names)}[{self.moving_place(indices)}]"), (1, self.choose(["0.5", "2", "-1.25"])), (1, f"0.01 * {self.choose(indices)}"), (0.3, self.choose(indices))])
        a, b = (self.of_elements(names, indices, depth - 1) for _ in range(2))
        return self.choose([f"({a} + {b})", f"({a} - {b})", f"0.5 * {a} + 0.25 * {b}", f"tanh({a})", f"({a} * {b})", f"sin({a})", f"exp(-abs({a}))", f"where({a} > {b}, {a}, {b})",
                            f"maximum({a}, {b})", f"({a} / (abs({b}) + 1.0))"])

    def element_statement(self, names, indices, total):
        if total and self.chance(0.4):
            return self.put(f"{total} += {self.of_elements(names, indices, 1)}")
        place = ", ".join(indices) if self.chance(0.7) else self.moving_place(indices)
        put = f"{self.choose(names)}[{place}] {self.choose(['=', '=', '=', '+=', '-='])} {self.of_elements(names, indices, 2)}"
        if self.chance(0.25):
            self.open(f"if {self.of_elements(names, indices, 1)} > {self.choose(['0.0', '0.25', '-0.5'])}")
            self.put(put)
            self.close(f" else {{ {self.choose(names)}[{place}] = {self.of_elements(names, indices, 1)} }}" if self.chance(0.3) else "")
        else:
            self.put(put)
