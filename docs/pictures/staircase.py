"""Draws the staircase of the README from a run:

    cargo run --release -- run linear-attention/fig1 --json | python3 docs/pictures/staircase.py > docs/pictures/staircase.svg

Needs nothing but Python's standard library.
"""

import json
import math
import sys

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 150, 24, 52
# Okabe and Ito's palette: told apart in print and by colour-blind eyes.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"]


def main():
    run = json.load(sys.stdin)
    series = run["trajectory"]
    points = [(t, loss) for t, loss in zip(series["time"], series["loss"]) if t >= 10]
    levels = run["theory"]["plateaus"]
    first, last = math.log10(10), math.log10(max(t for t, _ in points) * 1.3)
    top = max(levels) * 1.06

    def x(time):
        return LEFT + (math.log10(time) - first) / (last - first) * (WIDTH - LEFT - RIGHT)

    def y(value):
        return TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM)

    def path(rows):
        return "M" + "L".join(f"{x(t):.2f},{y(v):.2f}" for t, v in rows)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#222">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
    ]
    edge = WIDTH - RIGHT
    for m, level in enumerate(levels):
        out.append(
            f'<line x1="{LEFT}" x2="{edge}" y1="{y(level):.2f}" y2="{y(level):.2f}" '
            'stroke="#999" stroke-dasharray="6 4"/>'
            f'<text x="{edge + 8}" y="{y(level) + 4:.2f}" fill="#666">theory, plateau {m}</text>'
        )
    for d, colour in enumerate(COLOURS):
        share = series[f"learned.{d}"]
        rows = [(t, s) for t, s in zip(series["time"], share) if t >= 10]
        out.append(f'<path d="{path(rows)}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        reached = next(t for t, s in rows if s > 0.5)
        out.append(
            f'<text x="{x(reached) - 6:.2f}" y="{y(0.55):.2f}" text-anchor="end" '
            f'fill="{colour}">e{d + 1}</text>'
        )
    out.append(f'<path d="{path(points)}" fill="none" stroke="#000" stroke-width="2.6"/>')
    out.append(f'<text x="{x(13):.2f}" y="{y(0.945):.2f}" font-weight="bold">loss</text>')
    for exponent in range(math.ceil(first), math.floor(last) + 1):
        at = x(10.0**exponent)
        out.append(
            f'<line x1="{at:.2f}" x2="{at:.2f}" y1="{HEIGHT - BOTTOM}" y2="{HEIGHT - BOTTOM + 5}" '
            f'stroke="#222"/><text x="{at:.2f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">'
            f'10<tspan dy="-5" font-size="10">{exponent}</tspan></text>'
        )
    for tick in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        out.append(
            f'<line x1="{LEFT - 5}" x2="{LEFT}" y1="{y(tick):.2f}" y2="{y(tick):.2f}" stroke="#222"/>'
            f'<text x="{LEFT - 9}" y="{y(tick) + 4:.2f}" text-anchor="end">{tick:.1f}</text>'
        )
    out.append(
        f'<path d="M{LEFT},{TOP}V{HEIGHT - BOTTOM}H{edge}" fill="none" stroke="#222"/>'
        f'<text x="{(LEFT + edge) / 2}" y="{HEIGHT - 12}" text-anchor="middle">time t / τ</text>'
        f'<text transform="translate(18 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" '
        'text-anchor="middle">loss, and learned part of each eigenvector</text></svg>'
    )
    print("\n".join(out))


main()
