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

# The R for which set-up installs packages comes before another on the PATH, such as conda's.
mkdir -p "$tools/bin"
if [[ -x /usr/bin/Rscript ]]; then ln -sfn /usr/bin/Rscript "$tools/bin/Rscript"; fi

# Java does not look at http_proxy and https_proxy, as curl, pip and apt do.
proxy_of() { # proxy_of SCHEME: options of a JVM, none without a proxy
  local name=$1_proxy url hidden
  url=${!name:-}
  name=${name^^}
  url=${url:-${!name:-}}
  [[ -n $url ]] || return 0
  url=${url#*://}
  url=${url##*@}
  url=${url%%/*}
  [[ $url == *:* ]] || url+=:80
  printf -- ' -D%s.proxyHost=%s -D%s.proxyPort=%s' "$1" "${url%:*}" "$1" "${url##*:}"
  # Java writes *.name where the others write .name.
  hidden=${no_proxy:-${NO_PROXY:-}}
  [[ -z $hidden ]] || sed -E 's/ //g; s/(^|,)\./\1*./g; s/,/|/g; s/^/ -Dhttp.nonProxyHosts=/' <<<"$hidden" | tr -d '\n'
}
proxies=$(proxy_of http)$(proxy_of https)
# Maven 3.9 reads the proxy from these properties only with this option.
[[ -z $proxies ]] || proxies+=' -Daether.connector.http.useSystemProperties=true'

cat <<END
# Written by make setup; use in bash, zsh or dash: . .tools/env (in another shell, such as fish: type bash first)
# $(grep '^JAVA_RUNTIME_VERSION=' "$jdk/release" || true)
export JAVA_HOME='$jdk'
export PATH='$tools/venv/bin':"\$JAVA_HOME/bin:"'$tools/bin':"\$PATH"
# A user's settings for other work must not reach what is built, measured or analyzed. These are families, by the
# beginnings of their names; measured programs get a list of variables (workloads/machine/environment.py).
for foreign in \$(env | sed -nE 's/^((SPRING|SERVER|LOGGING|MYSQL|MARIADB|SNAKEMAKE|QUARTO)_\w*|(PG|PYTHON)[A-Z]\w*)=.*/\1/p'); do unset "\$foreign"; done
unset foreign JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS JDK_JAVAC_OPTIONS _JAVA_OPTIONS JAVA_OPTS JVM_ARGS CLASSPATH MAVEN_ARGS
unset LD_PRELOAD MAKEFLAGS MFLAGS MAKELEVEL GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE BASH_ENV CDPATH POSIXLY_CORRECT LANGUAGE
# One charset and one language for every tool: numbers, dates and the 42-byte answer depend on it.
export LC_ALL=C.UTF-8 PYTHONUTF8=1 PYTHONNOUSERSITE=1
export R_LIBS_USER=NULL R_PROFILE_USER=/dev/null R_ENVIRON_USER=/dev/null
unset RHOME R_HOME R_LIBS R_LIBS_SITE R_PROFILE R_ENVIRON R_DEFAULT_PACKAGES
# JDK 25 warns of what Maven 3 does with sun.misc.Unsafe and native libraries. With C1 alone a build of seconds takes half.
export MAVEN_OPTS="\${MAVEN_OPTS:--XX:TieredStopAtLevel=1 -XX:+UseSerialGC --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED$proxies}"
END
