// Opens formgrader where JupyterLab would show nothing but its launcher: whoever teaches begins there.
(() => {
    function activate(app) {
        app.restored.then(() => {
            const open = [...app.shell.widgets("main")];
            if (open.every(({ id }) => id.startsWith("launcher"))) {
                app.commands.execute("nbgrader:open-formgrader");
            }
        });
    }

    parts.push({ name: "formgrader-first", activate });
})();
