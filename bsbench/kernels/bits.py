"""Single instructions on 64-bit words that numba has no name for; `_bits` has them."""

from __future__ import annotations

from bsbench.kernels._jit import late

__getattr__ = late("bsbench.kernels._bits")
