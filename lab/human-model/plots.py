"""Draws the tables of `sparring-lab human-report` as PNG: python3 plots.py REPORT.md [FOLDER]"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


# What a table is about, by the name of a column that no other has, and the name of its picture.
KINDS = [
    ("distance %", "levels"),
    ("distance", "pace"),
    ("prior: top-1 %", "move-match"),
    ("Stockfish's best depth %", "stockfish"),
    ("all: people", "losses"),
    ("top-1 %", "prior"),
]


def tables(text):
    """The Markdown tables of a text, each with the line of text before it, its header and its rows of cells."""
    rows, caption = [], ""
    for line in text.splitlines() + [""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
            continue
        if rows:
            yield caption, rows[0], rows[2:]
            rows = []
        caption = line or caption


def kind_of(caption, header):
    """The name of a table's picture; none for a table that is not of the report."""
    for column, name in KINDS:
        if header[0] == "band" and column in header:
            # There is a table of think times for each speed, and one of levels for each phase and standing: the line before it
            # begins with that.
            return f"{name}-{caption.split(':')[0]}" if name in ("pace", "levels") else name
    return None


def numbers(cell):
    """The numbers of a cell such as `4.1 / 7.2 / 5.0`; what is no number is left out."""
    for word in cell.replace("/", " ").split():
        try:
            yield float(word)
        except ValueError:
            pass


def in_full(header):
    """The titles of columns, each with the group that one before it has opened: 'prior: top-1 %', then 'top-3 %'."""
    group = ""
    for title in header:
        if ":" in title:
            group = title.partition(":")[0] + ": "
        yield title if ":" in title else group + title


def draw(header, rows, name, folder):
    """One line a column over the bands, distances in a panel of their own; of cells with several numbers the first counts."""
    bands = [int(row[0]) for row in rows]
    columns = list(enumerate(in_full(header)))[1:]
    distances = [(at, title) for at, title in columns if title.startswith("distance")]
    shares = [
        (at, title)
        for at, title in columns
        if (at, title) not in distances and any(word in title for word in ("%", "people", "model"))
    ]
    panels = [panel for panel in (shares, distances) if panel]
    figure, axes = plt.subplots(len(panels), figsize=(7, 4.5 * len(panels)), squeeze=False, layout="constrained")
    for panel, axis in zip(panels, axes.flat):
        for at, title in panel:
            values = [next(numbers(row[at]), float("nan")) for row in rows]
            axis.plot(bands, values, marker="o", markersize=3, label=title)
        axis.set_xlabel("rating band")
        axis.set_ylim(bottom=0)
        axis.grid(alpha=0.3)
        axis.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.14), ncol=2)
    save(figure, name, folder)


def draw_beside(header, rows, name, folder):
    """People and levels beside each other, with one standard error up and down, behind each in a column of its own."""
    bands = [int(row[0]) for row in rows]
    figure, axis = plt.subplots(figsize=(7, 4.5))
    for who in ("people", "level"):
        at = header.index(who)
        values, errors = ([next(numbers(row[column]), float("nan")) for row in rows] for column in (at, at + 1))
        axis.errorbar(bands, values, yerr=errors, marker="o", markersize=3, capsize=2, label=who)
    axis.set_xlabel("rating band")
    axis.set_ylabel("mean loss, points of winning chances")
    axis.set_ylim(bottom=0)
    axis.grid(alpha=0.3)
    axis.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.14), ncol=2)
    save(figure, name, folder)


def save(figure, name, folder):
    path = folder / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120, bbox_inches="tight")
    print(path)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[2] if len(sys.argv) > 2 else ".")
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    for caption, header, rows in tables(text):
        name = kind_of(caption, header)
        if name:
            (draw_beside if name.startswith("levels") else draw)(header, rows, name, folder)


if __name__ == "__main__":
    main()
