// The start page: which notebooks this browser keeps of each lesson, and what can be done with them.
//
// JupyterLite keeps what was saved in IndexedDB, each file under its path. The name of a lesson's
// notebook has the digest of what was given out, so a copy under another name is of another version,
// or somebody's own. With ?lesson=NAME the page leads on to that lesson, unless there is a choice.

const FILES = "files";
const CHECKPOINTS = "checkpoints";
const { storage, lessons, report } = JSON.parse(document.getElementById("lessons").textContent);
const asked = new URLSearchParams(location.search).get("lesson");

// What JupyterLite has not made yet is not made here: it would lack its stores.
function openStorage() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(storage);
    request.onupgradeneeded = () => request.transaction.abort();
    request.onsuccess = () => resolve(request.result);
    request.onerror = () =>
      request.error.name === "AbortError" ? resolve(null) : reject(request.error);
  });
}

async function withStores(mode, work) {
  const database = await openStorage();
  const stores = [FILES, CHECKPOINTS].filter((name) => database?.objectStoreNames.contains(name));
  try {
    if (!stores.includes(FILES)) return [];
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(stores, mode);
      const found = work((name) => stores.includes(name) && transaction.objectStore(name));
      transaction.oncomplete = () => resolve(found);
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database?.close();
  }
}

// The notebooks that are kept, by their paths, and how far each is.
function keptNotebooks() {
  return withStores("readonly", (store) => {
    const found = [];
    store(FILES).openCursor().onsuccess = ({ target: { result: cursor } }) => {
      if (!cursor) return;
      const { key: path, value: file } = cursor;
      if (path.endsWith(".ipynb")) {
        found.push({ path, saved: new Date(file.last_modified), done: passedIn(file.content) });
      }
      cursor.continue();
    };
    return found;
  });
}

// How many checks of a notebook say that their exercise has passed, of how many.
function passedIn(content) {
  const checks = (content?.cells || []).filter(({ metadata }) => {
    const marks = metadata?.nbgrader || {};
    return marks.grade && !marks.solution;
  });
  const passed = checks.filter(({ outputs = [] }) =>
    outputs.some((output) => output.data?.[report]?.verdict === "passed"),
  );
  return { passed: passed.length, checks: checks.length };
}

async function contentOf(path) {
  const found = await withStores("readonly", (store) => {
    const read = [];
    store(FILES).get(path).onsuccess = ({ target }) => read.push(target.result);
    return read;
  });
  const content = found[0].content;
  return typeof content === "string" ? content : JSON.stringify(content, null, 1);
}

// A notebook that was downloaded, beside what is there: nobody can tell which is newer.
async function putBack(lesson, file) {
  const content = await file.text().then(JSON.parse).catch(() => null);
  if (!Array.isArray(content?.cells)) throw new Error("it is not a notebook");
  const now = new Date();
  const here = new Date(now - now.getTimezoneOffset() * 60000).toISOString();
  const stem = file.name.replace(/\.ipynb$/, "").replace(/[^\p{L}\p{N} ()._-]/gu, "_");
  const name = `${stem} (put back ${here.slice(0, 19).replaceAll(":", ".").replace("T", " ")}).ipynb`;
  const path = `${lesson.lesson}/${name}`;
  const kept = {
    ...{ name, path, content, size: file.size },
    ...{ created: now.toISOString(), last_modified: now.toISOString() },
    ...{ type: "notebook", format: "json", mimetype: "application/json", writable: true },
  };
  const written = await withStores("readwrite", (store) => [store(FILES).put(kept, path)]);
  if (!written.length) throw new Error("start the lesson first, which makes room for it");
}

function remove(path) {
  return withStores("readwrite", (store) => {
    store(FILES).delete(path);
    if (store(CHECKPOINTS)) store(CHECKPOINTS).delete(path);
    return [];
  });
}

const addressOf = (path) => `notebooks/index.html?path=${encodeURIComponent(path)}`;
const dated = (time) => time.toLocaleString("en", { dateStyle: "long", timeStyle: "short" });

function element(name, properties, ...inside) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...inside);
  return made;
}

