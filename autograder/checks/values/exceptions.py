"""What an exception of Python's, NumPy's or PyTorch's means, in words for a learner.

Each sentence holds wherever its message comes from, and says no more than the message allows.
"""

import re
from functools import cache

# Of a message that may be a student's own, and as long as they like.
_READ = 2000
_NO_ARRAY = "shape|ndim|dtype|T|mean|sum|max|min|transpose|reshape|astype|dot|dim|size|view|to"
_TORCHS_OWN = "unsqueeze|softmax|detach|permute|masked_fill|masked_fill_|float|long|dim|contiguous"
_INTEGERS = "Long|Int|Short|Char|Byte|Bool"
_PRODUCT = (
    "in a matrix product the last axis on the left meets the one before the last on the right, or "
    "the only one of a vector; here {left} met {right}"
)
_BROADCASTING = (
    "broadcasting compares shapes from their last axes on: two lengths must be equal, or one of "
    "them 1"
)
_FUNCTIONS = "builtin_function_or_method|function|method"
_PRECISIONS = (
    "float32 (torch's float) met float64 (double); new tensors have torch's default dtype, float32 "
    "unless you set another: dtype=…, or torch.zeros_like"
)

# What stands in a message, behind the name of its exception, and what it means; the first counts.
_MEANINGS: tuple[tuple[str, str], ...] = (
    # Matrix products, in which NumPy names the right side first.
    (
        r"matmul: .{,200}\(size (?P<right>\d+) is different from (?P<left>\d+)\)",
        _PRODUCT,
    ),
    (
        r"shapes cannot be multiplied \(\d+x(?P<left>\d+) and (?P<right>\d+)x\d+\)",
        _PRODUCT,
    ),
    # Modules.
    (
        r"AttributeError: cannot assign \w+ before Module\.__init__\(\) call"
        r"|AttributeError: '\w+' object has no attribute "
        r"'_(?:modules|parameters|buffers|backward_hooks|forward_hooks|forward_pre_hooks)'",
        "a module keeps layers and parameters, and can be called, only once `super().__init__()` "
        "has run: call it first in `__init__`",
    ),
    (
        r"TypeError: (?P<what>ModuleList|ParameterList)\.__init__\(\) takes from 1 to 2 positional",
        "`nn.{what}` takes one list: nn.{what}([first, second])",
    ),
    (
        r"TypeError: (?:list|tuple|generator) is not a Module subclass",
        "a list stands where a module is wanted: `nn.Sequential` takes its modules one by one, as "
        "in nn.Sequential(*layers), and `nn.ModuleList` one list of modules",
    ),
    (
        r"TypeError: \w+\.\w+\(\) takes \d+ positional arguments? but \d+ (?:was|were) given",
        "the first parameter of a method is `self`, and counts",
    ),
    (
        r"a leaf Variable that requires grad is being used in an in-place"
        r"|a view of a leaf Variable",
        "a tensor that requires gradients, such as a parameter, is changed in place where they are "
        "recorded: make a new tensor, or change it within `with torch.no_grad():`",
    ),
    (
        r"element 0 of tensors does not require grad",
        "nothing that this was computed from records gradients: `.detach()`, `.data`, `.item()`, "
        "`torch.no_grad()` and new tensors made of numbers end that",
    ),
    (
        r"Expected all tensors to be on the same device"
        r"|Tensor on device \w+ is not on the expected",
        "a tensor that is made anew lies on the CPU unless it is told where: `device=x.device`",
    ),
    # Shapes.
    (
        r"The size of tensor a \((?P<a>\d+)\) must match the size of tensor b \((?P<b>\d+)\) at "
        r"non-singleton dimension (?P<axis>\d+)",
        f"{_BROADCASTING}, but here {{a}} met {{b}} on axis {{axis}}",
    ),
    (
        r"operands could not be broadcast together",
        _BROADCASTING,
    ),
    (
        r"shape '\[.{,60}\]' is invalid for input of size \d+|cannot reshape array of size \d+",
        "a reshape keeps every number: the lengths of the new axes, multiplied, must make as many",
    ),
    (
        r"view size is not compatible with input tensor's size and stride",
        "the numbers do not lie in the order of the axes, as after `transpose`, `permute` or "
        "`expand`: `reshape` copies them where it must, and so does `.contiguous()` before `view`",
    ),
    (
        r"index \d+ is out of bounds for (?:axis|dimension) \d+ with size (?P<size>[1-9]\d{,15})",
        "entries are counted from 0, so the last of {size} is number {last}",
    ),
    (
        r"Dimension out of range|AxisError: axis -?\d+ is out of bounds",
        "there are fewer axes than that: they are counted from 0, or from the back with -1",
    ),
    (
        r"index out of range in self",
        "an embedding has a row for each number from 0 to num_embeddings - 1, and got another",
    ),
    (
        r"transpose\(\) missing \d required positional",
        "a tensor's `transpose` takes the two axes that are to be exchanged: x.transpose(-2, -1)",
    ),
    # Dtypes.
    (
        rf"not implemented for '(?P<dtype>{_INTEGERS})'|could not infer output dtype",
        "this can't be done with whole numbers, nor with True and False: turn them into floats",
    ),
    (
        r"same dtype, but got:? "
        r"(?:Long and Float|Float and Long|long int != float|float != long int)"
        r"|expected scalar type (?:Long but found Float|Float but found Long)",
        "whole numbers (torch's long) met numbers with decimals (float): `.float()` turns the "
        "former into the latter",
    ),
    # What stands there is something else.
    (
        r"'NoneType' object (?:is not|has no)|unsupported operand type\(s\) for .{,40}'NoneType'",
        "None stands there: nothing was given for it, or it is what a function without a `return` "
        "gives, or a method that changes a list in place, such as `append`",
    ),
    (
        rf"'(?:{_FUNCTIONS})' object (?:is not (?:subscriptable|iterable)|has no (?:attribute|len))"
        rf"|unsupported operand type\(s\) for .{{,40}}'(?:{_FUNCTIONS})'",
        "a function itself stands there, and not what it returns: round brackets call it",
    ),
    (
        r"TypeError: '[\w.]+' object is not callable",
        "round brackets call what stands before them, and that is no function: square brackets "
        "take entries, and a product needs its `*`",
    ),
    (
        r"AttributeError: 'tuple' object has no attribute",
        "a tuple stands there, mostly of several results: take one of them, as in "
        "`output, weights = …`",
    ),
    (
        rf"AttributeError: 'list' object has no attribute '(?:{_NO_ARRAY})'"
        r"|unsupported operand type\(s\) for .{,40}'list'"
        r"|can't multiply sequence by non-int",
        "a list, like a tuple, is no array: `np.array(…)` or `torch.tensor(…)` makes one of "
        "numbers, and `torch.stack(…)` one of tensors",
    ),
    (
        rf"AttributeError: 'numpy\.ndarray' object has no attribute '(?:{_TORCHS_OWN})'",
        "that is a method of tensors, and a NumPy array stands there",
    ),
    (
        r"AttributeError: 'Tensor' object has no attribute '(?:astype|copy)'",
        "that is a method of NumPy arrays, and a tensor stands there: `.to(dtype)` and `.clone()` "
        "are a tensor's",
    ),
    (
        r"must be Tensor, not (?:numpy\.)?ndarray",
        "that takes tensors, and a NumPy array stands there: `torch.tensor(…)` makes one of it",
    ),
    (
        r"must be Tensor, not tuple",
        "a tuple stands there, mostly of several results: take the one that is meant",
    ),
    (
        r"TypeError: tensor\(\) takes 1 positional argument but \d+ were given",
        "`torch.tensor` takes the numbers themselves, as one list; of a shape, `torch.empty`, "
        "`torch.zeros` and `torch.randn` make tensors",
    ),
    (
        r"Boolean value of Tensor with more than one value is ambiguous"
        r"|The truth value of an array with more than one element is ambiguous",
        "`if`, `and`, `or` and `not` ask for one True or False, and here are many: `&`, `|` and "
        "`~` work on each, `.any()` and `.all()` make one of them",
    ),
    (
        r"only (?:length-1|0-dimensional|integer scalar|size-1) arrays can be converted"
        r"|only integer tensors of a single element can be converted"
        r"|a Tensor with \d+ elements cannot be converted to Scalar"
        r"|only one element tensors can be converted",
        "one number is asked for there, and an array or a tensor of several stands in its place",
    ),
    # Names and calls.
    (
        r"UnboundLocalError: ",
        "the function assigns to that name somewhere, so the name is its own, and it has no value "
        "yet where it is used",
    ),
    (
        r"NameError: name '(?P<name>\w+)' is not defined",
        "no cell that was run defines {name}: one has still to be run, or the name is spelled "
        "otherwise, or it belongs to another function",
    ),
    (
        r"RecursionError: ",
        "calls went deeper and deeper, as when a function calls itself without an end: within it, "
        "its own name means itself, and never a library's function of that name",
    ),
)  # fmt: skip


def meaning_of(kind: str, message: str) -> str:
    """What an exception means; "" where there is nothing to add to what it says."""
    said = f"{kind}: {message[:_READ]}"
    # PyTorch says this in many ways.
    words = set(re.findall(r"\w+", said.lower()))
    if {"float", "double"} <= words and words & {"dtype", "scalar"}:
        return _PRECISIONS
    for pattern, sentence in _compiled():
        if found := pattern.search(said):
            groups = found.groupdict()
            return sentence.format(**groups, last=int(groups.get("size") or 0) - 1)
    return ""


@cache
def _compiled() -> list[tuple[re.Pattern[str], str]]:
    """The patterns, for which nobody waits who has met no exception."""
    return [(re.compile(pattern), sentence) for pattern, sentence in _MEANINGS]
