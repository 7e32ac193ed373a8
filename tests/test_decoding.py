"""Greedy search over fake models whose right answers can be read."""

import functools

import numpy as np
import pytest
import tensorflow as tf
from keras import ops
from support.searches import ALPHABET, IDS, Script, spell

from kerasseq.decoding import beam_search, greedy_search
from kerasseq.decoding.result import most_likely_tokens


def search(words, max_length=10):
    rows = len(words)
    limits = ops.convert_to_tensor(np.broadcast_to(max_length, (rows,)).astype("int32"))
    return greedy_search(
        Script(words),
        [ops.zeros((rows,), "int32")],
        12,
        limits,
    )


def test_says_what_the_model_says_and_stops_at_the_end():
    found = search(["abc.", "de."], max_length=6)
    assert [spell(row) for row in np.array(found.tokens)] == ["abc.__", "de.___"]


def test_score_sums_the_chosen_tokens_and_the_end():
    found = search(["abc.", "de."])
    np.testing.assert_allclose(found.scores, np.log(0.9) * np.array([4, 3]), rtol=1e-5)


def test_attention_has_one_row_a_token_and_is_zero_after_the_end():
    found = search(["abc.", "de."], max_length=6)
    for weights, rows in zip(np.array(found.attention_weights), (4, 3), strict=True):
        np.testing.assert_array_equal(weights, np.eye(6, 12) * (np.arange(6) < rows)[:, None])


def test_end_as_first_token():
    """P([END]) = 0.9 at once: an empty translation that scores ln 0.9, next to a normal row."""
    found = search([".", "ab."])
    assert [spell(row)[:4] for row in np.array(found.tokens)] == [".___", "ab._"]
    assert abs(float(found.scores[0]) - -0.105361) < 1e-5


def test_tokens_after_the_end_are_not_kept():
    found = search(["a..b"])
    assert spell(np.array(found.tokens)[0]) == "a._" + "_" * 7


def test_model_that_never_ends_is_stopped():
    found = search(["aaaa"], max_length=5)
    assert spell(np.array(found.tokens)[0]) == "aaaaa"


def test_each_row_has_its_own_limit():
    found = search(["aaaa", "bbbb", "c."], max_length=np.array([2, 4, 3]))
    assert [spell(row) for row in np.array(found.tokens)] == ["aa__", "bbbb", "c.__"]


def test_limit_zero_gives_an_empty_row_with_score_zero():
    found = search(["aa", "bb"], max_length=np.array([0, 2]))
    assert [spell(row) for row in np.array(found.tokens)] == ["__", "bb"]
    assert float(found.scores[0]) == 0


def test_control_tokens_are_never_chosen():
    """A model that prefers [PAD], then [UNK], then [START], then "b" says b."""

    def step(tokens, states):
        logits = ops.convert_to_tensor([[9.0, 8.0, 7.0, 0.0, 1.0, 6.0]])
        return logits, states, ops.zeros((1, 0))

    found = greedy_search(step, [], 0, ops.convert_to_tensor([2]))
    assert spell(np.array(found.tokens)[0]) == "bb"
    expected = 2 * (6 - np.log(np.exp([9.0, 8.0, 7.0, 0.0, 1.0, 6.0]).sum()))
    assert abs(float(found.scores[0]) - expected) < 1e-5


def test_the_step_is_fed_the_token_chosen_last():
    """A model that says the next letter of the alphabet, and [END] after d."""

    def step(tokens, states):
        following = ops.where(tokens == IDS["d"], IDS["."], ops.maximum(tokens + 1, IDS["a"]))
        return ops.one_hot(following, len(ALPHABET)) * 9, states, ops.zeros((1, 0))

    found = greedy_search(step, [], 0, ops.convert_to_tensor([8]))
    assert spell(np.array(found.tokens)[0]) == "abcd.___"


