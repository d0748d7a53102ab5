// Gives an exercise back as `autograder reset` does, in a kernel of its own: the notebook's may be
// busy.
const giveBack = (() => {
    // The lesson that a notebook is; nothing for a copy of one, or for notes beside it.
    function lessonOf(panel) {
        const [folder, file, ...rest] = panel.context.localPath.split("/");
        return !rest.length && file === `${folder}.ipynb` ? folder : "";
    }

    // What was done, or an error with the sentence that the command ends with.
    async function of(app, panel, exercise) {
        const lesson = lessonOf(panel);
        const kernel = await app.serviceManager.kernels.startNew({ name: "python3", path: lesson });
        const said = { stdout: "", stderr: "" };
        try {
            const names = [lesson, exercise].map((name) => JSON.stringify(name)).join(", ");
            const code = `from autograder.learner.begin_anew import begin_anew; begin_anew(${names})`;
            const future = kernel.requestExecute({ code, silent: true, store_history: false });
            future.onIOPub = ({ header, content }) => {
                if (header.msg_type === "stream") {
                    said[content.name] += content.text;
                } else if (header.msg_type === "error") {
                    said.stderr += `${content.ename}: ${content.evalue}`;
                }
            };
            await future.done;
        } finally {
            // Nobody has to wait until it is gone.
            kernel.shutdown().finally(() => kernel.dispose());
        }
        if (!said.stdout) {
            throw new Error(said.stderr.trim() || "The kernel that was to do it has ended.");
        }
        return said.stdout.trim();
    }

    return { isLesson: (panel) => Boolean(lessonOf(panel)), of };
})();
