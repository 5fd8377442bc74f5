"""`read_table`: a whole file of rows, with what was found about it: encoding, separator, names of columns."""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import io
import json
import lzma
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import IO, Any, Literal, TypedDict

from bertviz_app.errors import FileError, Message
from bertviz_app.text_tables.packages import (
    NAMES,
    NamedRows,
    cell_of,
    dataset_folder,
    files_in,
    package_kind,
    package_rows,
    refuse_binary,
)
from bertviz_app.values import dataclass, explained, replace

UTF_8 = "utf-8"
PACKED: Mapping[bytes, str] = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"BZh": "bz2"}
"""The first bytes of packed files, and fsspec's name of the format."""
_OPEN: Mapping[str, Callable[[IO[bytes]], Any]] = {"gzip": gzip.open, "xz": lzma.open, "bz2": bz2.open}
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
_DETECTED = [
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "cp874"),
    *("koi8_r", "cp932", "euc_jp", "gb18030", "big5", "iso8859_2"),
]
"""What the detector chooses from: encodings of text files, and none of terminals and old printers."""
_LEAST_ZEROS, _MOST_ZEROS = 0.05, 0.1


def packing_of(head: bytes) -> str:
    """Return fsspec's name of the format of a packed file by its first bytes, "" for a file as it is."""
    return next((name for sign, name in PACKED.items() if head.startswith(sign)), "")


def unpacked(path: Path, n_bytes: int = -1) -> bytes:
    """Return the first `n_bytes` of a file, which may be packed (gzip, xz, bz2), or all. Raises FileError."""
    try:
        with path.open("rb") as file:
            packing = packing_of(file.read(8))
            file.seek(0)
            with _OPEN[packing](file) if packing else nullcontext(file) as stream:
                return stream.read(n_bytes)
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
    if wide := _utf_16(content):
        return wide
    if _decodes(content, UTF_8, is_whole=is_whole) or _is_mostly_utf_8(content):
        return UTF_8
    # The beginning of the lines that are not ASCII: they alone tell one encoding from another.
    found, size = [], 0
    for line in content.split(b"\n"):
        if not line.isascii():
            found.append(line)
            size += len(line)
            if size > 1 << 17:
                break
    lines = b"\n".join(found)
    if _is_korean(lines):
        return "cp949"
    from charset_normalizer import from_bytes

    # Chaos is the detector's measure of letters that do not go together.
    likely = [match for match in from_bytes(lines, cp_isolation=_DETECTED) if match.chaos < 0.2]
    # Of those that read letters as a language has them alike, the first of the list is the most frequent.
    best = max(
        likely, key=lambda match: (round(match.coherence, 2), -_DETECTED.index(match.encoding)), default=None
    )
    return None if best is None else codecs.lookup(best.encoding).name


def _decodes(content: bytes, codec: str, *, is_whole: bool) -> bool:
    try:
        if is_whole:
            content.decode(codec)
        else:
            codecs.getincrementaldecoder(codec)().decode(content)
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
    # Damaged are at most 5 % of all lines: another encoding has more that are not ASCII.
    is_few = len(others) - n_good < 0.05 * len(lines)
    return is_few or n_good >= max(1, 0.5 * len(others))


def _is_korean(lines: bytes) -> bool:
    """Return whether CP949 reads `lines` as running Korean, by the syllables that are most frequent in it."""
    text = lines.decode("cp949", "replace")
    letters = [letter for letter in text if letter > "\x7f"]
    hangul = [letter for letter in letters if "가" <= letter <= "힣"]
    if not hangul or ("\ufffd" in text and letters.count("\ufffd") > 0.02 * len(letters)):
        return False
    # In Chinese and Japanese read as Korean a third of the letters are no Hangul.
    if len(hangul) >= 0.95 * len(letters) and _decodes(lines, "euc_kr", is_whole=True):
        return True
    common = sum(letter in _COMMON_SYLLABLES for letter in hangul)
    return len(hangul) >= _LEAST_HANGUL * len(letters) and common >= _LEAST_COMMON * len(hangul)


RECORD_SEPARATOR = "\u241e"
SEPARATORS = ("\t", RECORD_SEPARATOR, ";", ",")
_LEAST_SAME = {"\t": 0.5, RECORD_SEPARATOR: 0.5, ";": 0.9, ",": 0.9}
"""The share of the lines that have as many columns as most: prose has commas, too, but no fixed number."""
_SAMPLE = 1_000  # lines
_FASTTEXT = re.compile(r"(?<!\S)__label__(\S+)\s*")
Kind = Literal["rows", "json lines", "json", "lines", "fasttext", "parquet", "xlsx", "arrow"]


