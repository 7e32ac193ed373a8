"""What long texts cost: seconds, and peak memory above what the process held before.

    python benchmarks/long_texts.py

Each case runs in a process of its own, after a short text for which the graphs are made, with a
small model with attention (64 units) over characters: one text whose translation never ends, as
long as the text, greedy and with a beam of 5; 16 texts of 1,000 characters whose translations end
at once; and batches of 4,095 short pairs and one line of 80,000 letters, which is dropped.
"""

import json
import subprocess
import sys
import time

import keras
import numpy as np
import timing
from decoding import resident_memory
from scaling import read_status

import kerasseq
from kerasseq.text.control_tokens import END

LETTERS = "abcdefghij"
LENGTHS = (125, 250, 500, 1000, 2000)


def main(arguments=None):
    parser = timing.parse(__doc__, rounds=1)
    parser.add_argument("--case", nargs=2, help="run one case, of one size, in this process")
    options = parser.parse_args(arguments)
    if options.case:
        name, size = options.case
        print(json.dumps(measure(*CASES[name](int(size)))))
        return
    lengths = (10, 20) if options.quick else LENGTHS
    cases = [(name, size) for name in ("greedy", "beam5") for size in lengths]
    cases += [("ends at once", 20 if options.quick else 1000)]
    cases += [("one huge line", 100 if options.quick else 80_000)]
    found = {case: run(*case, options.rounds) for case in cases}
    rows = [[name, size, *found[name, size]] for name, size in cases]
    timing.print_table(["case", "length", "seconds", "MB"], rows)
    half = [np.log2(found["beam5", size][0]) for size in lengths[-2:]]
    timing.print_result(
        "long_texts",
        beam5_doubling=round(float(half[1] - half[0]), 2),
        ends_at_once_mb=found[cases[-2]][1],
        huge_line_mb=found[cases[-1]][1],
    )


def run(name, size, rounds):
    """Return the median seconds and MB of a case, each round in a new process."""
    command = [sys.executable, __file__, "--case", name, str(size)]
    rounds = [json.loads(subprocess.check_output(command).splitlines()[-1]) for _ in range(rounds)]
    seconds, megabytes = np.median(np.array(rounds, float), axis=0)
    return round(float(seconds), 3), round(float(megabytes))


def measure(prepare, function):
    """Return seconds and MB of a call, at the peak above what was held before; NaN unless Linux."""
    prepare()
    before, begin = resident_memory(), time.perf_counter()
    function()
    seconds = time.perf_counter() - begin
    return seconds, np.nan if before is None else (read_status("VmHWM") - before) / 2**20


def make_translator(ends):
    """Return a translator that ends each translation at once, or never."""
    keras.utils.set_random_seed(0)
    text = kerasseq.TextProcessor(level="char").adapt([LETTERS])
    model = kerasseq.build_attention_seq2seq(len(text), len(text), embedding_dim=32, units=64)
    likely = 1e9 if ends else -1e9
    bias = model.get_layer("logits").bias
    bias.assign(np.where(np.arange(len(text)) == END, likely, 0))
    return kerasseq.Translator(model, text, text)


def translation(size, beam_width, texts=1, ends=False):
    translator = make_translator(ends)
    text = (LETTERS * (size // len(LETTERS) + 1))[:size]
    limit = None if ends else size
    return (
        lambda: translator.translate(["abc"], beam_width, max_length=4),
        lambda: translator.translate([text] * texts, beam_width, max_length=limit),
    )


def huge_line(size):
    text = kerasseq.TextProcessor(level="char").adapt(["a b"])
    pairs = [("a b", "a b")] * 4095 + [("a" * size, "a")]

    def make(pairs):
        kerasseq.make_batches(pairs, text, text, max_length=50, verbose=False)

    return (lambda: make(pairs[:3])), (lambda: make(pairs))


CASES = {
    "greedy": lambda size: translation(size, 1),
    "beam5": lambda size: translation(size, 5),
    "ends at once": lambda size: translation(size, 5, texts=16, ends=True),
    "one huge line": huge_line,
}


if __name__ == "__main__":
    main()
