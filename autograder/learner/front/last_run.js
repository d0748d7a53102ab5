// Says that a check has judged what was run last, where the cell of its exercise says something else.
//
// The kernel knows what it has run, and nothing of what was written since, or given back anew.
(() => {
    const CHECK = /\bcheck\(\s*([A-Za-z_]\w*)/g;

    // What these cells would define, as they stand, is not what the kernel has.
    function notRun(notebook, code) {
        const names = [...code.matchAll(CHECK)].map((found) => found[1]);
        return names.filter((name) => {
            const cell = notebook.widgets.find((one) => {
                const marks = one.model.getMetadata("nbgrader");
                return one.model.type === "code" && marks?.solution && marks.grade_id === name;
            });
            return cell && (cell.model.isDirty || cell.model.executionCount === null);
        });
    }

    function activate(app, tracker, { Notification }) {
        function follow(panel) {
            const waiting = new Map();
            panel.sessionContext.iopubMessage.connect((_, message) => {
                const run = message.parent_header.msg_id;
                const kind = message.header.msg_type;
                if (kind === "execute_input") {
                    const names = notRun(panel.content, message.content.code);
                    if (names.length > 0) {
                        waiting.set(run, names);
                    }
                } else if (waiting.has(run) && message.content.data?.[REPORT]) {
                    for (const name of waiting.get(run)) {
                        Notification.warning(
                            `${name} was judged as it was last run, which is not what its cell ` +
                                "says now: run the cell, and then the check.",
                            { autoClose: 10000 }
                        );
                    }
                    waiting.delete(run);
                } else if (kind === "error") {
                    waiting.delete(run);
                }
            });
        }
        withEach(tracker, follow);
    }

    parts.push({ name: "last-run", activate });
})();
