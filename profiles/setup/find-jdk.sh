#!/usr/bin/env bash
# Prints the folder of a JDK 25: JAVA_HOME's, that of the java on the PATH, one below /usr/lib/jvm,
# or one of the folders given, such as the one that the last set-up found.
# Exactly 25: another version is another experiment, as JDK 24 changed what virtual threads do. And
# HotSpot with C2: GraalVM's compiler is another experiment, too, and OpenJ9 has neither our servers'
# options, nor their counters, nor their archives of classes.
set -euo pipefail

is_jdk_25() { # reads the release file: starting the JVM takes a hundred times as long
  [[ -x $1/bin/javac ]] && grep -q '^JAVA_VERSION="25[."]' "$1/release" 2>/dev/null
}

on_path=$(readlink -f "$(command -v java || true)" || true)
for home in "${JAVA_HOME:-}" "${on_path%/bin/java}" "${JVM_FOLDER:-/usr/lib/jvm}"/* "$@"; do
  is_jdk_25 "$home" || continue
  grep -qi '^GRAALVM_VERSION=\|^JVM_VARIANT="\?openj9' "$home/release" && continue
  echo "$home"
  exit
done

cat >&2 <<'END'
set-up: no JDK 25 found: not in JAVA_HOME, not as `java` on the PATH, not below /usr/lib/jvm.
Install one, then again make setup. GraalVM and OpenJ9 will not do; either of these will:
  apt-get install openjdk-25-jdk-headless       (Debian 13 and later)
  an unpacked Eclipse Temurin 25, and           export JAVA_HOME=/path/to/jdk-25
END
exit 1
