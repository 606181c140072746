"""Servers: what is measured, built from source before any cell.

inputs   servers/pom.xml, servers/{sockets,tomcat,primitives}/pom.xml, servers/{sockets,tomcat,primitives}/src/main/**,
         servers/stacks/pom.xml, servers/stacks/*/pom.xml, servers/stacks/*/src/main/**
outputs  servers/sockets/target/sockets.jar         all modes of request-threads, byte-reproducible
         servers/sockets/target/sockets.jar.sha256  its fingerprint; cells depend on this, not on the jar
         servers/tomcat/target/tomcat.jar           the Tomcat application, byte-reproducible; its libraries in lib/
         servers/tomcat/target/tomcat.jar.sha256    the fingerprint of all of them
         servers/tomcat/target/tomcat-{runtime}.jsa its class-data archives: for the JDK of set-up and for 21 and 25
         servers/database-client/target/database-client.jar  loads a database from a JVM; its libraries in lib/
         servers/primitives/target/primitives.jar   benchmarks of what threads and connections cost

Tests are not run here but by `make test`: a slow test must not delay a measurement.
"""

SOCKETS_SOURCES = expand(
    "servers/sockets/src/main/java/{path}.java",
    path=sorted(glob_wildcards("servers/sockets/src/main/java/{path}.java").path),
)
TOMCAT_SOURCES = expand(
    "servers/tomcat/src/main/{path}",
    path=sorted(glob_wildcards("servers/tomcat/src/main/{path}").path),
)
PRIMITIVES_SOURCES = expand(
    "servers/primitives/src/main/java/{path}.java",
    path=sorted(glob_wildcards("servers/primitives/src/main/java/{path}.java").path),
)
DATABASE_CLIENT_SOURCES = expand(
    "servers/database-client/src/main/java/{path}.java",
    path=sorted(
        glob_wildcards("servers/database-client/src/main/java/{path}.java").path
    ),
)
STACK_SOURCES = expand(
    "servers/stacks/{path}",
    path=sorted(
        glob_wildcards("servers/stacks/{path,(.+/)?(pom[.]xml|src/main/.+)}").path
    ),
)
STACKS = sorted(
    set(glob_wildcards("servers/stacks/{stack,[a-z-]+}/pom.xml").stack) - {"common"}
)
RUNTIMES = {
    "jdk": "java",
    "21": ".tools/jdk-21/bin/java",
    "25": ".tools/jdk-25/bin/java",
}


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


rule build_tomcat:
    input:
        "servers/pom.xml",
        "servers/tomcat/pom.xml",
        TOMCAT_SOURCES,
    output:
        jar="servers/tomcat/target/tomcat.jar",
        fingerprint="servers/tomcat/target/tomcat.jar.sha256",
    log:
        RESULTS + "/logs/build_tomcat.log",
    priority: 1_000_000
    message:
        "building the Tomcat application"
    shell:
        "mvn --batch-mode --quiet --strict-checksums --file servers/pom.xml --projects tomcat"
        " -Dmaven.test.skip=true clean package > {log:q} 2>&1"
        " && sha256sum {output.jar:q} servers/tomcat/target/lib/*.jar > {output.fingerprint:q}"


rule build_database_client:
    input:
        "servers/pom.xml",
        "servers/database-client/pom.xml",
        DATABASE_CLIENT_SOURCES,
    output:
        jar="servers/database-client/target/database-client.jar",
        fingerprint="servers/database-client/target/database-client.jar.sha256",
    log:
        RESULTS + "/logs/build_database_client.log",
    priority: 1_000_000
    message:
        "building the database client"
    shell:
        "mvn --batch-mode --quiet --strict-checksums --file servers/pom.xml --projects database-client"
        " -Dmaven.test.skip=true clean package > {log:q} 2>&1"
        " && sha256sum {output.jar:q} servers/database-client/target/lib/*.jar > {output.fingerprint:q}"


rule build_stacks:
    input:
        "servers/pom.xml",
        STACK_SOURCES,
    output:
        jars=expand("servers/stacks/{stack}/target/stacks-{stack}.jar", stack=STACKS),
        fingerprints=expand(
            "servers/stacks/{stack}/target/stacks-{stack}.jar.sha256", stack=STACKS
        ),
    log:
        RESULTS + "/logs/build_stacks.log",
    priority: 1_000_000
    params:
        stacks=STACKS,
    message:
        "building the stacks"
    shell:
        "mvn --batch-mode --quiet --strict-checksums --file servers/stacks/pom.xml"
        " -Dmaven.test.skip=true clean package > {log:q} 2>&1"
        " && for stack in {params.stacks}; do jar=servers/stacks/$stack/target/stacks-$stack.jar;"
        " sha256sum $jar ${{jar%/*}}/lib/*.jar > $jar.sha256; done"


# An archive is of no use to another jar, even of the same bytes: a runtime looks at the jar's time.
rule archive_runtime:
    input:
        "servers/tomcat/archive.sh",
        jar="servers/tomcat/target/tomcat.jar",
    output:
        "servers/tomcat/target/tomcat-{runtime}.jsa",
    log:
        RESULTS + "/logs/archive_tomcat-{runtime}.log",
    wildcard_constraints:
        runtime="|".join(RUNTIMES),
    priority: 1_000_000
    params:
        java=lambda wildcards: RUNTIMES[wildcards.runtime],
    message:
        "class-data archive of the Tomcat application for {wildcards.runtime}"
    shell:
        "servers/tomcat/archive.sh {params.java:q} {input.jar:q} {output:q} > {log:q} 2>&1"


rule archive_tomcat:
    input:
        expand("servers/tomcat/target/tomcat-{runtime}.jsa", runtime=RUNTIMES),


rule build_primitives:
    input:
        "servers/pom.xml",
        "servers/primitives/pom.xml",
        PRIMITIVES_SOURCES,
    output:
        jar="servers/primitives/target/primitives.jar",
        fingerprint="servers/primitives/target/primitives.jar.sha256",
    log:
        RESULTS + "/logs/build_primitives.log",
    priority: 1_000_000
    message:
        "building the primitives"
    shell:
        "mvn --batch-mode --quiet --strict-checksums --file servers/pom.xml --projects primitives"
        " -Dmaven.test.skip=true clean package > {log:q} 2>&1"
        " && sha256sum {output.jar:q} > {output.fingerprint:q}"
