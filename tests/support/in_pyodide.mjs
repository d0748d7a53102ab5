// Runs Python scripts in Pyodide, which is CPython as browsers have it, with NumPy:
//
//     node in_pyodide.mjs PYODIDE LIBRARIES
//
// It starts once, and takes jobs from its input until that ends: on each line a JSON list of a
// FOLDER, a SCRIPT and its ARGUMENT. Of this machine's files a script sees two folders, under their
// own paths: LIBRARIES, which come after Pyodide's own, and FOLDER. Each script has a `__main__` of
// its own; modules that one has imported are there for the next, as from cell to cell.
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [pyodide, libraries] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(pyodide, "pyodide.mjs")));
const python = await loadPyodide({ env: { PYTHONDONTWRITEBYTECODE: "1" } });
await python.loadPackage("numpy", { messageCallback() {} });
python.mountNodeFS(libraries, libraries);
const sys = python.pyimport("sys");
sys.path.append(libraries);
const before = sys.path.slice();

for await (const line of createInterface({ input: process.stdin })) {
  const [folder, script, argument] = JSON.parse(line);
  python.mountNodeFS(folder, folder);
  sys.path = before.slice();
  sys.argv = [script, argument];
  const globals = python.toPy({ __name__: "__main__" });
  python.runPython(fs.readFileSync(script, "utf8"), { filename: script, globals });
  globals.destroy();
  python.FS.chdir("/");
  python.FS.unmount(folder);
}
