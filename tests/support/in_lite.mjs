// Runs a Python script in the Pyodide of a folder for browsers, with the packages that lessons have
// there and nothing else:
//
//     node in_lite.mjs PYODIDE FOLDER SCRIPT ARGUMENT
//
// Of this machine's files it sees FOLDER, under its own path.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [pyodide, folder, script, argument] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(pyodide, "pyodide.mjs")));
const python = await loadPyodide({ env: { PYTHONDONTWRITEBYTECODE: "1" } });
const { packages } = JSON.parse(fs.readFileSync(path.join(pyodide, "pyodide-lock.json"), "utf8"));
await python.loadPackage(Object.keys(packages), { messageCallback() {} });
python.mountNodeFS(folder, folder);
const sys = python.pyimport("sys");
sys.argv = [script, argument];
try {
  python.runPython(fs.readFileSync(script, "utf8"), { filename: script });
} catch (error) {
  // What Node shows by itself is the whole of Pyodide's source.
  console.error(error.message);
  process.exitCode = 1;
}
