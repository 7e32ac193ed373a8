"""Prints random sentence pairs: `python -m kerasseq.phrasebook --config zh_en --pairs 20`."""

import argparse

from kerasseq.phrasebook.corpus import CONFIGS, TRAIN_ROOMS, make_sampler
from kerasseq.runtime import start_program


def describe(pair):
    """Return a sentence pair with its construction and alignment, as lines of text.

    A sure link reads source=target, a possible link source~target.
    """
    sure = set(pair.sure)
    links = [
        f"{pair.source_tokens[i]}{'=' if (i, j) in sure else '~'}{pair.target_tokens[j]}"
        for i, j in pair.possible
    ]
    facts = f"{pair.construction}, distance {pair.distance}, depth {pair.depth}"
    return f"{pair.source}\n{pair.target}\n    {facts}\n    {'  '.join(links)}"


def main(arguments=None):
    """Run the command line."""
    start_program()
    parser = argparse.ArgumentParser("kerasseq.phrasebook", description=__doc__)
    parser.add_argument("--config", choices=CONFIGS, default="en_fr")
    parser.add_argument("--pairs", type=int, default=20, help="how many pairs to print")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--words", type=int, help="about how many source words; by default it varies"
    )
    options = parser.parse_args(arguments)
    sampler = make_sampler(options.config, options.seed)
    for _ in range(options.pairs):
        room = options.words or sampler.choice.weighted(TRAIN_ROOMS)
        print(describe(sampler.sentence(room)))


if __name__ == "__main__":
    main()
