// Leaves a narrow window, as a phone has, to the notebook: the list of files would cover most of it.
(() => {
    const NARROW = 600;

    function activate(app) {
        app.restored.then(() => {
            if (window.innerWidth < NARROW) {
                app.shell.collapseLeft();
            }
        });
    }

    parts.push({ name: "narrow", activate });
})();
