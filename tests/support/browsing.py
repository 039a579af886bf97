"""What tests of pages in a browser share."""

from __future__ import annotations

import json
import re
import shutil

import pytest

BROWSER, DRIVER = (
    next(filter(None, map(shutil.which, names)), None)
    for names in (("chromium", "chromium-browser", "google-chrome"), ("chromedriver",))
)
NEEDS_BROWSER = pytest.mark.skipif(
    BROWSER is None or DRIVER is None,
    reason="no Chromium here: on Debian, apt-get install chromium chromium-driver",
)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def emulate(browser, width: int, scheme: str = "light", media: str = "") -> None:
    """Give a page a screen of that width, with the colours its user prefers."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    emulated = {"media": media, "features": [feature]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", emulated)


def requests(browser) -> list[str]:
    """Return what the browser has asked for since it was asked last."""
    return [
        message["params"]["request"]["url"]
        for entry in browser.get_log("performance")
        if (message := json.loads(entry["message"])["message"])["method"]
        == "Network.requestWillBeSent"
    ]


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, as WCAG 2.2 defines it."""
    parts = (int(part) / 255 for part in re.findall(r"\d+", colour)[:3])
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours, as WCAG 2.2 defines it."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)
