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


_BARRIERS = """
const found = [], seen = (each) => each.checkVisibility();
const words = (text) => (text.toLowerCase().match(/[\\p{L}\\p{N}.,%]+/gu) ?? []).join(" ");
let level = 0;
for (const head of [...document.querySelectorAll("h1, h2, h3, h4")].filter(seen)) {
  if (head.tagName[1] > level + 1) found.push(`a level is left out before: ${head.textContent}`);
  level = Number(head.tagName[1]);
}
const places = new Set(), landmarks = "[role=region], section, nav, aside";
for (const place of [...document.querySelectorAll(landmarks)].filter(seen)) {
  const by = document.getElementById(place.getAttribute("aria-labelledby"));
  const name = place.getAttribute("aria-label") ?? by?.textContent;
  if (name && places.has(name)) found.push(`two places are called: ${name}`);
  places.add(name);
}
const labelled = "button[aria-label], a[aria-label]";
for (const each of [...document.querySelectorAll(labelled)].filter(seen)) {
  const label = each.getAttribute("aria-label"), shown = each.innerText;
  if (!words(label).includes(words(shown))) found.push(`${shown} is called: ${label}`);
}
for (const each of [...document.body.querySelectorAll("*")].filter(seen)) {
  const scrolls = /auto|scroll/.test(getComputedStyle(each).overflow)
    && (each.scrollWidth > each.clientWidth + 15 || each.scrollHeight > each.clientHeight + 15);
  const inside = "a[href], button, input, select, textarea, iframe, [tabindex='0']";
  if (scrolls && !each.matches(inside) && !each.querySelector(inside)) {
    found.push(`can't be scrolled by keys: ${each.outerHTML.slice(0, 80)}`);
  }
}
return found;
"""


def barriers(browser) -> list[str]:
    """Return what bars those who hear a page, or have no mouse: four rules of axe-core."""
    return browser.execute_script(_BARRIERS)
