"""Linear algebra, by the array API standard.

Programs can call `cholesky`, `det`, `inv`, `matmul`, `matrix_transpose`, `outer`, `tensordot`,
`trace`, `vecdot` and `vector_norm`. The other functions are those of NumPy.
"""

import collections
import sys

from ._array_api import of_host
from ._eager import LINALG, function_of

_SHARED = ("matmul", "matrix_transpose", "tensordot", "vecdot")

eigh_result = collections.namedtuple("eigh_result", "eigenvalues eigenvectors")
qr_result = collections.namedtuple("qr_result", "Q R")
slogdet_result = collections.namedtuple("slogdet_result", "sign logabsdet")
svd_result = collections.namedtuple("svd_result", "U S Vh")


def __getattr__(name):
    function = function_of(name) if name in _SHARED else function_of(name, LINALG)
    setattr(sys.modules[__name__], name, function)
    return function


def __dir__():
    return sorted({*globals(), *_SHARED, *LINALG})


@of_host
def cross(numpy, x1, x2, /, *, axis=-1):
    """Returns the cross products of vectors of three elements."""
    return numpy.linalg.cross(x1, x2, axis=axis)


@of_host
def diagonal(numpy, x, /, *, offset=0):
    """Returns the diagonals of matrices."""
    return numpy.linalg.diagonal(x, offset=offset)


@of_host
def eigh(numpy, x, /):
    """Returns the eigenvalues and eigenvectors of symmetric matrices."""
    return eigh_result(*numpy.linalg.eigh(x))


@of_host
def eigvalsh(numpy, x, /):
    """Returns the eigenvalues of symmetric matrices."""
    return numpy.linalg.eigvalsh(x)


@of_host
def matrix_norm(numpy, x, /, *, keepdims=False, ord="fro"):
    """Returns the norms of matrices."""
    return numpy.linalg.matrix_norm(x, keepdims=keepdims, ord=ord)


@of_host
def matrix_power(numpy, x, n, /):
    """Returns powers of matrices."""
    return numpy.linalg.matrix_power(x, n)


@of_host
def matrix_rank(numpy, x, /, *, rtol=None):
    """Returns the ranks of matrices."""
    return numpy.linalg.matrix_rank(x, rtol=rtol)


@of_host
def pinv(numpy, x, /, *, rtol=None):
    """Returns the pseudo-inverses of matrices."""
    return numpy.linalg.pinv(x, rtol=rtol)


@of_host
def qr(numpy, x, /, *, mode="reduced"):
    """Returns the QR decompositions of matrices."""
    return qr_result(*numpy.linalg.qr(x, mode=mode))


@of_host
def slogdet(numpy, x, /):
    """Returns the signs and the logarithms of the sizes of determinants."""
    return slogdet_result(*numpy.linalg.slogdet(x))


@of_host
def solve(numpy, x1, x2, /):
    """Returns the solutions of systems of linear equations."""
    return numpy.linalg.solve(x1, x2)


@of_host
def svd(numpy, x, /, *, full_matrices=True):
    """Returns the singular value decompositions of matrices."""
    return svd_result(*numpy.linalg.svd(x, full_matrices=full_matrices))


@of_host
def svdvals(numpy, x, /):
    """Returns the singular values of matrices."""
    return numpy.linalg.svdvals(x)
