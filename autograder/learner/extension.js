// What makes an extension of JupyterLab of the scripts that stand above this in one file.
//
// It has the form in which JupyterLab loads extensions that are built beforehand, so nothing has to
// be installed: https://jupyterlab.readthedocs.io, "Prebuilt Extensions".
const NAME = "autograder-learner";

// What the build has written on a cell.
function markOf(cell, mark) {
    return (cell.model.getMetadata("autograder") || {})[mark];
}

// What JupyterLab itself has of a package, whatever its version.
async function shared(scope, name) {
    const [version] = Object.values(scope[name]);
    return (await version.get())();
}

async function plugins(scope) {
    const { INotebookTracker } = await shared(scope, "@jupyterlab/notebook");
    const parts = await shared(scope, "@jupyterlab/apputils");
    const plugin = (name, activate, ...needs) => ({
        id: `${NAME}:${name}`,
        autoStart: true,
        requires: [INotebookTracker, ...needs],
        activate: (app, tracker, ...more) => activate(app, tracker, parts, ...more),
    });
    return [
        plugin("arriving", arriving),
        plugin("ticks", ticks),
        plugin("guesses", guesses),
        plugin("click-twice", clickTwice),
        plugin("begin-anew", beginAnew, parts.ICommandPalette),
    ];
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
