"use strict";
(() => {
  const PAGE = 200;
  const source = JSON.parse(document.getElementById("rows").textContent);
  const at = Object.fromEntries(source.columns.map((name, index) => [name, index]));
  const rows = source.rows;
  const texts = [];
  const table = document.querySelector(".checks");
  const tools = document.querySelector(".tools");
  const further = document.querySelector(".further");
  const root = table.dataset.root;

  const has = (list, word) => (row) => row[at[list]].includes(word);
  const is = (name, word) => (row) => row[at[name]] === word;
  const SHOWS = [
    ["all", "All", () => true],
    ["blocking", "Blocking", has("tags", "blocking")],
    ["regressed", "Regressed", is("change", "regressed")],
    ["improved", "Improved", is("change", "improved")],
    ["new", "New", is("change", "new")],
    ["failing", "Failing", is("outcome", "fail")],
    ["known", "Known failing", has("tags", "known")],
    ["not-comparable", "Not comparable", is("change", "not-comparable")],
    ["needs-review", "Needs review", is("outcome", "needs-review")],
    ["unmeasured", "Not measured", has("tags", "unmeasured")],
    ["declined", "Declined", has("tags", "declined")],
    ["flaky", "Flaky", has("marks", "flaky")],
    ["stale", "Stale", has("marks", "stale")],
    ["removed", "Removed", is("change", "removed")],
    ["carried", "Carried", has("marks", "carried")],
  ];
  const HEADS = [
    ["", "", null],
    ["outcome", "Outcome", null],
    ["name", "Evaluator", null],
    ["case", "Case", null],
    ["score", "Was → now", "number"],
    ["change", "Change", null],
    ["reason", "Why", null],
    ["suite", "Where", null],
  ];
  const START = { show: "all", q: "", name: "", suite: "", sort: "", down: "" };
  let state = { ...START };
  let limit = PAGE;

  const make = (kind, content, name) => {
    const element = document.createElement(kind);
    if (content !== undefined) element.textContent = content;
    if (name) element.className = name;
    return element;
  };
  const prose = (content) => {
    const parts = content.split("`");
    const shown = make("span");
    if (parts.length % 2 === 0) shown.textContent = content;
    else parts.forEach((part, number) => shown.append(number % 2 ? make("code", part) : part));
    return shown;
  };
  const text = (index) => {
    if (texts[index] === undefined) {
      const row = rows[index];
      const parts = ["id", "outcome", "name", "case", "suite", "change", "reason"];
      texts[index] = [...parts.map((part) => row[at[part]]), ...row[at.marks]].join("\n").toLowerCase();
    }
    return texts[index];
  };
  const place = (row) => {
    const path = row[at.suite];
    const line = row[at.line];
    const shown = make("code", line ? `${path}:${line}` : path);
    if (!root || row[at.outcome] === "removed") return shown;
    const link = make("a");
    link.href = root + path.split("/").map(encodeURIComponent).join("/") + (line ? `#L${line}` : "");
    link.rel = "noreferrer";
    link.append(shown);
    return link;
  };

  const matching = () => {
    const [, , shows] = SHOWS.find(([name]) => name === state.show) || SHOWS[0];
    const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [];
    rows.forEach((row, index) => {
      if (!shows(row)) return;
      if (state.name && row[at.name] !== state.name) return;
      if (state.suite && row[at.suite] !== state.suite) return;
      if (words.length && !words.every((word) => text(index).includes(word))) return;
      found.push(index);
    });
    if (state.sort in at) found.sort(compare(at[state.sort]));
    return found;
  };
  const compare = (column) => {
    const way = state.down ? -1 : 1;
    return (a, b) => {
      const x = rows[a][column];
      const y = rows[b][column];
      if (x === y || (x == null && y == null)) return a - b;
      if (x == null || x === "") return 1;
      if (y == null || y === "") return -1;
      return (typeof x === "number" ? x - y : x < y ? -1 : 1) * way || a - b;
    };
  };

  const drawRow = (index) => {
    const row = rows[index];
    const line = make("tr");
    const cell = (content, name) => {
      const made = make("td", undefined, name);
      made.append(content);
      line.append(made);
    };
    const open = make("button", undefined, "open");
    open.type = "button";
    open.setAttribute("aria-expanded", "false");
    open.setAttribute("aria-label", `Details of ${row[at.name]} on ${row[at.case]}`);
    open.addEventListener("click", () => toggle(line, open, row));
    cell(open);
    cell(make("span", row[at.outcome], `tag ${row[at.outcome]}`));
    cell(row[at.name], "title");
    const about = make("span", row[at.case]);
    row[at.marks].forEach((mark) => about.append(" ", make("span", mark, `tag ${mark.split(" ")[0]}`)));
    cell(about, "case");
    const moved = make("span", row[at.was] && row[at.now] ? `${row[at.was]} → ` : row[at.was]);
    if (row[at.now]) moved.append(make("b", row[at.now]));
    cell(moved, "number");
    cell(row[at.change] ? make("span", row[at.change].replace("-", " "), `tag ${row[at.change]}`) : "");
    const why = row[at.reason];
    cell(prose(why.length > 160 ? `${why.slice(0, 160)}…` : why));
    cell(place(row), "where");
    return line;
  };
  const toggle = (line, open, row) => {
    const shown = open.getAttribute("aria-expanded") === "true";
    open.setAttribute("aria-expanded", String(!shown));
    if (shown) {
      line.nextSibling.remove();
      return;
    }
    const detail = make("tr", undefined, "detail");
    const cell = make("td");
    cell.colSpan = HEADS.length;
    if (row[at.reason]) cell.append(prose(row[at.reason]));
    const list = make("dl");
    row[at.more].forEach(([name, said]) => list.append(make("dt", name), make("dd", said)));
    cell.append(list);
    detail.append(cell);
    line.after(detail);
  };

  const draw = () => {
    const found = matching();
    const part = document.createDocumentFragment();
    found.slice(0, limit).forEach((index) => part.append(drawRow(index)));
    table.tBodies[0].replaceChildren(part);
    const shown = Math.min(limit, found.length);
    const of = found.length === rows.length ? "" : ` of ${rows.length.toLocaleString("en")}`;
    tools.querySelector(".found").textContent =
      shown < found.length
        ? `${shown.toLocaleString("en")} of ${found.length.toLocaleString("en")} shown`
        : `${found.length.toLocaleString("en")}${of} ${found.length === 1 ? "check" : "checks"}`;
    further.hidden = shown === found.length;
    further.textContent = `Show ${Math.min(PAGE, found.length - shown).toLocaleString("en")} more`;
    mark();
  };
  const mark = () => {
    tools.querySelectorAll(".quick button").forEach((button) => {
      button.setAttribute("aria-pressed", String(button.value === state.show));
    });
    [...table.tHead.rows[0].cells].forEach((head) => {
      const sorted = head.dataset.sort && head.dataset.sort === state.sort;
      if (sorted) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    tools.querySelectorAll("[name]").forEach((field) => {
      if (field.value !== state[field.name]) field.value = state[field.name];
    });
  };
  const change = (more) => {
    state = { ...state, ...more };
    limit = PAGE;
    const said = new URLSearchParams(Object.entries(state).filter(([key, value]) => value !== START[key]));
    try {
      history.replaceState(null, "", `#${said.size || [...said].length ? said : "checks"}`);
    } catch {
      // A page without an address keeps its state to itself.
    }
    draw();
  };
  const read = () => {
    const said = new URLSearchParams(location.hash.slice(1));
    const known = Object.keys(START).filter((key) => said.has(key));
    if (!known.length) return false;
    state = { ...START, ...Object.fromEntries(known.map((key) => [key, said.get(key)])) };
    return true;
  };

  const build = () => {
    const quick = tools.querySelector(".quick");
    SHOWS.forEach(([name, title, shows]) => {
      const count = rows.reduce((sum, row) => sum + shows(row), 0);
      if (!count && name !== "all") return;
      const button = make("button", `${title} ${count.toLocaleString("en")}`);
      button.type = "button";
      button.value = name;
      button.addEventListener("click", () => change({ show: name }));
      quick.append(button);
    });
    ["name", "suite"].forEach((field) => {
      const select = tools.querySelector(`[name=${field}]`);
      const names = [...new Set(rows.map((row) => row[at[field]]))].sort();
      select.append(new Option("all", ""), ...names.map((name) => new Option(name, name)));
      select.addEventListener("change", () => change({ [field]: select.value }));
    });
    tools.querySelector("[name=q]").addEventListener("input", (event) => change({ q: event.target.value }));
    HEADS.forEach(([name, title, kind]) => {
      const head = make("th", undefined, kind || "");
      head.scope = "col";
      if (name) {
        head.dataset.sort = name;
        const button = make("button", title);
        button.type = "button";
        button.addEventListener("click", () =>
          change({ sort: name, down: state.sort === name && !state.down ? "1" : "" }));
        head.append(button);
      } else head.append(make("span", "", "skip"));
      table.tHead.rows[0].append(head);
    });
    further.addEventListener("click", () => {
      limit += PAGE;
      draw();
    });
    window.addEventListener("hashchange", () => {
      if (read()) {
        draw();
        document.getElementById("checks").scrollIntoView();
      }
    });
    tools.hidden = false;
    table.hidden = false;
  };

  const value = (row, column) => {
    const cell = row.cells[column];
    const said = (cell.dataset.value ?? cell.textContent).trim();
    const number = Number(said.replace(/[,%\s]/g, "").replace("−", "-"));
    return said !== "" && Number.isFinite(number) ? number : said;
  };
  const sortable = (sorted) => {
    [...sorted.tHead.rows[0].cells].forEach((head, column) => {
      head.scope = "col";
      const button = make("button", head.textContent);
      button.type = "button";
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        [...sorted.tHead.rows[0].cells].forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const lines = [...sorted.tBodies[0].rows].map((row, index) => ({ row, index, value: value(row, column) }));
        lines.sort((a, b) => {
          const same = typeof a.value === typeof b.value;
          const order = same ? (a.value < b.value ? -1 : a.value > b.value ? 1 : 0) : typeof a.value === "number" ? -1 : 1;
          return (down ? -order : order) || a.index - b.index;
        });
        sorted.tBodies[0].append(...lines.map((line) => line.row));
      });
    });
  };
  const filterable = (filtered) => {
    const lines = [...filtered.tBodies[0].rows];
    if (lines.length < 8) return;
    const label = make("label", "Filter ", "soft");
    const field = make("input");
    field.type = "search";
    label.append(field);
    filtered.parentElement.before(label);
    field.addEventListener("input", () => {
      const wanted = field.value.toLowerCase();
      lines.forEach((line) => { line.hidden = !line.textContent.toLowerCase().includes(wanted); });
    });
  };

  build();
  document.querySelectorAll("table.sortable").forEach(sortable);
  document.querySelectorAll("table.filterable").forEach(filterable);
  const asked = read();
  draw();
  if (asked) document.getElementById("checks").scrollIntoView();
})();
