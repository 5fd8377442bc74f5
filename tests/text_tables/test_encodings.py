"""The encoding of a file is found by its bytes: certain signs first, then Korean, then the detector."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

from bertviz_app.errors import FileError
from bertviz_app.text_tables.table import encoding_named, find_encoding, shown_encoding, unpacked

KOREAN = "id\tdocument\tlabel\n1\t재미있는 영화\t1\n2\t정말 지루했다\t0\n"
CHINESE = "这是一个很好的电影，我非常喜欢它。故事很感人。演员也很好。\n"
JAPANESE = "これはとても面白い映画でした。また見たいと思います。\n"
FRENCH = "Un film très réussi : l’été dernier, le garçon déjà âgé a été reçu à l’école. Où est-ce ? Ça va.\n"
RUSSIAN = "Это очень хороший фильм, мне понравилось.\n"


@pytest.mark.parametrize(
    ("text", "encoding", "codec"),
    [
        (KOREAN, "utf-8", "utf-8"),
        (KOREAN, "utf-8-sig", "utf-8"),
        (KOREAN, "utf-16", "utf-16"),
        (KOREAN, "utf-16-le", "utf-16-le"),
        (KOREAN, "utf-16-be", "utf-16-be"),
        (KOREAN, "utf-32", "utf-32"),
        (KOREAN, "cp949", "cp949"),
        ("1\t뷁 똠방각하 펲시콜라 이다\n" * 9, "cp949", "cp949"),  # syllables that EUC-KR does not have
        ("label,text\n긍정,좋아요\n", "euc-kr", "cp949"),
        ("plain words\n", "ascii", "utf-8"),
        ("plain words\tand more\n", "utf-16-le", "utf-16-le"),
        (CHINESE, "gb18030", "gb18030"),
        (JAPANESE, "shift-jis", "cp932"),
        (JAPANESE, "euc-jp", "euc_jp"),
        (RUSSIAN, "cp1251", "cp1251"),
        (FRENCH, "cp1252", "cp1252"),
    ],
)
def test_it_is_found_by_the_bytes(text: str, encoding: str, codec: str) -> None:
    assert find_encoding(text.encode(encoding)) == codec


def test_a_beginning_may_end_within_a_character() -> None:
    content = KOREAN.encode()
    for size in range(20, len(content)):
        assert find_encoding(content[:size], is_whole=False) == "utf-8"


def test_a_few_damaged_lines_leave_the_rest_utf_8() -> None:
    assert find_encoding(KOREAN.encode() + b"3\tdamaged \xff\t1\n") == "utf-8"
    assert find_encoding("가".encode() + b"\0" * 3 + "나\n".encode()) == "utf-8"


def test_packed_files_are_known_by_their_bytes(tmp_path: Path) -> None:
    content = KOREAN.encode()
    for number, packed in enumerate((content, gzip.compress(content), lzma.compress(content))):
        path = tmp_path / f"{number}.tsv"
        path.write_bytes(packed)
        assert unpacked(path) == KOREAN.encode()
    (tmp_path / "cut.xz").write_bytes(lzma.compress(KOREAN.encode())[:40])
    with pytest.raises(FileError, match="could not be read"):
        unpacked(tmp_path / "cut.xz")


def test_encodings_have_names() -> None:
    assert encoding_named("CP949") == encoding_named("uhc") == "cp949"
    assert shown_encoding("utf-16-le") == "UTF-16-LE"
    for name in ("klingon", "base64", "rot13", ""):
        with pytest.raises(FileError, match="There is no encoding"):
            encoding_named(name)
