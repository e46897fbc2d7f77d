"""Sparse matrices between SciPy and Covec."""
import copy
import importlib.util
import pickle
import subprocess
import sys
import unittest

import covec

MODULE = """
import sparse
fn same(a) = a
fn times(a, x) = a @ x
fn laplacian(n) = sparse.diagonals((-1.0, 2.0, -1.0), (-1, 0, 1), (n, n))
fn slope(a, x) = grad(a -> sum((a @ x)^2))(a)
fn picked(x, i) = x[i]^2
fn prepared(x, i) = sparse.prepare_jacobian(picked, x, i)
fn given(p) = jacobian(x -> x^2, sparse=p)
adaptive = jacobian(picked, sparse=true)
fn adapted(x, i) = sparse.to_dense(adaptive(x, i))
fn use(plan, x, i) = sparse.to_dense(plan(x, i))
fn use_given(plan, x) = sparse.to_dense(plan(x))
fn dense(x, i) = jacobian(picked)(x, i)
"""


@unittest.skipIf(importlib.util.find_spec("scipy") is None, "scipy is not installed")
class Sparse(unittest.TestCase):
    def setUp(self):
        self.session = covec.Session()
        self.session.run(MODULE)

    def test_all_formats_go_in(self):
        import numpy as np
        import scipy.sparse as sp
        dense = np.array([[1.0, 0, 2], [0, 0, 3]])
        x = np.array([1.0, 2, 3])
        for form in ("csr", "csc", "coo", "lil", "dok", "bsr", "dia"):
            for made in (sp.csr_array(dense).asformat(form), sp.csr_matrix(dense).asformat(form)):
                np.testing.assert_array_equal(np.asarray(self.session["times"](made, x)), dense @ x)
        twice = sp.csr_array((np.array([1.0, 2, 4]), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 3))
        back = self.session["same"](twice)
        self.assertEqual((list(back["indices"]), list(back["data"]), back["shape"]), ([0, 2], [2.0, 5.0], (1, 3)))
        self.assertEqual(list(twice.indices), [2, 0, 2])
        single = self.session["same"](sp.csr_array(dense.astype("float32")))
        self.assertEqual(single["data"].dtype, "f32")

    def test_indices_out_of_range_are_errors(self):
        import numpy as np
        import scipy.sparse as sp
        for form, where in (("csc", "indices"), ("csc", "indptr"), ("coo", "row"), ("coo", "col")):
            made = sp.eye(3, format=form)
            setattr(made, where, np.full_like(getattr(made, where), 1_000_000))
            with self.assertRaises(ValueError):
                self.session["same"](made)

    def test_they_come_out_as_a_dict_that_makes_scipys(self):
        import numpy as np
        import scipy.sparse as sp
        made = self.session["laplacian"](4)
        self.assertIsInstance(made, dict)
        scipys = made.to_scipy()
        self.assertIsInstance(scipys, sp.csr_array)
        np.testing.assert_array_equal(scipys.toarray(), 2 * np.eye(4) - np.eye(4, k=1) - np.eye(4, k=-1))
        np.testing.assert_array_equal(np.asarray(self.session["times"](made, np.ones(4))), [1, 0, 0, 1])
        for other in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
            np.testing.assert_array_equal(other.to_scipy().toarray(), scipys.toarray())
        gradient = self.session["slope"](sp.csr_array(np.eye(2)), np.ones(2))
        self.assertIs(type(gradient), dict)
        self.assertIsNone(gradient["indices"])

    def test_plans_keep_index_arrays_that_the_host_changes(self):
        import numpy as np
        x, i = np.array([1.0, 2, 3, 4]), np.array([0, 1, 2, 3])
        plan = self.session["prepared"](x, i)
        for _ in range(3):
            np.testing.assert_array_equal(np.asarray(self.session["use"](plan, x, i)), np.diag(2 * x))
            self.session["adapted"](x, i)
        i[:] = [3, 3, 0, 0]
        with self.assertRaisesRegex(Exception, "`i` must be what it was when the plan was made"):
            self.session["use"](plan, x, i)
        np.testing.assert_array_equal(np.asarray(self.session["adapted"](x, i)), np.asarray(self.session["dense"](x, i)))
        pattern = {"data": np.ones(4), "indices": np.arange(4), "indptr": np.arange(5), "shape": (4, 4)}
        plan = self.session["given"](pattern)
        pattern["indices"][:] = 0
        np.testing.assert_array_equal(np.asarray(self.session["use_given"](plan, x)), np.diag(2 * x))

    def test_scipy_is_not_imported_for_nothing(self):
        program = f"import covec, sys\ns = covec.Session()\ns.run('''{MODULE}''')\na = s['laplacian'](3)\ns['same'](a)\nprint('scipy' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout, "False\n")


if __name__ == "__main__":
    unittest.main()
