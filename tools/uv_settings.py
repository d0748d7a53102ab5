"""Print the environment that gives uv the settings that pip has here, for tools/set-up.

    .venv/bin/python tools/uv_settings.py uv

uv does not read pip's configuration, so whoever has told pip of a mirror or of a folder of wheels
would be told by uv that packages are missing. What is set for uv itself stays as it is.
"""

import ast
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

# uv's variables that say where packages come from; each may be set without the others.
PLACES = (
    *("UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX", "UV_EXTRA_INDEX_URL"),
    *("UV_FIND_LINKS", "UV_OFFLINE"),
)
ROOT = Path(__file__).resolve().parents[1]


def pip_settings(listed: Iterable[str]) -> dict[str, str]:
    """What pip does when it installs, from the lines of `pip config list`.

    A variable of the environment counts more than a file, and in files the section of the command
    more than that of all commands.
    """
    found: dict[str, dict[str, str]] = {"global": {}, "install": {}, ":env:": {}}
    for line in listed:
        name, _, value = line.partition("=")
        section, _, setting = name.rpartition(".")
        if section in found:
            found[section][setting] = str(ast.literal_eval(value))
    return {name: value for settings in found.values() for name, value in settings.items()}


def uv_settings(
    pip: Mapping[str, str], environment: Mapping[str, str], platform: str = sys.platform
) -> dict[str, str]:
    """The variables that uv needs besides those of the environment."""
    wanted = {
        "SSL_CERT_FILE": pip.get("cert", ""),
        "UV_INSECURE_HOST": " ".join(pip.get("trusted-host", "").split()),
    }
    if proxy := pip.get("proxy"):
        wanted |= {"HTTP_PROXY": proxy, "HTTPS_PROXY": proxy}
    own = any(environment.get(name) for name in PLACES)
    places = {} if own else _places(pip)
    wanted |= places
    if platform == "linux" and not own and not places:
        # PyPI's build for Linux brings gigabytes for GPUs.
        wanted["UV_TORCH_BACKEND"] = "cpu"
    return {name: value for name, value in wanted.items() if value and name not in environment}


def _places(pip: Mapping[str, str]) -> dict[str, str]:
    # pip passes over a folder that is not there, and uv would stop.
    links = [link for link in pip.get("find-links", "").split() if "://" in link or _exists(link)]
    found = {
        "UV_FIND_LINKS": ",".join(links),
        "UV_INDEX": " ".join(pip.get("extra-index-url", "").split()),
        "UV_DEFAULT_INDEX": pip.get("index-url", ""),
        # uv has no variable for --no-index.
        "UV_OFFLINE": "1" if pip.get("no-index") in ("1", "true", "yes", "on") else "",
    }
    if found["UV_INDEX"]:
        # As pip does: the pinned version may lie in any of them.
        found["UV_INDEX_STRATEGY"] = "unsafe-best-match"
    return {name: value for name, value in found.items() if value}


def _exists(link: str) -> bool:
    return Path(link).expanduser().exists()


def link_mode(cache: Path, target: Path) -> dict[str, str]:
    """uv warns when it has to copy; where cache and .venv lie apart, nothing else can be done."""
    while not cache.exists():
        cache = cache.parent
    return {} if cache.stat().st_dev == target.stat().st_dev else {"UV_LINK_MODE": "copy"}


def _lines(*command: str) -> list[str]:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def main(uv: str) -> None:
    """Print a line NAME=value for each."""
    pip = pip_settings(_lines(sys.executable, "-m", "pip", "config", "list"))
    (cache,) = _lines(uv, "cache", "dir")
    settings = link_mode(Path(cache), ROOT) | uv_settings(pip, os.environ)
    for name, value in settings.items():
        if name not in os.environ:
            print(f"{name}={value}")


if __name__ == "__main__":
    main(*sys.argv[1:])