def test_a_row_does_not_depend_on_the_others():
    words = ["abc.", ".", "fghij.", "d."]
    together = search(words)
    for index, word in enumerate(words):
        alone = search([word])
        assert spell(np.array(alone.tokens)[0]) == spell(np.array(together.tokens)[index])
        np.testing.assert_allclose(alone.scores[0], together.scores[index], atol=1e-6)


def test_runs_in_a_graph_with_unknown_sizes():
    signature = [tf.TensorSpec((None,), tf.int32), tf.TensorSpec((None,), tf.int32)]

    @tf.function(input_signature=signature)
    def run(last, limits):
        def step(tokens, states):  # counts down from `last` to "a", then ends
            (current,) = states
            logits = ops.one_hot(ops.where(current < IDS["a"], IDS["."], current), 14) * 9
            return logits, [current - 1], ops.zeros((tf.shape(tokens)[0], 0))

        return greedy_search(step, [last], 0, limits)

    found = run([IDS["c"], IDS["a"]], [5, 5])
    assert [spell(row) for row in np.array(found.tokens)] == ["cba._", "a.___"]
    assert run.experimental_get_tracing_count() == 1


def test_compiles_with_xla():
    def run():
        return search(["abc.", "de."], max_length=6)

    compiled = tf.function(run, jit_compile=True)()
    np.testing.assert_array_equal(compiled.tokens, run().tokens)


def test_only_unknown_may_be_allowed():
    logits = np.array([[9.0, 7.0, 8.0, 1.0, 2.0, 3.0]])  # padding, [UNK], [START], [END], …
    _, tokens = most_likely_tokens(logits, 4)
    assert ops.convert_to_numpy(tokens).tolist() == [[5, 4, 3]]
    log_probs, tokens = most_likely_tokens(logits, 4, allow_unknown=True)
    assert ops.convert_to_numpy(tokens).tolist() == [[1, 5, 4, 3]]
    expected = logits[0, [1, 5, 4, 3]] - np.log(np.exp(logits).sum())
    np.testing.assert_allclose(ops.convert_to_numpy(log_probs)[0], expected, rtol=1e-5)


class Wide(Script):
    """A script whose attention is 2¹⁸ wide: 256 GB, if it were kept for all steps to the limit."""

    def __call__(self, tokens, states):
        logits, states, _ = super().__call__(tokens, states)
        return logits, states, ops.ones((len(tokens), 2**18))


@pytest.mark.parametrize("search", [greedy_search, beam_search])
def test_memory_is_taken_for_what_is_written(search):
    limits, states = ops.convert_to_tensor([2**18]), [ops.zeros((1,), "int32")]
    options = {"beam_width": 1} if search is beam_search else {}
    found = search(Wide(["ab."]), states, 2**18, limits, trim=True, **options)
    assert spell(np.array(found.tokens).ravel()) == "ab."
    assert found.attention_weights.shape[-2:] == (3, 2**18)


@pytest.mark.parametrize("trim", [False, True])
@pytest.mark.parametrize("steps", [None, 9])
def test_results_may_be_cut_behind_their_longest_row(steps, trim):
    limits, states = ops.convert_to_tensor([6, 6]), [ops.zeros((2,), "int32")]
    found = greedy_search(Script(["abc.", "d."]), states, 12, limits, steps, trim=trim)
    width = 4 if trim else steps or 6
    assert spell(np.array(found.tokens)[1]) == "d.".ljust(width, "_")
    assert found.attention_weights.shape == (2, width, 12)


def test_attention_need_not_be_kept():
    limits, states = ops.convert_to_tensor([6, 6]), [ops.zeros((2,), "int32")]
    run = functools.partial(greedy_search, Script(["abc.", "d."]), states, 12, limits)
    found, expected = run(keep_attention=False), run()
    np.testing.assert_array_equal(found.tokens, expected.tokens)
    np.testing.assert_array_equal(found.scores, expected.scores)
    assert found.attention_weights.shape == (2, 6, 0)
