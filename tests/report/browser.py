"""A real browser for tests: headless Chromium, spoken to through a pipe (no package is needed for that)."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)


class Browser:
    """One tab of a browser."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._out, self._in = os.fdopen(to_browser, "wb", 0), os.fdopen(from_browser, "rb")
        self._count = 0
        self.console: list[str] = []  # errors and warnings of the page
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the DevTools protocol."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        session = {} if self._session is None else {"sessionId": self._session}
        self._out.write(json.dumps(message | session).encode() + b"\0")
        while (answer := self._next()).get("id") != self._count:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        result: dict[str, Any] = answer["result"]
        return result

    def _next(self) -> dict[str, Any]:
        """The next message of the browser; what it says of its own accord is kept where it is an error."""
        message: dict[str, Any] = json.loads(self._until_zero())
        match message.get("method"):
            case "Runtime.exceptionThrown":
                self.console.append(str(message["params"]["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if message["params"]["type"] in ("error", "warning", "assert"):
                self.console.append(str(message["params"]["args"]))
            case "Log.entryAdded" if message["params"]["entry"]["level"] in ("error", "warning"):
                self.console.append(str(message["params"]["entry"]))
        return message

    def _until_zero(self) -> bytes:
        found = bytearray()
        while (byte := self._in.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("the browser has ended")
            found += byte
        return bytes(found)

    def open(self, page: Path, width: int = 1200, height: int = 900, dark: bool = False) -> None:
        """Load a page in a window of a size and wait until all of it is there."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.console.clear()
        self.call("Page.navigate", url=page.resolve().as_uri())
        while self._next().get("method") != "Page.loadEventFired":
            pass
        self._settle()

    def _settle(self) -> None:
        """Wait until what was changed is on the screen: clicks go to what is seen."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")

    def run(self, script: str) -> Any:
        """What a script in the page gives."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def type(self, text: str) -> None:
        """Type a text where the focus is."""
        self.call("Input.insertText", text=text)

    def press(self, key: str) -> None:
        """Press a key where the focus is."""
        codes = {"Enter": (13, "\r"), "Tab": (9, ""), " ": (32, " ")}
        code, text = codes[key]
        common: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def click(self, selector: str) -> None:
        """Click with the mouse on the middle of an element."""
        one = f"document.querySelector({json.dumps(selector)})"
        self.run(f"{one}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
        self._settle()
        box = self.run(f"{one}.getBoundingClientRect().toJSON()")
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self, path: Path, whole: bool = True) -> None:
        """A picture of the page."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def printed(self) -> bytes:
        """The page as a PDF file."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])


@contextmanager
def opened_browser(folder: Path) -> Iterator[Browser]:
    """A browser that ends with the block; its own files lie in a folder."""
    assert CHROMIUM is not None
    read_end, to_browser = os.pipe()
    from_browser, write_end = os.pipe()
    command = f'exec "$0" "$@" 3<&{read_end} 4>&{write_end}'
    arguments = [CHROMIUM, *_ARGUMENTS, f"--user-data-dir={folder}"]
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(["bash", "-c", command, *arguments], pass_fds=(read_end, write_end), **quiet)
    os.close(read_end)
    os.close(write_end)
    browser = Browser(to_browser, from_browser)
    try:
        yield browser
    finally:
        browser._session = None
        browser.call("Browser.close")
        process.wait(30)
