"""A comparison as HTML: small tables in which what differs is coloured, marked and said."""

from html import escape

from autograder.checks.values.comparison import MARK, Comparison, Row, Table

STYLE = """
.ag-card .ag-tables{display:flex;flex-wrap:wrap;gap:6px 28px;margin:6px 0 2px;overflow-x:auto}
.ag-card .ag-where{font-size:13px;margin-top:6px}
.ag-card .ag-table{border-collapse:collapse;border:0;margin:0;font-size:13px;width:auto;
table-layout:auto;color:inherit;background:none}
.ag-card .ag-table caption{caption-side:top;text-align:left;padding:0 0 2px;font-weight:600;
color:inherit}
.ag-card .ag-table tr:nth-child(n),.ag-card .ag-table tr:nth-child(n):hover{background:none;
border:0}
.ag-card .ag-table th,.ag-card .ag-table td{border:0;padding:2px 0 2px 12px;text-align:right;
white-space:nowrap;vertical-align:baseline;line-height:1.45;max-width:none;background:none;
color:inherit;overflow-wrap:normal}
.ag-card .ag-table th{font-weight:400;color:var(--jp-content-font-color2,var(--ag-soft))}
.ag-card .ag-table th:first-child{padding-left:0;text-align:left}
.ag-card .ag-table thead tr:last-child th{border-bottom:1px solid
var(--jp-border-color1,var(--ag-line))}
.ag-card .ag-table .ag-axis{font-style:italic;text-align:center}
.ag-card .ag-table .ag-axis:first-child{text-align:left}
.ag-card .ag-table td{font-family:var(--jp-code-font-family,ui-monospace,monospace);
font-variant-numeric:tabular-nums}
.ag-card .ag-table span{display:inline-block;border-radius:3px;padding:0 1.25em 0 5px}
.ag-card .ag-table td .ag-wrong{background:var(--ag-tint);font-weight:700;padding-right:0}
.ag-card .ag-table td .ag-mark{padding:0;width:1.25em;text-align:center;color:var(--ag);
font-weight:700}
.ag-card .ag-said{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);
white-space:nowrap}
"""


def comparison_as_html(comparison: Comparison) -> str:
    """The tables of a comparison, side by side where there is room."""
    where = f'<div class="ag-where">{escape(comparison.where)}</div>' if comparison.where else ""
    tables = "".join(map(_table, comparison.tables))
    return f'{where}<div class="ag-tables">{tables}</div>'


def _table(table: Table) -> str:
    caption = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    rows = "".join(map(_row, table.rows))
    inside = f"{caption}<thead>{_head(table)}</thead><tbody>{rows}</tbody>"
    return f'<table class="ag-table">{inside}</table>'


def _head(table: Table) -> str:
    """The names of both axes, where they have names, above the columns' own headings."""
    counting, counted = map(escape, table.axes)
    over = ""
    if counted:
        span = f' colspan="{len(table.columns)}"' if len(table.columns) > 1 else ""
        over = f'<tr><td></td><th class="ag-axis" scope="colgroup"{span}>{counted}</th></tr>'
    corner = f'<th class="ag-axis" scope="col">{counting}</th>' if counting else "<td></td>"
    heads = "".join(f'<th scope="col">{_spaced(escape(one))}</th>' for one in table.columns)
    return f"{over}<tr>{corner}{heads}</tr>"


def _row(row: Row) -> str:
    cells = "".join(_cell(entry, n in row.wrong) for n, entry in enumerate(row.entries))
    return f'<tr><th scope="row">{escape(row.label)}</th>{cells}</tr>'


def _cell(entry: str, wrong: bool) -> str:
    if not wrong:
        return f"<td>{_spaced(escape(entry))}</td>"
    mark = f'<span class="ag-mark" aria-hidden="true">{MARK}</span>'
    return (
        f'<td><span class="ag-wrong">{escape(entry)}{mark}</span>'
        '<span class="ag-said"> (differs)</span></td>'
    )


def _spaced(text: str) -> str:
    # As wide as an entry with its mark, so that numbers stay below each other.
    return f"<span>{text}</span>"
