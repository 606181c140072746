"""The histogram against HdrHistogram's own Java library: the same text for the same values."""

import math
import os
import random
import re
import shutil
import subprocess
from decimal import Decimal
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = Path(os.environ.get("BUILD", HERE.parent / "build"))
LIBRARY = "org.hdrhistogram:HdrHistogram:2.2.2"
JAVA = Path(os.environ["JAVA_HOME"], "bin/java") if "JAVA_HOME" in os.environ else "java"

random.seed(1)
VALUES = {
    "none": [],
    "the same": [5000] * 100,
    "small": list(range(3000)),
    "every magnitude": [int(math.exp(random.uniform(0, math.log(3.6e12)))) for _ in range(5000)],
    "bucket edges": [2**n + d for n in range(11, 41) for d in (-1, 0, 1)],
    "stall": [80_000] * 900 + [i * 5_000_000 for i in range(100)],
}
UNIT, TICKS = "1000000", "5"


@pytest.fixture(scope="module")
def library():
    """The jar that one of the project's servers uses, or else Maven's."""
    if shutil.which(str(JAVA)) is None:
        pytest.skip("needs Java")
    built = sorted((ROOT / "servers/database-client/target/lib").glob("HdrHistogram-*.jar"))
    if built:
        return built[0]
    if shutil.which("mvn") is None:
        pytest.skip("needs Maven, or `make build` in the project's root")
    folder = BUILD / "reference"
    jar = folder / "HdrHistogram-2.2.2.jar"
    if not jar.exists():
        copy = ["mvn", "-q", "dependency:copy", f"-Dartifact={LIBRARY}"]
        subprocess.run([*copy, f"-DoutputDirectory={folder}"], check=True, timeout=120)
    return jar


@pytest.fixture(scope="module")
def references(library, tmp_path_factory):
    """The library's text for each set of values; one start of the JVM for all."""
    folder = tmp_path_factory.mktemp("values")
    files = {name: folder / name.replace(" ", "-") for name in VALUES}
    for name, file in files.items():
        file.write_text("".join(f"{value}\n" for value in VALUES[name]))
    source = HERE / "HistogramReference.java"
    command = [JAVA, "-XX:TieredStopAtLevel=1", "-cp", library, source, UNIT, TICKS]
    subprocess.run(list(map(str, [*command, *files.values()])), check=True, timeout=60)
    return {name: Path(f"{file}.hgrm").read_text() for name, file in files.items()}


def assert_same_number(ours, theirs):
    """Equal to the last digit but one: on a tie Java rounds up, and C to the even digit."""
    digits = len(theirs.partition(".")[2])
    difference = abs(Decimal(ours) - Decimal(theirs))
    assert difference <= Decimal(10) ** -digits if digits else difference == 0


@pytest.mark.parametrize("name", VALUES)
def test_same_as_the_library(references, name):
    ours = subprocess.run(
        [BUILD / "histogram_test", "print", UNIT, TICKS],
        input="\n".join(map(str, VALUES[name])),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    number = re.compile(r"\d+(?:\.\d+)?")
    assert number.sub("N", ours) == number.sub("N", references[name])
    for mine, other in zip(number.findall(ours), number.findall(references[name]), strict=True):
        assert_same_number(mine, other)
