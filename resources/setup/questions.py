"""Makes the questions and statements of the lesson on fine-tuning, and what their classifier starts from.

python resources/setup/questions.py CORPUS FOLDER

CORPUS is english.txt.xz, novels with a blank line between two. Sentences that open a speech are taken:
those that end in "?" and as many that end in "." with the same number of words, without the mark. Those of
the last tenth of the novels are held out. FOLDER gets train.tsv.xz and test.tsv.xz, and the checkpoint
`start`: the bundled one without the pieces that are not ASCII, and with its first three layers only.
resources/lessons/questions gets the first rows of both. The same corpus always gives the same files.
"""

import json
import lzma
import random
import re
import shutil
import sys
from collections import defaultdict
from itertools import chain
from pathlib import Path

from safetensors.torch import load_file, save_file

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "models" / "bert-mini-en-ko"
N_LAYERS = 3
N_LESSON = {"train": 320, "test": 400}
SPOKEN = re.compile(r'(?:^|\s)"([A-Z][a-z]*(?:,? [a-z]+){3,9})([.?])(?=["\s])')
LEFT_OUT = re.compile(r"nigger|negro|darkey|jew|slave|savage|injun|damn|hell|kill|murder|squaw|devil|whip")


def sentences(books: list[str], known: set[str], texts: set[str]) -> list[tuple[int, str]]:
    """Return (1, question) and (0, statement) in turn, as many of each length; each text once.

    Those in `texts` are left out, and what is found is added to it.
    """
    found: dict[int, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for text, mark in chain.from_iterable(map(SPOKEN.findall, books)):
        words = re.findall("[a-z]+", text.lower())
        if text.lower() not in texts and known.issuperset(words) and not LEFT_OUT.search(text.lower()):
            texts.add(text.lower())
            found[len(words)][mark == "?"].append(text)
    rows = [
        pair
        for statements, questions in found.values()
        for texts_of_both in zip(questions, statements, strict=False)
        for pair in [tuple(zip((1, 0), texts_of_both, strict=True))]
    ]
    random.Random(0).shuffle(rows)
    return list(chain.from_iterable(rows))


def write(path: Path, rows: list[tuple[int, str]]) -> None:
    """Write rows as the fine-tuning reads them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["label\ttext", *(f"{label}\t{text}" for label, text in rows)]
    path.write_bytes(lzma.compress("".join(f"{line}\n" for line in lines).encode(), preset=9))


def write_start(folder: Path, pieces: list[str]) -> None:
    """Write the smaller checkpoint, which reads English only."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [at for at, piece in enumerate(pieces) if piece.isascii()]
    tensors = load_file(MODEL / "model.safetensors")
    left = {}
    for name, tensor in tensors.items():
        layer = re.search(r"\.layer\.(\d+)\.", name)
        if layer is None or int(layer[1]) < N_LAYERS:
            left[name] = tensor[rows].contiguous() if len(tensor) == len(pieces) else tensor
    save_file(left, folder / "model.safetensors", {"format": "pt"})
    vocabulary = [pieces[row] for row in rows]
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in vocabulary), encoding="utf-8")
    tokenizer = json.loads((MODEL / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer["model"]["vocab"] = {piece: at for at, piece in enumerate(vocabulary)}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), encoding="utf-8")
    config = json.loads((MODEL / "config.json").read_text(encoding="utf-8"))
    config |= {"num_hidden_layers": N_LAYERS, "vocab_size": len(vocabulary)}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    for name in ("LICENSE", "tokenizer_config.json"):
        shutil.copy(MODEL / name, folder / name)


def main(corpus: Path, folder: Path) -> None:
    """Write everything."""
    books = lzma.decompress(corpus.read_bytes()).decode("utf-8").split("\n\n")
    pieces = (MODEL / "vocab.txt").read_text(encoding="utf-8").splitlines()
    known = {piece for piece in pieces if piece.isascii() and piece.isalpha()}
    n_kept = len(books) - len(books) // 10
    texts: set[str] = set()
    for name, of in (("test", books[n_kept:]), ("train", books[:n_kept])):
        rows = sentences(of, known, texts)
        print(f"{name}: {len(rows)} sentences of {len(of)} novels")
        write(folder / f"{name}.tsv.xz", rows)
        write(ROOT / "resources" / "lessons" / "questions" / f"{name}.tsv.xz", rows[: N_LESSON[name]])
    write_start(folder / "start", pieces)


main(*map(Path, sys.argv[1:]))
