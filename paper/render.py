"""Renders the report: the paper as a PDF, and as one self-contained HTML file with all tables.

With Quarto on the PATH (and R's rmarkdown, which it needs) Quarto does it. Where it is absent, too
old, fails or hangs, the stand-in does: knitr runs the code, pandoc writes HTML and typst, typst
writes the PDF. Both read the same source, and nothing is left beside it: the work is done on a copy
in a temporary folder. The report, and a line `report: …` on standard error, say why it is the
stand-in. Another source than the report is rendered as HTML alone.

    python -m paper.render --results results --out-html report.html --out-pdf report.pdf
"""

import argparse
import contextlib
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pypandoc
import typst
import yaml

from paper.given_cells import table
from profiles.setup import doctor
from workloads.experiment.reading import laid_over

PAPER = Path(__file__).resolve().parent
# Whatever asks for a date gets this one, so that the same input gives the same bytes.
EPOCH = "0"
LINES_OF_A_FAULT = 20
# The stand-in takes half a minute for the report.
QUARTO_LIMIT_S = 600.0
# The report leaves its findings for programs, too.
FINDINGS = "findings.json"
Renderer = Callable[[Path, Mapping[str, str], str, Path], None]
# Keys of the front matter that pandoc gets.
PASSED = ["lang", "bibliography", "link-citations", "papersize", "margin", "mainfont", "fontsize"]


class RenderError(Exception):
    """A step failed; the message ends with what that step printed."""


