"""The exam of `layer_cost`, lesson 08: what it is tried on."""

from autograder import Draw, Exam
from solutions import efficient_attention as reference

cost = Exam(reference.layer_cost, returns=("multiplications", "steps", "path"))

Layer = tuple[str, int, int, int]
Cost = tuple[int, int, int | None]

KINDS = (
    "self-attention",
    "recurrent",
    "convolution",
    "sparse transformer",
    "reformer",
    "linformer",
    "linear attention",
)


def log(n: int) -> int:
    """The logarithm to base 2, rounded up."""
    return (n - 1).bit_length()


def dilated(n: int, k: int) -> int:
    """How often k has to be multiplied with itself to reach n."""
    return next(count for count in range(n) if k**count >= n)


@cost.example
def self_attention() -> Layer:
    """self-attention, seven tokens of four features"""
    return "self-attention", 7, 4, 2


@cost.example
def recurrent() -> Layer:
    """a recurrent layer, seven tokens of four features"""
    return "recurrent", 7, 4, 2


@cost.example
def convolution() -> Layer:
    """a convolution, 25 tokens of six features, a kernel of four"""
    return "convolution", 25, 6, 4


@cost.example
def convolution_with_a_rest() -> Layer:
    """a convolution, twelve tokens of five features, a kernel of four"""
    return "convolution", 12, 5, 4


@cost.example
def convolution_that_just_fails_to_reach() -> Layer:
    """a convolution, eleven tokens of five features, a kernel of four"""
    return "convolution", 11, 5, 4


@cost.example
def sparse_transformer() -> Layer:
    """a Sparse Transformer, 36 tokens of five features"""
    return "sparse transformer", 36, 5, 2


@cost.example
def reformer() -> Layer:
    """a Reformer, 20 tokens of three features"""
    return "reformer", 20, 3, 2


@cost.example
def reformer_of_sixteen() -> Layer:
    """a Reformer, 16 tokens of three features"""
    return "reformer", 16, 3, 2


@cost.example
def linformer() -> Layer:
    """a Linformer of rank three, ten tokens of four features"""
    return "linformer", 10, 4, 3


@cost.example
def linear_attention() -> Layer:
    """linear attention, seven tokens of four features"""
    return "linear attention", 7, 4, 2


@cost.example
def unknown() -> Layer:
    """a kind that is not in the table"""
    return "perceptron", 7, 4, 2


def declare_case(kind: str) -> None:
    """Hidden cases of this kind."""

    def drawn(draw: Draw) -> Layer:
        root = int(draw.rng.integers(2, 40))
        n = root**2 if kind == "sparse transformer" else int(draw.rng.integers(2, 2000))
        return kind, n, int(draw.rng.integers(1, 600)), int(draw.rng.integers(2, 12))

    drawn.__name__ = "drawn_" + kind.replace(" ", "_").replace("-", "_")
    drawn.__doc__ = f"{kind}, sizes drawn at random"
    cost.case(drawn)


for one in KINDS:
    declare_case(one)


@cost.case(times=1)
def two_tokens(draw: Draw) -> Layer:
    """a convolution of two tokens"""
    return "convolution", 2, draw.size("d"), 7


@cost.case(times=1)
def two_hashed(draw: Draw) -> Layer:
    """a Reformer of two tokens"""
    return "reformer", 2, draw.size("d"), 2


@cost.case(times=1)
def as_published(draw: Draw) -> Layer:
    """self-attention of a long text"""
    return "self-attention", 65536, 1024, 2


@cost.case(times=1)
def another_unknown(draw: Draw) -> Layer:
    """another kind that is not in the table"""
    return "mixture", 9, 4, 2
