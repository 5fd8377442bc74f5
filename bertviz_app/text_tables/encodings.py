"""The encoding of a text file, found by its bytes, and packed files, known by theirs.

Certain signs come first: a byte order mark, the zero bytes of UTF-16, UTF-8 without an error. Then Korean of
Windows (CP949), which detectors mistake for others in short files, then the detector.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import zlib
from pathlib import Path
from types import MappingProxyType

from bertviz_app.errors import FileError, Message

UTF_8 = "utf-8"
PACKED = MappingProxyType({b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"BZh": "bz2"})
"""The first bytes of packed files, and fsspec's name of the format."""
_UNPACK = MappingProxyType({"gzip": gzip.decompress, "xz": lzma.decompress, "bz2": bz2.decompress})
_BOMS = (
    (codecs.BOM_UTF8, UTF_8),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before that of UTF-16, with which it begins
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_COMMON_SYLLABLES = frozenset("이다는에을가고의하지도은한어리사나아로인를정기서영해자과들대보라스만있요게네")
"""Of running Korean more than a third of all syllables; of other texts read as CP949 next to none."""
_LEAST_HANGUL, _LEAST_COMMON = 0.7, 0.12
_NEARLY_ALL = 0.95  # letters: in Chinese and Japanese read as Korean a third are no Hangul
_DETECTED = [
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "cp874"),
    *("koi8_r", "cp932", "euc_jp", "gb18030", "big5", "iso8859_2"),
]
"""What the detector chooses from: encodings of text files, and none of terminals and old printers."""
_MOST_CHAOS = 0.2  # the detector's measure of letters that do not go together
_LEAST_ZEROS, _MOST_ZEROS = 0.05, 0.1
_LEAST_UTF_8 = 0.5  # of the lines that are not ASCII
_MOST_DAMAGED = 0.05  # of all lines: another encoding has more that are not ASCII
_SAMPLE = 1 << 17  # bytes


def packing_of(head: bytes) -> str:
    """Return fsspec's name of the format of a packed file by its first bytes, "" for a file as it is."""
    return next((name for sign, name in PACKED.items() if head.startswith(sign)), "")


def unpacked(path: Path) -> bytes:
    """Return what is in a file, which may be packed (gzip, xz, bz2). Raises FileError."""
    try:
        content = path.read_bytes()
        packing = packing_of(content)
        return _UNPACK[packing](content) if packing else content
    except (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise FileError(
            Message("{0} could not be read: {1}.", path, reason), Message("Check the path and the file.")
        ) from error


def encoding_named(name: str) -> str:
    """Return the codec of a name as users write it, as "CP949" or "UTF-16". Raises FileError."""
    try:
        info = codecs.lookup(name.strip())
        is_of_text = getattr(info, "_is_text_encoding", True)  # "base64" and "rot13" are codecs, too
        "".encode(info.name)
    except (LookupError, ValueError, UnicodeError):
        is_of_text = False
    if not is_of_text:
        message = Message("There is no encoding “{0}”.", name)
        raise FileError(message, Message("Give one by its name, as {0}.", "UTF-8, CP949, UTF-16, GB18030"))
    return info.name


def shown_encoding(codec: str) -> str:
    """Return the name of a codec as people write it."""
    return codec.upper().replace("_", "-")


def find_encoding(content: bytes, *, is_whole: bool = True) -> str | None:
    """Return the codec of a text by its bytes, None where nothing decides.

    Without `is_whole`, `content` is the beginning of a file and may end within a character.
    """
    for mark, codec in _BOMS:
        if content.startswith(mark):
            return codec
    wide = _utf_16(content)
    if wide:
        return wide
    if _decodes(content, UTF_8, is_whole=is_whole) or _is_mostly_utf_8(content):
        return UTF_8
    lines = _lines_to_look_at(content)
    return "cp949" if _is_korean(lines) else _detected(lines)


def _decodes(content: bytes, codec: str, *, is_whole: bool) -> bool:
    try:
        codecs.getincrementaldecoder(codec)().decode(content, is_whole)
    except (UnicodeDecodeError, LookupError):
        return False
    return True


def _utf_16(content: bytes) -> str:
    """Return the codec of UTF-16 without a mark: blanks, digits and line ends have a zero in every pair."""
    pairs = len(content) // 2
    for codec, own, other in (("utf-16-le", 1, 0), ("utf-16-be", 0, 1)):
        zeros, others = content[own::2].count(0), content[other::2].count(0)
        if pairs and zeros >= _LEAST_ZEROS * pairs and others <= _MOST_ZEROS * zeros:
            return codec if _decodes(content[: 2 * pairs], codec, is_whole=False) else ""
    return ""


def _is_mostly_utf_8(content: bytes) -> bool:
    """Return whether lines with other letters than ASCII are mostly UTF-8, or few: the others are damaged."""
    lines = content.split(b"\n")
    others = [line for line in lines if not line.isascii()]
    n_good = sum(_decodes(line, UTF_8, is_whole=True) for line in others)
    is_few = len(others) - n_good < _MOST_DAMAGED * len(lines)
    return is_few or n_good >= max(1, _LEAST_UTF_8 * len(others))


def _lines_to_look_at(content: bytes) -> bytes:
    """Return the beginning of the lines that are not ASCII: they alone tell one encoding from another."""
    found, size = [], 0
    for line in content.split(b"\n"):
        if not line.isascii():
            found.append(line)
            size += len(line)
            if size > _SAMPLE:
                break
    return b"\n".join(found)


def _is_korean(lines: bytes) -> bool:
    """Return whether CP949 reads `lines` as running Korean, by the syllables that are most frequent in it."""
    text = lines.decode("cp949", "replace")
    letters = [letter for letter in text if letter > "\x7f"]
    hangul = [letter for letter in letters if "가" <= letter <= "힣"]
    if not hangul or ("\ufffd" in text and letters.count("\ufffd") > 0.02 * len(letters)):
        return False
    if len(hangul) >= _NEARLY_ALL * len(letters) and _decodes(lines, "euc_kr", is_whole=True):
        return True
    common = sum(letter in _COMMON_SYLLABLES for letter in hangul)
    return len(hangul) >= _LEAST_HANGUL * len(letters) and common >= _LEAST_COMMON * len(hangul)


def _detected(lines: bytes) -> str | None:
    from charset_normalizer import from_bytes

    found = [match for match in from_bytes(lines, cp_isolation=_DETECTED) if match.chaos < _MOST_CHAOS]
    if not found:
        return None
    # Of those that read letters as a language has them alike, the first of the list is the most frequent.
    best = max(found, key=lambda match: (round(match.coherence, 2), -_DETECTED.index(match.encoding)))
    return codecs.lookup(best.encoding).name
