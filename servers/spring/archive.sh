#!/usr/bin/env bash
# Makes a class-data archive of the application: the classes that it loads, parsed and verified
# beforehand. A runtime maps it at its start (-XX:SharedArchiveFile=ARCHIVE), as long as the runtime
# and the jars are still those that it was made with; otherwise it says so and loads them as usual.
# An archive of its own, on no other, so that it is made alike for a runtime that came without one.
#
#   archive.sh JAVA JAR ARCHIVE
set -euo pipefail
java=$(realpath "$(command -v "$1")")
jar=$(realpath "$2")
archive=$(realpath "$3")

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# Tomcat leaves its folders in java.io.tmpdir. What compiles the classes is not in an archive: C1 alone takes less.
"$java" -Djava.io.tmpdir="$folder" -XX:TieredStopAtLevel=1 -XX:DumpLoadedClassList=classes -cp "$jar" artifact.spring.Training
# G1 alone can archive the heap objects of JDK 21; every collector can use them.
"$java" -Djava.io.tmpdir="$folder" -XX:TieredStopAtLevel=1 -XX:+UseG1GC -Xshare:dump -XX:SharedClassListFile=classes -XX:SharedArchiveFile="$archive" -cp "$jar"
