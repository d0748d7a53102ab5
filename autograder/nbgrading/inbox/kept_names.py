"""Under which names a student's files are kept beside the graded notebook.

Formgrader serves them to the instructor's browser, which opens a file by its name; and a kernel
that is started there, for the live notebook, imports and reads by name what lies beside it. So only
what is known to be plain data keeps its name. All else gets `.txt` behind it: pages, pictures with
a program in them, modules, notebooks, and what some program would read as its settings. When the
student's code runs, its files have the names that it was handed in with.
"""

from pathlib import PurePath

_TEXT = ".txt"
# A name without a dot needs one mark more: `notes.txt` is not what becomes of `notes`.
_BARE = f"_{_TEXT}"
# A browser shows them as text or as pixels, or offers to save them; nothing runs or obeys them.
_DATA_LIST = """
.txt .csv .tsv .jsonl .md .rst .tex .bib .log
.png .jpg .jpeg .gif .bmp .tif .tiff .webp .wav .mp3 .mp4 .npy .npz .mat .h5 .hdf5 .parquet
.feather .pkl .pickle .pt .safetensors .onnx .db .sqlite .zip .tar .xlsx .docx .dat .bin
"""
_DATA = frozenset(_DATA_LIST.split())


def kept_name(name: str) -> str:
    """The name under which a student's file is kept."""
    path = PurePath(name)
    # Nor may it look as if another file had been renamed.
    if path.suffix.lower() in _DATA and name_handed_in(name) == name:
        return name
    return f"{name}{_TEXT if '.' in path.name else _BARE}"


def name_handed_in(kept: str) -> str:
    """The name that a file had which is kept under this one."""
    for mark in (_BARE, _TEXT):
        before = kept.removesuffix(mark)
        if PurePath(before).name and before != kept and kept_name(before) == kept:
            return before
    return kept