class LayoutError(ValueError):
    """A row is not written as the others; `line` is the number of its line."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.line = line


@dataclass(frozen=True)
class Layout:
    """`separator` and `is_quoted` are those of "rows"; "lines" have one column, the whole line.

    "fasttext" has "__label__" before each label of a line; what is left is the text.
    """

    kind: Kind
    separator: str = ""
    is_quoted: bool = False


def find_layout(lines: Sequence[str], separator: str = "", *, is_whole: bool = True) -> Layout:
    """Return how `lines`, without their ends, are written; `separator` is what the user says it is.

    Without `is_whole` they are the beginning of a file.
    """
    if not separator and (kind := _json_kind(lines, is_whole=is_whole)) is not None:
        return Layout(kind)
    sample = [line for line in lines[:_SAMPLE] if line.strip()]
    if not separator and sample and _FASTTEXT.search(sample[0]):
        return Layout("fasttext")
    for one in [separator] if separator else SEPARATORS:
        layout = _separated(sample, one, is_whole=is_whole and len(lines) <= _SAMPLE)
        counts = Counter(len(cells) for _, cells in rows_of(sample, layout, is_cut=True))
        most, n_most = max(counts.items(), key=lambda item: item[1], default=(1, 0))
        if separator or (most > 1 and n_most >= _LEAST_SAME[one] * counts.total()):
            return _separated(lines, one, is_whole=is_whole)
    return Layout("lines")


def rows_of(
    lines: Iterable[str], layout: Layout, *, is_cut: bool = False
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the cells of each row that is not blank, and the number of its last line.

    `is_cut`: the end of the lines may be within a row, which is then left out. Raises LayoutError.
    """
    lines = ("" if re.fullmatch("sep=.", line) else line for line in lines)  # Excel's own first line
    if layout.kind == "rows" and layout.is_quoted:
        csv.field_size_limit(1 << 24)  # characters
        reader = csv.reader((f"{line}\n" for line in lines), delimiter=layout.separator, strict=True)
        try:
            for cells in reader:
                if any(cell.strip() for cell in cells):
                    yield reader.line_num, tuple(cells)
        except csv.Error as error:
            if not (is_cut and "end of data" in str(error)):
                raise LayoutError(str(error), reader.line_num) from error
        return
    for number, line in enumerate(lines, 1):
        if layout.kind == "fasttext" and line.strip():
            labels = _FASTTEXT.findall(line)
            label = labels[0] if len(labels) == 1 else cell_of(labels) if labels else ""
            yield number, (label, _FASTTEXT.sub("", line).strip())
        elif line.strip():
            yield number, tuple(line.split(layout.separator) if layout.separator else [line])


def objects_of(lines: Iterable[str], layout: Layout) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield the values of each JSON object by their names, and the number of its line or of itself.

    A value within another has a name with a dot; a row that is an array has numbers for names, from 1.
    Raises LayoutError.
    """
    if layout.kind == "json lines":
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield number, _values(_parsed(line, number), number)
        return
    for number, value in enumerate(_rows_within(_parsed("\n".join(lines), 1)), 1):
        yield number, _values(value, number)


def _separated(lines: Sequence[str], separator: str, *, is_whole: bool) -> Layout:
    """Return whether quotes around cells belong to the format, or to the texts as in most files with tabs."""
    plain = Layout("rows", separator)
    if len(separator) != 1 or not any(line.startswith('"') or f'{separator}"' in line for line in lines):
        return plain
    quoted = replace(plain, is_quoted=True)
    try:
        rows = list(rows_of(lines, quoted, is_cut=not is_whole))
    except LayoutError:
        return plain
    has_breaks = is_whole and len(rows) < sum(bool(line.strip()) for line in lines)
    if not has_breaks:
        return quoted
    # Lines that are whole rows as they stand: quotes at the beginning of one text and the end of a later one.
    counts = {len(cells) for _, cells in rows_of(lines, plain)}
    return plain if separator in ("\t", RECORD_SEPARATOR) or len(counts) == 1 else quoted


def _json_kind(lines: Sequence[str], *, is_whole: bool) -> Kind | None:
    filled = [line for line in lines[:_SAMPLE] if line.strip()][:5]
    if not filled or filled[0].lstrip()[0] not in "[{":
        return None
    found = [json_or_none(line) for line in filled]
    has_rows = isinstance(found[0], dict) and (
        any(_is_rows(value) for value in found[0].values()) or bool(_by_columns(found[0]))
    )
    are_objects = all(isinstance(value, dict) for value in found) and not (len(found) == 1 and has_rows)
    if are_objects or (len(found) > 1 and all(isinstance(value, list) for value in found)):
        return "json lines"
    if not is_whole:
        is_object = filled[0].lstrip() == "{" or re.match(r'\s*\{\s*"[^"]*"\s*:', filled[0]) is not None
        is_array = re.match(r'\s*\[\s*[\[{"]', "\n".join(filled)) is not None
        return "json" if is_object or is_array else None
    return "json" if isinstance(json_or_none("\n".join(lines)), dict | list) else None


def json_or_none(text: str) -> Any:
    """Return what a text in JSON says; None for another text, and for one nested too deep."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _parsed(text: str, number: int) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LayoutError(str(error) or type(error).__name__, number) from error


def _is_rows(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _by_columns(found: Mapping[str, object]) -> list[object]:
    """Return the rows of an object with a list for each column, or a value for each index; [] for others."""
    lists = [list(one.values()) if isinstance(one, dict) else one for one in found.values()]
    columns = [one for one in lists if isinstance(one, list)]
    if len(columns) < max(2, len(lists)) or len({len(one) for one in columns}) > 1 or len(columns[0]) < 2:
        return []
    return [dict(zip(found, row, strict=True)) for row in zip(*columns, strict=True)]


def _rows_within(found: object) -> list[object]:
    """Return the rows of an array, or of the one array in an object, as {"version": …, "data": […]}."""
    if isinstance(found, dict) and (rows := _by_columns(found)):
        return rows
    if isinstance(found, dict):
        parts = [name for name, value in found.items() if _is_rows(value)]
        if len(parts) > 1:
            raise LayoutError(f"several tables: {', '.join(parts)}", 1)
        found = found[parts[0]] if parts else [found]
    if not isinstance(found, list):
        raise LayoutError("no array of rows", 1)
    return found


def _values(row: object, number: int) -> dict[str, str]:
    if isinstance(row, dict):
        return dict(_flat(row, ""))
    if isinstance(row, list):
        return {str(at): cell_of(value) for at, value in enumerate(row, 1)}
    if isinstance(row, str):
        return {"1": row}
    raise LayoutError("a row that is no object", number)


def _flat(row: Mapping[str, object], within: str) -> Iterator[tuple[str, str]]:
    for name, value in row.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{within}{name}.")
        else:
            yield f"{within}{name}", cell_of(value)


def _words(names: str) -> frozenset[str]:
    return frozenset(names.split())


LABELS = _words(
    "label labels gold_label real-label real_label binary-label binary_label score target class category "
    "sentiment emotion intent topic stars rating quality is_duplicate polarity y "
    "라벨 레이블 분류 감정 감성 클래스 범주 카테고리 정답 점수 평점 의도 주제"
)
"""Names of a column of labels."""
PAIRS = (
    *(("text", "text_b"), ("text_a", "text_b"), ("text1", "text2"), ("text_1", "text_2")),
    *(("sentence1", "sentence2"), ("sentence_1", "sentence_2"), ("sentence_a", "sentence_b")),
    *(("sent1", "sent2"), ("premise", "hypothesis"), ("question1", "question2"), ("question", "sentence")),
    *(("#1 string", "#2 string"), ("문장1", "문장2"), ("문장 1", "문장 2"), ("전제", "가설")),
)
"""Names of two columns that are the two texts of a pair."""
TEXTS = frozenset(
    {name for pair in PAIRS for name in pair}
    | _words(
        "sentence document review title comments comment content contents body utterance tweet headline "
        "문장 문서 제목 내용 리뷰 댓글 텍스트 본문 질문 발화 기사 글 후기"
    )
)
"""Names of a column of texts."""
_OTHERS = _words(
    "id guid index idx no pairid promptid genre filename file year source url date split domain author "
    "번호 아이디 출처 날짜"
) | {"#1 id", "#2 id"}
_LONGEST = 60
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def normal(name: str) -> str:
    """Return the name of a column as names are compared."""
    return unicodedata.normalize("NFC", name).strip().casefold()


def last_part(name: str) -> str:
    """Return the last part of the name of a value within others, as "label" of "labels.label"."""
    return normal(name).rpartition(".")[2]


def is_number(text: str) -> bool:
    """Return whether a cell is a number, as a label or an id is."""
    return _NUMBER.fullmatch(text.strip()) is not None


def is_header(first: Sequence[str], rows: Sequence[Sequence[str]], given: Collection[str]) -> bool:
    """Return whether the cells `first` name the columns of `rows`.

    `given` are names or numbers that the user wrote. Without such a name all cells are short, filled,
    different and no numbers, and either one of them is a known name, or a column has numbers below it.
    """
    names = [normal(cell) for cell in first]
    if not names:
        return False
    if {normal(name) for name in given if not name.isdecimal()} & set(names):
        return True
    if not names[0] and rows and all(row and is_number(row[0]) for row in rows):
        return is_header(first[1:], [row[1:] for row in rows], given)  # the index of pandas has no name
    is_known = [name in LABELS or name in TEXTS or name in _OTHERS for name in names]
    are_different = len(set(names)) == len(names) or all(is_known)
    is_like_names = are_different and all(0 < len(name) <= _LONGEST for name in names)
    if not is_like_names or any(is_number(name) for name in names):
        return False
    others = [row for row in rows if list(row) != list(first)]  # joined files repeat their first lines
    below = [[row[at] for row in others if at < len(row)] for at in range(len(names))]
    if any(
        known and name in map(normal, below[at])
        for at, (name, known) in enumerate(zip(names, is_known, strict=True))
    ):
        return False  # a text or a label like others below it
    n_known = sum(is_known)
    has_numbers = any(column and all(map(is_number, column)) for column in below)
    are_words = all(len(name.split()) <= 3 and name[-1] not in ".!?…。" for name in names)  # no sentences
    return has_numbers or 2 * n_known > len(names) or bool(n_known and are_words)


N_PREVIEW = 5
N_NAMED = 5
"""The number of bad rows or sentences, and of classes, that are named in full; the others are counted."""
FLAGS = {"0": False, "1": True, "0.0": False, "1.0": True, "false": False, "true": True}
"""What a cell of a column of 0 and 1 may be, in lower case."""
_LONGEST_SHOWN = 60  # characters of a cell
WIDE = re.compile(r"utf-(16|32).*")
"""Codecs of which a byte alone is no character."""

TARGETS = ("classes", "scores", "tokens", "multi_label")
"""What can be learnt of the labels of a table."""


@dataclass(frozen=True)
class TableChoices:
    """What the user says about a table; "" for what is to be found by its content."""

    label_column: str = explained(
        "", "The column of the labels, by its name, or its number from 1; several of 0 and 1 with commas."
    )
    text_column: str = explained(
        "", "The column of the texts; without one of second texts there are no pairs then."
    )
    pair_column: str = explained("", "The column of the second texts of pairs.")
    separator: str = explained(
        "", "What separates the columns: tab, comma, semicolon, or the character itself."
    )
    encoding: str = explained("", "Such as cp949 or utf-16; found by the content unless given.")
    target: str = explained(
        "",
        "What is learnt: classes or scores of texts, labels of their words or characters (tokens), "
        "or several labels a text.",
        TARGETS,
    )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are given."""
        return tuple(name for name in (self.label_column, self.text_column, self.pair_column) if name)


class TableArguments(TypedDict, total=False):
    """The same as arguments of a function: `finetune(…, label_column="hate", encoding="cp949")`."""

    label_column: str
    text_column: str
    pair_column: str
    separator: str
    encoding: str
    target: str


BY_CONTENT = TableChoices()
"""Nothing is given: all is found."""


@dataclass(frozen=True)
class Record:
    """One row: its cells, the number of its (last) line, and a sentence on why it cannot be read, or ""."""

    line: int
    cells: tuple[str, ...]
    fault: str = ""


@dataclass(frozen=True)
class Preview:
    """What people see of a table: the names of its columns (or numbers, from 1), and its first rows.

    Unless it `is_text`, it has no encoding and no separator that one may give.
    """

    name: str
    columns: tuple[str, ...]
    has_header: bool
    rows: tuple[tuple[str, ...], ...]
    encoding: str
    separator: str
    is_text: bool = True
    flags: tuple[int, ...] = ()  # the columns, from 0, with nothing but 0 and 1, where there are several


@dataclass(frozen=True, eq=False)
class TextTable:
    """The rows of the file called `name`; `columns` are their names, numbers from 1 where it has none."""

    name: str
    encoding: str  # the codec
    layout: Layout
    columns: tuple[str, ...]
    has_header: bool
    records: tuple[Record, ...]

    @cached_property
    def preview(self) -> Preview:
        """What people see of it."""
        rows = tuple(
            tuple(shortened(cell) for cell in record.cells)
            for record in self.records[:N_PREVIEW]
            if not record.fault
        )
        encoding, is_text = shown_encoding(self.encoding), self.layout.kind not in NAMES
        separator = self.layout.separator
        good = [one.cells for one in self.records if self.has_header and not one.fault]
        flags = tuple(
            at
            for at, column in enumerate(zip(*good, strict=True))
            if FLAGS.keys() >= set(map(str.lower, column))
        )
        flags = flags if len(flags) > 1 else ()
        return Preview(self.name, self.columns, self.has_header, rows, encoding, separator, is_text, flags)

    def column(self, index: int) -> list[str]:
        """Return the cells of a column, without those of rows that cannot be read."""
        return [record.cells[index] for record in self.records if not record.fault]


class TableError(FileError):
    """A table cannot be read as it is, but by an answer: `unclear` names the fields of `TableChoices`.

    `preview` has its columns and first rows.
    """

    def __init__(self, message: str, hint: str, unclear: tuple[str, ...], preview: Preview) -> None:
        super().__init__(message, hint)
        self.unclear = unclear
        self.preview = preview


def read_table(path: Path, choices: TableChoices = BY_CONTENT) -> TextTable:
    """Return the rows of a file: separated columns, JSON lines or a JSON array; packed by gzip, xz, bz2.

    Those of Parquet and Excel, and of a folder that `save_to_disk` of `datasets` wrote, are read by packages.
    Raises FileError for a file that is missing, damaged or empty, and where such a package is not installed,
    TableError where nothing shows how it is to be read.
    """
    table = package_table(path, choices) or table_of(path.name, unpacked(path), choices)
    read_package_table.cache_clear()
    first = "".join(table.records[0].cells) if table.records else ""
    is_json = re.match(r"""\s*(\{\s*["']|\[\s*\{)""", first) is not None
    is_meant_as_json = table.layout.kind in ("rows", "lines") and is_json
    for record in table.records if is_meant_as_json else ():  # a damaged line made all look like text
        try:
            json.loads((table.layout.separator or ",").join(record.cells))
        except (ValueError, RecursionError) as error:
            raise damaged(path.name, LayoutError(str(error), record.line)) from error
    return table


def package_table(
    path: Path, choices: TableChoices = BY_CONTENT, most: int | None = None
) -> TextTable | None:
    """Return the rows, or the first `most`, of a file or folder that another package reads.

    None for a file of text. The last table is kept until `read_table` takes it. Raises FileError.
    """
    if dataset_folder(path) is None and package_kind(unpacked(path, 8)) is None:
        return None
    stats = [file.stat() for file in files_in(path)]
    return read_package_table(path, choices, most, tuple((one.st_size, one.st_mtime_ns) for one in stats))


@lru_cache(maxsize=1)
def read_package_table(
    path: Path, choices: TableChoices, most: int | None, facts: tuple[tuple[int, int], ...]
) -> TextTable | None:
    """Return what `package_table` does, kept by `facts`, which are others where the files have changed."""
    with package_rows(str(path), lambda name: io.BytesIO(unpacked(Path(name)))) as found:
        return None if found is None else table_of_package(path.name, found, choices, most)


def table_of_package(
    name: str, found: NamedRows, choices: TableChoices, most: int | None = None
) -> TextTable:
    """Return the rows that a package has read, the first `most` of them. Raises FileError for none."""
    layout = Layout(found.kind)
    rows = [(at, cells) for at, cells in enumerate(islice(found.rows, most), 1) if any(cells)]
    if not rows:
        raise FileError(Message("{0} is empty.", name), Message("Give a file of rows with texts."))
    if found.columns:
        records = tuple(_object_record(at, cells) for at, cells in rows)
        return TextTable(name, "", layout, found.columns, has_header=True, records=records)
    table = _of_rows(name, "", layout, rows, frozenset(), choices)
    if not table.has_header and not all(rows[0][1]) and any(all(cells) for _, cells in rows):
        message = Message("Row {0} of {1} is not as others: some of its cells are empty.", rows[0][0], name)
        raise FileError(message, Message("Delete what stands above the names of the columns."))
    return table


def table_of(name: str, content: bytes, choices: TableChoices, *, is_whole: bool = True) -> TextTable:
    """Return the rows of `content` as `read_table` does.

    Without `is_whole` it is the beginning of a file, and no JSON array; its last line is left out.
    """
    encoding, lines, bad = decoded(name, content, choices.encoding, is_whole=is_whole)
    layout = find_layout(lines, separator_of(choices), is_whole=is_whole)
    try:
        if layout.kind in ("json", "json lines"):
            found = list(objects_of(lines, layout))
            columns = tuple(dict.fromkeys(key for _, row in found for key in row))
            if not columns:
                raise FileError(Message("{0} is empty.", name), Message("Give a file of rows with texts."))
            cells = [(line, tuple(row.get(key, "") for key in columns)) for line, row in found]
            has_header = columns != tuple(str(number) for number in range(1, len(columns) + 1))
            records = tuple(_object_record(*one) for one in cells)
            return TextTable(name, encoding, layout, columns, has_header, records)
        rows = list(rows_of(lines, layout, is_cut=not is_whole))
    except LayoutError as error:
        raise damaged(name, error) from error
    if not rows:
        raise FileError(Message("{0} is empty.", name), Message("Give a file of rows with texts."))
    return _of_rows(name, encoding, layout, rows, bad, choices)


def separator_of(choices: TableChoices) -> str:
    """Return the separator that the user gave, "" for none."""
    names = {"tab": "\t", "comma": ",", "semicolon": ";", "\\t": "\t"}
    return names.get(choices.separator.casefold(), choices.separator)


def shown_separator(separator: str) -> str:
    """Return how a separator is called in a sentence, as "tab"."""
    return {"\t": Message("tab"), ",": Message("comma"), ";": Message("semicolon")}.get(separator, separator)


def form_words(codec: str, layout: Layout) -> Message:
    """Return how a table is written, as "UTF-8, separated by tab"."""
    words = layout_words(layout)
    return Message("{0}, {1}", shown_encoding(codec), words) if codec else Message("{0}", words)


def layout_words(layout: Layout) -> str:
    """Return how rows are written in words, as "separated by tab"."""
    named = {**NAMES, "fasttext": "fastText", "json": "JSON", "json lines": Message("JSON lines")}
    if layout.kind in named:
        return named[layout.kind]
    separator = shown_separator(layout.separator)
    if layout.is_quoted:
        return Message("separated by {0}, with cells in quotes", separator)
    return Message("separated by {0}", separator)


def damaged(name: str, error: LayoutError) -> FileError:
    """Return the error for a file that is not written as its beginning is."""
    message = Message("{0} cannot be read from line {1} on: {2}.", name, f"{error.line:,}", str(error))
    return FileError(message, Message("Correct the file, or write it again from where it came."))


def decoded(
    name: str, content: bytes, encoding: str, *, is_whole: bool = True
) -> tuple[str, list[str], frozenset[int]]:
    """Return the codec, the lines, and the numbers of those that the codec does not read.

    Without `is_whole` the last line, which may be cut, is left out. Raises TableError
    where nothing shows the encoding, FileError for one that does not read the file, and for what is no text.
    """
    codec = encoding_named(encoding) if encoding else find_encoding(content, is_whole=is_whole)
    refuse_binary(name, content, is_sure=codec is not None)
    if codec is None:
        raise _unclear_encoding(name, content)
    if not is_whole:
        # The lines of a beginning that are whole; all of it where it has one line only.
        if WIDE.fullmatch(codec):
            start = codecs.getincrementaldecoder(codec)("replace").decode(content)
            content = (start[: start.rfind("\n") + 1] or start).encode(codec)
        else:
            content = content[: content.rfind(b"\n") + 1] or content
    if WIDE.fullmatch(codec):
        try:
            text = content.decode(codec)
        except UnicodeDecodeError as error:
            raise _unclear_encoding(name, content, codec) from error
        return codec, _lines_of(text), frozenset()
    try:
        return codec, _lines_of(content.decode(codec)), frozenset()
    except UnicodeDecodeError:
        lines = content.split(b"\n")
    bad = frozenset(at for at, line in enumerate(lines, 1) if not _decodes(line, codec, is_whole=True))
    if len(bad) == len([line for line in lines if line.strip()]):
        raise _unclear_encoding(name, content, codec if encoding else "")
    return codec, _lines_of(content.decode(codec, "replace")), bad


def _lines_of(text: str) -> list[str]:
    text = text.removeprefix("\ufeff")
    if "\n" not in text:
        text = text.replace("\r", "\n")  # as old Macintoshes wrote lines
    return [line.removesuffix("\r") for line in text.split("\n")]


def _unclear_encoding(name: str, content: bytes, codec: str = "") -> TableError:
    """Return the error for a file whose encoding nothing shows, or which is not in the encoding `codec`."""
    lines = content[:4096].decode("latin-1").split("\n")[:N_PREVIEW]
    preview = Preview(name, ("1",), False, tuple((shortened(line),) for line in lines), "", "")
    message = Message("Nothing shows the encoding of {0}.", name)
    hint = Message("Give it as {0}: {1}.", "--encoding", "UTF-8, CP949, UTF-16, GB18030, …")
    if codec:
        message = Message("{0} is not in the encoding {1}.", name, shown_encoding(codec))
        hint = Message("Give another one as {0}, or save the file as UTF-8.", "--encoding")
    return TableError(message, hint, ("encoding",), preview)


def _of_rows(
    name: str,
    encoding: str,
    layout: Layout,
    rows: Sequence[tuple[int, tuple[str, ...]]],
    bad: frozenset[int],
    choices: TableChoices,
) -> TextTable:
    first, others = rows[0][1], [cells for _, cells in rows[1:200]]
    has_header = layout.kind in ("rows", "xlsx") and is_header(first, others, choices.columns)
    is_named = has_header or layout.kind == "fasttext"
    if is_named:
        columns = tuple(cell.strip() for cell in first) if has_header else ("label", "text")
    else:
        ((n_columns, _),) = Counter(len(cells) for _, cells in rows).most_common(1)
        columns = tuple(str(number) for number in range(1, n_columns + 1))
    records = []
    before = rows[0][0] * has_header
    for line, cells in rows[has_header:]:
        fault = ""
        if bad and not bad.isdisjoint(range(before + 1, line + 1)):
            fault = Message("Line {0} is not {1}.", f"{line:,}", shown_encoding(encoding))
        elif len(cells) != len(columns):
            fault = wrong_count(line, len(cells), len(columns))
        before = line
        records.append(Record(line, cells, fault))
    return TextTable(name, encoding, layout, columns, is_named, tuple(records))


def wrong_count(line: int, n_cells: int, n_columns: int) -> Message:
    """Return a sentence on a line that has so many cells in the place of `n_columns`."""
    if n_cells == 1:
        return Message("Line {0} has 1 column instead of {1}.", f"{line:,}", n_columns)
    return Message("Line {0} has {1} columns instead of {2}.", f"{line:,}", f"{n_cells:,}", n_columns)


def _object_record(line: int, cells: tuple[str, ...]) -> Record:
    try:
        "".join(cells).encode("utf-8")
    except UnicodeEncodeError:
        return Record(line, cells, Message("Line {0} has half a character (a lone surrogate).", f"{line:,}"))
    return Record(line, cells)


def left_out(name: str, bad: Sequence[str], n_rows: int) -> tuple[str, ...]:
    """Return the notices about rows that cannot be used, `bad` saying why."""
    first = Message("{0}: {1} of {2} rows cannot be used.", name, f"{len(bad):,}", f"{n_rows:,}")
    last = Message("Rows besides these that cannot be used: {0}.", f"{len(bad) - N_NAMED:,}")
    return (first, *bad[:N_NAMED], *([last] if len(bad) > N_NAMED else [])) if bad else ()


def column_value(preview: Preview, at: int) -> str:
    """Return how a column is given: by its name, or by its number from 1 where the name is not its alone."""
    name = preview.columns[at]
    is_clear = bool(name) and preview.columns.count(name) == 1 and not name.isdecimal()
    return name if preview.has_header and is_clear else str(at + 1)


def shortened(cell: str) -> str:
    """Return a cell as a preview shows it: one line, its beginning."""
    text = " ".join(cell.split())
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"
