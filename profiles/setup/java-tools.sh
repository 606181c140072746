#!/usr/bin/env bash
# Lays out .tools/jmeter and .tools/async-profiler from the jars named in java-tools.pom.xml.
# Maven checks what it downloads against the registry; java-tools.sha256 pins the bytes themselves.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tools=$1

jars=$tools/jars
rm -rf "$jars" "$tools/jmeter" "$tools/async-profiler"
log=$tools/java-tools.log
if ! mvn --batch-mode --quiet --strict-checksums --file "$here/java-tools.pom.xml" \
  dependency:copy-dependencies -DoutputDirectory="$jars" >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
(cd "$jars" && sha256sum --quiet --check "$here/java-tools.sha256")

mkdir -p "$tools/async-profiler"
mv "$jars"/jfr-converter-*.jar "$tools/async-profiler/jfr-converter.jar"
case $(uname -m) in
  aarch64) platform=linux-arm64 ;;
  *) platform=linux-x64 ;;
esac
unzip -q -j -d "$tools/async-profiler" "$jars"/async-profiler-*.jar "$platform/libasyncProfiler.so"
rm "$jars"/async-profiler-*.jar

# JMeter's own layout: it finds its home as the parent of the folder its first jar lies in.
mkdir -p "$tools/jmeter/lib/ext" "$tools/jmeter/lib/junit"
unzip -q -d "$tools/jmeter" "$jars"/ApacheJMeter_config-*.jar 'bin/*'
rm "$jars"/ApacheJMeter_config-*.jar
mv "$jars"/ApacheJMeter-*.jar "$tools/jmeter/bin/ApacheJMeter.jar"
mv "$jars"/ApacheJMeter_*.jar "$tools/jmeter/lib/ext/"
mv "$jars"/*.jar "$tools/jmeter/lib/"
rmdir "$jars"
