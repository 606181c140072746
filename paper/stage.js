// Figure 1, alive: users as dots, in the places where occupancy.csv has them. Only measured settings move; between them the curve of
// theory is all there is. paper/R/stage.R writes the data into the page.
"use strict";
(() => {
  const stage = document.querySelector("#stage");
  if (!stage) return;
  const loads = JSON.parse(stage.dataset.loads);
  const places = {
    not_admitted: "not admitted: wait for a thread or a permit", connection: "wait for a connection", waiting: "admitted: wait for what they called",
    cpu: "on the CPU, ready for it, or at the client",
  };
  // So many times slower than the server, so that an eye can follow.
  const slower = 100;
  const pitch = 8;
  const radius = 2.6;
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const text = (value) => value.toLocaleString("en-US", { maximumFractionDigits: value < 10 ? 1 : 0 });

  function element(name, attributes = {}, ...content) {
    const svg = ["svg", "g", "circle", "rect", "path", "text"].includes(name);
    const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...content);
    return made;
  }

  // Whole users of each place, as many as there are: the largest remainders are rounded up.
  function counts({ users }, setting) {
    const exact = Object.keys(places).map((place) => [place, setting.places[place]]);
    const found = exact.map(([place, value]) => [place, Math.floor(value)]);
    const lacking = users - found.reduce((sum, [, count]) => sum + count, 0);
    const byRest = exact.map(([, value], index) => [value % 1, index]).sort((one, other) => other[0] - one[0]);
    for (const [, index] of byRest.slice(0, lacking)) found[index][1] += 1;
    return Object.fromEntries(found);
  }

  const dotsSvg = element("svg", { class: "users", role: "img" });
  const curveSvg = element("svg", { class: "curve", role: "img" });
  const said = element("p", { class: "said", "aria-live": "polite" });
  const slider = element("input", { type: "range", min: 1, step: 1, "aria-label": "Requests that are admitted" });
  const pause = element("button", { type: "button" });
  const buttons = new Map();
  let [load, chosen, queues, dots, running] = [loads[0], null, {}, [], true];

  // ---- Users -----------------------------------------------------------------------------------

  // Where the slots of each place begin, and how high all are.
  function layout(width) {
    const perLine = Math.floor((width - pitch) / pitch);
    const at = {};
    let top = 0;
    for (const place of Object.keys(places)) {
      const most = Math.max(...load.settings.map((setting) => counts(load, setting)[place]));
      if (most === 0) continue;
      at[place] = { top, perLine };
      top += 24 + Math.ceil(most / perLine) * pitch + 6;
    }
    return { at, height: top };
  }

  function put(dot, at) {
    const { top, perLine } = at[dot.place];
    const [x, y] = [pitch * ((dot.slot % perLine) + 1), top + 24 + pitch * Math.floor(dot.slot / perLine)];
    dot.mark.style.transform = `translate(${x}px, ${y}px)`;
    dot.mark.setAttribute("class", dot.place);
  }

  let at = {};
  function drawUsers() {
    const width = stage.clientWidth;
    const found = layout(width);
    at = found.at;
    dotsSvg.setAttribute("viewBox", `0 0 ${width} ${found.height}`);
    const now = chosen && counts(load, chosen);
    const labels = Object.entries(at).map(([place, { top }]) => element("text", { x: 4, y: top + 14 }, `${now ? text(now[place]) : "–"} ${places[place]}`));
    dotsSvg.replaceChildren(...labels, ...dots.map((dot) => dot.mark));
    dotsSvg.classList.toggle("theory", !chosen);
    dotsSvg.setAttribute("aria-label", labels.map((label) => label.textContent).join("; "));
    for (const dot of dots) put(dot, at);
  }

  // Dots keep their order from place to place, so that few of them move.
  function place(setting) {
    const wanted = counts(load, setting);
    const order = Object.keys(places).flatMap((name) => queues[name] ?? []);
    dots = order.length === load.users ? order : Array.from({ length: load.users }, () => ({ mark: element("circle", { r: radius }) }));
    let next = 0;
    for (const name of Object.keys(places)) {
      queues[name] = dots.slice(next, next + wanted[name]);
      queues[name].forEach((dot, slot) => Object.assign(dot, { place: name, slot }));
      next += wanted[name];
    }
  }

  // A request is answered: the first of each place goes on to the next one, and takes the slot that is left there.
  function step() {
    const active = Object.keys(places).filter((name) => queues[name].length > 0);
    if (active.length < 2) return;
    const first = active.map((name) => queues[name].shift());
    const slots = first.map((dot) => dot.slot);
    first.forEach((dot, index) => {
      const to = (index + 1) % active.length;
      Object.assign(dot, { place: active[to], slot: slots[to] });
      queues[active[to]].push(dot);
      put(dot, at);
    });
  }

  let [before, due, inSight] = [null, 0, true];
  function tick(now) {
    const elapsed_s = before === null ? 0 : Math.min(0.1, (now - before) / 1000);
    before = now;
    if (running && inSight && chosen && !still.matches) {
      for (due += (elapsed_s * chosen.per_s) / slower; due >= 1; due -= 1) step();
    }
    requestAnimationFrame(tick);
  }

  // ---- Curve -----------------------------------------------------------------------------------

  const theory = (n) => (1000 * Math.min(load.users, n)) / load.held_ms;
  const most = () => 2 * load.users;

  function drawCurve(n) {
    const [width, height, left, bottom, top] = [stage.clientWidth, 150, 8, 34, 20];
    const highest = 1.06 * Math.max(theory(most()), ...load.settings.map((setting) => setting.per_s));
    const x = (admitted) => left + ((width - 2 * left) * admitted) / most();
    const y = (per_s) => height - bottom - ((height - bottom - top) * per_s) / highest;
    const marks = load.settings.map((setting) => {
      const [px, py, size] = [x(setting.admitted), y(setting.per_s), setting === chosen ? 6 : 4];
      return setting.virtual
        ? element("circle", { cx: px, cy: py, r: size, class: "measured virtual" })
        : element("rect", { x: px - size - 2, y: py - size - 2, width: 2 * size + 4, height: 2 * size + 4, class: "measured" });
    });
    const ticks = [0, 0.25, 0.5, 1].map((share) => element("text", { x: x(share * most()), y: height - 19, "text-anchor": share === 0 ? "start" : share === 1 ? "end" : "middle" }, text(share * most())));
    curveSvg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    curveSvg.setAttribute("aria-label", `Requests a second by what is admitted, ${text(n)} now; theory is the lesser of users and admitted over ${load.held_ms} ms`);
    curveSvg.replaceChildren(
      element("path", { d: `M${x(0)} ${y(0)}H${x(most())}`, class: "axis" }), element("path", { d: `M${x(n).toFixed(1)} ${top}V${y(0)}`, class: "now" }),
      element("path", { d: `M${x(0)} ${y(0)}L${x(load.users)} ${y(theory(load.users))}H${x(most())}`, class: "law" }), ...marks, ...ticks,
      element("text", { x: left, y: 13 }, "requests/s"), element("text", { x: x(1.5 * load.users), y: y(theory(most())) + 16, "text-anchor": "middle" }, `theory: ${text(theory(most()))}/s`),
      element("text", { x: width / 2, y: height - 4, "text-anchor": "middle" }, "n, admitted at a time"),
    );
  }

  // ---- Choice ----------------------------------------------------------------------------------

  function show(setting, n) {
    chosen = setting;
    if (setting) place(setting);
    for (const [button, one] of buttons) button.setAttribute("aria-pressed", String(one === setting));
    slider.setAttribute("aria-valuetext", `${text(n)} admitted`);
    said.replaceChildren(...(setting
      ? [element("strong", {}, `${setting.words}: ${text(setting.per_s)} requests/s`), ` measured, ${text(setting.per_s / load.settings[0].per_s)} × those of ${load.settings[0].words}; theory allows ${text(theory(n))}/s.`]
      : [element("strong", {}, `${text(n)} admitted: theory allows ${text(theory(n))} requests/s`), ", on either kind of thread. Not measured, so nothing moves."]));
    drawUsers();
    drawCurve(n);
  }

  function choose(button) {
    const setting = buttons.get(button);
    const other = loads.find(({ settings }) => settings.includes(setting));
    if (other !== load) [load, queues] = [other, {}];
    slider.max = most();
    slider.value = setting.admitted;
    show(setting, setting.admitted);
  }

  // Near a measured setting the slider stops at it; the chosen one stays where two admit as many.
  function slide() {
    const near = load.settings.filter((setting) => Math.abs(setting.admitted - slider.valueAsNumber) <= most() / 100);
    const setting = near.includes(chosen) ? chosen : near[0] ?? null;
    show(setting, setting ? setting.admitted : slider.valueAsNumber);
  }

  function choices() {
    return loads.map((one) => element("fieldset", {}, element("legend", {}, one.words), ...one.settings.map((setting) => {
      const button = element("button", { type: "button" }, setting.words);
      buttons.set(button, setting);
      button.addEventListener("click", () => choose(button));
      return button;
    })));
  }

  function sayPause() {
    pause.textContent = running ? "Pause" : "Go on";
    pause.hidden = still.matches;
  }

  // The static figure, which has all loads, is folded.
  const fixed = element("details", {}, element("summary", {}, "The same as bars, for all loads"), ...stage.childNodes);
  const admitted = element("label", {}, "Admitted ", slider);
  const [first, ...others] = choices();
  stage.append(first, admitted, said, curveSvg, dotsSvg, element("p", { class: "slow" }, `Dots are users, ${slower} times slower than measured. On the curve: ● virtual and ■ platform threads as measured; dashed, theory: min(users, n) ÷ time held. `, pause), ...others, fixed);
  slider.addEventListener("input", slide);
  pause.addEventListener("click", () => { running = !running; sayPause(); });
  still.addEventListener("change", sayPause);
  new IntersectionObserver(([change]) => { inSight = change.isIntersecting; }).observe(dotsSvg);
  new ResizeObserver(() => { drawUsers(); drawCurve(chosen ? chosen.admitted : slider.valueAsNumber); }).observe(stage);
  sayPause();
  choose([...buttons.keys()][loads[0].settings.length - 1]);
  requestAnimationFrame(tick);
})();
