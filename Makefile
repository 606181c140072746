# Set-up for a fresh machine, and the few commands that a person types.
# Snakemake decides what is measured, and how (Snakefile, config.yaml); this file only starts it.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
# Goals run in the order in which they are typed, under MAKEFLAGS=-j8 as well: nothing runs next to a measurement. The
# parts of the set-up wait for downloads most of the time, so they overlap, in an invocation of their own.
ifneq ($(filter-out .tools/%,$(or $(MAKECMDGOALS),help)),)
.NOTPARALLEL:
else ifeq ($(findstring --jobserver,$(MAKEFLAGS)),)
MAKEFLAGS += --jobs=4
endif

TOOLS := $(CURDIR)/.tools
SETUP := profiles/setup
ENV := . .tools/env
# Jobs are submitted to this, if not run here: make setup EXECUTOR=slurm
EXECUTOR :=
ifneq ($(filter-out slurm,$(EXECUTOR)),)
$(error EXECUTOR=$(EXECUTOR); allowed: slurm)
endif
PARTS := venv plugin java-tools runtimes databases quarto $(EXECUTOR)
SNAKEMAKE := snakemake --cores 4

.PHONY: help help-config plan report quick reanalyse publish smoke build check test test-slurm test-hosts setup doctor pins clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | expand -t 18

help-config: setup ## all keys of config.yaml: type, unit, default, meaning
	@$(ENV); python -m workloads.experiment.parameters

report: plan build ## measure what is not measured yet; results/report.html and report.pdf, before that results/so-far/
	@$(ENV); python -m profiles.watch.noise; $(SNAKEMAKE) && Rscript paper/publish.R summary results=results && paper/problems.sh results

plan: ## what report will do, how long it takes here, and how to have less
	-@$(firstword $(wildcard .tools/venv/bin/python) python3) -m workloads.experiment.forecast --shipped analysis/runs/$$(sed -n 's/^reference: //p' config.yaml)/run.json

quick: build ## five of the findings by one session each, within twelve minutes: results/quick/report.html
	@$(ENV); $(SNAKEMAKE) --configfile workloads/quick.yaml && Rscript paper/publish.R summary results=results/quick && paper/problems.sh results/quick

reanalyse: setup ## make reanalyse RUN=NAME, or CELLS=PATH: a report of cells measured before, in results/reanalysed/; measures nothing
	@$(ENV); $(SNAKEMAKE) reanalyse --config $(if $(RUN),run='$(RUN)',cells='$(or $(CELLS),$(error RUN and CELLS are empty; allowed: a shipped run, or a folder or an archive of cells))')

publish: setup ## packs a whole run that was measured here, for others to add: results/published/
	@$(ENV); $(SNAKEMAKE) publish

smoke: build ## the same pipeline on tiny tiers, within minutes
	@$(ENV); $(SNAKEMAKE) --configfile workloads/smoke.yaml

# In an invocation of its own: in one together with the cells, Snakemake measures them again when a
# jar was rebuilt, even if its bytes are the same.
build: setup ## servers and generator
	@$(ENV); $(SNAKEMAKE) build_sockets build_generator build_jmeter_driver build_stacks archive_spring build_thread_memory build_database_client

check: setup ## style, types and the tests that start no process, within two minutes; the size of each area
	@$(ENV); $(SETUP)/check.sh

test: setup .tools/browser.stamp ## every check, the smoke run among them
	@$(ENV); $(SETUP)/test.sh

test-slurm: build .tools/slurm.stamp ## sessions on a SLURM of two nodes, one of which is lost (root)
	@$(ENV); workloads/tests/slurm.sh

test-hosts: build ## cells whose generator is behind SSH in another network namespace (root)
	@$(ENV); workloads/tests/hosts.sh

doctor: ## what is there, what is missing and what to do; the machine's limits and its noise
	@[ ! -e .tools/env ] || $(ENV); python3 $(SETUP)/doctor.py "$$(.tools/venv/bin/python -m workloads.experiment.memory 2>/dev/null)"

