"""The smoke run's report in a real browser. Runs after `make smoke`."""

import html
import json
import math
import os
import re
import time
from pathlib import Path

import pytest
import yaml
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from paper.tests import browser
from paper.tests.browser import opened, until
from paper.tests.report_checks import rows_of

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(os.environ.get("SMOKE_RESULTS", ROOT / "results/smoke"))
REPORT = RESULTS / "report.html"
MOST_BYTES = 6 << 20
VIEWS = [(1280, "light"), (390, "dark")]

pytestmark = pytest.mark.skipif(
    not (browser.BROWSER and browser.DRIVER),
    reason="Debian's chromium and chromium-driver are not here, and set-up could not install them",
)


@pytest.fixture(scope="module", params=VIEWS, ids=lambda view: f"{view[0]} px, {view[1]}")
def page(request):
    with opened(REPORT, *request.param) as driver:
        yield driver


@pytest.fixture(scope="module")
def wide():
    with opened(REPORT, *VIEWS[0]) as driver:
        yield driver


# ---- In every view, in this order


def test_contents_lead_to_their_sections(page):
    links = page.find_elements(By.CSS_SELECTOR, "nav#TOC a")
    assert len(links) > 10
    for link in links:
        page.execute_script("arguments[0].click()", link)
        until(
            page,
            """((target) => target?.checkVisibility()
            && target.getBoundingClientRect().top > -2
            && target.getBoundingClientRect().top < innerHeight
            )(document.getElementById(decodeURIComponent(arguments[0].hash.slice(1))))""",
            link,
        )


def test_nothing_is_too_wide_or_faint_and_no_result_is_off_screen(page):
    assert (browser.too_wide(page), browser.faint(page)) == ([], [])
    browser.open_all(page)
    assert (browser.too_wide(page), browser.faint(page)) == ([], [])
    # Data tables have more columns than a wide screen holds, and scroll there.
    narrow = page.execute_script("return matchMedia('(max-width: 48rem)').matches")
    tables = "td, th" if narrow else "figure:not(.data) :is(td, th)"
    results = f"{tables}, figure img, #stage svg, #service-form input"
    assert browser.off_screen(page, results) == []


def test_the_page_is_small_and_whole(page):
    assert REPORT.stat().st_size <= MOST_BYTES
    assert (browser.requests(page), browser.complaints(page)) == ([], [])


# ---- In one view


def open_section(driver, selector):
    """Unfold the sections that hold what the selector finds, as a click on their titles does."""
    driver.execute_script(
        "document.querySelector(arguments[0]).closest('details.part').open = true", selector
    )


