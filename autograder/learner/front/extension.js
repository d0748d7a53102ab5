// What makes an extension of JupyterLab of the scripts that stand around this in one file: the others
// add their parts.
//
// It has the form in which JupyterLab loads extensions that are built beforehand, so nothing has to
// be installed: https://jupyterlab.readthedocs.io, "Prebuilt Extensions".
const NAME = "autograder-learner";
const parts = [];

// What the build has written on a cell.
function markOf(cell, mark) {
    return (cell.model.getMetadata("autograder") || {})[mark];
}

// Follow each notebook that is open, and each that will be.
function withEach(tracker, follow) {
    tracker.forEach(follow);
    tracker.widgetAdded.connect((_, panel) => follow(panel));
}

// JupyterLab loses what becomes of a notification that it has not drawn yet, and draws the first
// one when it has loaded what draws; where the user wants to see none, that is never.
async function drawn(id) {
    for (let looks = 0; looks < 100 && !document.getElementById(id); looks += 1) {
        await new Promise((goOn) => setTimeout(goOn, 50));
    }
}

// What JupyterLab itself has of a package, whatever its version.
async function shared(scope, name) {
    const [version] = Object.values(scope[name]);
    return (await version.get())();
}

async function plugins(scope) {
    const notebook = await shared(scope, "@jupyterlab/notebook");
    const apputils = await shared(scope, "@jupyterlab/apputils");
    return parts.map(({ name, activate, needs = () => [] }) => ({
        id: `${NAME}:${name}`,
        autoStart: true,
        requires: [notebook.INotebookTracker, ...needs(apputils)],
        activate: (app, tracker, ...more) =>
            activate(app, tracker, { ...apputils, ...notebook }, ...more),
    }));
}

let scope = null;
window._JUPYTERLAB = window._JUPYTERLAB || {};
window._JUPYTERLAB[NAME] = {
    init(given) {
        scope = given;
    },
    async get() {
        const found = await plugins(scope);
        return () => ({ __esModule: true, default: found });
    },
};
