# Set-up for a fresh machine, and the few commands that a person types.
# What is measured, and how, is Snakemake's (Snakefile, config.yaml); this file only gets it going.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
# Set-up's parts wait for downloads most of the time, so they overlap; recipes stay in order.
MAKEFLAGS += --jobs=4 --no-builtin-rules

TOOLS := $(CURDIR)/.tools
SETUP := profiles/setup
ENV := . .tools/env
CORES := 4

.PHONY: help report smoke test setup doctor pins bench-generator clean
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 20

report: setup ## measure what is not measured yet, then write results/report.html and .pdf
	@$(ENV); snakemake --cores $(CORES)

smoke: setup ## the same pipeline on tiny tiers, minutes instead of most of an hour
	@$(ENV); snakemake --cores $(CORES) --configfile workloads/smoke.yaml

# ---- Set-up: everything in .tools/, each part behind a stamp that is older than nothing it was made from

setup: .tools/debian.stamp .tools/venv.stamp .tools/java-tools.stamp .tools/env ## install what is missing, pinned

.tools/debian.stamp: $(SETUP)/debian-packages.txt $(SETUP)/debian.sh
	@mkdir -p .tools
	@$(SETUP)/debian.sh
	@touch $@

.tools/venv.stamp: $(SETUP)/requirements.txt .tools/debian.stamp
	@echo "set-up: Python environment"
	@rm -rf .tools/venv && python3 -m venv .tools/venv
	@.tools/venv/bin/pip install --quiet --disable-pip-version-check --require-hashes --requirement $<
	@touch $@

.tools/java-tools.stamp: $(SETUP)/java-tools.sh $(SETUP)/java-tools.pom.xml $(SETUP)/java-tools.sha256 .tools/env .tools/debian.stamp
	@echo "set-up: JMeter and async-profiler"
	@$(ENV); $(SETUP)/java-tools.sh $(TOOLS)
	@touch $@

# Written anew only when it changes: a new JDK must reach what was made with the old one.
.tools/env: FORCE
	@mkdir -p .tools
	@$(SETUP)/environment.sh $(TOOLS) >.tools/env.new
	@if cmp --silent .tools/env.new $@; then rm .tools/env.new; else mv .tools/env.new $@; fi
FORCE:
