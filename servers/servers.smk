"""Servers: what is measured, built from source before any cell.

inputs   servers/pom.xml, and of each module its pom.xml and its src/main/**
outputs  servers/{module}/target/{module}.jar, byte-reproducible, of stacks servers/stacks/{stack}/target/stacks-{stack}.jar;
         their libraries in lib/ beside them
         servers/spring/target/spring-hikari-6.jar  the Spring application with HikariCP 6
         servers/spring/target/spring-{runtime}.jsa its class-data archives: for the JDK of set-up and for 21 and 25
         {jar}.sha256                               its fingerprint, of its libraries too; cells depend on this, not on the jar

Tests are not run here but by `make test`: a slow test must not delay a measurement.
"""


def sources(pattern):
    """Files that match, each below servers/."""
    found = glob_wildcards("servers/{path,%s}" % pattern).path
    return expand("servers/{path}", path=sorted(found))


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
MAVEN = "mvn --batch-mode --quiet --strict-checksums --file servers/pom.xml -Dmaven.test.skip=true"


for module in ["sockets", "database-client", "thread-memory"]:

    rule:
        name:
            f"build_{module.replace('-', '_')}"
        input:
            "servers/pom.xml",
            sources(f"{module}/(pom[.]xml|src/main/.+)"),
        output:
            jar=f"servers/{module}/target/{module}.jar",
            fingerprint=f"servers/{module}/target/{module}.jar.sha256",
        log:
            RESULTS + f"/logs/build_{module}.log",
        priority: 1_000_000
        params:
            module=module,
        message:
            "building {params.module}"
        shell:
            MAVEN + " --projects {params.module} clean package > {log:q} 2>&1"
            " && (shopt -s nullglob; sha256sum {output.jar:q} servers/{params.module}/target/lib/*.jar)"
            " > {output.fingerprint:q}"


# One rule for all that share a module: two builds would remove each other's classes.
rule build_stacks:
    input:
        "servers/pom.xml",
        sources("(stacks|spring)/(.+/)?(pom[.]xml|src/main/.+)"),
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
        MAVEN + " --projects {params.modules} --also-make clean package > {log:q} 2>&1"
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
