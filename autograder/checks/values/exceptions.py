"""What an exception of Python's, NumPy's or PyTorch's means, in words for a learner.

Each sentence holds wherever its message comes from, and says no more than the message allows.
"""

import re
from functools import cache

# Of a message that may be a student's own, and as long as they like.
_READ = 2000
_NO_ARRAY = "shape|ndim|dtype|T|mean|sum|max|min|transpose|reshape|astype|dot|dim|size|view|to"
_TORCHS_OWN = "unsqueeze|softmax|detach|permute|masked_fill|masked_fill_|float|long|dim|contiguous"
_MODULES = (
    "ReLU|GELU|SiLU|Tanh|Sigmoid|Softmax|Dropout|Linear|Embedding|LayerNorm|RMSNorm|Sequential"
)
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
    (r"matmul: .{,200}\(size (?P<right>\d+) is different from (?P<left>\d+)\)",
     _PRODUCT),
    (r"shapes cannot be multiplied \(\d+x(?P<left>\d+) and (?P<right>\d+)x\d+\)",
     _PRODUCT),
    # Modules.
    (r"AttributeError: cannot assign \w+ before Module\.__init__\(\) call"
     r"|AttributeError: '\w+' object has no attribute "
     r"'_(?:modules|parameters|buffers|backward_hooks|forward_hooks|forward_pre_hooks)'",
     "a module keeps layers and parameters, and can be called, only once `super().__init__()` "
     "has run: call it first in `__init__`, with its brackets"),
    (r"TypeError: (?P<what>ModuleList|ParameterList)\.__init__\(\) takes from 1 to 2 positional",
     "`nn.{what}` takes one list: nn.{what}([first, second])"),
    (r"TypeError: (?:list|tuple|generator) is not a Module subclass",
     "a list stands where a module is wanted: `nn.Sequential` takes its modules one by one, as "
     "in nn.Sequential(*layers), and `nn.ModuleList` one list of modules"),
    (rf"must be Tensor, not (?P<what>{_MODULES})\b",
     "a module itself stands there, and not what it returns: one pair of brackets makes it and "
     "another one calls it, as in nn.{what}()(x)"),
    (r"'int' object has no attribute 'detach'",
     "a number stands where a tensor is wanted: `nn.Parameter` takes a tensor, as in "
     "nn.Parameter(torch.rand(rows, columns))"),
    (r"TypeError: \w+\.\w+\(\) takes \d+ positional arguments? but \d+ (?:was|were) given",
     "the first parameter of a method is `self`, and counts"),
    (r"a leaf Variable that requires grad is being used in an in-place"
     r"|a view of a leaf Variable",
     "a tensor that requires gradients, such as a parameter or an input, is changed in place where "
     "they are recorded: make a new tensor, or change it within `with torch.no_grad():`"),
    (r"element 0 of tensors does not require grad",
     "nothing that this was computed from records gradients: `.detach()`, `.data`, `.item()`, "
     "`torch.no_grad()` and new tensors made of numbers end that"),
    (r"Can't call numpy\(\) on Tensor that requires grad",
     "NumPy can't record gradients: take PyTorch's own function, or `.detach()` where no "
     "gradient is wanted"),
    (r"Expected all tensors to be on the same device"
     r"|Tensor on device \w+ is not on the expected",
     "a tensor that is made anew lies on the CPU unless it is told where: `device=x.device`"),
    # Shapes.
    (r"The size of tensor a \((?P<a>\d+)\) must match the size of tensor b \((?P<b>\d+)\) at "
     r"non-singleton dimension (?P<axis>\d+)",
     f"{_BROADCASTING}, but here {{a}} met {{b}} on axis {{axis}}"),
    (r"operands could not be broadcast together",
     _BROADCASTING),
    (r"The expanded size of the tensor \((?P<a>\d+)\) must match the existing size "
     r"\((?P<b>\d+)\) at non-singleton dimension (?P<axis>\d+)",
     "only an axis of length 1 can be expanded, also where a tensor is put into a part of "
     "another one: here {b} was to become {a}, on axis {axis}"),
    (r"Tensors must have same number of dimensions",
     "`cat` joins tensors with equally many axes: give the one with fewer what it lacks first"),
    (r"Sizes of tensors must match except in dimension (?P<axis>\d+)",
     "`cat` joins along one axis, here {axis}: on every other one, the lengths must be equal"),
    (r"stack expects each tensor to be equal size",
     "`stack` joins tensors of one shape, and these have several"),
    (r"expected Tensor as element \d+ in argument \d+, but got (?P<what>tuple|NoneType|list|int|"
     r"float)",
     "`cat` and `stack` join tensors, and among these is a {what}"),
    (r"inconsistent tensor size, expected tensor \[\d+\] and src \[\d+\]",
     "between two vectors, `@` is the dot product, so they must be of one length; `torch.outer` "
     "makes all products of their entries"),
    (r"Expected size for first two dimensions of batch2 tensor to be",
     "in a product of batches, the batches must be of one length, and the last axis on the left "
     "as long as the one before the last on the right"),
    (r"einsum\(\): the number of subscripts in the equation",
     "each axis needs a letter, and `...` stands for all those that have none"),
    (r"must be tuple of ints, ?but got float",
     "a length is a whole number, and `/` gives a float even where nothing remains: `//` gives "
     "a whole one"),
    (r"must be tuple of ints, ?but got torch\.dtype",
     "a dtype is given by its name: dtype=…"),
    (r"can only concatenate tuple \(not .{,10}\) to (?:tuple|torch\.Size)",
     "a shape is a tuple: one more length is put behind it as in (*shape, length)"),
    (r"Cannot interpret '\d+' as a data type",
     "NumPy takes a shape as one tuple, np.zeros((rows, columns)): what comes behind it is the "
     "dtype"),
    (r"axes don't match array",
     "NumPy's `transpose` takes the new order of all axes: np.swapaxes(x, -2, -1) exchanges two"),
    (r"Expected reduction dim .{,120}numel\(\) == 0|zero-size array to reduction operation",
     "there is no entry to choose from: it is empty, as a slice beyond the end is"),
    (r"shape '\[.{,60}\]' is invalid for input of size \d+|cannot reshape array of size \d+",
     "a reshape keeps every number: the lengths of the new axes, multiplied, must make as many"),
    (r"view size is not compatible with input tensor's size and stride",
     "the numbers do not lie in the order of the axes, as after `transpose`, `permute` or "
     "`expand`: `reshape` copies them where it must, and so does `.contiguous()` before `view`"),
    (r"index \d+ is out of bounds for (?:axis|dimension) \d+ with size (?P<size>[1-9]\d{,15})",
     "entries are counted from 0, so the last of {size} is number {last}"),
    (r"Dimension out of range|AxisError: axis -?\d+ is out of bounds",
     "there are fewer axes than that: they are counted from 0, or from the back with -1"),
    (r"index out of range in self",
     "an embedding has a row for each number from 0 to num_embeddings - 1, and got another"),
    (r"transpose\(\) missing \d required positional",
     "a tensor's `transpose` takes the two axes that are to be exchanged: x.transpose(-2, -1)"),
    # Dtypes.
    (r"not implemented for 'Bool'",
     "this can't be done with True and False: `.int()` and `.float()` make numbers of them"),
    (r"masked_fill_? only supports boolean masks",
     "a mask of True and False is wanted: `.bool()` makes one of 0 and 1"),
    (r"Expected self\.dtype to be equal to src\.dtype",
     "the two tensors need one dtype: a new one has torch's default dtype unless you set one"),
    (r"not implemented for '(?:Long|Int|Short|Char|Byte)'|could not infer output dtype",
     "this can't be done with whole numbers, nor with True and False: turn them into floats"),
    (r"same dtype, but got:? "
     r"(?:Long and Float|Float and Long|long int != float|float != long int)"
     r"|expected scalar type (?:Long but found Float|Float but found Long)",
     "whole numbers (torch's long) met numbers with decimals (float): `.float()` turns the "
     "former into the latter"),
    # What stands there is something else.
    (r"'NoneType' object (?:is not|has no)|unsupported operand type\(s\) for .{,40}'NoneType'"
     r"|not supported between instances of .{,40}'NoneType'",
     "None stands there: nothing was given for it, or it is what a function without a `return` "
     "gives, or a method that changes a list in place, such as `append`"),
    (rf"'(?:{_FUNCTIONS})' object (?:is not (?:subscriptable|iterable)|has no (?:attribute|len))"
     rf"|unsupported operand type\(s\) for .{{,40}}'(?:{_FUNCTIONS})'"
     rf"|must be Tensor, not (?:{_FUNCTIONS})\b",
     "a function itself stands there, and not what it returns: round brackets call it"),
    (r"TypeError: '[\w.]+' object is not callable",
     "round brackets call what stands before them, and that is no function: square brackets "
     "take entries, and a product needs its `*`"),
    (r"AttributeError: 'tuple' object has no attribute",
     "a tuple stands there, mostly of several results: take one of them, as in "
     "`output, weights = …`"),
    (rf"AttributeError: 'list' object has no attribute '(?:{_NO_ARRAY})'"
     r"|unsupported operand type\(s\) for .{,40}'(?:list|range)'"
     r"|bad operand type for unary .: '(?:list|range)'|can't multiply sequence by non-int"
     r"|must be Tensor, not list\b",
     "a list, like a tuple or a range, is no array: `np.array(…)` or `torch.tensor(…)` makes "
     "one of numbers, and `torch.stack(…)` one of tensors"),
    (rf"AttributeError: 'numpy\.ndarray' object has no attribute '(?:{_TORCHS_OWN})'",
     "that is a method of tensors, and a NumPy array stands there"),
    (r"AttributeError: 'Tensor' object has no attribute '(?:astype|copy)'",
     "that is a method of NumPy arrays, and a tensor stands there: `.to(dtype)` and `.clone()` "
     "are a tensor's"),
    (r"must be Tensor, not (?:numpy\.)?ndarray",
     "that takes tensors, and a NumPy array stands there: `torch.tensor(…)` makes one of it"),
    (r"torch\.return_types\.(?P<what>\w+)",
     "along an axis, `{what}` returns two tensors: take `.values` or `.indices`"),
    (r"must be Tensor, not (?:float|int|bool)\b",
     "that takes tensors, and a plain number stands there: `math` has functions for numbers, "
     "and `torch.tensor(…)` makes a tensor of one"),
    (r"'Tensor' object has no attribute '(?:append|extend)'",
     "a tensor keeps its size: `torch.cat` makes a longer one, and a list can collect tensors"),
    (r"can't assign an? \w+ to a torch\.\w+",
     "into a tensor go numbers and tensors: `torch.tensor(…)` makes one of a list of numbers"),
    (r"'tuple' object does not support item assignment",
     "a tuple can't be changed: make a new one, or a list"),
    (r"unhashable type: 'list'",
     "a list can be no key, and in no set: a tuple can"),
    (r"'(?:int|float)' object is not iterable",
     "a number can't be gone through: `range(n)` counts from 0 to n - 1"),
    (r"must be Tensor, not tuple",
     "a tuple stands there, mostly of several results: take the one that is meant"),
    (r"TypeError: tensor\(\) takes 1 positional argument but \d+ were given",
     "`torch.tensor` takes the numbers themselves, as one list; of a shape, `torch.empty`, "
     "`torch.zeros` and `torch.randn` make tensors"),
    (r"Boolean value of Tensor with more than one value is ambiguous"
     r"|The truth value of an array with more than one element is ambiguous",
     "`if`, `and`, `or` and `not` ask for one True or False, and here are many: `&`, `|` and "
     "`~` work on each, `.any()` and `.all()` make one of them"),
    (r"only (?:length-1|0-dimensional|integer scalar|size-1) arrays can be converted"
     r"|only integer tensors of a single element can be converted"
     r"|a Tensor with \d+ elements cannot be converted to Scalar"
     r"|only one element tensors can be converted",
     "one number is asked for there, and an array or a tensor of several stands in its place; "
     "tensors in a list are joined by `torch.stack`"),
    # Names, entries and calls.
    (r"register_buffer\(\) missing",
     '`register_buffer` takes a name, then the tensor: self.register_buffer("mask", mask)'),
    (r"TypeError: (?P<what>\w+)\.forward\(\) missing \d+ required .{,30}: (?P<names>.{,80})",
     "calling `{what}` takes {names} as well, if need be the same tensor once more; what may be "
     "left out needs a value in the `def`, such as `= None`"),
    (r"TypeError: [\w.]{,80}\(\) missing \d+ required [\w-]+ argument.{,2}: (?P<names>.{,80})",
     "it can't be called without {names}"),
    (r"TypeError: (?P<what>zeros|ones|empty|rand|randn)\(\) takes 1 positional argument but",
     "the lengths stand in one tuple, or each by itself: torch.{what}(*shape, length)"),
    (r"Cannot access accelerator device when none is available",
     "a plain number is taken for a device: a generator's seed is set as in "
     "torch.Generator().manual_seed(seed)"),
    (r"replace\(\) argument \d must be str",
     "the `replace` of a text puts one text in the place of another, never a list or a pair"),
    (r"ord\(\) expected a character",
     "`ord` gives the number of one character: go through a longer text by a loop"),
    (r"module '(?P<what>[\w.]+)' has no attribute '(?P<name>\w+)'",
     "{what} has nothing called {name}: layers and parameters are in torch.nn, functions without "
     "parameters in torch.nn.functional, and spelling counts"),
    (r"'Tensor' object has no attribute '(?P<name>step|zero_grad)'",
     "`{name}` is a method of the optimizer, and not of the loss"),
    (r"m(?:ax|in)\(\) (?:arg|iterable argument) is (?:an )?empty",
     "of nothing there is no largest or smallest: look first whether there is anything"),
    (r"received an invalid combination of arguments",
     "what stands behind `got` fits none of the forms that follow it: an argument has a type or "
     "a name that they don't take, or is missing"),
    (r"got an unexpected keyword argument '"
     r"(?P<name>axis|axes|dim|dims|keepdims|keepdim|k|diagonal)'",
     "nothing there is called {name}: NumPy and PyTorch have their own names, `axis` and `dim`, "
     "`keepdims` and `keepdim`, `k` and `diagonal`"),
    (r"(?:list|tuple|string)(?: assignment)? index out of range",
     "there is no such position: the last one is `len(…) - 1`, and a loop that deletes entries "
     "leaves fewer than it has counted, or a function that you were given looks too far"),
    (r"KeyError: ",
     "there is no such key: it is spelled otherwise, or has still to be put in, as in "
     "`counts[key] = counts.get(key, 0) + 1`, or a function that you were given has none"),
    (r"AttributeError: '(?!Tensor'|Parameter')[A-Z]\w*' object has no attribute '(?P<name>\w+)'",
     "nothing is called {name} there: it is spelled otherwise, or not set yet, as "
     "`self.{name} = …` in a method does; a name without `self.` ends with its function"),
    (r"UnboundLocalError: ",
     "the function assigns to that name somewhere, so the name is its own, and it has no value "
     "yet where it is used"),
    (r"NameError: name '(?P<name>\w+)' is not defined",
     "no cell that was run defines {name}: one has still to be run, or the name is spelled "
     "otherwise, or belongs to another function: `self.{name} = …` keeps it for other methods"),
    (r"RecursionError: ",
     "calls went deeper and deeper, as when a function calls itself without an end: within it, "
     "its own name means itself, and never a library's function of that name"),
)  # fmt: skip


def meaning_of(kind: str, message: str) -> str:
    """What an exception means; "" where there is nothing to add to what it says."""
    said = f"{kind}: {message[:_READ]}"
    # PyTorch says this in many ways.
    words = set(re.findall(r"\w+", said.lower()))
    if {"float", "double"} <= words and words & {"dtype", "dtypes", "scalar"}:
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
