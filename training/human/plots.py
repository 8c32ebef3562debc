"""Draws the tables of `sparring human-report` as PNG: python3 plots.py REPORT.md [FOLDER]"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def tables(text):
    """The Markdown tables of a text, each as its header and its rows of cells."""
    rows = []
    for line in text.splitlines() + [""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            yield rows[0], rows[2:]
            rows = []


def numbers(cell):
    """The numbers of a cell such as `4.1 / 7.2 / 5.0`; what is no number is left out."""
    for word in cell.replace("/", " ").split():
        try:
            yield float(word)
        except ValueError:
            pass


def draw(header, rows, name, folder):
    """One line a column over the bands; of cells with several numbers the first counts."""
    bands = [int(row[0]) for row in rows]
    figure, axes = plt.subplots(figsize=(7, 4.5))
    for column, title in enumerate(header[1:], start=1):
        if "%" in title or "people" in title or "model" in title:
            values = [next(numbers(row[column]), float("nan")) for row in rows]
            axes.plot(bands, values, marker="o", markersize=3, label=title)
    axes.set_xlabel("rating band")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7)
    path = folder / f"{name}.png"
    figure.savefig(path, dpi=120, bbox_inches="tight")
    print(path)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[2] if len(sys.argv) > 2 else ".")
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    names = ["prior", "move-match", "stockfish", "losses"]
    for (header, rows), name in zip(tables(text), names):
        if header[0] == "band":
            draw(header, rows, name, folder)


if __name__ == "__main__":
    main()
