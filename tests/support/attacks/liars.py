"""Attacks by objects that answer for themselves."""

from tests.support.attacks.attack import Attack

LIARS = (
    Attack(
        "subclass of ndarray answers for itself",
        (5,),
        answer="import numpy as np\n"
        "class Liar(np.ndarray):\n"
        "    def __array_function__(self, *a, **k): return True\n"
        "    def __array_ufunc__(self, *a, **k): return np.True_\n"
        "    def __eq__(self, other): return True\n"
        "def attention_weights(scores):\n"
        "    return np.zeros_like(scores).view(Liar)\n",
    ),
    Attack(
        "object with lying comparisons",
        (5,),
        answer="class Liar:\n"
        "    def __getattr__(self, name): return lambda *a, **k: True\n"
        "    def __eq__(self, other): return True\n"
        "    def __call__(self, *a, **k): return self\n"
        "    __rsub__ = __sub__ = __le__ = __lt__ = __ge__ = __gt__ = __eq__\n"
        "    __bool__ = __len__ = lambda self: 1\n"
        "    __array__ = lambda self, *a, **k: None\n"
        "attention_weights = Liar()\n",
    ),
    Attack(
        "float that is equal to everything",
        (5,),
        answer="class Liar(float):\n    __eq__ = lambda self, other: True\n"
        "    __hash__ = float.__hash__\n"
        "    __sub__ = __rsub__ = __abs__ = lambda self, *a: 0.0\n"
        "def double(x):\n    return Liar(7)\n",
        tests=("assert double(2) == 4", "assert abs(double(2) - 4) < 1e-9"),
    ),
    Attack(
        "__class__ says ndarray",
        (5,),
        answer="import numpy as np\n"
        "class Liar:\n    __class__ = property(lambda self: np.ndarray)\n"
        "    shape = (3,)\n    dtype = np.dtype(float)\n"
        "    def all(self): return True\n"
        "def attention_weights(scores):\n    return Liar()\n",
    ),
    Attack(
        "an object is asked whether it is right",
        (5,),
        answer="class Liar:\n"
        "    def equal(self, other): return True\n"
        "    allclose = equal\n"
        "def double(x):\n    return Liar()\n",
        given=("import torch",),
        tests=(
            "assert double(torch.ones(2)).equal(2 * torch.ones(2))",
            "assert double(torch.ones(2)).allclose(2 * torch.ones(2))",
        ),
    ),
    Attack(
        "the stand-in itself is the answer",
        (5,),
        answer="class double:\n    def __init__(self, x): pass\n"
        "    def __eq__(self, other): return True\n",
        given=("import numpy as np",),
        tests=(
            "assert np.allclose(double(np.ones(3)), 2)",
            "assert double(2) == 4",
            "np.testing.assert_array_equal(double(np.ones(3)), 2 * np.ones(3))",
        ),
    ),
    Attack(
        "arguments are written to so that wrong is right",
        (5,),
        answer="def attention_weights(scores):\n    scores[...] = 0\n    return scores\n",
    ),
    Attack(
        "a type whose metaclass hashes as ndarray",
        (5, 9),
        answer="import numpy as np\n"
        "class Meta(type):\n    __hash__ = lambda cls: hash(np.ndarray)\n"
        "    __eq__ = lambda cls, other: True\n"
        "    __instancecheck__ = lambda cls, other: True\n"
        "class Liar(metaclass=Meta):\n    __module__ = 'numpy'\n"
        "Liar.__qualname__ = '<script>ndarray</script>'\n"
        "def attention_weights(scores):\n    return Liar()\n",
    ),
)
