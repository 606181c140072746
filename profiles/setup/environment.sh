#!/usr/bin/env bash
# Prints .tools/env: what a shell sources to run the pipeline by hand (`. .tools/env`).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tools=$1
last_jdk=$(sed -n "s/^export JAVA_HOME='\(.*\)'$/\1/p" "$tools/env" 2>/dev/null || true)
jdk_package=openjdk-25-jdk-headless
# Debian has it from release 13 on; elsewhere find-jdk.sh says what to do.
if ! "$here/find-jdk.sh" "$last_jdk" >/dev/null 2>&1 && apt-cache show "$jdk_package" >/dev/null 2>&1; then
  "$here/debian.sh" "$jdk_package" >&2
fi
jdk=$("$here/find-jdk.sh" "$last_jdk")

cat <<END
# Written by make setup; use: . .tools/env
# $(grep '^JAVA_RUNTIME_VERSION=' "$jdk/release" || true)
export JAVA_HOME='$jdk'
export PATH='$tools/venv/bin':"\$JAVA_HOME/bin:\$PATH"
# One charset and one language for every tool: figures, dates and the 42-byte answer depend on it.
export LC_ALL=C.UTF-8
# A user's settings for other work must not reach a measured process.
unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS CLASSPATH
unset PYTHONHOME PYTHONPATH SNAKEMAKE_PROFILE MAKEFLAGS MFLAGS MAKELEVEL
export PYTHONNOUSERSITE=1
export R_LIBS_USER=NULL R_PROFILE_USER=/dev/null R_ENVIRON_USER=/dev/null
unset R_LIBS
# JDK 25 warns of what Maven 3 does with sun.misc.Unsafe and native libraries.
export MAVEN_OPTS="\${MAVEN_OPTS:---sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED}"
END
