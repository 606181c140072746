"""Servers: what is measured, built from source before any cell.

inputs   servers/pom.xml, servers/sockets/pom.xml, servers/sockets/src/main/java/**.java
outputs  servers/sockets/target/sockets.jar         all modes of request-threads, byte-reproducible
         servers/sockets/target/sockets.jar.sha256  its fingerprint; cells depend on this, not on the jar

Tests are not run here but by `make test`: a slow test must not delay a measurement.
"""

SOCKETS_SOURCES = expand(
    "servers/sockets/src/main/java/{path}.java",
    path=sorted(glob_wildcards("servers/sockets/src/main/java/{path}.java").path),
)


rule build_sockets:
    input:
        "servers/pom.xml",
        "servers/sockets/pom.xml",
        SOCKETS_SOURCES,
    output:
        jar="servers/sockets/target/sockets.jar",
        fingerprint="servers/sockets/target/sockets.jar.sha256",
    log:
        RESULTS + "/logs/build_sockets.log",
    priority: 1_000_000
    message:
        "building the servers"
    shell:
        "mvn --batch-mode --quiet --strict-checksums --file servers/pom.xml --projects sockets"
        " -Dmaven.test.skip=true clean package > {log:q} 2>&1"
        " && sha256sum {output.jar:q} > {output.fingerprint:q}"
