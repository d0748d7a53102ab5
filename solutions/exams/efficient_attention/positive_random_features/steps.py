"""`positive_random_features` in steps, lesson 08, for its known wrong answers."""

from torch import Tensor


class Steps:
    """The features in steps, each for a slip to get wrong."""

    def answer(self, x: Tensor, directions: Tensor) -> Tensor:
        scaled = x / self.root(x, directions)
        exponent = self.along(scaled, directions) - self.half(x, scaled)
        return self.grow(exponent) / self.norm(directions)

    def root(self, x: Tensor, directions: Tensor) -> float:
        return float(x.shape[-1] ** 0.25)

    def along(self, scaled: Tensor, directions: Tensor) -> Tensor:
        return scaled @ directions.T

    def half(self, x: Tensor, scaled: Tensor) -> Tensor:
        return self.square(scaled) / 2

    def square(self, scaled: Tensor) -> Tensor:
        return scaled.square().sum(dim=-1, keepdim=True)

    def grow(self, exponent: Tensor) -> Tensor:
        return exponent.exp()

    def norm(self, directions: Tensor) -> float:
        return float(len(directions) ** 0.5)
