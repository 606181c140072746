#!/usr/bin/env bash
# Renews the pins: the newest versions that requirements.in and java-tools.pom.xml allow, with
# their checksums as the registries publish them. Read the difference before committing it.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check uv==0.13.8
# --universal: one list for x86-64 and ARM, and for every Python from 3.11 on.
"$work/venv/bin/uv" pip compile --quiet --no-config --upgrade --universal --python-version 3.11 \
  --generate-hashes --custom-compile-command 'make pins' requirements.in --output-file requirements.txt

mvn --batch-mode --quiet --strict-checksums --file java-tools.pom.xml \
  dependency:copy-dependencies -DoutputDirectory="$work/jars"
(cd "$work/jars" && sha256sum -- *.jar) >java-tools.sha256
