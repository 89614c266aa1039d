"""Draws the plots of these pages from the tables that stand in them: python3 docs/measured/plot.py"""

import math
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WIDTH, ROW, TOP = 720, 18, 46
# Room for a character of a label.
CHARACTER = 6.4
COLOURS = ["#3566a8", "#d98032", "#7a9a3a"]


def table(page, head):
    """Returns the rows below the table head that begins with `head`."""
    lines = (ROOT / page).read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(head)) + 2
    end = next(i for i in range(start, len(lines)) if not lines[i].startswith("|"))
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start:end]]


def number(cell):
    """Returns the first number of a cell; None if there is none."""
    try:
        return float(cell.split("/")[0].replace(",", ""))
    except ValueError:
        return None


def plot(name, title, series, rows):
    """Writes bars on a logarithmic axis. A row is a label and a value, or None, for each of the series."""
    values = [value for _, of_row in rows for value in of_row if value]
    low, high = 10 ** math.floor(math.log10(min(values) / 2)), 10 ** math.ceil(math.log10(max(values)))
    left = round(12 + CHARACTER * max(len(label.replace("&lt;", "<")) for label, _ in rows))
    scale = (WIDTH - left - 50) / math.log10(high / low)
    bar = 5 * len(series) + 7
    height = TOP + len(rows) * max(bar, ROW) + 24
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif"']
    out[0] += ' font-size="11">'
    out.append(f'<rect width="{WIDTH}" height="{height}" fill="white"/>')
    out.append(f'<text x="8" y="16" font-size="13">{title}</text>')
    for i, label in enumerate(series):
        at = left + i * 150
        out.append(f'<rect x="{at}" y="24" width="10" height="10" fill="{COLOURS[i]}"/>')
        out.append(f'<text x="{at + 14}" y="33">{label}</text>')
    tick = low
    while tick <= high:
        x = left + math.log10(tick / low) * scale
        out.append(f'<line x1="{x:.0f}" x2="{x:.0f}" y1="{TOP - 6}" y2="{height - 18}" stroke="#ddd"/>')
        out.append(f'<text x="{x:.0f}" y="{height - 6}" text-anchor="middle">{tick:g}</text>')
        tick *= 10
    for n, (label, of_row) in enumerate(rows):
        y = TOP + n * max(bar, ROW)
        out.append(f'<text x="{left - 6}" y="{y + 10}" text-anchor="end">{label}</text>')
        for i, value in enumerate(of_row):
            if value:
                width = max(1, math.log10(value / low) * scale)
                out.append(f'<rect x="{left}" y="{y + i * 5}" width="{width:.1f}" height="4.5" fill="{COLOURS[i]}">'
                           f"<title>{label}, {series[i]}: {value:g}</title></rect>")
    (HERE / name).write_text("\n".join(out) + "\n</svg>\n")


kernels = table("docs/measured/performance.md", "| kernel | instructions |")
kernels = [(row[0], [number(row[2]), number(row[3]), number(row[5])]) for row in kernels]
plot("kernels.svg", "CPU ms of whole kernels, EPYC-512, gfx900", ["gcnsim", "PoCL", "Intel"], kernels[:-1])
memory = table("docs/measured/performance-code.md", "| | AVX-512: consecutive |")
rows = [(row[0].replace("<", "&lt;"), [number(cell) for cell in row[1:4]]) for row in memory]
title = "ns per memory instruction of 64 lanes, AVX-512 (of pairs the first)"
plot("memory.svg", title, ["consecutive", "uniform", "random"], rows)