// Read out one after the other, "Download" and "Download" would be the same.
function link(words, lesson, path) {
  return element("a", { href: addressOf(path), ariaLabel: `${words}: ${lesson.title}` }, words);
}

function button(words, lesson, does) {
  const ariaLabel = `${words}: ${lesson.title}`;
  const made = element("button", { type: "button", ariaLabel }, words);
  made.addEventListener("click", () => does().catch(tell));
  return made;
}

function tell(error) {
  document.getElementById("said").textContent =
    `This browser does not let the page see what it keeps: ${error.message}`;
}

async function download(lesson, path) {
  const file = new Blob([await contentOf(path)], { type: "application/x-ipynb+json" });
  const address = URL.createObjectURL(file);
  element("a", { href: address, download: `${lesson.lesson}.ipynb` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

async function reset(lesson, copy) {
  const sure = confirm(
    `This removes your notebook of "${lesson.title}", saved on ${dated(copy.saved)}, from this ` +
      "browser. It can't be brought back. Close its tab first, and download it if you may want " +
      "it again. Remove it?",
  );
  if (!sure) return;
  await remove(copy.path);
  await show();
  document.getElementById("said").textContent = `Your notebook of "${lesson.title}" is removed.`;
}

function askForFile(lesson) {
  const input = element("input", { type: "file", accept: ".ipynb" });
  const said = document.getElementById("said");
  input.addEventListener("change", async () => {
    try {
      await putBack(lesson, input.files[0]);
      await show();
      said.textContent = `${input.files[0].name} is in the list.`;
    } catch (error) {
      said.textContent = `${input.files[0].name} can't be put back: ${error.message}.`;
    }
  });
  input.click();
}

// What is said of a copy: the current version's, an older one's, or a file of the learner's own.
function saidOf(lesson, { path, saved, done }) {
  const far = `${done.passed} of its ${done.checks} checks have passed`;
  if (path === lesson.file) return `Your notebook was saved on ${dated(saved)}; ${far}.`;
  const what = isVersion(lesson, path)
    ? "Your notebook of an older version of this lesson is kept"
    : `${path.slice(path.lastIndexOf("/") + 1)} is kept too`;
  return `${what}; it was saved on ${dated(saved)}, and ${far}.`;
}

function isVersion(lesson, path) {
  return path.startsWith(`${lesson.lesson}/${lesson.lesson}-`) && /-[0-9a-f]{8}\.ipynb$/.test(path);
}

function row(lesson, copy) {
  const current = copy.path === lesson.file;
  return element(
    "div",
    { className: "copy" },
    element("p", {}, saidOf(lesson, copy)),
    link(current ? "Go on" : "Go on with it", lesson, copy.path),
    button("Download", lesson, () => download(lesson, copy.path)),
    button(current ? "Start anew…" : "Remove…", lesson, () => reset(lesson, copy)),
  );
}

function card(lesson, copies) {
  const mine = copies.filter(({ path }) => path.startsWith(`${lesson.lesson}/`));
  mine.sort((one, other) => (other.path === lesson.file) - (one.path === lesson.file));
  const made = element("section", {}, element("h2", {}, lesson.title));
  if (!mine.some(({ path }) => path === lesson.file)) {
    const words = mine.length ? "Start the newest version" : "Start";
    made.append(element("div", { className: "copy" }, link(words, lesson, lesson.file)));
  }
  made.append(...mine.map((copy) => row(lesson, copy)));
  const back = button("Put back a notebook…", lesson, async () => askForFile(lesson));
  made.append(element("div", { className: "copy" }, back));
  return made;
}

async function show() {
  let copies = [];
  try {
    copies = await keptNotebooks();
  } catch (error) {
    tell(error);
  }
  const shown = lessons.filter(({ lesson }) => !asked || lesson === asked);
  const cards = (shown.length ? shown : lessons).map((lesson) => card(lesson, copies));
  document.getElementById("choices").replaceChildren(...cards);
  return copies;
}

async function begin() {
  const copies = await show();
  const lesson = lessons.find((one) => one.lesson === asked);
  const older = copies.filter(
    ({ path }) => lesson && isVersion(lesson, path) && path !== lesson.file,
  );
  if (lesson && !older.length) location.replace(addressOf(lesson.file));
}

begin();
