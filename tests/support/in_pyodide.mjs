// Runs a Python script in Pyodide, which is CPython as browsers have it, with NumPy:
//
//     node in_pyodide.mjs PYODIDE LIBRARIES FOLDER SCRIPT ARGUMENT
//
// Of this machine's files it sees two folders, under their own paths: LIBRARIES, which come after
// Pyodide's own, and FOLDER.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [pyodide, libraries, folder, script, argument] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(pyodide, "pyodide.mjs")));
const python = await loadPyodide({ env: { PYTHONDONTWRITEBYTECODE: "1" } });
await python.loadPackage("numpy", { messageCallback() {} });
python.mountNodeFS(libraries, libraries);
python.mountNodeFS(folder, folder);
const sys = python.pyimport("sys");
sys.path.append(libraries);
sys.argv = [script, argument];
python.runPython(fs.readFileSync(script, "utf8"), { filename: script });
