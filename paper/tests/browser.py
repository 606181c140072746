"""Debian's Chromium with a report open in it, and checks of what a reader sees there."""

import json
import os
import shutil
from contextlib import contextmanager
from tempfile import TemporaryDirectory

from selenium.webdriver import Chrome
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
ARGUMENTS = (
    "--headless=new",
    # Root has no sandbox, and a container little shared memory.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--hide-scrollbars",
)
LOCAL = ("data:", "blob:", "about:", "chrome:")
CONTRAST = 4.5
PATIENCE_S = 30


@contextmanager
def opened(page, width, scheme):
    """Open `page` on a screen of `width` px with the color scheme light or dark."""
    options = Options()
    options.binary_location = str(BROWSER)
    for argument in ARGUMENTS:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    # Chromium leaves folders behind.
    with TemporaryDirectory(prefix="browser.", ignore_cleanup_errors=True) as folder:
        service = Service(str(DRIVER), env=os.environ | {"TMPDIR": folder})
        with Chrome(options=options, service=service) as driver:
            # A window is never as narrow as a phone; what is emulated is.
            screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
            prefer(driver, "color-scheme", scheme)
            driver.get(page.resolve().as_uri())
            yield driver


def prefer(driver, feature, value):
    """Let a media feature of what a reader prefers have a value."""
    features = [{"name": f"prefers-{feature}", "value": value}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def until(driver, condition, *arguments):
    """Wait until a JavaScript expression is true, and return its value."""

    def holds(_):
        return driver.execute_script(f"return {condition}", *arguments)

    return WebDriverWait(driver, PATIENCE_S, 0.05).until(holds, condition)


def complaints(driver):
    """Read what the console says since the last call."""
    return [entry["message"] for entry in driver.get_log("browser")]


def requests(driver):
    """Addresses outside the page, files too, that were requested since the last call."""
    page = driver.current_url.partition("#")[0]
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    sent = [one["params"] for one in messages if one["method"] == "Network.requestWillBeSent"]
    urls = [one["request"]["url"] for one in sent]
    return [url for url in urls if url != page and not url.startswith(LOCAL)]


def open_all(driver):
    """Unfold all that is folded; wait for what is unpacked."""
    driver.execute_script(
        "for (const details of document.querySelectorAll('details')) details.open = true"
    )
    until(
        driver,
        """[...document.querySelectorAll('iframe.flame-graph')].every((one) => one.srcdoc)
        && [...document.querySelectorAll('.plots')].every((one) => one.querySelector('svg'))""",
    )


def too_wide(driver):
    """Elements that reach beyond the screen, and not within a box that scrolls."""
    return driver.execute_script("""
        if (document.documentElement.scrollWidth <= innerWidth) return [];
        const scrolls = (element) => element && element !== document.documentElement
            && (getComputedStyle(element).overflowX !== 'visible'
                || scrolls(element.parentElement));
        return [...document.querySelectorAll('body *')]
            .filter((one) => one.getBoundingClientRect().right > innerWidth + 1
                && !scrolls(one.parentElement))
            .map((one) => one.outerHTML.slice(0, 120)).slice(0, 10);
    """)


def off_screen(driver, selector):
    """Visible elements that reach beyond the screen, in a box that scrolls, too."""
    return driver.execute_script(
        """return [...document.querySelectorAll(arguments[0])]
            .filter((one) => one.checkVisibility({ checkVisibilityCSS: true })
                && one.getBoundingClientRect().right > innerWidth + 1)
            .map((one) => one.outerHTML.slice(0, 120)).slice(0, 10);""",
        selector,
    )


def faint(driver):
    """Visible texts whose contrast with what is behind them is too low."""
    return driver.execute_script(
        """
        const parse = (text) => {
            const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number);
            return [r, g, b, a];
        };
        const over = ([r, g, b, a], ground) =>
            [r, g, b].map((value, index) => value * a + ground[index] * (1 - a));
        const behind = (element) => {
            if (element === null) return [255, 255, 255];
            const color = parse(getComputedStyle(element).backgroundColor);
            return color[3] === 1 ? color.slice(0, 3) : over(color, behind(element.parentElement));
        };
        const linear = (value) =>
            value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        const light = (color) => [0.2126, 0.7152, 0.0722]
            .reduce((sum, weight, index) => sum + weight * linear(color[index] / 255), 0);
        const found = [];
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
            const element = walker.currentNode.parentElement;
            const words = walker.currentNode.textContent.trim();
            if (!words || element.closest('script, style, noscript, template, option')) continue;
            if (!element.checkVisibility({ checkVisibilityCSS: true })) continue;
            const ground = behind(element);
            const ink = over(parse(getComputedStyle(element).color), ground);
            const [dark, bright] = [light(ink), light(ground)].sort((one, other) => one - other);
            const contrast = (bright + 0.05) / (dark + 0.05);
            if (contrast < arguments[0]) found.push(`${contrast.toFixed(2)}: ${words}`);
        }
        return [...new Set(found)].slice(0, 10);
        """,
        CONTRAST,
    )
