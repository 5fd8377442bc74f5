"""Ways to spoil a file: its bytes, its JSON, its tensors' header, a pickle's archive, a message's fields."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Iterator
from random import Random

_EXTREMES = (0, 1, 7, 255, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**62, 2**63 - 1, 2**63, 2**64 - 1)
_NUMBERS = (b"0", b"-1", b"1e309", b"1000000000000", b"99999999999999999999", b"0.5", b"null", b"[]", b"NaN")
_VALUES: tuple[object, ...] = (
    *(None, True, False, 0, 1, -1, 2, 10**6, 10**12, 2**63, -(2**63), 10**30, 1e-12, 0.5, 1e308),
    *(float("nan"), float("inf"), "", "a", "[UNK]", "\0", "\ud800", "고양이", "x" * 5000, "../../etc/passwd"),
    *([], [[]], {}, {"a": {}}, {"type": "Sequence"}, {"type": "BertNormalizer"}, [0, 2**63], [1, 2, 3]),
)
_HARM = (
    b"cos\nsystem\n(S'echo harm > harm'\ntR.",
    b"cbuiltins\neval\n(S'1+1'\ntR.",
    b"csubprocess\nPopen\n(S'true'\ntR.",
    b"ctorch\nload\n(S'other.bin'\ntR.",
    b"c__builtin__\ngetattr\n.",
)


def spoil_bytes(content: bytes, random: Random) -> bytes:
    """Return `content` with one to six changes, half of them near its beginning or its end."""
    spoilt = bytearray(content)
    for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
        offset = _offset(len(spoilt), random)
        random.choice(_CHANGES)(spoilt, offset, random)
    return bytes(spoilt)


def spoil_json(content: bytes, random: Random) -> bytes:
    """Return the JSON `content` with one to three of its values changed, moved or taken away."""
    value = json.loads(content)
    for _ in range(random.choice((1, 1, 2, 3))):
        value = _changed(value, random)
    if random.random() < 0.02:
        depth = random.choice((100, 5000, 100_000))
        return b"[" * depth + b"]" * depth
    return json.dumps(value, ensure_ascii=random.random() < 0.9).encode("utf-8", "surrogatepass")


def spoil_tensors(content: bytes, random: Random) -> bytes:
    """Return safetensors with another header before the same data; its length may lie."""
    (length,) = struct.unpack("<Q", content[:8])
    header, data = content[8 : 8 + length], content[8 + length :]
    changed = random.choice((spoil_json, spoil_json, spoil_bytes))(header, random)
    claimed = len(changed) if random.random() < 0.8 else random.choice(_EXTREMES)
    if random.random() < 0.1:
        data = spoil_bytes(data, random)
    return struct.pack("<Q", claimed) + changed + data


def spoil_archive(content: bytes, random: Random) -> bytes:
    """Return a file of torch.save written anew, whole as an archive, with some of what is in it changed."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w") as new:
        entries = [(entry.filename, old.read(entry)) for entry in old.infolist()]
        victim = random.randrange(len(entries))
        for number, (name, data) in enumerate(entries):
            is_pickle = name.endswith("data.pkl")
            if is_pickle and random.random() < 0.8:
                data = _spoil_pickle(data, random)
            elif number == victim:
                name, data = _spoil_entry(name, data, random)
            kind = zipfile.ZIP_DEFLATED if random.random() < 0.01 else zipfile.ZIP_STORED
            # With the time of writing in it, a file made across the turn of a second would be another one.
            new.writestr(zipfile.ZipInfo(name), data, kind)
    return made.getvalue()


def spoil_fields(content: bytes, random: Random) -> bytes:
    """Return the protobuf message `content` with some of its fields gone, doubled, moved or spoilt."""
    fields = list(_fields(content))
    for _ in range(random.choice((1, 1, 2, 5, 40))):
        index, other = random.randrange(len(fields)), random.randrange(len(fields))
        choice = random.random()
        if choice < 0.2:
            fields[index : index + random.choice((1, 1, 20))] = [fields[other]]
        elif choice < 0.4:
            fields.insert(other, fields[index])
        elif choice < 0.6:
            fields[index], fields[other] = fields[other], fields[index]
        else:
            fields[index] = spoil_bytes(fields[index], random)
    return b"".join(fields)


def _fields(content: bytes) -> Iterator[bytes]:
    """Yield the fields of a message, each with its tag; of a SentencePiece model all have a length."""
    offset = 0
    while offset < len(content):
        start, size, shift = offset, 0, 0
        offset += 1
        while True:
            size |= (content[offset] & 127) << shift
            shift, offset = shift + 7, offset + 1
            if content[offset - 1] < 128:
                break
        offset += size
        yield content[start:offset]


def _spoil_pickle(data: bytes, random: Random) -> bytes:
    if random.random() < 0.1:
        return b"\x80\x02" + random.choice(_HARM)
    if random.random() < 0.1:
        offset = random.randrange(len(data))
        return data[:offset] + random.choice(_HARM)[:-1] + data[offset:]
    return spoil_bytes(data, random)


