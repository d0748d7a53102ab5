function attentionView(root, data) {
  const SIDES = ["queries", "keys"];
  const WIDEST = 11;
  const NAMED = 5;
  // What would be written as 0.00 has neither a line nor a number.
  const SMALLEST = 0.005;
  const { queries, keys, heads, frames } = data;
  const weights = data.weights.map(unpack);
  const hidden = new Set(data.hidden);
  const largest = Math.max(1, ...weights.map((w) => w.reduce((a, b) => Math.max(a, b), 0)));
  const most = Math.max(queries.length, keys.length);

  const state = {
    look: "lines",
    head: 0,
    frame: 0,
    pinned: data.focus === null ? null : { side: "queries", index: data.focus },
    pointed: null,
    focused: null,
  };
  // The word of each side that Tab leads to.
  const stop = { queries: data.focus ?? 0, keys: 0 };
  let parts = {};

  function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    // 32 bits can't hold 0.405: rounding gives back the number that it was.
    return Float64Array.from(new Float32Array(bytes.buffer), (w) => Math.round(w * 1e6) / 1e6);
  }

  function weight(query, key) {
    return weights[state.frame][(state.head * queries.length + query) * keys.length + key];
  }

  function make(tag, className, attributes = {}, children = []) {
    const svg = tag === "svg" || tag === "path";
    const element = svg
      ? document.createElementNS("http://www.w3.org/2000/svg", tag)
      : document.createElement(tag);
    if (className) element.setAttribute("class", className);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  const shownWord = (word) => (word.trim() ? word : "␣");

  function nameOf(side, index) {
    const words = data[side];
    const doubled = words.indexOf(words[index]) !== words.lastIndexOf(words[index]);
    return shownWord(words[index]) + (doubled ? ` [${index}]` : "");
  }

  // ---- The switches and the slider.

  function choice(name, options, current, choose) {
    const buttons = options.map((option) =>
      make("button", "ca-option", { type: "button", role: "radio" }, [option]),
    );
    const mark = (chosen) =>
      buttons.forEach((button, i) => {
        button.setAttribute("aria-checked", String(i === chosen));
        button.tabIndex = i === chosen ? 0 : -1;
      });
    const pick = (index) => {
      mark(index);
      choose(index);
    };
    buttons.forEach((button, i) => button.addEventListener("click", () => pick(i)));
    mark(current);
    const group = make("div", "ca-switch", { role: "radiogroup", "aria-label": name }, buttons);
    group.companionMove = (key) => {
      const at = buttons.indexOf(document.activeElement);
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key];
      if (step === undefined && key !== "Home" && key !== "End") return false;
      const next =
        key === "Home" ? 0 : key === "End" ? buttons.length - 1
        : (at + step + buttons.length) % buttons.length;
      pick(next);
      buttons[next].focus();
      return true;
    };
    return { group, pick };
  }

  const lookSwitch = choice("shown as", ["lines", "grid"], 0, (i) => {
    state.look = ["lines", "grid"][i];
    build();
  });
  const headSwitch = choice("head", heads.map(shownWord), 0, (i) => {
    state.head = i;
    update();
  });
  [...headSwitch.group.children].forEach((button, i) => {
    if (/^\d+$/.test(heads[i])) button.setAttribute("aria-label", `head ${heads[i]}`);
  });

  function labelled(name, ...children) {
    return make("div", "ca-control", {}, [
      make("span", "ca-label", { "aria-hidden": "true" }, [name]),
      ...children,
    ]);
  }

  function slider() {
    const input = make("input", "", {
      type: "range", min: 0, max: frames.length - 1, step: 1, value: 0, "aria-label": data.slider,
    });
    const value = make("output", "ca-value", { "aria-hidden": "true" });
    const say = () => {
      value.textContent = frames[state.frame];
      input.setAttribute("aria-valuetext", frames[state.frame]);
    };
    input.addEventListener("input", () => {
      state.frame = Number(input.value);
      say();
      update();
    });
    say();
    return labelled(data.slider, input, value);
  }

  // ---- Words.

  function wordButton(side, index) {
    const word = data[side][index];
    const button = make("button", "ca-word", { type: "button" }, [shownWord(word)]);
    const me = { side, index };
    button.addEventListener("pointerenter", (event) => {
      const cut = button.scrollWidth > button.clientWidth || button.scrollHeight > button.clientHeight + 2;
      if (cut) button.title = word;
      if (event.pointerType === "mouse") set({ pointed: me });
    });
    button.addEventListener("pointerleave", () => set({ pointed: null }));
    button.addEventListener("focus", () => {
      stop[side] = index;
      // A click gives focus as well, and says already what it means.
      if (button.matches(":focus-visible")) set({ focused: me, pointed: null });
    });
    button.addEventListener("blur", () => set({ focused: null }));
    button.addEventListener("click", () => pin(me));
    return button;
  }

  const same = (a, b) => a !== null && b !== null && a.side === b.side && a.index === b.index;

  function pin(word) {
    set({ pinned: same(state.pinned, word) ? null : word });
  }

  function set(change) {
    Object.assign(state, change);
    update();
  }

  // ---- Lines.

  function buildLines() {
    const row = most > 20 ? 21 : most > 12 ? 25 : 30;
    const height = row * most;
    const y = (count, i) => (height - row * count) / 2 + row * (i + 0.5);
    const paths = [];
    const svg = make("svg", "", {
      viewBox: `0 0 100 ${height}`, preserveAspectRatio: "none", "aria-hidden": "true",
    });
    queries.forEach((_, q) =>
      keys.forEach((_, k) => {
        const [from, to] = [y(queries.length, q), y(keys.length, k)];
        const path = make("path", "", { d: `M0 ${from} C40 ${from} 60 ${to} 100 ${to}` });
        paths.push({ path, q, k });
        svg.append(path);
      }),
    );
    const rows = { queries: [], keys: [] };
    const columns = SIDES.map((side) => {
      const list = make("div", `ca-side ca-${side}`, { role: "group", "aria-label": side });
      data[side].forEach((_, i) => {
        const button = wordButton(side, i);
        const number = make("span", "ca-number", { "aria-hidden": "true" });
        rows[side].push({ button, number });
        const both = side === "queries" ? [number, button] : [button, number];
        list.append(make("div", "ca-row", {}, both));
      });
      return list;
    });
    const lines = make("div", `ca-lines${most > 12 ? " ca-dense" : ""}`, {}, [
      make("div", "ca-side-name ca-queries", { "aria-hidden": "true" }, ["queries"]),
      make("div", ""),
      make("div", "ca-side-name ca-keys", { "aria-hidden": "true" }, ["keys"]),
      columns[0], svg, columns[1],
    ]);
    lines.style.setProperty("--row", `${row}px`);
    lines.style.setProperty("--height", `${height}px`);
    stage.replaceChildren(lines);
    parts = {
      buttons: { queries: rows.queries.map((r) => r.button), keys: rows.keys.map((r) => r.button) },
      update: (active) => updateLines(active, rows, paths),
    };
  }

  function updateLines(active, rows, paths) {
    for (const { path, q, k } of paths) {
      const w = weight(q, k) / largest;
      const chosen = active && (active.side === "queries" ? q : k) === active.index;
      const calm = active ? 0.07 : 0.1 + 0.65 * w;
      path.style.strokeWidth = `${Math.max(0.6, WIDEST * w)}px`;
      path.style.strokeOpacity = w < SMALLEST ? 0 : chosen ? 0.5 + 0.45 * Math.sqrt(w) : calm;
    }
    for (const side of SIDES) {
      rows[side].forEach(({ button, number }, i) => {
        const w = active && active.side !== side ? between(active, i) : null;
        button.style.setProperty("--share", w === null ? 0 : Math.min(1, w / largest));
        number.textContent = w === null || w < SMALLEST ? "" : w.toFixed(2);
      });
    }
  }

  /** How much the active word looks at another one, or is looked at by it. */
  function between(active, other) {
    return active.side === "queries" ? weight(active.index, other) : weight(other, active.index);
  }

  // ---- The grid.

  function buildGrid() {
    const many = keys.length;
    const [cell, height] = many > 24 ? [14, 17] : many > 16 ? [18, 20] : many > 8 ? [34, 26] : [50, 32];
    const upright = many > 8 || Math.max(...keys.map((word) => word.length)) > 7;
    const buttons = {
      queries: queries.map((_, i) => wordButton("queries", i)),
      keys: keys.map((_, i) => wordButton("keys", i)),
    };
    const head = make("tr", "", {}, [
      make("th", "ca-corner", {}, ["queries ↓ keys → "]),
      ...buttons.keys.map((button) => make("th", "ca-key", { scope: "col" }, [button])),
    ]);
    const cells = [];
    const body = queries.map((_, q) => {
      const row = make("tr", "", {}, [
        make("th", "ca-query", { scope: "row" }, [buttons.queries[q]]),
      ]);
      keys.forEach((_, k) => {
        const text = make("span", many > 16 ? "ca-hidden" : "");
        const td = make("td", hidden.has(q * many + k) ? "ca-masked" : "", {}, [text]);
        td.addEventListener("pointerenter", (event) => {
          if (event.pointerType === "mouse") set({ pointed: { side: "cell", q, k } });
        });
        td.addEventListener("pointerleave", () => set({ pointed: null }));
        td.addEventListener("click", () => pin({ side: "queries", index: q }));
        cells.push({ td, text, q, k });
        row.append(td);
      });
      return row;
    });
    const table = make(
      "table",
      `ca-grid${upright ? " ca-upright" : ""}`,
      { "aria-label": "attention weights: queries on rows, keys on columns" },
      [make("thead", "", {}, [head]), make("tbody", "", {}, body)],
    );
    table.style.setProperty("--cell", `${cell}px`);
    table.style.setProperty("--cell-height", `${height}px`);
    stage.replaceChildren(make("div", "ca-scroll", {}, [table]));
    parts = { buttons, update: (active) => updateGrid(active, table, cells) };
  }

  function updateGrid(active, table, cells) {
    table.classList.toggle("ca-chosen", active !== null);
    for (const { td, text, q, k } of cells) {
      const w = weight(q, k);
      const share = w / largest;
      td.style.setProperty("--share", share);
      td.classList.toggle("ca-strong", share > 0.62);
      td.classList.toggle("ca-full", share > 0.88);
      td.classList.toggle("ca-active", isActive(active, "queries", q) || isActive(active, "keys", k)
        || (active !== null && active.side === "cell" && active.q === q && active.k === k));
      text.textContent = w.toFixed(2);
    }
  }

  function isActive(active, side, index) {
    return active !== null && active.side === side && active.index === index;
  }

  // ---- Words about what is shown.

  function sentence(active) {
    if (active === null) return "Point at a word, tap it or tab to it, to see where it looks.";
    if (active.side === "cell") {
      const w = weight(active.q, active.k).toFixed(2);
      return `${nameOf("queries", active.q)} looks at ${nameOf("keys", active.k)} ${w}`;
    }
    const looks = active.side === "queries";
    const other = looks ? "keys" : "queries";
    const found = data[other]
      .map((_, i) => ({ i, w: between(active, i) }))
      .filter(({ w }) => w >= SMALLEST)
      .sort((a, b) => b.w - a.w);
    const name = nameOf(active.side, active.index);
    if (!found.length) return looks ? `${name} looks at nothing` : `nobody looks at ${name}`;
    const named = found.slice(0, NAMED).map(({ i, w }) => `${nameOf(other, i)} ${w.toFixed(2)}`);
    const rest = found.slice(NAMED);
    if (rest.length) {
      const sum = rest.reduce((total, { w }) => total + w, 0);
      named.push(`${rest.length} more ${sum.toFixed(2)} together`);
    }
    return `${name} ${looks ? "looks at" : "is looked at by"} ${named.join(", ")}`;
  }

  function update() {
    const active = state.pointed ?? state.focused ?? state.pinned;
    for (const side of SIDES) {
      parts.buttons[side].forEach((button, i) => {
        button.tabIndex = i === stop[side] ? 0 : -1;
        button.classList.toggle("ca-active", isActive(active, side, i));
        button.setAttribute("aria-pressed", String(same(state.pinned, { side, index: i })));
      });
    }
    parts.update(active);
    const text = sentence(active);
    if (status.textContent !== text) status.textContent = text;
    status.classList.toggle("ca-idle", active === null);
  }

  function build() {
    state.pointed = state.focused = null;
    (state.look === "lines" ? buildLines : buildGrid)();
    update();
  }

  // ---- Keys.

  /** Which word an arrow key leads to: along its side, or over to the other side. */
  function neighbour(side, index, key) {
    const lying = state.look === "grid" && side === "keys";
    const [back, on] = lying ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    const last = data[side].length - 1;
    if (key === back) return [side, Math.max(0, index - 1)];
    if (key === on) return [side, Math.min(last, index + 1)];
    if (key === "Home") return [side, 0];
    if (key === "End") return [side, last];
    const over = state.look === "grid" || key === (side === "queries" ? "ArrowRight" : "ArrowLeft");
    const other = side === "queries" ? "keys" : "queries";
    return over ? [other, Math.min(index, data[other].length - 1)] : [side, index];
  }

  function onWord(button, key) {
    const side = SIDES.find((name) => parts.buttons[name].includes(button));
    const index = parts.buttons[side].indexOf(button);
    if (key === "Enter" || key === " ") pin({ side, index });
    else if (key.startsWith("Arrow") || key === "Home" || key === "End") {
      const [there, i] = neighbour(side, index, key);
      parts.buttons[there][i].focus();
    } else return false;
    return true;
  }

  /** Whether a key was meant for the view, and done. */
  function onKey(target, key) {
    if (/^[1-9]$/.test(key) && heads.length > 1) {
      if (Number(key) <= heads.length) headSwitch.pick(Number(key) - 1);
      return true;
    }
    if (key === "Escape" && state.pinned) {
      set({ pinned: null });
      return true;
    }
    if (target.classList.contains("ca-word")) return onWord(target, key);
    const group = target.closest(".ca-switch");
    if (group && (key === "Enter" || key === " ")) target.click();
    else return group !== null && group.companionMove(key);
    return true;
  }

  function listen(event) {
    if (!view.isConnected) window.removeEventListener("keydown", listen, true);
    if (!view.contains(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.shiftKey) return;
    if (onKey(event.target, event.key)) {
      event.preventDefault();
      event.stopPropagation();
    } else if (event.target.type === "range" && /^(Arrow|Page|Home|End)/.test(event.key)) {
      event.stopPropagation();
    }
  }

  // ---- The whole.

  const stage = make("div", "ca-stage");
  const status = make("div", "ca-status", { role: "status", "aria-live": "polite" });
  const controls = [labelled("show", lookSwitch.group)];
  if (heads.length > 1) controls.push(labelled("head", headSwitch.group));
  if (frames.length > 1) controls.push(slider());
  // A word such as $x$ is a word, no formula: the classes say so to MathJax 2 and 3.
  const view = make("div", "ca-view tex2jax_ignore mathjax_ignore", { role: "group", "aria-label": data.title || "attention" }, [
    ...(data.title ? [make("div", "ca-title", {}, [data.title])] : []),
    make("p", "ca-hidden", {}, [
      `${data.alt} Arrow keys move between the words, Enter keeps one, Escape lets it go`,
      heads.length > 1 ? ", number keys choose the head." : ".",
    ]),
    make("div", "ca-controls", {}, controls),
    stage,
    status,
  ]);
  // JupyterLab takes arrow and number keys for its own before they reach any element in a cell; the
  // window hears of them first. It is asked only while the view has the focus.
  view.addEventListener("focusin", () => window.addEventListener("keydown", listen, true));
  view.addEventListener("focusout", () => window.removeEventListener("keydown", listen, true));
  build();
  root.append(view);
  root.classList.add("ca-live");
}
