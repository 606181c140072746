// "Your own service, answered": the report's bounds for a service that the reader describes, by Little's law, the utilization
// law and Erlang's C. paper/tests/service-cases.csv has services and their answers, which another implementation computed.
"use strict";
(() => {
  const waitsAtMost = 0.01;

  // Erlang's C by his recursion: the smallest pool in which so small a share of the requests waits for a place.
  function poolEnough(offered) {
    let blocked = 1;
    for (let size = 1; Number.isFinite(offered); size++) {
      blocked = (offered * blocked) / (size + offered * blocked);
      if (size > offered && blocked / (1 - (offered / size) * (1 - blocked)) <= waitsAtMost) return size;
    }
    return NaN;
  }

  // The least of limits by name; one that is no number is none.
  function leastOf(limits) {
    const finite = Object.entries(limits).filter(([, perSecond]) => Number.isFinite(perSecond));
    const [by, perSecond] = finite.reduce((least, one) => (one[1] < least[1] ? one : least), [null, Infinity]);
    return { by, perSecond };
  }

  function answer({ rate_per_s, wait_ms, cpu_ms, cpus, threads, connections, held_ms, heap_mib, request_kib }) {
    const within_s = (wait_ms + cpu_ms) / 1000;
    const others = { cpus: (1000 * cpus) / cpu_ms, connections: (1000 * connections) / held_ms };
    const bound = leastOf({ threads: threads / within_s, ...others });
    const virtual = leastOf(others);
    const in_flight = Math.min(rate_per_s, bound.perSecond) * within_s;
    const doubled_backlog_per_s = Math.max(0, 2 * rate_per_s - bound.perSecond);
    const heap_holds = Math.floor((heap_mib * 1024) / request_kib);
    const fills_s = (heap_holds - in_flight) / doubled_backlog_per_s;
    return {
      bound_per_s: bound.perSecond,
      bound_by: bound.by,
      utilization: rate_per_s / bound.perSecond,
      in_flight,
      backlog_per_s: Math.max(0, rate_per_s - bound.perSecond),
      doubled_per_s: Math.min(2 * rate_per_s, bound.perSecond),
      doubled_backlog_per_s,
      virtual_per_s: virtual.perSecond,
      virtual_by: virtual.by,
      pinned_per_s: cpus / within_s,
      threads_enough: poolEnough(rate_per_s * within_s),
      connections_enough: poolEnough(rate_per_s * (held_ms / 1000)),
      threads_useful: Math.ceil(virtual.perSecond * within_s - 1e-9),
      heap_needed_mib: (in_flight * request_kib) / 1024,
      heap_holds,
      fills_s: fills_s > 0 && Number.isFinite(fills_s) ? fills_s : NaN,
    };
  }

  // Three significant digits, as in the rest of the report.
  function text(value) {
    const digits = Math.abs(value) >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 };
    return value.toLocaleString("en-US", digits);
  }
  const counted = (value, one) => `${text(value)} ${one}${text(value) === "1" ? "" : "s"}`;
  const limitNames = { threads: "the limit of threads or permits", cpus: "the CPUs", connections: "the pool of connections" };

  function sayInFlight(service, found) {
    const within = text(service.wait_ms + service.cpu_ms);
    if (found.backlog_per_s === 0) {
      return `In flight: ${counted(found.in_flight, "request")}, which are ${text(service.rate_per_s)}/s × ${within} ms (Little's law), without those that queue.`;
    }
    return `Too much: at most ${text(found.bound_per_s)} of ${text(service.rate_per_s)} requests/s can be served. ${counted(found.in_flight, "request")} are in flight, and the backlog grows by ${text(found.backlog_per_s)} a second.`;
  }

  function sayLimit(service, found) {
    const within = text(service.wait_ms + service.cpu_ms);
    const formulas = {
      threads: `${text(service.threads)} ÷ ${within} ms`,
      cpus: `${text(service.cpus)} ÷ ${text(service.cpu_ms)} ms of CPU time`,
      connections: `${text(service.connections)} ÷ ${text(service.held_ms)} ms`,
    };
    return `First limit: ${limitNames[found.bound_by]}, at ${text(found.bound_per_s)} requests/s (${formulas[found.bound_by]}). The offered load is ${text(100 * found.utilization)} % of it.`;
  }

  function sayDoubled(service, found) {
    if (found.doubled_backlog_per_s === 0) {
      return `Twice the load: ${text(found.doubled_per_s)} requests/s stay below this limit, at ${text(200 * found.utilization)} % of it. Queues grow as the load comes close to 100 %.`;
    }
    return `Twice the load: of ${text(2 * service.rate_per_s)} requests/s the service answers at most ${text(found.doubled_per_s)}, and the backlog grows by ${text(found.doubled_backlog_per_s)} requests a second, until clients give up or requests are refused.`;
  }

  function sayVirtual(service, found) {
    const pinned = ` On JDK 21, requests that wait inside synchronized keep their carrier: with a carrier a CPU, at most ${text(found.pinned_per_s)} requests/s.`;
    if (Number.isNaN(service.threads)) {
      return `Virtual threads: no limit of threads was given, so they lift none. The bound stays ${text(found.bound_per_s)} requests/s, by ${limitNames[found.bound_by]}.${pinned}`;
    }
    if (found.bound_by !== "threads") {
      return `Virtual threads: the bound stays ${text(found.bound_per_s)} requests/s, because the first limit is ${limitNames[found.bound_by]}, and not the threads.${pinned}`;
    }
    const now = found.backlog_per_s > 0 ? "" : ` At ${text(service.rate_per_s)} requests/s neither bound is reached, so throughput stays the same.`;
    return `Virtual threads: they admit every request, so the bound rises from ${text(found.bound_per_s)} to ${text(found.virtual_per_s)} requests/s, where ${limitNames[found.virtual_by]} would bind. A pool of ${counted(found.threads_useful, "platform thread")} has that bound, too.${now}${pinned}`;
  }

  function sayPools(service, found) {
    const threads = service.rate_per_s < found.virtual_per_s
      ? `${counted(found.threads_enough, "thread")} for ${text(service.rate_per_s)} requests/s: then at most 1 % of them wait for one (Erlang's C). More than ${text(found.threads_useful)} serve no more requests, since ${limitNames[found.virtual_by]} would bind.`
      : `no number of threads serves ${text(service.rate_per_s)} requests/s, since ${limitNames[found.virtual_by]} would bind at ${text(found.virtual_per_s)}.`;
    const connections = Number.isNaN(found.connections_enough)
      ? ""
      : ` Connections: ${text(found.connections_enough)}, by the same rule.`;
    return `Pool sizes: ${threads}${connections}`;
  }

  function sayHeap(service, found) {
    const fills = Number.isNaN(found.fills_s)
      ? ""
      : ` If nothing limits the requests that are admitted, the backlog of twice the load fills it in ${text(found.fills_s)} s.`;
    return `Heap: requests in flight hold ${text(found.heap_needed_mib)} MiB at ${text(service.request_kib)} KiB each, next to what the idle service holds. ${text(service.heap_mib)} MiB have room for at most ${counted(found.heap_holds, "request")}.${fills}`;
  }

  function paragraph(words) {
    const element = document.createElement("p");
    const colon = words.indexOf(":");
    const name = document.createElement("strong");
    name.textContent = words.slice(0, colon + 1);
    element.append(name, words.slice(colon + 1));
    return element;
  }

  const form = document.querySelector("#service-form");
  const output = form.querySelector("output");
  function update() {
    // A pool limits nothing without the time that a request holds one of its connections.
    form.elements.held_ms.required = form.elements.connections.value !== "";
    const fields = [...form.querySelectorAll("input")];
    const wrong = fields.find((field) => !field.validity.valid);
    if (wrong) {
      delete output.dataset.answer;
      output.replaceChildren(`${wrong.labels[0].textContent.trim()}: a ${wrong.step === "1" ? "whole " : ""}number from ${wrong.min} to ${wrong.max} is needed.`);
      return;
    }
    const service = Object.fromEntries(fields.map((field) => [field.name, field.valueAsNumber]));
    const found = answer(service);
    // For tests; what is no finite number becomes null.
    output.dataset.answer = JSON.stringify(found);
    output.replaceChildren(...[sayInFlight, sayLimit, sayDoubled, sayVirtual, sayPools, sayHeap].map((say) => paragraph(say(service, found))));
  }
  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  // Of a link by workloads/inputs.sh: report.html#service?rate_per_s=400&cpu_ms=3
  const [anchor, query] = location.hash.slice(1).split("?");
  for (const [name, value] of new URLSearchParams(query)) {
    if (form.elements[name]) form.elements[name].value = value;
  }
  if (anchor === "service" && query) form.scrollIntoView();
  update();
})();