pins: .tools/env ## renew the pinned versions and checksums of the set-up
	@$(ENV); $(SETUP)/pins.sh

# Snakemake's own records stay as well: without them it could not tell which cells are up to date.
clean: ## remove what was built and installed here; never results/
	rm -rf .tools servers/*/target servers/stacks/*/target workloads/*/build
	find . -name __pycache__ -prune -exec rm -rf {} +
	rm -rf .mypy_cache .pytest_cache .ruff_cache

# ---- Set-up: everything in .tools/, each part behind a stamp that depends on its pinned list

setup: ## install what is missing, pinned
	@$(MAKE) --silent $(PARTS:%=.tools/%.stamp)

.tools/debian.stamp: $(SETUP)/debian-packages.txt $(SETUP)/debian.sh
	@mkdir -p .tools
	@$(SETUP)/debian.sh $$(grep -v '^#' $<)
	@touch $@

.tools/venv.stamp: $(SETUP)/requirements.txt .tools/debian.stamp
	@echo "set-up: Python environment"
	@rm -rf .tools/venv
	@python3 -m venv .tools/venv
	@$(SETUP)/pip.sh .tools/venv install --use-pep517 --require-hashes --requirement $<
	@touch $@

# Snakemake finds the plugin that shows its progress on the path of its Python.
.tools/plugin.stamp: profiles/plugin/snakemake_logger_plugin_terminal/__init__.py .tools/venv.stamp
	@printf '%s\n' "$(CURDIR)" "$(CURDIR)/profiles/plugin" >"$$(.tools/venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/artifact.pth"
	@touch $@

.tools/slurm.stamp: $(SETUP)/requirements-slurm.txt .tools/venv.stamp
	@echo "set-up: Snakemake's executor for SLURM"
	@$(SETUP)/pip.sh .tools/venv install --require-hashes --requirement $<
	@touch $@

.tools/java-tools.stamp: $(SETUP)/java-tools.sh $(SETUP)/java-tools.pom.xml $(SETUP)/java-tools.sha256 .tools/debian.stamp | .tools/env
	@echo "set-up: JMeter and async-profiler"
	@$(ENV); $(SETUP)/java-tools.sh "$(TOOLS)"
	@touch $@

# Tried once for each Python environment, which it becomes a part of.
.tools/quarto.stamp: $(SETUP)/quarto.sh .tools/venv.stamp
	@$(SETUP)/quarto.sh "$(TOOLS)"
	@touch $@

# Tried once for each Python environment, and after Quarto: apt-get knows one caller at a time.
.tools/browser.stamp: $(SETUP)/debian.sh .tools/venv.stamp | .tools/quarto.stamp .tools/env
	@$(SETUP)/debian.sh chromium chromium-driver || echo "set-up: no Chromium with its driver here; the report is not tested in a browser"
	@touch $@

.tools/runtimes.stamp: $(SETUP)/runtimes.sh $(SETUP)/jdk-21.txt $(SETUP)/jdk-25.txt .tools/venv.stamp
	@echo "set-up: Java runtimes 21 and 25"
	@$(SETUP)/runtimes.sh "$(TOOLS)"
	@touch $@

# After the other Maven: concurrent ones would write into one local repository.
.tools/databases.stamp: $(SETUP)/databases.sh $(SETUP)/databases.pom.xml $(SETUP)/databases.sha256 .tools/debian.stamp | .tools/java-tools.stamp .tools/env
	@echo "set-up: MariaDB, PostgreSQL, PgBouncer, nginx"
	@$(ENV); $(SETUP)/databases.sh "$(TOOLS)"
	@touch $@

# Looked at by every make, in milliseconds: a JDK may have come, gone or moved since. It may install
# one, after the other packages: apt-get knows one caller at a time.
.tools/env: FORCE | .tools/debian.stamp
	@mkdir -p .tools
	@$(SETUP)/environment.sh "$(TOOLS)" >.tools/env.new
	@if cmp --silent .tools/env.new $@; then rm .tools/env.new; else mv .tools/env.new $@; fi
FORCE:
