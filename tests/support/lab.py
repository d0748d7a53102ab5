"""JupyterLab in a real browser: how it is started, and its menus."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.support.course import ROOT
from tests.support.processes import BACKSTOP, descendants, eventually

# Milliseconds for what comes at once or never: late enough for a machine that has much to do.
PATIENCE = 1000 * BACKSTOP
PICTURES = ROOT / "artefacts"
OPEN = """
import sys
from autograder.course import Course
from autograder.learner.jupyter import open_course
open_course(Course.find(), options=sys.argv[1:])
"""
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    # Pages of the browser's own, which it draws beside each window that nobody looks at.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
]  # fmt: skip


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running_lab(folder: Path, home: Path) -> Iterator[str]:
    """The address of a JupyterLab in that folder, with settings of its own in `home`."""
    settings = home / "settings"
    write_settings(
        settings,
        "notebook-extension/tracker",
        {"windowingMode": "none", "autoStartDefaultKernel": True},
    )
    write_settings(settings, "apputils-extension/notification", {"fetchNews": "false"})
    # On a slow machine it would save in the midst of a test's own saving.
    write_settings(settings, "docmanager-extension/plugin", {"autosave": False})
    port = free_port()
    environment = {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
    }
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root",
        f"--ServerApp.port={port}", "--ServerApp.port_retries=0",
        "--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True",
    ]  # fmt: skip
    with (home / "log").open("w") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for(address, process, home / "log")
            yield address
        finally:
            end_server(process)
    shutil.rmtree(settings)


def end_server(process: subprocess.Popen[bytes]) -> None:
    """End a Jupyter server and what it started.

    Now and then one has stopped all that it serves, and a thread of AnyIO's keeps it for ever.
    """
    process.terminate()
    try:
        process.wait(timeout=BACKSTOP / 8)
    except subprocess.TimeoutExpired:
        for one in [*descendants(process.pid), process.pid]:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        process.wait()


def write_settings(folder: Path, plugin: str, values: dict[str, object]) -> None:
    path = folder / "@jupyterlab" / f"{plugin}.jupyterlab-settings"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values))


def wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    def answers() -> bool:
        assert process.poll() is None, log.read_text()
        with suppress(OSError):
            urllib.request.urlopen(f"{address}/api", timeout=BACKSTOP).close()
            return True
        return False

    assert eventually(answers), f"JupyterLab did not answer: {log.read_text()}"


@contextmanager
def running_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        yield browser
        browser.close()


def open_notebook(browser: Browser, server: str, path: str) -> Page:
    """The notebook in a new window, its kernel ready."""
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.set_default_timeout(PATIENCE)
    page.goto(f"{server}/lab/tree/{path}")
    expect(page.locator(".jp-Notebook .jp-Cell").first).to_be_visible()
    expect(page.locator("#jp-main-statusbar")).to_contain_text("| Idle")
    return page


def menu(page: Page, name: str, entry: str) -> None:
    page.locator(".lm-MenuBar-item", has_text=name).first.click()
    page.locator(".lm-Menu-item", has_text=entry).first.click()


def choose_dark_theme(page: Page) -> None:
    page.locator(".lm-MenuBar-item", has_text="Settings").click()
    page.locator(".lm-Menu-item", has_text="Theme").first.hover()
    page.locator(".lm-Menu-item", has_text="JupyterLab Dark").first.click()
    expect(page.locator("body[data-jp-theme-light='false']")).to_have_count(1)


def keep(page: Page, name: str, *, whole: bool = False) -> None:
    """Keep a picture of the page in artefacts/: what is in sight, or the whole of it."""
    PICTURES.mkdir(exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png", full_page=whole)


class taught_course:  # noqa: N801  a context manager, used as a function
    """JupyterLab at a course, as `autograder teach` opens it."""

    def __init__(self, root: Path, token: str = "") -> None:
        """With a token, whoever has none is refused, and so is a request from another page."""
        self.root = root
        self.token = token

    def __enter__(self) -> str:
        port = free_port()
        home = self.root.parent / "home"
        home.mkdir()
        places = {f"JUPYTER_{name}_DIR": str(home / name) for name in ("CONFIG", "DATA", "RUNTIME")}
        options = [
            "--no-browser", f"--ServerApp.port={port}", "--ServerApp.port_retries=0",
            f"--IdentityProvider.token={self.token}",
            f"--ServerApp.disable_check_xsrf={not self.token}",
        ]  # fmt: skip
        log = home / "log"
        with log.open("w") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-c", OPEN, *options],
                cwd=self.root,
                env={**os.environ, **places},
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        address = f"http://127.0.0.1:{port}"
        try:
            wait_for(address, self.process, log)
        except BaseException:
            self.__exit__()
            raise
        return address

    def __exit__(self, *_: object) -> None:
        end_server(self.process)
