"""Packages of pure Python as a wheel, packed from where they lie here.

The same files give the same bytes, wherever and whenever they are packed.
"""

import base64
import hashlib
import zipfile
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

_COMPILED = {".so", ".pyd", ".dylib"}
_LEFT_OUT = {"__pycache__", "tests"}
_METADATA = "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
_WHEEL = "Wheel-Version: 1.0\nGenerator: autograder\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


@dataclass(frozen=True)
class Wheel:
    """A wheel, and what a list of packages says of it."""

    path: Path
    name: str
    version: str
    imports: tuple[str, ...]
    depends: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """The SHA-256 of the file."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()


def is_pure(place: Path) -> bool:
    """Whether a package's folder, or a module's file, has nothing that is compiled."""
    paths = place.rglob("*") if place.is_dir() else [place]
    return not any(path.suffix in _COMPILED for path in paths)


def pack(
    folder: Path,
    name: str,
    version: str,
    places: Mapping[str, Path],
    depends: Iterable[str] = (),
    left_out: Container[Path] = (),
    more: Mapping[str, Path] = MappingProxyType({}),
) -> Wheel:
    """Pack packages into a wheel, of which a browser may keep every one: no two have the same name.

    Args:
        folder: where the wheel is written.
        name: what it is called where packages are listed.
        version: which of it; what is packed adds its digest.
        places: by its name, the folder of each package, or the file of a module.
        depends: the packages that are loaded with it.
        left_out: files of theirs that are not packed.
        more: by its path in the wheel, a file that lies elsewhere.
    """
    files = {
        inside: file.read_bytes()
        for package, place in places.items()
        for inside, file in _files(package, place)
        if file not in left_out
    } | {inside: file.read_bytes() for inside, file in more.items()}
    record = [_line_of(inside, content) for inside, content in files.items()]
    version = f"{version}+{hashlib.sha256(''.join(record).encode()).hexdigest()[:12]}"
    stem = f"{name.replace('-', '_')}-{version}"
    info, path = f"{stem}.dist-info", folder / f"{stem}-py3-none-any.whl"
    files[f"{info}/METADATA"] = _METADATA.format(name=name, version=version).encode()
    files[f"{info}/WHEEL"] = _WHEEL.encode()
    record = [_line_of(inside, content) for inside, content in files.items()]
    record.append(f"{info}/RECORD,,\n")
    files[f"{info}/RECORD"] = "".join(record).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for inside, content in files.items():
            packed.writestr(zipfile.ZipInfo(inside), content, zipfile.ZIP_DEFLATED)
    return Wheel(path, name, version, tuple(places), tuple(depends))


def _files(package: str, place: Path) -> Iterator[tuple[str, Path]]:
    if place.is_file():
        yield place.name, place
        return
    for file in sorted(place.rglob("*")):
        inside = file.relative_to(place)
        if file.is_file() and not _LEFT_OUT.intersection(inside.parts):
            yield f"{package}/{inside.as_posix()}", file


def _line_of(inside: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{inside},sha256={digest},{len(content)}\n"