def run(argv: list[str], cwd: Path, limit_s: float | None = None) -> None:
    """Runs one step; raises RenderError with its output when it fails, or does not end in time."""
    # Bytes that are not UTF-8 must not hide the step's own message.
    step = subprocess.Popen(
        argv,
        cwd=cwd,
        env=os.environ | {"SOURCE_DATE_EPOCH": EPOCH},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    try:
        output, complaints = step.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        kill_with_children(step)
        raise RenderError(f"{argv[0]} had not ended after {limit_s:g} s") from None
    if step.returncode != 0:
        # knitr prints the whole document up to the fault; its end is where the fault is.
        said = "\n".join((output + complaints).splitlines()[-LINES_OF_A_FAULT:])
        raise RenderError(f"{argv[0]} failed ({step.returncode}):\n{said}")
    sys.stderr.write(complaints)


def kill_with_children(step: "subprocess.Popen[str]") -> None:
    """Kills a step and what it has started; not by a group, which Ctrl-C would not reach."""
    process = psutil.Process(step.pid)
    for each in (*process.children(recursive=True), process):
        with contextlib.suppress(psutil.NoSuchProcess):
            each.kill()
    step.communicate()


def front_matter(qmd: Path) -> dict[str, Any]:
    """The YAML block that opens a .qmd, over the files that it names; empty when it has none."""
    match = re.match(r"---\n(.*?)\n---\n", qmd.read_text(encoding="utf-8"), re.DOTALL)
    front = yaml.safe_load(match.group(1)) if match else {}
    for name in front.get("metadata-files", []):
        front = laid_over(yaml.safe_load((qmd.parent / name).read_text(encoding="utf-8")), front)
    return front


def format_options(qmd: Path, name: str) -> dict[str, Any]:
    """Front matter as one format sees it: what stands under format.<name> wins."""
    front = front_matter(qmd)
    return front | ((front.get("format") or {}).get(name) or {})


def listed(value: str | list[str] | None) -> list[str]:
    """A YAML value that may be absent, one string or several."""
    return [value] if isinstance(value, str) else list(value or [])


def why_not_quarto(cwd: Path) -> str | None:
    """Why Quarto cannot render here, or None when it can."""
    if shutil.which("quarto") is None:
        return "quarto is not on the PATH"
    version = doctor.quarto().found
    if version[0].isdigit() and doctor.too_old(version):
        return f"Quarto {version} is older than {doctor.quarto_at_least()}"
    try:
        run(["Rscript", "-e", "stopifnot(requireNamespace('rmarkdown', quietly = TRUE))"], cwd)
    except RenderError:
        return "R's package rmarkdown, which Quarto needs, is not installed"
    return None


# ---- Quarto ---------------------------------------------------------------------------------


def render_with_quarto(qmd: Path, params: Mapping[str, str], target: str, out: Path) -> None:
    options = [part for name, value in params.items() for part in ("-P", f"{name}:{value}")]
    run(["quarto", "render", qmd.name, "--to", target, *options], qmd.parent, QUARTO_LIMIT_S)
    shutil.move(qmd.with_suffix(out.suffix), out)


# ---- The stand-in ---------------------------------------------------------------------------


def knit(qmd: Path, params: Mapping[str, str], target: str) -> Path:
    """Runs the R code of `qmd`; the Markdown it leaves, with figures/ beside it."""
    markdown = qmd.with_suffix(".knit.md")
    arguments = [qmd.name, markdown.name, json.dumps(params), target]
    run(["Rscript", str(PAPER / "knit.R"), *arguments], qmd.parent)
    # A reader without this machine's font sees one of the same widths.
    wanted = "font-family: Liberation Sans, Arial, Helvetica, sans-serif;"
    for figure in (qmd.parent / "figures").glob("*.svg"):
        text = figure.read_text(encoding="utf-8")
        text = text.replace('font-family: "Liberation Sans";', wanted)
        figure.write_text(text, encoding="utf-8")
    return markdown


def pandoc(markdown: Path, options: dict[str, Any], to: str, out: Path, *extra: str) -> None:
    """One pandoc run with this project's filter; any warning fails it (lost citations warn)."""
    argv = [pypandoc.get_pandoc_path(), markdown.name, "--from=markdown", f"--to={to}"]
    # A line as wide as any: pandoc takes relative column widths from pipe tables that are wider.
    argv += ["--standalone", "--columns=10000", "--wrap=none", "--fail-if-warnings"]
    argv += [f"--output={out}", f"--lua-filter={PAPER / 'filter.lua'}", "--citeproc"]
    argv += ["--number-sections"] if options.get("number-sections") else []
    if options.get("toc"):
        depth = options.get("toc-depth", 3)
        # Given as a variable: the document's own metadata would win over the option.
        argv += ["--toc", f"--variable=toc-depth:{depth}", f"--toc-depth={depth}"]
    for place in ("include-in-header", "include-after-body"):
        argv += [f"--{place}={part}" for part in listed(options.get(place))]
    # A file that the front matter names may hold the part of it that pandoc reads.
    front = markdown.with_suffix(".front.yaml")
    front.write_text(yaml.safe_dump({key: options[key] for key in PASSED if key in options}))
    run([*argv, f"--metadata-file={front}", *extra], markdown.parent)


def write_html(markdown: Path, options: dict[str, Any], html: Path) -> None:
    """Self-contained HTML: styles, figures and formulas inside, nothing fetched."""
    styles = [f"--css={css}" for css in [PAPER / "stand-in.css", *listed(options.get("css"))]]
    pandoc(
        markdown,
        options,
        "html5",
        html,
        "--embed-resources",
        "--mathml",
        "--section-divs",
        "--metadata=document-css:false",
        f"--include-before-body={PAPER / 'stand-in.html'}",
        *styles,
    )


def write_pdf(markdown: Path, options: dict[str, Any], pdf: Path) -> None:
    """PDF by way of typst, with the look of the front matter's typst options."""
    source = markdown.with_suffix(".typ")
    # typst's own citations are switched off: citeproc writes the same ones in both formats.
    pandoc(markdown, options, "typst-citations", source, "--metadata=page-numbering:1")
    typst.compile(str(source), output=str(pdf), root=str(markdown.parent), timestamp=int(EPOCH))


def packed(pdf: Path) -> Path:
    """Compresses what typst leaves as text, such as the tags of tables."""
    out = pdf.with_suffix(".packed.pdf")
    argv = ["qpdf", "--object-streams=generate", "--deterministic-id", str(pdf), str(out)]
    run(argv, pdf.parent)
    return out


def render_with_stand_in(qmd: Path, params: Mapping[str, str], target: str, out: Path) -> None:
    write = {"html": write_html, "typst": write_pdf}[target]
    write(knit(qmd, params, target), format_options(qmd, target), out)


# ---- Both -----------------------------------------------------------------------------------

STAND_IN = "the stand-in renderer (knitr, pandoc, typst)"


class Rendered(NamedTuple):
    """The renderer's name, and what could not be read or written: table or section, message."""

    renderer: str
    problems: list[tuple[str, str]]


def render(qmd: Path, params: Mapping[str, str], target: str, out: Path) -> Rendered:
    """Renders `qmd` to `out`, as `target` (html, or typst for a PDF).

    `params` overrides the front matter's parameters. Raises RenderError or typst.TypstError when
    code fails, a reference or citation leads nowhere, or the PDF cannot be laid out.
    """
    reason = why_not_quarto(PAPER)
    if reason is None:
        try:
            return render_with(render_with_quarto, "Quarto", qmd, params, target, out)
        except (RenderError, OSError) as failure:
            reason = f"Quarto failed: {why(str(failure))}"
    name = f"{STAND_IN}: {reason}"
    # In one piece: both formats are written side by side.
    sys.stderr.write(f"report: {out.name} is by {name}\n")
    return render_with(render_with_stand_in, name, qmd, params, target, out)


def why(said: str) -> str:
    """The line of a program's output that names its error, or else the last; no Markdown."""
    lines = [re.sub(r"[^\w .,:;()/'-]", " ", line).strip() for line in said.splitlines()]
    lines = [line[:120] for line in lines if line]
    return next((line for line in lines if line.startswith("ERROR")), lines[-1])


def render_with(
    renderer: Renderer, name: str, qmd: Path, params: Mapping[str, str], target: str, out: Path
) -> Rendered:
    """The same with one renderer, whose name the document gets as a parameter."""
    with tempfile.TemporaryDirectory(prefix="render-") as folder:
        copy = Path(folder) / "paper"
        left_out = shutil.ignore_patterns("tests", "runs", "__pycache__")
        shutil.copytree(qmd.resolve().parent, copy, ignore=left_out)
        declared = front_matter(qmd).get("params") or {}
        known = dict(params) | ({"renderer": name} if "renderer" in declared else {})
        made = Path(folder) / f"out{out.suffix}"
        renderer(copy / qmd.name, known, target, made)
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(packed(made) if target == "typst" else made, out)
        if (copy / FINDINGS).exists():
            shutil.move(copy / FINDINGS, out.with_name(FINDINGS))
        found = table(copy / "problems.csv")
    return Rendered(name, [(row["table"], row["message"]) for row in found])


def side_by_side(params: Mapping[str, str], formats: list[tuple[str, Path]]) -> list[Rendered]:
    """Renders the report in each format; most of it is processes of their own."""
    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(render, PAPER / "report.qmd", params, *made) for made in formats]
        return [job.result() for job in jobs]


