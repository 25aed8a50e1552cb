"""The same picture in pixels, as PNG: nothing but the standard library is needed for it."""

import struct
import zlib
from collections.abc import Iterator

from reverie.cli.picture import HEIGHT, INK, WIDTH, Line, Text, picture
from reverie.protocol.results import CurveReport

DASH = 4
# Three by five dots, one octal digit a row. There is one form of each letter; what has none is left blank.
GLYPHS = {
    "0": "75557", "1": "26227", "2": "71747", "3": "71717", "4": "55711", "5": "74717", "6": "74757", "7": "71244",
    "8": "75757", "9": "75717", "A": "25755", "B": "65656", "C": "34443", "D": "65556", "E": "74647", "F": "74644",
    "G": "34553", "H": "55755", "I": "72227", "J": "11152", "K": "55655", "L": "44447", "M": "57755", "N": "65555",
    "O": "25552", "P": "65644", "Q": "25563", "R": "65655", "S": "34216", "T": "72222", "U": "55557", "V": "55552",
    "W": "55775", "X": "55255", "Y": "55222", "Z": "71247", ".": "00002", ",": "00024", ":": "02020", "[": "64446",
    "]": "31113", "%": "51245", "-": "00700",
}  # fmt: skip


class Canvas:
    def __init__(self, width: int, height: int) -> None:
        self._width, self._height = width, height
        self._pixels = bytearray(b"\xff" * (width * height * 3))

    def dot(self, x: int, y: int, color: bytes) -> None:
        if 0 <= x < self._width and 0 <= y < self._height:
            place = (y * self._width + x) * 3
            self._pixels[place : place + 3] = color

    def png(self) -> bytes:
        row = self._width * 3
        # Each row begins with the number of its filter: none.
        rows = b"".join(b"\0" + self._pixels[at : at + row] for at in range(0, len(self._pixels), row))
        header = struct.pack(">IIBBBBB", self._width, self._height, 8, 2, 0, 0, 0)
        parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(report: CurveReport) -> bytes:
    canvas = Canvas(WIDTH, HEIGHT)
    for shape in picture(report):
        if isinstance(shape, Line):
            _line(canvas, shape)
        else:
            _text(canvas, shape)
    return canvas.png()


def _line(canvas: Canvas, line: Line) -> None:
    color = bytes.fromhex(line.color[1:])
    for number, (x, y) in enumerate(_dots(line)):
        if line.dashed and number // DASH % 2:
            continue
        for across in range(line.width):
            for down in range(line.width):
                canvas.dot(x + across, y + down, color)


def _dots(line: Line) -> Iterator[tuple[int, int]]:
    for (x1, y1), (x2, y2) in zip(line.places, line.places[1:], strict=False):
        steps = max(round(max(abs(x2 - x1), abs(y2 - y1))), 1)
        for step in range(steps + 1):
            yield round(x1 + (x2 - x1) * step / steps), round(y1 + (y2 - y1) * step / steps)


def _text(canvas: Canvas, text: Text) -> None:
    size = 3 if text.size > 13 else 2
    left, low = text.place
    for number, letter in enumerate(text.words.upper()):
        for row, digit in enumerate(GLYPHS.get(letter, "00000")):
            for column in range(3):
                if int(digit, 8) & 4 >> column:
                    corner = round(left) + (number * 4 + column) * size, round(low) + (row - 5) * size
                    _square(canvas, corner, size)


def _square(canvas: Canvas, corner: tuple[int, int], size: int) -> None:
    for across in range(size):
        for down in range(size):
            canvas.dot(corner[0] + across, corner[1] + down, bytes.fromhex(INK[1:]))
