// "Should I enable them?": a verdict for a service that the reader describes, by Little's law and the utilization law.
// paper/tests/service-cases.csv has services and their bounds, which another implementation computed; service-answers.csv has verdicts.
"use strict";
(() => {
  const form = document.querySelector("#service-form");
  const output = form.querySelector("output");
  const fields = [...form.querySelectorAll("input")];
  const atLeast = 10;

  // One rule for pools of threads and of connections: twice as many places as are taken on average, and ten at least.
  const places = (per_s, held_s) => Math.max(atLeast, Math.ceil(2 * per_s * held_s - 1e-9));

  // The least of limits by name; one that is no number is none.
  function leastOf(limits) {
    const finite = Object.entries(limits).filter(([, perSecond]) => Number.isFinite(perSecond));
    const [by, perSecond] = finite.reduce((least, one) => (one[1] < least[1] ? one : least), [null, Infinity]);
    return { by, perSecond };
  }

  function answer({ rate_per_s, wait_ms, cpu_ms, cpus, threads, connections, held_ms, synchronized_ms, heap_mib, request_kib }) {
    const within_s = (wait_ms + cpu_ms) / 1000;
    const others = { cpus: (1000 * cpus) / cpu_ms, connections: (1000 * connections) / held_ms };
    const bound = leastOf({ threads: threads / within_s, ...others });
    const virtual = leastOf(others);
    const heap_holds = Math.floor((heap_mib * 1024) / request_kib);
    const in_service = Math.min(rate_per_s, virtual.perSecond) * within_s;
    // On virtual threads all that is not yet answered is in flight, and on the heap.
    const fills = (per_s) => (per_s > virtual.perSecond && heap_holds > in_service ? (heap_holds - in_service) / (per_s - virtual.perSecond) : NaN);
    return {
      bound_per_s: bound.perSecond,
      bound_by: bound.by,
      utilization: rate_per_s / bound.perSecond,
      in_flight: Math.min(rate_per_s, bound.perSecond) * within_s,
      backlog_per_s: Math.max(0, rate_per_s - bound.perSecond),
      virtual_per_s: virtual.perSecond,
      virtual_by: virtual.by,
      pinned_per_s: synchronized_ms > 0 ? (1000 * cpus) / (synchronized_ms + cpu_ms) : NaN,
      threads_enough: places(Math.min(rate_per_s, virtual.perSecond), within_s),
      connections_enough: places(Math.min(rate_per_s, others.cpus), held_ms / 1000),
      heap_holds,
      fills_s: fills(rate_per_s),
      doubled_fills_s: fills(2 * rate_per_s),
    };
  }

  // Three significant digits, as in the rest of the report.
  function text(value) {
    const digits = Math.abs(value) >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 };
    return value.toLocaleString("en-US", digits);
  }
  const counted = (value, one) => `${text(value)} ${one}${text(value) === "1" ? "" : "s"}`;
  const per_s = (value) => `${text(value)}/s`;
  const whole = (value) => text(value < 10 ? value : Math.round(value));
  const limitOf = (service, by) => ({
    threads: counted(service.threads, "thread"),
    cpus: counted(service.cpus, "CPU"),
    connections: counted(service.connections, "connection"),
  })[by];

  // Where the service stands: beyond what any kind of thread can serve, beyond its threads, short of threads, or below its limits.
  function caseOf(service, found) {
    const beyond = (limit) => service.rate_per_s > limit * 1.001;
    if (beyond(found.virtual_per_s)) return "overload";
    if (beyond(found.bound_per_s)) return "gain";
    if (found.utilization > 0.95) return "full";
    return service.threads < 2 * found.in_flight ? "short" : "none";
  }

  function sayBacklog(service, found) {
    const heap = Number.isNaN(found.fills_s) ? "" : ` and fills ${text(service.heap_mib)} MiB in ${text(found.fills_s)} s`;
    return `On virtual threads the backlog of ${per_s(service.rate_per_s - found.virtual_per_s)} is in flight${heap}.`;
  }

  const served = (service, by, most_per_s) => `with ${limitOf(service, by)} at most ${per_s(most_per_s)} are served`;
  const sayCase = {
    overload(service, found) {
      const now = found.bound_per_s < found.virtual_per_s ? ` (now ${served(service, "threads", found.bound_per_s)})` : "";
      return `Careful: ${per_s(service.rate_per_s)} come; ${served(service, found.virtual_by, found.virtual_per_s)}, on any kind of thread${now}. ${sayBacklog(service, found)}`;
    },
    gain(service, found) {
      return `Up to ${text(service.rate_per_s / found.bound_per_s)} ×: ${per_s(service.rate_per_s)} come; ${served(service, "threads", found.bound_per_s)}. Virtual threads serve them all${found.threads_enough > 5000 ? "" : `, and so do ${text(found.threads_enough)} platform threads`}.`;
    },
    full(service, found) {
      const gain = found.bound_by === "threads" && found.virtual_per_s > 1.001 * found.bound_per_s;
      return `${gain ? "Yes" : "Careful"}: ${per_s(service.rate_per_s)} come; ${served(service, found.bound_by, found.bound_per_s)}. ${gain ? `More threads, or virtual ones, serve up to ${per_s(found.virtual_per_s)}.` : "The queue grows with each burst, on any kind of thread."}`;
    },
    short(service, found) {
      return `Little gain: ${whole(found.in_flight)} in flight, ${counted(service.threads, "thread")}. Throughput stays ${per_s(service.rate_per_s)}, but bursts wait for a thread. ${text(found.threads_enough)} threads end that, or virtual ones.`;
    },
    none(service, found) {
      const threads = Number.isNaN(service.threads) ? "no limit of threads to lift" : counted(service.threads, "thread");
      return `No gain: ${whole(found.in_flight)} in flight, ${threads}.`;
    },
  };

  // Where virtual threads do harm, below the limits too.
  function risks(service, found) {
    const pinned = service.rate_per_s > found.pinned_per_s
      ? `Careful on JDK 21 to 23: a request that waits in synchronized keeps its carrier, so ${served(service, "cpus", found.pinned_per_s)} on virtual threads.`
      : "";
    const long = service.long_ms > service.cpu_ms && service.long_ms >= (service.wait_ms + service.cpu_ms) / 10
      ? `Careful: a request that computes for ${text(service.long_ms)} ms keeps a carrier for as long, and others wait behind it.`
      : "";
    return [pinned, long].filter(Boolean);
  }

  function sayLimits(service, found) {
    const within = text(service.wait_ms + service.cpu_ms);
    const formulas = {
      threads: `${text(service.threads)} ÷ ${within} ms`,
      cpus: `${text(service.cpus)} ÷ ${text(service.cpu_ms)} ms of CPU time`,
      connections: `${text(service.connections)} ÷ ${text(service.held_ms)} ms`,
    };
    const doubled = 2 * service.rate_per_s;
    const fills = Number.isNaN(found.doubled_fills_s) ? "" : ` On virtual threads its backlog fills the heap in ${text(found.doubled_fills_s)} s.`;
    return `Limits: ${limitOf(service, found.bound_by)} first, at ${per_s(found.bound_per_s)} (${formulas[found.bound_by]}); the load is ${text(100 * found.utilization)} % of it. On virtual threads ${limitOf(service, found.virtual_by)}, at ${per_s(found.virtual_per_s)}. Twice the load, ${per_s(doubled)}, ${doubled > found.bound_per_s ? "is beyond" : "stays below"} the first limit.${fills}`;
  }

  function settings(service, found, at, careful) {
    const lines = [];
    if (at === "gain" || (at === "full" && found.bound_by === "threads")) lines.push(careful ? `server.tomcat.threads.max=${found.threads_enough}` : "spring.threads.virtual.enabled=true");
    if (at === "short" || (at === "overload" && !(service.threads >= found.threads_enough))) lines.push(`server.tomcat.threads.max=${found.threads_enough}`);
    if (service.connections < found.connections_enough) lines.push(`spring.datasource.hikari.maximum-pool-size=${found.connections_enough}`);
    if (at === "overload" && found.heap_holds < 8192) lines.push(`server.tomcat.max-connections=${found.heap_holds}`);
    if (careful) lines.push("# if you enable virtual threads", "java -Djdk.virtualThreadScheduler.parallelism=16 …");
    return lines;
  }

  const watched = {
    threads: "tomcat.threads.busy, at the limit of threads (server.tomcat.mbeanregistry.enabled=true)",
    cpus: "process.cpu.usage, above 0.8",
    connections: "hikaricp.connections.pending, above 0",
  };
  function sayWatch(service, found, at) {
    const more = [
      at === "overload" ? "jvm.gc.overhead, above 0.1: the backlog fills the heap" : "",
      service.synchronized_ms > 0 ? "the JFR event jdk.VirtualThreadPinned" : "",
    ];
    return `Watch: ${[watched[found.bound_by], ...more].filter(Boolean).join("; ")}.`;
  }

  function sayHeap(service, found) {
    if (Number.isNaN(service.request_kib) || Number.isNaN(service.heap_mib)) return "Heap: enter the heap, and what a request in flight holds of it.";
    return `Heap: ${text(service.heap_mib)} MiB have room for at most ${counted(found.heap_holds, "request")} in flight at ${text(service.request_kib)} KiB each, less what the idle service holds.`;
  }

  function element(name, words, className = "") {
    const made = document.createElement(name);
    const colon = words.indexOf(":") + 1;
    const strong = document.createElement("strong");
    strong.textContent = words.slice(0, colon);
    made.className = className;
    made.append(...(colon > 0 && name === "p" ? [strong, words.slice(colon)] : [words]));
    return made;
  }

  // Why a service cannot be; empty for one that can.
  function impossible(service, wrong) {
    const name = (field) => field.closest("label").firstChild.textContent.trim();
    if (wrong) return `${name(wrong)}: a ${wrong.step === "1" ? "whole " : ""}number from ${wrong.min} to ${wrong.max} is needed.`;
    const within = service.wait_ms + service.cpu_ms;
    const most = {
      held_ms: [within, `the ${text(within)} ms that a request takes`],
      synchronized_ms: [service.wait_ms, `the ${text(service.wait_ms)} ms that a request waits`],
      long_ms: [100 * service.cpu_ms, `all CPU time of 100 requests, ${text(100 * service.cpu_ms)} ms`],
    };
    const more = fields.find((field) => field.valueAsNumber > most[field.name]?.[0]);
    return more ? `${name(more)}: ${text(more.valueAsNumber)} ms cannot be, since it is more than ${most[more.name][1]}.` : "";
  }

  function link() {
    const inputs = fields.map((field) => [field.name.split("_")[0], field.value]);
    const made = element("a", "Link to these inputs");
    made.href = `#service?${new URLSearchParams(inputs)}`;
    return made;
  }

  function update() {
    // A pool limits nothing without the time that a request holds one of its connections.
    form.elements.held_ms.required = form.elements.connections.value !== "";
    const service = Object.fromEntries(fields.map((field) => [field.name, field.valueAsNumber]));
    const refused = impossible(service, fields.find((field) => !field.validity.valid));
    if (refused) {
      delete output.dataset.answer;
      output.replaceChildren(refused);
      return;
    }
    const found = answer(service);
    const [at, careful] = [caseOf(service, found), risks(service, found)];
    // For tests; what is no finite number becomes null.
    output.dataset.answer = JSON.stringify(found);
    const lines = settings(service, found, at, careful.length > 0);
    output.replaceChildren(
      ...careful.map((risk) => element("p", risk, "verdict")), element("p", sayCase[at](service, found), "verdict"),
      element("p", sayLimits(service, found)),
      ...(lines.length > 0 ? [element("p", "Set:"), element("pre", lines.join("\n"))] : [element("p", "Set: nothing. Measure again when the load doubles.")]),
      element("p", sayWatch(service, found, at)), element("p", sayHeap(service, found)), link(),
    );
  }

  // An address that ends in "#service?rate=250&…" fills the form.
  function fill() {
    if (!location.hash.startsWith("#service?")) return;
    const inputs = new URLSearchParams(location.hash.slice("#service?".length));
    for (const field of fields) field.value = inputs.get(field.name.split("_")[0]) ?? field.value;
    update();
    form.scrollIntoView({ behavior: "instant" });
  }

  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", fill);
  update();
  addEventListener("load", fill);
})();