def render_report(params: Mapping[str, str], html: Path, pdf: Path) -> None:
    """Renders the report as HTML and as a PDF; see render().

    The problems of both come to problems.csv. A format that has not met all of them is rendered
    again, for its first page to name them.
    """
    results = Path(params["results"])
    formats = [("html", html), ("typst", pdf)]
    write_problems(results, [])
    rendered = side_by_side(params, formats)
    problems = list(dict.fromkeys(each for one in rendered for each in one.problems))
    write_problems(results, problems)
    made = zip(formats, rendered, strict=True)
    side_by_side(params, [each for each, one in made if set(one.problems) != set(problems)])


# ---- Problems -------------------------------------------------------------------------------

VERB = "report"


def write_problems(results: Path, problems: list[tuple[str, str]]) -> None:
    """Writes the problems of the report, in place of earlier ones, next to those of other verbs."""
    path = results / "problems.csv"
    before = table(path)
    rows = [row for row in before if row.get("verb") != VERB]
    rows += [{"table": name, "verb": VERB, "message": said} for name, said in problems]
    # A file that stays the same keeps its date.
    if rows == before:
        return
    columns = ("table", "verb", "message", "cells")
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main() -> None:
    """Command line; exit status 1 and the reason on stderr when rendering fails."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--results", type=Path, required=True, help="folder with summary.csv")
    parser.add_argument("--reference", default="", help="the shipped run that is compared with")
    parser.add_argument("--out-html", type=Path, required=True)
    parser.add_argument("--source", type=Path, help="another .qmd than that of the report")
    parser.add_argument("--out-pdf", type=Path, help="required with the report")
    arguments = parser.parse_args()
    if not arguments.source and not arguments.out_pdf:
        parser.error("the report needs --out-pdf")
    params = {
        "results": str(arguments.results.resolve()),
        "analysis": str(PAPER.parent / "analysis"),
    }
    try:
        if arguments.source:
            render(arguments.source, params, "html", arguments.out_html)
            return
        params["reference"] = arguments.reference
        render_report(params, arguments.out_html, arguments.out_pdf)
    except (RenderError, typst.TypstError) as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    main()