def _spoil_entry(name: str, data: bytes, random: Random) -> tuple[str, bytes]:
    choice = random.randrange(4)
    if choice == 0:
        return random.choice((name + "x", "../" + name, name.replace("data", "atad"), "/" + name)), data
    if choice == 1:
        return name, data[: random.randrange(len(data) + 1)]
    if choice == 2:
        return name, data + bytes(random.randrange(1, 10_000))
    return name, spoil_bytes(data, random) if data else b"\xff"


def _offset(length: int, random: Random) -> int:
    if not length:
        return 0
    near = min(length, 200)
    return random.choice(
        (
            random.randrange(length),
            random.randrange(length),
            random.randrange(near),
            -random.randrange(near) - 1,
        )
    )


def _set(spoilt: bytearray, offset: int, random: Random) -> None:
    if spoilt:
        spoilt[offset % len(spoilt)] = random.randrange(256)


def _flip(spoilt: bytearray, offset: int, random: Random) -> None:
    if spoilt:
        spoilt[offset % len(spoilt)] ^= 1 << random.randrange(8)


def _cut(spoilt: bytearray, offset: int, random: Random) -> None:
    del spoilt[offset:]


def _take_out(spoilt: bytearray, offset: int, random: Random) -> None:
    start = offset % (len(spoilt) or 1)
    del spoilt[start : start + random.randrange(1, 64)]


def _put_in(spoilt: bytearray, offset: int, random: Random) -> None:
    spoilt[offset:offset] = random.randbytes(random.randrange(1, 32))


def _repeat(spoilt: bytearray, offset: int, random: Random) -> None:
    start = offset % (len(spoilt) or 1)
    spoilt[start:start] = spoilt[start : start + random.randrange(1, 200)]


def _put_number(spoilt: bytearray, offset: int, random: Random) -> None:
    start, size = offset % (len(spoilt) or 1), random.choice((2, 4, 8))
    number = random.choice(_EXTREMES) % (1 << 8 * size)
    spoilt[start : start + size] = number.to_bytes(size, random.choice(("little", "big")))


def _put_digits(spoilt: bytearray, offset: int, random: Random) -> None:
    """Put another number in the place of the next digits."""
    start = offset % (len(spoilt) or 1)
    while start < len(spoilt) and not 48 <= spoilt[start] <= 57:
        start += 1
    end = start
    while end < len(spoilt) and 48 <= spoilt[end] <= 57:
        end += 1
    spoilt[start:end] = random.choice(_NUMBERS)


def _wipe(spoilt: bytearray, offset: int, random: Random) -> None:
    start = offset % (len(spoilt) or 1)
    end = min(len(spoilt), start + random.randrange(1, 500))
    spoilt[start:end] = bytes([random.choice((0, 255, 32))]) * (end - start)


_CHANGES = (_set, _set, _flip, _flip, _cut, _take_out, _put_in, _repeat, _put_number, _put_digits, _wipe)


def _changed(value: object, random: Random) -> object:
    """Return `value` with something about one of its parts changed; the deeper, the likelier."""
    if isinstance(value, dict) and value and random.random() < 0.97:
        return _changed_object(value, random)
    if isinstance(value, list) and value and random.random() < 0.97:
        index, choice = random.randrange(len(value)), random.random()
        if choice < 0.08:
            return value[:index] + value[index + 1 :]
        if choice < 0.16:
            return value[:index] + random.choice(
                (value[index:] + value, value[::-1], value[index : index + 1] * 2)
            )
        return [*value[:index], _changed(value[index], random), *value[index + 1 :]]
    if random.random() < 0.5:
        return _alike(value, random)
    return random.choice(_VALUES)


def _changed_object(value: dict[str, object], random: Random) -> dict[str, object]:
    key, choice = random.choice(list(value)), random.random()
    if choice < 0.05:
        return {name: part for name, part in value.items() if name != key}
    if choice < 0.1:
        return value | {random.choice(("", "type", "vocab", "a", key + "x")): random.choice(_VALUES)}
    if choice < 0.15:
        other = random.choice(list(value))
        return {(other if name == key else name): part for name, part in value.items()}
    if choice < 0.2:
        return value | {key: value[random.choice(list(value))]}
    return value | {key: _changed(value[key], random)}


def _alike(value: object, random: Random) -> object:
    """Return another value of the same type."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return random.choice((value + 1, value - 1, -value, value * 2, value * 10**6, value + 2**32, 0))
    if isinstance(value, float):
        return random.choice((-value, value * 1e300, value / 1e300, 0.0, 1.0))
    if isinstance(value, str):
        cut = random.randrange(len(value) + 1)
        return random.choice((value[:cut], value[cut:], value * 2, value.swapcase(), "Metaspace", "BPE", ""))
    return value
