"""Servers: what is measured, built from source before any cell.

inputs   servers/pom.xml, servers/{sockets,spring,thread-memory}/pom.xml, their src/main/**,
         servers/stacks/pom.xml, servers/stacks/*/pom.xml, servers/stacks/*/src/main/**
outputs  servers/sockets/target/sockets.jar         all modes of request-threads, byte-reproducible
         servers/sockets/target/sockets.jar.sha256  its fingerprint; cells depend on this, not on the jar
         servers/spring/target/spring.jar           the Spring application, byte-reproducible; its libraries in lib/
         servers/spring/target/spring.jar.sha256    the fingerprint of all of them
         servers/spring/target/spring-hikari-6.jar  the same application with HikariCP 6
         servers/spring/target/spring-{runtime}.jsa its class-data archives: for the JDK of set-up and for 21 and 25
         servers/stacks/{stack}/target/stacks-{stack}.jar  the same service on other stacks; their libraries in lib/
         servers/database-client/target/database-client.jar  loads a database from a JVM; its libraries in lib/
         servers/thread-memory/target/thread-memory.jar  starts threads that wait, and counts their memory

Tests are not run here but by `make test`: a slow test must not delay a measurement.
"""

SOCKETS_SOURCES = expand(
    "servers/sockets/src/main/java/{path}.java",
    path=sorted(glob_wildcards("servers/sockets/src/main/java/{path}.java").path),
)
THREAD_MEMORY_SOURCES = expand(
    "servers/thread-memory/src/main/java/{path}.java",
    path=sorted(glob_wildcards("servers/thread-memory/src/main/java/{path}.java").path),
)
DATABASE_CLIENT_SOURCES = expand(
    "servers/database-client/src/main/java/{path}.java",
    path=sorted(
        glob_wildcards("servers/database-client/src/main/java/{path}.java").path
    ),
)
STACK_SOURCES = expand(
    "servers/{path}",
    path=sorted(
        glob_wildcards(
            "servers/{path,(stacks|spring)/(.+/)?(pom[.]xml|src/main/.+)}"
        ).path
    ),
)
STACKS = sorted(
    set(glob_wildcards("servers/stacks/{stack,[a-z-]+}/pom.xml").stack) - {"common"}
)
STACK_JARS = [
    "servers/spring/target/spring.jar",
    "servers/spring/target/spring-hikari-6.jar",
    *expand("servers/stacks/{stack}/target/stacks-{stack}.jar", stack=STACKS),
]
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


# One rule for all that share a module: two builds would remove each other's classes.
rule build_stacks:
    input:
        "servers/pom.xml",
        STACK_SOURCES,
    output:
        jars=STACK_JARS,
        fingerprints=expand("{jar}.sha256", jar=STACK_JARS),
    log:
        RESULTS + "/logs/build_stacks.log",
    priority: 1_000_000
    params:
        modules=",".join(["spring", *expand("stacks/{stack}", stack=STACKS)]),
    message:
        "building the Spring application and the stacks"
    shell:
        "mvn --batch-mode --quiet --strict-checksums --file servers/pom.xml --projects {params.modules} --also-make"
        " -Dmaven.test.skip=true clean package > {log:q} 2>&1"
        " && for jar in {output.jars}; do sha256sum $jar ${{jar%/*}}/lib/*.jar > $jar.sha256; done"
        " && (cd servers/spring/target && sha256sum spring.jar hikari-6/*.jar) >> servers/spring/target/spring-hikari-6.jar.sha256"


# An archive is of no use to another jar, even of the same bytes: a runtime looks at the jar's time.
rule archive_runtime:
    input:
        "servers/spring/archive.sh",
        jar="servers/spring/target/spring.jar",
    output:
        "servers/spring/target/spring-{runtime}.jsa",
    log:
        RESULTS + "/logs/archive_spring-{runtime}.log",
    wildcard_constraints:
        runtime="|".join(RUNTIMES),
    priority: 1_000_000
    params:
        java=lambda wildcards: RUNTIMES[wildcards.runtime],
    message:
        "class-data archive of the Spring application for {wildcards.runtime}"
    shell:
        "servers/spring/archive.sh {params.java:q} {input.jar:q} {output:q} > {log:q} 2>&1"


rule archive_spring:
    input:
        expand("servers/spring/target/spring-{runtime}.jsa", runtime=RUNTIMES),


rule build_thread_memory:
    input:
        "servers/pom.xml",
        "servers/thread-memory/pom.xml",
        THREAD_MEMORY_SOURCES,
    output:
        jar="servers/thread-memory/target/thread-memory.jar",
        fingerprint="servers/thread-memory/target/thread-memory.jar.sha256",
    log:
        RESULTS + "/logs/build_thread_memory.log",
    priority: 1_000_000
    message:
        "building the program that counts the memory of threads"
    shell:
        "mvn --batch-mode --quiet --strict-checksums --file servers/pom.xml --projects thread-memory"
        " -Dmaven.test.skip=true clean package > {log:q} 2>&1"
        " && sha256sum {output.jar:q} > {output.fingerprint:q}"
