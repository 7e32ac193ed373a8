"""Decoding with the translator with attention: sentences a second.

    python benchmarks/decoding.py [--dataset FOLDER --source de --target en]

The compiled search that `kerasseq.Translator` runs against the same search in PyTorch, batched and
under `torch.inference_mode`, greedy and with a beam of 5, for 64 sentences at once and one at a
time. Both have the same weights, and both write as many tokens for each sentence as the corpus has:
the embedding of [END], which is its row of the output matrix, too, is zero, so that it is never
chosen. The tokens that the two find are compared. Each counts at its best: ours with XLA or
without, PyTorch on one core or on all.

Then 300 sentences of 40 lengths go through `Translator.translate` one at a time: how often was it
traced, and how much does memory grow after the first 100?
"""

import functools
from pathlib import Path

import lengths
import numpy as np
import timing
from timing import torch

import kerasseq
from kerasseq.decoding.compiled import CompiledSearch

BEAM_WIDTH = {"greedy": 1, "beam5": 5}
HEADER = ["search", "batch", "ours, sentences/s", "PyTorch, sentences/s", "at its best"]
HEADER += ["ours is faster", "same tokens"]


def main(arguments=None):
    parser = timing.parse(__doc__, rounds=7)
    lengths.add_options(parser)
    options = parser.parse_args(arguments)
    vocabulary, width, units = (60, 8, 16) if options.quick else (7500, 256, 512)
    many, few, sentences = (4, 2, 20) if options.quick else (64, 8, 300)
    model = build(vocabulary, width, units)
    corpus = lengths.load_corpus(options, vocabulary, 10 * many)
    rows, figures = [], {}
    for search in ("greedy", "beam5"):
        for batch_size in (many, 1):
            found = measure(
                model, search, batch_size, corpus, many if batch_size > 1 else few, options
            )
            name = f"{search}{'64' if batch_size > 1 else '1'}_vs_torch"
            figures[name] = timing.median(found["ratio"])
            rows.append([search, batch_size, *found["cells"]])
    timing.print_table(HEADER, rows)
    traces, growth = translate_one_by_one(model, vocabulary, sentences)
    print(f"{sentences} sentences one at a time: {traces} traces, memory grew by {growth} MB")
    timing.print_result(
        "decoding",
        greedy64_vs_torch=figures["greedy64_vs_torch"],
        greedy1_vs_torch=figures["greedy1_vs_torch"],
        beam5_vs_torch=figures["beam564_vs_torch"],
        traces=traces,
        memory_growth_mb=growth,
    )


def build(vocabulary, width, units):
    """Return an untrained model that never says [END]."""
    model = kerasseq.build_attention_seq2seq(
        vocabulary,
        vocabulary,
        embedding_dim=width,
        units=units,
        attention_units=width,
        tie_embeddings=True,
    )
    embedding = model.get_layer("target_embedding")
    [matrix] = embedding.get_weights()
    matrix[lengths.END] = 0  # a logit of zero is never among the five largest
    embedding.set_weights([matrix])
    return model


def measure(model, search, batch_size, corpus, sentences, options):
    """Time one kind of search; return the ratio and the cells of the table."""
    batches = []
    for start in range(0, sentences, batch_size):
        source, target = (side[start : start + batch_size] for side in corpus)
        limits = np.array([len(ids) - 1 for ids in target], "int32")
        batches.append((lengths.pad(source, max(map(len, source))), limits))
    functions = {}
    for xla in (False,) if options.quick else (False, True):
        ours = functools.partial(CompiledSearch(model, xla), beam_width=BEAM_WIDTH[search])
        functions["ours", f"XLA {'on' if xla else 'off'}"] = functools.partial(run, ours, batches)
    same = None
    if torch:
        peer = make_torch_search(model, search)
        for setting, function in timing.in_threads(lambda: [peer(*b) for b in batches]).items():
            functions["torch", setting] = function
        found = [(peer(*batch).numpy(), ours(*batch)[0].numpy()[:, 0]) for batch in batches]
        equal = np.concatenate([(one == other).all(axis=1) for one, other in found])
        same = f"{equal.mean():.0%}"
    seconds, best = timing.compete(functions, options.rounds)
    ratio = timing.ratios(seconds.get("torch"), seconds["ours"])
    speeds = [
        timing.quoted(sentences / seconds[name] if name in seconds else None)
        for name in ("ours", "torch")
    ]
    settings = f"{best['ours']}; {best.get('torch')}"
    return {"ratio": ratio, "cells": [*speeds, settings, timing.quoted(ratio), same]}


def run(search, batches):
    """Search for the translations of all batches."""
    return [np.asarray(search(*batch)[0]) for batch in batches]


def make_torch_search(model, search):
    """Return the search in PyTorch, with the weights of our model."""
    import torch_peer

    embeddings = [model.get_layer(f"{side}_embedding") for side in ("source", "target")]
    sizes = [layer.input_dim for layer in embeddings]
    decoder = model.get_layer("decoder")
    peer = torch_peer.Translator(
        *sizes, embeddings[0].output_dim, decoder.cell.units, decoder.attention.units
    )
    peer.load(model)

    def run(source, max_length):
        source, max_length = torch.from_numpy(source).long(), torch.from_numpy(max_length).long()
        if search == "greedy":
            return torch_peer.greedy_search(peer, source, max_length)[0]
        return torch_peer.beam_search(peer, source, max_length, BEAM_WIDTH[search])[0]

    return run


def translate_one_by_one(model, vocabulary, sentences):
    """Return the number of traces, and by how many MB memory grew after the first third."""
    words = [f"word{number}" for number in range(vocabulary - 4)]
    text = kerasseq.TextProcessor().adapt([" ".join(words)])
    translator = kerasseq.Translator(model, text, text)
    for number in range(sentences):
        translator.translate(" ".join(words[: 1 + number % 40]), max_length=20)
        if number == sentences // 3:
            before = resident_memory()
    traces = sum(getattr(part, "traces", 0) for part in vars(translator).values())
    growth = None if before is None else round((resident_memory() - before) / 2**20, 1)
    return traces, growth


def resident_memory():
    """Return the bytes of memory that this process holds; None where the system does not say."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    [line] = [line for line in status.read_text("utf-8").splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    main()
