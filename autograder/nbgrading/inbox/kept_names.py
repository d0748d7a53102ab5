"""Under which names a student's files are kept beside the graded notebook.

Formgrader serves them to the instructor's browser, which opens a file by its name: what it might
take for a page, a picture with a program in it, or a program, gets `.txt` behind its name. When the
student's code runs, its files have the names that it was handed in with.
"""

from pathlib import PurePath

_TEXT = ".txt"
# A browser shows them as text or as pixels, or offers to save them.
_INERT_LIST = """
.txt .csv .tsv .json .jsonl .md .rst .tex .bib .log .toml .ini .cfg .py .ipynb .c .h .cpp .r
.png .jpg .jpeg .gif .bmp .tif .tiff .webp .wav .mp3 .mp4 .npy .npz .mat .h5 .hdf5 .parquet
.feather .pkl .pickle .pt .pth .safetensors .onnx .db .sqlite .zip .tar .xlsx .docx .dat .bin
"""
_INERT = frozenset(_INERT_LIST.split()) | {""}


def kept_name(name: str) -> str:
    """The name under which a student's file is kept."""
    return name if _is_kept_as_it_is(name) else f"{name}{_TEXT}"


def name_handed_in(kept: str) -> str:
    """The name that a file had which is kept under this one."""
    before = kept.removesuffix(_TEXT)
    return kept if before == kept or _is_kept_as_it_is(before) else before


def _is_kept_as_it_is(name: str) -> bool:
    # Nor may it look as if another file had been renamed.
    return PurePath(name).suffix.lower() in _INERT and name_handed_in(name) == name
