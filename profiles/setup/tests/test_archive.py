"""The class-data archive of the Spring application: made without leaving anything behind."""

from pathlib import Path

ARCHIVE = Path(__file__).resolve().parents[3] / "servers/spring/archive.sh"

# Leaves a folder in java.io.tmpdir, like Tomcat in a JVM that ends with System.exit.
JAVA = """folder=/nowhere
for word in "$@"; do
  case $word in
    -Djava.io.tmpdir=*) folder=${word#*=} ;;
    -XX:SharedArchiveFile=*) echo "$folder" > "${word#*=}" ;;
  esac
done
mkdir "$folder/tomcat.0.$$" && echo "$folder" >> "$SEEN"
"""


def test_no_folder_of_tomcat_outlives_the_archive(run, put, tmp_path):
    put("java", JAVA)
    jar, archive, seen = (tmp_path / name for name in ("a jar.jar", "an archive.jsa", "seen"))
    jar.touch()
    done = run(ARCHIVE, "java", jar, archive, SEEN=seen)
    assert done.returncode == 0, done.stderr
    training, dump = seen.read_text().splitlines()
    assert training == dump == archive.read_text().strip()
    assert not Path(training).exists()
