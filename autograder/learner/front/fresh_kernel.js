// Has a kernel explain names that are missing because cells have not been run, where none can be
// told to when it is started.
(() => {
    // JupyterLite's kernel runs nothing more after a silent cell that has failed.
    const code = `
try:
    from autograder.learner.fresh_kernel import load_ipython_extension as _load
    _load(get_ipython())
    del _load
except Exception:
    pass
`;

    function activate(app, tracker) {
        function follow(panel) {
            const { sessionContext } = panel;
            let told = null;
            function tell() {
                const kernel = sessionContext.session?.kernel;
                if (kernel && kernel !== told) {
                    told = kernel;
                    kernel.requestExecute({ code, silent: true, store_history: false });
                }
            }
            // The first cell may be run before the kernel has said that it is idle.
            sessionContext.kernelChanged.connect(tell);
            sessionContext.statusChanged.connect((_, status) => {
                if (status === "restarting") {
                    told = null;
                } else if (status === "idle") {
                    tell();
                }
            });
            tell();
        }
        withEach(tracker, follow);
    }

    parts.push({ name: "fresh-kernel", activate });
})();
