"""Makes saddlescope-sans.ttf: python make.py FiraSans-Regular.ttf FiraSans-Italic.ttf NotoSansMath-Regular.ttf

Needs fonttools and uharfbuzz. Upright letters are Fira Sans; the letters of formulas are Fira Sans Italic, at the code
points of mathematical italics; operators, script and blackboard letters are Noto Sans Math. Kerning becomes a plain
`kern` table, and digits are the tabular ones.
"""

import sys
from pathlib import Path

import uharfbuzz as hb
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont, newTable
from fontTools.ttLib.tables._k_e_r_n import KernTable_format_0

LATIN = [*range(0x20, 0x7F), *range(0xA0, 0x180)]
GREEK = [c for c in range(0x391, 0x3CA) if c != 0x3A2]
TEXT = [ord(c) for c in "–—‘’“”„†•…‰−×·÷±≠≤≥≈∞∂∑∏∫√→←↑↓ℓ⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉"]
OPERATORS = [ord(c) for c in "′″∓∗≡∼≃∝∇∈∉⊂⊆∪∩∀∃↔⇒⇔↦⟨⟩∥∣⊤⊥⊗⊕⊙≪≫∘⋅⋯≲≳∅ϑϕϵϱ"]
# Script and blackboard letters; some of them have code points of their own.
SCRIPT = [ord(c) for c in "𝒜ℬ𝒞𝒟ℰℱ𝒢ℋℐ𝒥𝒦ℒℳ𝒩𝒪𝒫𝒬ℛ𝒮𝒯𝒰𝒱𝒲𝒳𝒴𝒵"]
BLACKBOARD = [ord(c) for c in "𝔼ℙℝℕℤℂ𝟙"]
ACCENTS = [0x2C6, 0x2DC, 0x2D9]
ITALIC = (
    {0x41 + i: 0x1D434 + i for i in range(26)}
    | {0x61 + i: 0x1D44E + i for i in range(26) if chr(0x61 + i) != "h"}
    | {ord("h"): 0x210E}
    | {0x391 + i: 0x1D6E2 + i for i in range(25) if i != 17}
    | {0x3B1 + i: 0x1D6FC + i for i in range(25)}
)


def outline(font, name):
    """The glyph without components, and its advance."""
    pen = DecomposingRecordingPen(font.getGlyphSet())
    font.getGlyphSet()[name].draw(pen)
    drawn = TTGlyphPen(None)
    pen.replay(drawn)
    return drawn.glyph(), font["hmtx"][name][0]


def kerning(path, points):
    """Pairs of code points with the change of the first one's advance."""
    face = hb.Font(hb.Face(hb.Blob.from_file_path(path)))
    pairs = {}

    def advance(text, kern):
        buffer = hb.Buffer()
        buffer.add_str(text)
        buffer.guess_segment_properties()
        hb.shape(face, buffer, {"kern": kern, "liga": False, "tnum": True})
        return sum(position.x_advance for position in buffer.glyph_positions)

    for left in points:
        for right in points:
            text = chr(left) + chr(right)
            change = advance(text, True) - advance(text, False)
            if abs(change) >= 8:
                pairs[left, right] = change
    return pairs


def tabular(font, name):
    """The tabular form of a digit."""
    for record in font["GSUB"].table.FeatureList.FeatureRecord:
        if record.FeatureTag == "tnum":
            for index in record.Feature.LookupListIndex:
                for table in font["GSUB"].table.LookupList.Lookup[index].SubTable:
                    table = getattr(table, "ExtSubTable", table)
                    if name in getattr(table, "mapping", {}):
                        return table.mapping[name]
    return name


def main(regular_path, italic_path, math_path):
    regular, italic, math = (TTFont(path) for path in (regular_path, italic_path, math_path))
    glyphs, advances, cmap = {}, {}, {}

    def take(font, source, target, name=None):
        name = name or font.getBestCmap()[source]
        key = f"u{target:04X}"
        glyphs[key], advances[key] = outline(font, name)
        cmap[target] = key

    glyphs[".notdef"], advances[".notdef"] = outline(regular, ".notdef")
    for point in LATIN + GREEK + TEXT + ACCENTS:
        name = regular.getBestCmap()[point]
        take(regular, point, point, tabular(regular, name) if chr(point).isascii() and chr(point).isdigit() else name)
    for source, target in ITALIC.items():
        take(italic, source, target)
    for point in OPERATORS + SCRIPT + BLACKBOARD:
        take(math, point, point)

    order = [".notdef", *sorted(key for key in glyphs if key != ".notdef")]
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder(order)
    builder.setupCharacterMap(cmap)
    builder.setupGlyf({key: glyphs[key] for key in order})
    bearing = {key: getattr(glyphs[key], "xMin", 0) for key in order}
    builder.setupHorizontalMetrics({key: (advances[key], bearing[key]) for key in order})
    builder.setupHorizontalHeader(ascent=935, descent=-265)
    builder.setupNameTable(
        {
            "familyName": "Saddlescope Sans",
            "styleName": "Regular",
            "copyright": "Copyright 2012-2016 The Mozilla Foundation and Telefonica S.A.; 2022 The Noto Project Authors",
            "licenseDescription": "SIL Open Font License, Version 1.1",
        }
    )
    builder.setupOS2(sxHeight=527, sCapHeight=689, sTypoAscender=935, sTypoDescender=-265, fsType=0)
    builder.setupPost(keepGlyphNames=False)
    upright = [*range(0x20, 0x7F), *GREEK, 0x2019]
    kern = KernTable_format_0()
    kern.coverage, kern.tupleIndex, kern.apple = 1, None, False
    kern.kernTable = {(cmap[l], cmap[r]): v for (l, r), v in kerning(regular_path, upright).items()}
    builder.font["kern"] = newTable("kern")
    builder.font["kern"].version = 0
    builder.font["kern"].kernTables = [kern]
    builder.font["head"].created = builder.font["head"].modified = 0
    builder.font.recalcTimestamp = False
    out = Path(__file__).with_name("saddlescope-sans.ttf")
    builder.save(out)
    print(out.stat().st_size, "bytes,", len(order), "glyphs,", len(kern.kernTable), "pairs")


main(*sys.argv[1:])
