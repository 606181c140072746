"""Metrics of the server, the generator and the machine within the window of a load."""

import os
from typing import Any

from profiles.watch.telemetry import Telemetry, grown_between, peak
from workloads.record.slice import GROWING, Beside
from workloads.session.place import Place, Spent
from workloads.tools.generator_place import Ran

# The names by which telemetry watches the processes next to a server, in their order.
BESIDE = ("backend", "second_backend")


class Window:
    """The telemetry of one load, cut to the time that counts."""

    def __init__(self, load: dict[str, Any], telemetry: Telemetry, place: Place) -> None:
        self.load, self.telemetry, self.place = load, telemetry, place
        self.start_s, self.end_s = load["start_epoch_s"], load["end_epoch_s"]
        self.lasted_s = max(self.end_s - self.start_s, 1e-3)

    def grown(self, key: str) -> float:
        return grown_between(self.telemetry.samples, key, self.start_s, self.end_s)

    def metrics(self, beside: list[Beside], others: Spent, ran: Ran) -> dict[str, Any]:
        """`beside`: processes next to the server; `others`: what the other servers have spent."""
        used = [
            (each, self.grown(f"{role}_cpu_s")) for role, each in zip(BESIDE, beside, strict=False)
        ]
        cpus = len(self.place.server_cpus)
        on_server_s = sum(others.all_s.values()) + self.grown("server_cpu_s")
        on_server_s += sum(used_s for each, used_s in used if each.cpus == self.place.server_cpus)
        if self.place.is_shared:
            on_server_s += self.generator_cpus(ran) * self.lasted_s
        busy_s = self.lasted_s * cpus - self.grown("server_cpus_idle_s")
        return {
            **self.of_server(),
            **self.of_generator(ran),
            "backend_cpu_shares": [s / self.lasted_s / len(each.cpus) for each, s in used],
            "backend_cpu_us_per_request": self.per_answer_us(used[0][1]) if used else None,
            "idle_neighbors_share": sum(others.beyond_idle_s.values())
            / max(ran.lasted_s, 1e-3)
            / cpus,
            "others_cpu_share": max(0.0, busy_s - on_server_s) / self.lasted_s / cpus,
            "throttled": self.grown("throttled"),
            "stood_still_s": self.telemetry.stood_still_s(),
            # The hypervisor's part of all CPUs, and of the server's, which others_cpu_share is of.
            "steal_share": self.grown("steal_s") / self.lasted_s / (os.cpu_count() or 1),
            "server_steal_share": self.grown("server_steal_s") / self.lasted_s / cpus,
            **self.peaks(),
            **{key: self.grown(key) for key in GROWING},
        }

    def per_answer_us(self, cpu_s: float) -> float | None:
        answers = self.load["answers_per_s"] * self.lasted_s
        return 1e6 * cpu_s / answers if answers else None

    def of_server(self) -> dict[str, Any]:
        server_s, compiler_s = self.grown("server_cpu_s"), self.grown("compiler_cpu_s")
        is_jvm = bool(self.telemetry.compilers)
        speed = self.place.speeds.of(self.start_s, self.end_s)
        is_known = self.telemetry.knows("server_cpu_s", self.start_s, self.end_s)
        return {
            "server_cpu_s": server_s,
            "compiler_cpu_s": compiler_s if is_jvm else None,
            "compiler_share": compiler_s / server_s if is_jvm and server_s else None,
            "cpu_us_per_request": self.per_answer_us(server_s - compiler_s) if is_known else None,
            "speed_server": speed.relative,
            "probe_us": speed.probe_us,
        }

    def of_generator(self, ran: Ran) -> dict[str, Any]:
        place = self.place.generator
        return {
            "generator_cpu_share": self.generator_cpus(ran) / len(place.cpus),
            "generator_cpu_us_per_request": self.per_answer_us(
                self.generator_cpus(ran) * self.lasted_s
            ),
        }

    def generator_cpus(self, ran: Ran) -> float:
        """How many CPUs the generator kept busy."""
        return self.grown("generator_cpu_s") / self.lasted_s if ran.cpus is None else ran.cpus

    def peaks(self) -> dict[str, Any]:
        window = self.telemetry.window(self.start_s, self.end_s)
        server = ("threads", "rss_bytes", "descriptors", "descriptors_share")
        return {
            **{f"peak_{name}": peak(window, f"server_{name}") for name in server},
            "peak_accept_queue": peak(window, "accept_queue"),
        }