def figures(text):
    """The numbers in a text, whose thousands have commas."""
    return [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", text)]


def test_search_filters_a_table(wide):
    open_section(wide, "figure[data-file='comparisons.csv']")
    search = until(wide, "document.querySelector(\"[data-file='comparisons.csv'] input\")")
    figure = search.find_element(By.XPATH, "ancestor::figure")
    info = figure.find_element(By.CLASS_NAME, "dataTables_info")
    word = figure.find_elements(By.CSS_SELECTOR, "tbody td")[1].text
    total = figures(info.text)[-1]
    search.send_keys(word)
    left = until(wide, "arguments[0].textContent.match(/.*all.*/)?.[0]", info)
    assert 0 < figures(left.split("of")[1])[0] < total
    assert all(word in row.text for row in figure.find_elements(By.CSS_SELECTOR, "tbody tr"))


def test_a_click_sorts_numbers_as_numbers(wide):
    open_section(wide, "figure[data-file='summary.csv']")
    # A column of one value would be sorted in any order.
    heading = until(
        wide,
        """[...document.querySelectorAll("[data-file='summary.csv'] th.n.sorting")]
        .find((one) => new Set([...one.closest('table').tBodies[0].rows]
            .map((row) => row.cells[one.cellIndex].textContent)
            .filter((text) => text !== '–')).size > 1)""",
    )
    wide.execute_script("arguments[0].click()", heading)
    assert heading.get_attribute("aria-sort") == "ascending"
    column = "(row) => row.cells[arguments[0].cellIndex].textContent"
    rows = "[...arguments[0].closest('table').tBodies[0].rows]"
    cells = wide.execute_script(f"return {rows}.map({column})", heading)
    numbers = [float(text.replace(",", "")) for text in cells if text != "–"]
    assert numbers == sorted(numbers)


def test_columns_are_explained(wide):
    columns = wide.execute_script(
        """return [...document.querySelectorAll('details.columns dt')]
        .map((one) => [one.textContent, one.nextElementSibling.textContent.trim()])"""
    )
    assert len(columns) > 100
    assert {name for name, words in columns if not words} == set()
    assert not wide.find_elements(By.CSS_SELECTOR, "figure.data:not(:has(> details.columns))")


def test_a_flame_graph_opens(wide):
    frames = wide.find_elements(By.CSS_SELECTOR, "section.data iframe.flame-graph")
    if not frames:
        pytest.skip("no mode of this run was sampled, so it has no flame graph")
    assert not frames[0].get_attribute("srcdoc")
    open_section(wide, "section.data iframe.flame-graph")
    summary = frames[0].find_element(By.XPATH, "../summary")
    wide.execute_script("arguments[0].click()", summary)
    until(wide, "arguments[0].srcdoc.length > 0 && arguments[0].checkVisibility()", frames[0])
    wide.switch_to.frame(frames[0])
    until(wide, "document.body.textContent.length > 0")
    wide.switch_to.default_content()


def test_time_series_of_a_cell_are_drawn(wide):
    open_section(wide, "details.traces")
    wide.execute_script("document.querySelector('details.traces').open = true")
    until(wide, "document.querySelector('details.traces svg')")
    drawn = wide.execute_script(
        """return [...document.querySelectorAll('details.traces path:not(.axis)')]
        .map((one) => one.getAttribute('d')).join('')"""
    )
    assert "M" in drawn and "NaN" not in drawn


# ---- The figure that moves

# Today's figure with the data of the shipped page, for the smoke run has no load for it.
SHIPPED = ROOT / "paper/runs" / yaml.safe_load((ROOT / "config.yaml").read_text())["reference"]
STAGE = """<style>{style}</style>
<div id="stage" data-loads="{loads}"><p>static</p></div>
<script>{script}</script>
"""
SEEN = """
return [...document.querySelectorAll('#stage svg.users circle')]
    .map((one) => one.style.transform).join();
"""
CHOSEN = "document.querySelector('#stage button[aria-pressed=\"true\"]')"


@pytest.fixture(scope="module")
def loads():
    page = (SHIPPED / "report.html").read_text(encoding="utf-8")
    return re.search(r'id="stage" data-loads="([^"]*)"', page)[1]


@pytest.fixture(scope="module")
def stage(loads, tmp_path_factory):
    style, script = ((ROOT / "paper" / name).read_text() for name in ("report.css", "stage.js"))
    page = tmp_path_factory.mktemp("stage") / "stage.html"
    page.write_text(STAGE.format(style=style, loads=loads, script=script), encoding="utf-8")
    with opened(page, *VIEWS[0]) as driver:
        yield driver
        assert browser.complaints(driver) == []


def said(driver):
    return driver.find_element(By.CSS_SELECTOR, "#stage .said").text


def slide(driver, admitted):
    driver.execute_script(
        """const slider = document.querySelector('#stage input');
        slider.value = arguments[0];
        slider.dispatchEvent(new Event('input'));""",
        admitted,
    )


def moves(driver):
    """Whether a dot has another place after a second."""
    before = driver.execute_script(SEEN)
    time.sleep(1)
    return driver.execute_script(SEEN) != before


def test_dots_stand_where_the_users_do(stage, loads):
    """Each place has the users that the tables have there, rounded; dots move between them."""
    load = json.loads(html.unescape(loads))[0]
    for setting in load["settings"]:
        path = f"//div[@id='stage']//button[text()='{setting['words']}']"
        button = stage.find_element(By.XPATH, path)
        stage.execute_script("arguments[0].click(); arguments[0].scrollIntoView()", button)
        for place, users in setting["places"].items():
            dots = stage.find_elements(By.CSS_SELECTOR, f"#stage svg.users circle.{place}")
            assert len(dots) == pytest.approx(users, abs=1), (setting["words"], place)
        assert f"{setting['per_s']:,.0f} requests/s measured" in said(stage)
    assert moves(stage)


def test_between_measured_settings_there_is_theory_alone(stage):
    stage.execute_script("document.querySelector('#stage button').click()")
    slide(stage, 200)
    assert stage.execute_script(f"return {CHOSEN}") is None
    assert said(stage).startswith("200 admitted: theory allows 2,000 requests/s")
    assert not moves(stage)
    stage.find_element(By.CSS_SELECTOR, "#stage input").send_keys(Keys.ARROW_RIGHT)
    assert said(stage).startswith("201 admitted")
    slide(stage, 52)
    assert stage.execute_script(f"return {CHOSEN}.textContent") == "50 threads"


def test_nothing_moves_where_motion_is_unwanted(stage):
    stage.execute_script("[...document.querySelectorAll('#stage fieldset button')].at(-1).click()")
    browser.prefer(stage, "reduced-motion", "reduce")
    assert not moves(stage)
    browser.prefer(stage, "reduced-motion", "no-preference")


# ---- The form

LIMITS = ("bound_by", "virtual_by")
FILL = """
const form = document.querySelector('#service-form');
return arguments[0].map((row) => {
    for (const field of form.querySelectorAll('input')) field.value = row[field.name];
    form.dispatchEvent(new Event('input'));
    const output = form.querySelector('output');
    return [output.dataset.answer, output.textContent];
});
"""


def worked_out(name):
    return rows_of(Path(__file__).with_name(f"service-{name}.csv"))


def number(value):
    """A number as R writes it or JavaScript has it; NaN for one that is not finite."""
    found = float(value or "nan") if isinstance(value, str | None) else float(value)
    return found if math.isfinite(found) else math.nan


def test_form_answers_as_another_implementation_did(wide):
    rows = worked_out("cases")
    answers = wide.execute_script(FILL, rows)
    assert len(answers) == len(rows) > 100
    inputs = wide.execute_script(
        "return [...document.querySelectorAll('#service-form input')].map((one) => one.name)"
    )
    assert {*json.loads(answers[0][0]), *inputs} == rows[0].keys()
    for row, (found, words) in zip(rows, answers, strict=True):
        values = json.loads(found)
        assert [values.pop(key) for key in LIMITS] == [row[key] for key in LIMITS], row
        expected = {key: number(row[key]) for key in values}
        values = {key: number(value) for key, value in values.items()}
        assert values == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True), row
        assert not re.search(r"NaN|null|undefined|Infinity|∞", words), words


def test_form_gives_the_verdicts_that_were_worked_out_by_hand(wide):
    rows = worked_out("answers")
    assert len(rows) == 16
    for row, (_, words) in zip(rows, wide.execute_script(FILL, rows), strict=True):
        assert words.startswith(row["verdict"]), (words, row)
        assert row["set"] in words.partition("Set:")[2], (words, row)
        # No input of threads that wait in monitors, no word of them.
        assert ("synchronized" in words) == (row["synchronized_ms"] != ""), words
        assert not re.search(r"from ([\d,]+) to \1\b", words), words


def test_a_link_carries_the_inputs_of_the_form(wide):
    link = "document.querySelector('#service-form output a')"
    wide.execute_script(FILL, [worked_out("answers")[0] | {"rate_per_s": "77"}])
    shown = wide.execute_script(f"return {link}.hash")
    assert shown.startswith("#service?rate=77&wait=18&")
    wide.execute_script(f"location.hash = {link}.hash.replace('rate=77', 'rate=78')")
    until(wide, "document.querySelector('[name=rate_per_s]').value === '78'")
    assert wide.execute_script(f"return {link}.hash") == shown.replace("rate=77", "rate=78")


# ---- A page that is broken

BROKEN = {
    # A row has a cell less than the heading.
    r"(data-file=\"comparisons.csv\".*?<tbody>\n<tr>)<td>.*?</td>": r"\1",
    # A table that calls for something from outside.
    r"(<figure class=\"tbl data\")": r'<img src="http://127.0.0.1:9/x.png">\1',
}


def test_a_broken_table_and_a_request_are_noticed(tmp_path):
    text = REPORT.read_text(encoding="utf-8")
    for whole, broken in BROKEN.items():
        text, count = re.subn(whole, broken, text, count=1, flags=re.DOTALL)
        assert count == 1
    page = tmp_path / "broken.html"
    page.write_text(text, encoding="utf-8")
    with opened(page, 1280, "light") as driver:
        open_section(driver, "figure[data-file='comparisons.csv']")
        said = []

        def complains(_):
            said.extend(browser.complaints(driver))
            return any("127.0.0.1" not in line for line in said)

        WebDriverWait(driver, 10).until(complains)
        assert browser.requests(driver) == ["http://127.0.0.1:9/x.png"]
