"""Read and choose splits: "train", "train[:90%]", "train+validation"."""

import re
import typing

_PART = re.compile(r"(?P<name>[\w.-]+)(\[(?P<start>-?\d+%?)?:(?P<stop>-?\d+%?)?\])?")
_VALIDATION = ("validation", "valid", "val", "dev")  # names of one split


class Splits(typing.NamedTuple):
    """The splits for training, validation and test, in the form that `load_pairs` takes."""

    train: str
    validation: str
    test: str


class Part(typing.NamedTuple):
    """A part of a split; `start` and `stop` are None, a number ("10") or a percentage ("10%")."""

    name: str
    start: str | None
    stop: str | None

    def __str__(self):
        whole = self.start is None and self.stop is None
        return self.name if whole else f"{self.name}[{self.start or ''}:{self.stop or ''}]"

    def slice(self, size):
        """Return the part of a split with `size` rows as a slice."""
        return slice(_row(self.start, size), _row(self.stop, size))


def _row(bound, size):
    if bound is not None and bound.endswith("%"):
        return round(int(bound[:-1]) / 100 * size)
    return None if bound is None else int(bound)


def parse_split(dataset, names, split):
    """Return the parts of a split such as `"train[:10%]+test"`.

    Args:
        dataset: Name of the data set, for the error.
        names: The names of its splits.
        split: The split to read. "validation", "valid", "val" and "dev" are the same split.

    Returns:
        List of `Part`, with the names of the data set.

    Raises:
        ValueError: If `split` cannot be read, or the data set lacks the split.
    """
    parts = []
    for piece in split.split("+") if isinstance(split, str) else [""]:
        match = _PART.fullmatch(piece.strip())
        name = match and _find_name(names, match["name"])
        if not name:
            raise ValueError(
                f"`split` must be a split of {dataset}, one of {sorted(names)}, or parts and sums "
                f'such as "train[:90%]+test". Received: split={split!r}'
            )
        parts.append(Part(name, match["start"], match["stop"]))
    return parts


def _find_name(names, wanted):
    alike = _VALIDATION if wanted in _VALIDATION else (wanted,)
    return next((name for name in (wanted, *alike) if name in names), None)


def choose_splits(dataset, names):
    """Return the default splits of a data set; see `default_splits`."""
    train = _find_name(names, "train")
    if train is None:
        raise ValueError(
            "`dataset` has no training split: state the splits yourself. "
            f"Received: dataset={dataset!r} with the splits {sorted(names)}"
        )
    validation = _find_name(names, "validation")
    tests = sorted(name for name in names if name.startswith("test"))
    test = "test" if "test" in names else next(iter(tests), None)
    if validation and test:
        return Splits(train, validation, test)
    if validation or test:
        rest = f"{train}[95%:]"
        return Splits(f"{train}[:95%]", validation or rest, test or rest)
    return Splits(f"{train}[:90%]", f"{train}[90%:95%]", f"{train}[95%:]")
