"""The mutants: what is broken where, and the tests that ought to notice."""

# ruff: noqa: E501  (a table: one mutant a line)

from typing import NamedTuple


class Mutant(NamedTuple):
    """One way to break the package.

    Attributes:
        name: What is wrong then.
        file: The file, from `kerasseq/`.
        text: What stands there, exactly once.
        replacement: What is put in its place.
        tests: The tests to run, from `tests/`, separated by spaces.
    """

    name: str
    file: str
    text: str
    replacement: str
    tests: str


EQUATIONS = "test_cells.py::test_a_step_is_the_equations"
CONFIG = "test_cells.py::test_from_config_keeps_every_argument"
DROPOUT = "test_rnn_dropout.py"
MASKED = "test_rnn.py::test_rnn_is_the_loop"
WRITTEN_OUT = "test_bptt.py"
LOOP = "test_attention_rnn.py::test_attention_rnn_is_the_loop"
GIVEN_MASKS = "test_masking.py::test_masks_given_to_attention_rnn_by_hand_are_handed_on"

CELLS = [
    Mutant("gates swapped", "layers/lstm_cell.py", "i, f, candidate, o =", "f, i, candidate, o =", EQUATIONS),
    Mutant("candidate and output swapped", "layers/lstm_cell.py", "i, f, candidate, o =", "i, f, o, candidate =", EQUATIONS),
    Mutant("cell state without activation", "layers/lstm_cell.py", "self.activation(c)", "c", EQUATIONS),
    Mutant("candidate without activation", "layers/lstm_cell.py", "self.activation(candidate)", "candidate", EQUATIONS),
    Mutant("gates with the other activation", "layers/lstm_cell.py", "self.recurrent_activation(o)", "self.activation(o)", EQUATIONS),
    Mutant("states swapped", "layers/lstm_cell.py", "return h, [h, c]", "return h, [c, h]", EQUATIONS),
    Mutant("forget bias forgotten", "layers/lstm_cell.py", "ops.ones_like(f)", "ops.zeros_like(f)", "test_cells.py::test_a_fresh_lstm_remembers"),
    Mutant("forget bias at the input gate", "layers/lstm_cell.py", "[i, ops.ones_like(f), c, o]", "[ops.ones_like(i), f, c, o]", "test_cells.py::test_a_fresh_lstm_remembers"),
    Mutant("unit_forget_bias not in the config", "layers/lstm_cell.py", '"unit_forget_bias": self.unit_forget_bias,', "", CONFIG),
    Mutant("bias dropped", "layers/cell.py", "if self.bias is not None and first_row == 0:", "if False:", EQUATIONS),
    Mutant("bias of every part", "layers/cell.py", "is not None and first_row == 0:", "is not None:", "test_cells.py::test_features_may_be_projected_in_parts"),
    Mutant("recurrent kernel transposed", "layers/cell.py", "self.drop(h_prev, recurrent_mask), kernel)", "self.drop(h_prev, recurrent_mask), ops.transpose(kernel))", EQUATIONS),
    Mutant("dropout at inference", "layers/cell.py", "self.dropout if training else 0.0", "self.dropout", DROPOUT),
    Mutant("recurrent dropout at inference", "layers/cell.py", "self.recurrent_dropout if training else 0.0", "self.recurrent_dropout", DROPOUT),
    Mutant("recurrent dropout with the other rate", "layers/cell.py", "self.recurrent_dropout if training", "self.dropout if training", DROPOUT),
    Mutant("the same dropout at each call", "layers/cell.py", "seed=self.seed_generator)", "seed=1)", DROPOUT),
    Mutant("recurrent dropout ignored", "layers/cell.py", "self.drop(h_prev, recurrent_mask)", "h_prev", DROPOUT),
    Mutant("recurrent_dropout not in the config", "layers/cell.py", '"recurrent_dropout": self.recurrent_dropout,', "", CONFIG),
    Mutant("wrong initializer", "layers/cell.py", "initializer=self.recurrent_initializer", "initializer=self.kernel_initializer", "test_cells.py::test_initializers_reach_their_weights"),
    Mutant("wrong regularizer", "layers/cell.py", "regularizer=self.bias_regularizer", "regularizer=self.kernel_regularizer", "test_cells.py::test_regularizer_and_constraint_reach_their_weight"),
    Mutant("wrong constraint", "layers/cell.py", "constraint=self.bias_constraint", "constraint=self.kernel_constraint", "test_cells.py::test_regularizer_and_constraint_reach_their_weight"),
    Mutant("inputs of any width", "layers/cell.py", '{"features": self.kernel.shape[0]}', "{}", "test_layer_errors.py::test_a_mistake_is_explained"),
]  # fmt: skip

RECURRENCE = [
    Mutant("rnn: mask dropped beside states", "layers/rnn.py", "        mask = sequences_mask if mask is None else mask\n", "", "test_masking.py::test_a_masked_decoder_with_initial_state"),
    Mutant("rnn: sequences_mask before mask", "layers/rnn.py", "        mask = sequences_mask if mask is None else mask\n", "        mask = mask if sequences_mask is None else sequences_mask\n", "test_masking.py"),
    Mutant("rnn: mask not handed on", "layers/rnn.py", "attach_mask(output, self._output_mask(mask))", "output", "test_masking.py::test_a_mask_given_to_rnn_by_hand_is_handed_on"),
    Mutant("rnn: mask handed on unreversed", "layers/rnn.py", "ops.flip(mask, axis=1) if", "mask if", "test_rnn.py test_rnn_states.py test_keras_differences.py"),
    Mutant("rnn: mask ignored in the loop", "layers/rnn.py", "            mask,\n", "            None,\n", MASKED),
    Mutant("rnn: never backwards", "layers/rnn.py", "sequences, mask = ops.flip(sequences, axis=1), self._output_mask(mask)", "pass", "test_rnn.py::test_it_is_the_keras_layer"),
    Mutant("rnn: zero_output_for_mask forgotten", "layers/rnn.py", "zero_output_for_mask=self.zero_output_for_mask,", "", "test_rnn.py::test_it_is_the_keras_layer"),
    Mutant("rnn: recurrent dropout ignored", "layers/rnn.py", "cell.step(projected, states, recurrent_mask)", "cell.step(projected, states)", DROPOUT),
    Mutant("rnn: input dropout ignored", "layers/rnn.py", "_drop(cell, sequences, input_mask))", "sequences)", DROPOUT),
    Mutant("rnn: dropout per step in stacks", "layers/rnn.py", "stack.enter_context(cell.keep_masks(ops.shape(sequences)[0], training))", "cell.kept_masks = None, None", "test_rnn_stack.py::test_a_stack_keeps_one_dropout_mask_a_sequence"),
    Mutant("rnn: initial_state ignored", "layers/rnn.py", "            initial_state = nest(self.cell, states)", "            initial_state = None", "test_rnn.py::test_it_is_the_keras_layer test_rnn_states.py"),
    Mutant("rnn: reset_state resets nothing", "layers/rnn.py", "                state.assign(value)", "                pass", "test_rnn_states.py"),
    Mutant("rnn: features unchecked", "layers/rnn.py", '{"features": self._features}', "{}", "test_layer_errors.py::test_a_mistake_is_explained"),
    Mutant("loop: mask ignored", "layers/keras_loop.py", "loop.inner_loop(sequences, states, mask)", "loop.inner_loop(sequences, states, None)", MASKED),
    Mutant("loop: mask ignored by states of one step", "layers/keras_loop.py", "ops.where(mask, *pair)", "pair[0]", "test_rnn.py::test_a_single_step_is_a_loop_of_one"),
    Mutant("rnn: padding is read", "layers/rnn.py", "sequences = zero_padding(sequences, mask)", "pass", "test_masked_nan.py::test_rnn"),
    Mutant("rnn: layers in one another's states", "layers/rnn.py", "states[:count], states[count:]", "states[-count:], states[:-count]", "test_rnn_stack.py"),
    Mutant("stack: any width of output", "layers/cell_stack.py", "if received != expected:", "if False:", "test_decoder_stack.py::test_a_cell_that_hides_the_width_of_its_output_is_refused"),
    Mutant("decoder: the lowest layer asks", "layers/attention_loop.py", "-len(top_sizes(cell))", "0", "test_decoder_stack.py::test_the_top_layer_asks_and_the_lowest_reads_the_context"),
    Mutant("decoder: dropout anew at each step in stacks", "layers/dropout_masks.py", "stack.enter_context(single.keep_masks(batch_size, training))", "pass", "test_decoder_stack.py::test_each_cell_of_a_stack_keeps_one_dropout_mask_a_sequence"),
    Mutant("decoder: the cell's own call ignored", "layers/attention_loop.py", 'keeps(cell, RecurrentCell, "call", "project")', "isinstance(cell, RecurrentCell)", "test_exact.py"),
    Mutant("decoder: padding of the source is read", "layers/attention_rnn.py", "zero_padding(values, values_mask)", "values", "test_masked_nan.py::test_attention_rnn"),
    Mutant("decoder: begins with zeros", "layers/attention_rnn.py", 'if hasattr(self.cell, "get_initial_state"):', "if False:", "test_decoder_stack.py::test_a_cell_begins_with_the_states_that_it_makes"),
    Mutant("loop: masked output of one step", "layers/keras_loop.py", "output = ops.where(mask, output, ops.zeros_like(output))", "pass", "test_rnn.py::test_a_single_step_is_a_loop_of_one test_attention_rnn.py::test_a_single_decoder_step_is_a_loop_of_one"),
    Mutant("decoder: new state as query", "layers/attention_loop.py", "attend(states[top],", "attend(step(projected, ops.zeros_like(values[:, 0]), states)[0],", LOOP),
    Mutant("decoder: cell state as query", "layers/attention_loop.py", "attend(states[top],", "attend(states[-1],", LOOP),
    Mutant("decoder: values_mask ignored", "layers/attention_loop.py", "attend(states[top], values, keys, values_mask)", "attend(states[top], values, keys, None)", LOOP),
    Mutant("decoder: inputs_mask ignored", "layers/attention_loop.py", "states, mask, return_sequences=True", "states, None, return_sequences=True", LOOP),
    Mutant("decoder: contexts at masked steps", "layers/attention_rnn.py", "zero_padding(contexts, inputs_mask)", "contexts", LOOP),
    Mutant("decoder: weights at masked steps", "layers/attention_rnn.py", "zero_padding(weights, inputs_mask)", "weights", LOOP),
    Mutant("decoder: mask of outputs not handed on", "layers/attention_rnn.py", "return attach_mask(outputs, inputs_mask),", "return outputs,", GIVEN_MASKS),
    Mutant("decoder: mask of contexts not handed on", "layers/attention_rnn.py", "attach_mask(zero_padding(contexts, inputs_mask), inputs_mask)", "zero_padding(contexts, inputs_mask)", GIVEN_MASKS),
    Mutant("decoder: contexts promise no mask", "layers/attention_rnn.py", "return [inputs_mask, inputs_mask, None,", "return [inputs_mask, None, None,", "test_attention_rnn.py::test_attention_rnn_keeps_its_promises"),
    Mutant("decoder: keys ignored", "layers/attention_rnn.py", "        if keys is None:", "        if True:", "test_attention_rnn.py::test_given_keys_are_the_ones_that_are_compared"),
    Mutant("decoder: initial_state ignored", "layers/attention_rnn.py", "        if states is None:", "        if True:", LOOP),
    Mutant("decoder: context meets the input's rows", "layers/attention_loop.py", "first_row=inputs.shape[-1]", "first_row=0", LOOP),
    Mutant("decoder: context without dropout", "layers/attention_loop.py", "cell.drop(context, context_mask)", "context", "test_attention_rnn.py::test_attention_rnn_keeps_one_dropout_mask_a_sequence"),
    Mutant("decoder: input without dropout", "layers/attention_loop.py", "cell.drop(inputs, input_mask)", "inputs", "test_attention_rnn.py::test_attention_rnn_keeps_one_dropout_mask_a_sequence"),
    Mutant("decoder: recurrent dropout ignored", "layers/attention_loop.py", "states, recurrent_mask)", "states)", "test_attention_rnn.py::test_attention_rnn_keeps_one_recurrent_dropout_mask_a_sequence"),
    Mutant("decoder: states not cast", "layers/attention_rnn.py", "ops.cast(state, self.cell.compute_dtype)", "state", "test_attention_rnn.py::test_the_layers_may_differ_from_their_cell_in_dtype"),
    Mutant("decoder: results not cast", "layers/attention_rnn.py", "ops.cast(result, self.compute_dtype)", "result", "test_attention_rnn.py::test_the_layers_may_differ_from_their_cell_in_dtype"),
    Mutant("decoder: Keras' dropout masks kept", "layers/dropout_masks.py", "stack.callback(single.reset_dropout_mask)", "pass", "test_attention_rnn.py::test_attention_rnn_draws_dropout_anew_at_each_call"),
    Mutant("decoder: attention of other widths", "layers/attention_rnn.py", '        check_built("attention", kernels, (top_sizes(self.cell)[0], self._value_dim))', "", "test_layer_errors.py::test_an_attention_built_for_other_widths"),
]  # fmt: skip

ATTENTION = [
    Mutant("attention: softmax over the queries", "masks.py", "ops.sum(exponentials, axis=-1", "ops.sum(exponentials, axis=1", "test_attention.py"),
    Mutant("attention: bounds beyond float16", "masks.py", "_LARGEST = 65504.0", "_LARGEST = 1e9", "test_attention.py"),
    Mutant("attention: lowest score below padding", "masks.py", "ops.clip(scores, -_LARGEST, _LARGEST)", "ops.minimum(scores, _LARGEST)", "test_attention.py"),
    Mutant("attention: overflow of float16", "masks.py", "ops.clip(scores, -_LARGEST, _LARGEST)", "scores", "test_attention.py"),
    Mutant("attention: rows of padding not zero", "masks.py", "ops.where(mask, exponentials, ops.zeros_like(exponentials))", "exponentials", "test_attention.py"),
    Mutant("attention: padding may be highest", "masks.py", "ops.where(mask, scores, ops.cast(-_LARGEST, scores.dtype))", "scores", "test_attention.py"),
    Mutant("attention: rows of padding divided by zero", "masks.py", "ops.where(total > 0, total, ops.ones_like(total))", "total", "test_attention.py"),
    Mutant("attention: shifted by one", "layers/attention.py", "return context, weights", "return context, ops.roll(weights, 1, axis=-1)", "test_attention.py"),
    Mutant("attention: query ignored", "layers/attention.py", "ops.expand_dims(projected, 2)", "0 * ops.expand_dims(projected, 2)", "test_attention.py::test_it_is_the_equations"),
    Mutant("attention: without tanh", "layers/attention.py", "hidden = ops.tanh(", "hidden = (", "test_attention.py::test_it_is_the_equations"),
    Mutant("attention: keys ignored", "layers/attention.py", "self.project(values) if keys is None else keys", "self.project(values)", "test_attention.py"),
    Mutant("attention: mask of the query not handed on", "layers/attention.py", "query_mask if len(query.shape) == 3 else None", "None", "test_attention.py"),
    Mutant("attention: units not in the config", "layers/attention.py", ', "units": self.units}', "}", "test_attention.py::test_from_config_keeps_the_arguments"),
]  # fmt: skip

BPTT = [
    Mutant("bptt: derivative of the forget gate", "bptt/lstm_step.py", "f * (1 - f)", "f", WRITTEN_OUT),
    Mutant("bptt: gates swapped on the way back", "bptt/lstm_step.py", "[dz_i, dz_f, dz_c, dz_o]", "[dz_f, dz_i, dz_c, dz_o]", WRITTEN_OUT),
    Mutant("bptt: cell state's gradient forgotten", "bptt/lstm_step.py", "(dc * f,)", "(0 * dc,)", WRITTEN_OUT),
    Mutant("bptt: cell state of its own step", "bptt/lstm_step.py", "dc * previous.c *", "dc * state.c *", WRITTEN_OUT),
    Mutant("bptt: derivative of tanh", "bptt/rnn_step.py", "d_state.h * (1 - state.h * state.h)", "d_state.h * (1 - state.h)", WRITTEN_OUT),
    Mutant("bptt: states of the step after", "bptt/time_loop.py", "sequence[:-1]]", "sequence[1:]]", WRITTEN_OUT),
    Mutant("bptt: backwards from the first step", "bptt/time_loop.py", "length - 1 - count if backward else", "count if backward else", WRITTEN_OUT),
    Mutant("bptt: padding changes the states", "bptt/rnn_gradient.py", "new = where_real(mask, t, new, state)", "pass", WRITTEN_OUT),
    Mutant("bptt: padding has a gradient", "bptt/rnn_gradient.py", "dz = where_real(mask, t, dz, tf.zeros_like(dz))", "pass", WRITTEN_OUT),
    Mutant("bptt: padding stops the gradient", "bptt/rnn_gradient.py", "where_real(mask, t, d_previous, d_state), [dz]", "d_previous, [dz]", WRITTEN_OUT),
    Mutant("bptt: gradient of the last state only", "bptt/rnn_gradient.py", "d_state._replace(h=d_state.h + dh[t])", "d_state", WRITTEN_OUT),
    Mutant("bptt: outputs before the first real step", "bptt/__init__.py", "> 0)", ">= 0)", WRITTEN_OUT),
    Mutant("bptt: mask of the source ignored", "bptt/attention_step.py", "masked_softmax(scores, values_mask)", "masked_softmax(scores, None)", WRITTEN_OUT),
    Mutant("bptt: derivative of the softmax", "bptt/attention_step.py", "(d_alpha - tf.reduce_sum(alpha * d_alpha, axis=-1, keepdims=True))", "d_alpha", WRITTEN_OUT),
    Mutant("bptt: look with another query", "bptt/attention_rnn_gradient.py", "tf.matmul(before.h, weights.query_kernel)", "tf.matmul(trace.states.h[t], weights.query_kernel)", WRITTEN_OUT),
    Mutant("bptt: dropout of the context forward only", "bptt/attention_rnn_gradient.py", "constants.drop(times_transposed(dz, weights.context_kernel))", "times_transposed(dz, weights.context_kernel)", WRITTEN_OUT),
    Mutant("bptt: dropout of the context missing in its kernel", "bptt/attention_rnn_gradient.py", "weight_gradient(constants.drop(trace.contexts), dz)", "weight_gradient(trace.contexts, dz)", WRITTEN_OUT),
    Mutant("bptt: keys of the last step only", "bptt/attention_rnn_gradient.py", "(d_keys + d_hidden,", "(d_hidden,", WRITTEN_OUT),
    Mutant("bptt: padding of the target has a gradient", "bptt/attention_rnn_gradient.py", "dz = where_real(mask, t, dz, tf.zeros_like(dz))", "pass", WRITTEN_OUT),
    Mutant("bptt: gradients of gradients are wrong", "bptt/time_loop.py", "            raise NotImplementedError(", "            return gradients\n            raise NotImplementedError(", "test_bptt.py::test_gradients_of_gradients_are_refused"),
    Mutant("bptt: takes any activation", "layers/fast_path.py", "if cell.activation is not keras.activations.tanh:", "if False:", "test_bptt.py::test_what_is_not_covered_takes_the_portable_path"),
    Mutant("bptt: forgets recurrent dropout", "layers/fast_path.py", " and not (training and cell.recurrent_dropout)", "", "test_bptt.py::test_what_is_not_covered_takes_the_portable_path"),
]  # fmt: skip

MASKS_AND_SCORES = [
    Mutant("masking: True means hide", "masks.py", '    mask = ops.cast(mask, "bool")\n', '    mask = ops.logical_not(ops.cast(mask, "bool"))\n', "test_masking.py test_attention.py::test_true_means_keep_whatever_the_dtype"),
    Mutant("masking: any shape", "masks.py", "    if not fits:\n        raise", "    if False:\n        raise", "test_masking.py::test_a_wrong_shape_names_both"),
    Mutant("masking: any shape in a graph", "masks.py", "    if None in expected + received and", "    if False and", "test_masking.py::test_a_graph_that_knows_no_shapes_asserts_with_the_same_text"),
    Mutant("masking: any floats", "masks.py", '    if "float" in dtype:', "    if False:", "test_layer_errors.py::test_a_mask_of_floats_is_of_zeros_and_ones"),
    Mutant("loss: smoothing on top", "losses.py", "(1 - label_smoothing) * chosen", "chosen", "test_losses.py"),
    Mutant("loss: smoothing over the greatest logit", "losses.py", "ops.mean(logits, axis=-1, keepdims=True)", "highest", "test_losses.py"),
    Mutant("loss: gradient without smoothing", "losses.py", "1 - label_smoothing + share, share)", "1.0, 0.0)", "test_losses.py"),
    Mutant("loss: padding ids cost", "losses.py", "ops.logical_and(mask, targets != ignore_class)", "mask", "test_losses.py::test_padding_ids_cost_nothing_without_any_mask"),
    Mutant("loss: ids of no word cost something", "losses.py", "ops.zeros_like(fits) / fits", "ops.zeros_like(fits)", "test_losses.py::test_where_nothing_can_be_raised_an_id_of_no_word_costs_nan"),
    Mutant("loss: logits of padding are read", "losses.py", "ops.where(real, (upstream + poison) * slope, ops.zeros_like(slope))", "(upstream + poison) * slope", "test_losses.py::test_the_logits_of_padding_are_not_read"),
    Mutant("bptt: takes any attention", "layers/fast_path.py", "is_exactly(layer, kind) and layer.autocast", "layer.autocast", "test_exact.py"),
    Mutant("loss: gradient without its weight", "losses.py", "(upstream + poison) * slope", "slope", "test_losses.py"),
    Mutant("loss: label_smoothing not in the config", "losses.py", '"label_smoothing": self.label_smoothing,', "", "test_losses.py::test_from_config_keeps_the_arguments"),
    Mutant("metrics: padding counts", "metrics/tokens.py", "real_tokens(y_true, mask, self.ignore_class)", "y_true != self.ignore_class", "test_metrics.py::test_perplexity_leaves_masked_tokens_out"),
    Mutant("metrics: sentences instead of tokens", "metrics/tokens.py", "self.count.assign_add(ops.sum(weights))", "self.count.assign_add(ops.cast(ops.shape(values)[0], self.dtype))", "test_metrics.py::test_perplexity_weighs_batches_by_their_tokens"),
    Mutant("metrics: sample_weight ignored", "metrics/tokens.py", "weights *= sample_weight", "pass", "test_metrics.py::test_perplexity_multiplies_mask_and_sample_weight"),
    Mutant("metrics: padding may be infinite", "metrics/tokens.py", "values = ops.where(weights > 0, values, ops.zeros_like(values))", "pass", "test_metrics.py::test_a_token_of_no_weight_may_be_infinite"),
    Mutant("metrics: perplexity is the loss", "metrics/tokens.py", "ops.exp(super().result())", "super().result()", "test_metrics.py::test_perplexity_leaves_masked_tokens_out"),
    Mutant("metrics: reset keeps the count", "metrics/tokens.py", "self.count.assign(0.0)", "pass", "test_metrics.py::test_accuracy_leaves_padding_out"),
]  # fmt: skip

MODELS = [
    Mutant("models: tied embedding loses the mask", "models/seq2seq.py", "            return mask\n", "            return None\n", "test_models.py"),
    Mutant("models: embeddings mask nothing", "models/seq2seq.py", "mask_zero=True, **options)", "**options)", "test_models.py"),
    Mutant("models: source mask lost", "models/seq2seq.py", "keras.ops.not_equal(source, 0)", "keras.ops.not_equal(source, -1)", "test_models.py"),
    Mutant("models: values not flipped back", "models/seq2seq.py", "values = keras.ops.flip(values, axis=1)", "pass", "test_views.py test_models.py"),
    Mutant("models: backward encoder reads forward", "models/seq2seq.py", '"go_backwards": encoder == "backward"', '"go_backwards": False', "test_views.py test_models.py"),
    Mutant("models: bridge swaps h and C", "models/seq2seq.py", "(state) for index, state in enumerate(joined)]", "(state) for index, state in enumerate(joined[::-1])]", "test_models.py::test_bidirectional_encoder_hands_each_state_over_its_own_bridge"),
    Mutant("models: decoder begins with zeros", "models/seq2seq.py", "(embedded, initial_state=states)", "(embedded)", "test_models.py test_views.py"),
    Mutant("models: readout without context", "models/seq2seq.py", "[outputs, contexts, embedded]", "[outputs, embedded]", "test_models.py test_views.py"),
    Mutant("views: gates of the wrong step", "models/view_layers.py", "[initial_state[0][:, None], h[:, :-1]]", "[h[:, 1:], initial_state[0][:, None]]", "test_views.py::test_gate_view_rebuilds_the_cell_states"),
    Mutant("decoding: control tokens permitted", "decoding/result.py", "first = UNKNOWN if allow_unknown else END", "first = 0", "test_decoding.py"),
    Mutant("decoding: attention after the end", "decoding/result.py", "ops.where(ended, ops.zeros_like(weights), weights)", "weights", "test_decoding.py"),
    Mutant("decoding: greedy never ends", "decoding/greedy.py", "ended | (tokens == END) |", "ended |", "test_decoding.py"),
    Mutant("decoding: greedy without its limits", "decoding/greedy.py", " | (position + 1 >= max_length)", " | (position + 1 >= most)", "test_decoding.py"),
    Mutant("decoding: greedy scores padding", "decoding/greedy.py", "ops.where(ended, ops.zeros_like(scores), log_probs[:, 0])", "log_probs[:, 0]", "test_decoding.py"),
    Mutant("decoding: beam ignores the penalty", "decoding/beam.py", "/ 6.0) ** length_penalty", "/ 6.0) ** 0.0", "test_beam_search.py"),
    Mutant("decoding: beam takes another's parents", "decoding/beam.py", "[:, None] * beam_width + best // count", "+ best // count", "test_beam_search.py"),
    Mutant("decoding: beam moves no states", "decoding/beam.py", "lambda new, old: new if new is old else", "lambda new, old: new if True else", "test_beam_search.py"),
    Mutant("decoding: scores without the control tokens", "decoding/result.py", "ops.logsumexp(logits, axis", "ops.logsumexp(logits[:, END:], axis", "test_decoding.py"),
    Mutant("decoding: attention in the children's rows", "decoding/beam.py", 'step["attention_weights"], parents,', 'step["attention_weights"], rows,', "test_beam_search.py"),
    Mutant("decoding: memory for the limit", "decoding/greedy.py", "position if trim else None", "None", "test_decoding.py"),
    Mutant("decoding: beam gives up too early", "decoding/beam.py", "(bound <= to_beat)", "(to_beat > _NONE)", "test_beam_search.py"),
]  # fmt: skip

TRANSLATOR = [
    Mutant("subwords: text normalized by SentencePiece", "text/subwords.py", 'normalization_rule_name="identity"', 'normalization_rule_name="nmt_nfkc"', "test_subwords.py"),
    Mutant("subwords: spaces squeezed", "text/subwords.py", "remove_extra_whitespaces=False", "remove_extra_whitespaces=True", "test_subwords.py"),
    Mutant("subwords: no bytes", "text/subwords.py", "byte_fallback=True", "byte_fallback=False", "test_subwords.py"),
    Mutant("subwords: the first space kept", "text/subwords.py", 'regex_replace(texts, "^ ", "")', 'regex_replace(texts, "^ ", " ")', "test_subwords.py"),
    Mutant("words: a space goes to the word before", "translation/word_attention.py", "range(len(text) - 1, -1, -1)", "range(len(text))", "test_words.py"),
    Mutant("words: rows are sums", "translation/word_attention.py", "np.maximum(target_shares.sum(axis=1, keepdims=True), 1)", "1", "test_words.py"),
    Mutant("words: columns are not split", "translation/word_attention.py", "np.maximum(source_shares.sum(axis=0, keepdims=True), 1)", "1", "test_words.py"),
    Mutant("unknown: the word after the one looked at", "translation/result.py", "weights[place, 1 : len(source) + 1]", "weights[place, : len(source)]", "test_translation.py"),
    Mutant("unknown: [START] may be chosen", "decoding/result.py", "== START - first", "== -1", "test_translation.py test_decoding.py"),
    Mutant("batches: long texts in batches as large", "data/buckets.py", "batch_size * _MOST_TOKENS // np.maximum(lengths, 1)", "batch_size + 0 * lengths", "test_batching.py test_data_batches.py"),
    Mutant("batches: padded to the huge line", "data/batches.py", "text.encode_ragged(side) for", "tf.RaggedTensor.from_tensor(text.encode(side), padding=0) for", "test_data_batches.py"),
    Mutant("endless: what is filtered", "checks/endless.py", "    return any(inputs)", "    return False", "test_endless.py"),
    Mutant("endless: a part of it", "checks/endless.py", "and int(dataset._count) >= 0", "and False", "test_endless.py"),
    Mutant("batches: results in another order", "translation/batching.py", "results[row] = result", "results[start] = result", "test_batching.py"),
    Mutant("checkpoint: the optimizer is forgotten", "callbacks/checkpoint.py", "_load(model, last / _STATE)", "_load(model, last / _BEST)", "test_checkpoint.py"),
    Mutant("checkpoint: a damaged epoch counts", "callbacks/checkpoint.py", "in epochs if log]", "in epochs]", "test_checkpoint.py"),
    Mutant("file: any option is let in", "translation/model_file.py", "(other := _unknown_options(entry))", "(other := ())", "test_model_file.py"),
    Mutant("file: any number of layers", "translation/model_file.py", "_MOST_LAYERS = 100", "_MOST_LAYERS = 10**9", "test_model_file.py"),
    Mutant("probes: the product from the other side", "probes.py", "product = jacobian @ product", "product = product @ jacobian", "test_probes.py"),
    Mutant("probes: gates of the step's own output", "models/view_layers.py", "cell.gate_values(cell.project(sequences), h_prev)", "cell.gate_values(cell.project(sequences), h)", "test_probes.py"),
    Mutant("probes: gates that forget the first state", "probes.py", "initial_state=states or None", "initial_state=None", "test_probes.py"),
    Mutant("views: states are exported as a list", "models/view_layers.py", "if not (isinstance(tensors, dict)", "if True or not (isinstance(tensors, dict)", "test_views.py"),
    Mutant("views: keys of another dtype", "models/view_layers.py", '{"dtype": attention.dtype_policy, **kwargs}', "kwargs", "test_views.py"),
    Mutant("probes: the gradient depends on the batch", "probes.py", ".numpy() * len(gradient)", ".numpy()", "test_probes.py"),
    Mutant("probes: the field ends one too early", "probes.py", "return length - position", "return length - position - 1", "test_probes.py"),
    Mutant("chrono: the input gates begin open", "layers/chrono_bias.py", "[-forget, forget,", "[forget, forget,", "test_chrono.py"),
    Mutant("flow: lags from the start", "callbacks/gradient_flow.py", "norms[-1 - lag]", "norms[lag]", "test_summary_callbacks.py"),
    Mutant("gates: the least on top", "plotting/gates.py", "[::-1]", "", "test_summary_callbacks.py"),
    Mutant("checkpoint: the last weights are the best", "callbacks/checkpoint.py", "if find_best(history, self.monitor, self.mode) == len(history) - 1:", "if True:", "test_checkpoint.py"),
    Mutant("checkpoint: the order begins anew", "callbacks/checkpoint.py", "            plan.epoch = len(self.history)", "            plan.epoch = 0", "test_checkpoint.py"),
    Mutant("checkpoint: any settings will do", "callbacks/checkpoint.py", "        if changes:", "        if False:", "test_checkpoint.py"),
    Mutant("seeds: the same in each epoch", "callbacks/epoch_seeds.py", "[self.seed, epoch, index]", "[self.seed, index]", "test_checkpoint.py"),
    Mutant("average: that of the start", "callbacks/average_weights.py", "self._optimizer().finalize_variable_values(trained)", "pass", "test_checkpoint.py"),
    Mutant("average: what is frozen is left", "callbacks/average_weights.py", "averaged.assign(weight)", "pass", "test_checkpoint.py::test_the_averaged_model_has_what_is_not_trained_too"),
    Mutant("batches: a look counts", "data/batches.py", "if number == len(plan):", "if number == 1:", "test_data_batches.py::test_a_look_at_the_batches_does_not_count_as_an_epoch"),
    Mutant("order: left to the dataset", "callbacks/order.py", "    plan.epoch = epoch", "    pass", "test_data_batches.py::test_killed_and_begun_again_with_looks_the_order_is_the_uninterrupted_one"),
    Mutant("order: any number of steps", "callbacks/order.py", "if steps not in (None, len(plan)):", "if False:", "test_checkpoint.py::test_an_epoch_that_is_no_pass_over_the_batches_is_refused"),
    Mutant("checkpoint: any folder will do", "callbacks/checkpoint.py", 'if json.dumps(log["history"]) != json.dumps(self.history):', "if False:", "test_checkpoint_orders.py::test_any_order_of_calls_keeps_the_best_or_is_refused"),
    Mutant("checkpoint: any model will do", "callbacks/checkpoint.py", "if self.history and self._trained is not self.model:", "if False:", "test_checkpoint_orders.py::test_any_order_of_calls_keeps_the_best_or_is_refused"),
    Mutant("checkpoint: the number is that of the fit", "callbacks/checkpoint.py", 'f"epoch-{len(history):04}"', 'f"epoch-{len(self.model.history.epoch) + 1:04}"', "test_checkpoint_orders.py::test_any_order_of_calls_keeps_the_best_or_is_refused"),
    Mutant("checkpoint: judged by anything", "callbacks/checkpoint.py", ' | log.get("judge", {})', "", "test_checkpoint.py::test_the_best_by_another_measurement_is_not_taken_over"),
    Mutant("checkpoint: NaN is not counted", "callbacks/checkpoint.py", "0 if best is None else best + 1 :", "len(self.history) if best is None else best + 1 :", "test_checkpoint.py::test_nan_is_never_best_and_patience_counts_it"),
    Mutant("best: the first although nothing moved", "callbacks/best.py", "equal[-1:]", "equal[:1]", "test_checkpoint.py::test_the_best_is_the_first_of_the_greatest_once_they_differ"),
    Mutant("best: NaN may be", "callbacks/best.py", " if not math.isnan(value)]", "]", "test_checkpoint.py::test_the_best_is_the_first_of_the_greatest_once_they_differ"),
    Mutant("writers: closed in another's hands", "callbacks/writers.py", "_open.pop(key, None)", "_open.pop(key).writer.close() if shared else None", "test_callbacks.py::test_a_fit_goes_on_writing_after_another_has_taken_over_its_folder"),
    Mutant("writers: a beginning is nothing new", "callbacks/writers.py", "if stale or (begins and id(callback) in shared.owners):", "if stale:", "test_callbacks.py::test_logs_deleted_after_an_interrupted_fit_with_one_callback_list"),
    Mutant("chrono: drawn anew at each call", "layers/chrono_bias.py", "dtype, self._drawn))", "dtype, random.randint(1, 10**9)))", "test_chrono.py"),
    Mutant("translator: text adapted since", "translation/translator.py", "        check_text_processors(self.model, self.source_text, self.target_text)\n        sources, source_tokens = encode_rows(self.source_text, texts)", "        sources, source_tokens = encode_rows(self.source_text, texts)", "test_translator.py::test_a_text_processor_that_was_adapted_anew_is_named"),
    Mutant("file: other members are let in", "translation/model_file.py", "if other := sorted(", "if other := () and sorted(", "test_model_file.py"),
    Mutant("file: compressed members are let in", "translation/model_file.py", "if not stored or member.file_size > member.compress_size:", "if False:", "test_model_file.py"),
    Mutant("file: any layer is let in", "translation/model_file.py", 'if entry["class_name"] not in _WITH_WEIGHTS.get(name, _WITHOUT_WEIGHTS):', "if False:", "test_model_file.py"),
    Mutant("file: any module is let in", "translation/model_file.py", "or not _is_known(entry)", "", "test_model_file.py"),
    Mutant("file: any size is let in", "translation/model_file.py", "if weights * _LEAST_BYTES >", "if False and weights >", "test_model_file.py"),
    Mutant("file: LoRA is kept in the config", "translation/file.py", 'layer["config"].pop(name, None)', "pass", "test_archive.py"),
    Mutant("file: nobody reads what was written", "translation/file.py", "        _check_copy(archive, model)\n", "", "test_archive.py"),
    Mutant("file: whatever it computes is let in", "translation/file.py", "if not np.abs(received - expected).max() <=", "if False and not np.abs(found - expected).max() <=", "test_archive.py"),
    Mutant("file: quantized weights are too few bytes", "translation/model_file.py", "_LEAST_BYTES = 0.5", "_LEAST_BYTES = 2", "test_archive.py"),
    Mutant("present: LoRA passes by", "models/model_cache.py", "if state != self._state:", "if self._state is None:", "test_present.py"),
    Mutant("present: made anew at each call", "models/model_cache.py", "if state != self._state:", "if True:", "test_present.py"),
    Mutant("export: other limits", "translation/saved_model.py", "length_limits(texts, lengths - 2)", "length_limits(texts, lengths)", "test_export.py"),
    Mutant("random state: not restored", "runtime.py", "random.setstate(state)", "pass", "test_random_state.py"),
    Mutant("random state: the seeded numbers within", "runtime.py", "    random.seed()\n", "", "test_random_state.py"),
    Mutant("random state: drawn from by a copy", "translation/file.py", "with keep_random_state():\n            copy = type", "if True:\n            copy = type", "test_random_state.py"),
    Mutant("random state: drawn from by the phrasebook", "phrasebook/builder.py", "_quiet(), keep_random_state()", "_quiet()", "test_phrasebook_builder.py"),
    Mutant("random state: drawn from by TFDS", "data/tfds_sets.py", "fail_fast(), keep_random_state()", "fail_fast()", "test_data_tfds.py"),
    Mutant("bootstrap: the systems change places", "metrics/paired.py", '(("baseline", baseline), ("system", system))', '(("baseline", system), ("system", baseline))', "test_metrics.py"),
]  # fmt: skip

WHOLE = "test_spacing.py::test_every_sentence_comes_back"
KEPT = "test_spacing.py::test_a_token_keeps_what_its_neighbors_do_not_tell"

TEXT = [
    Mutant("spacing: nothing is kept", "text/spacing.py", "follows & (spaces != _expected(flat))", "follows & (flat == flat[:1])", KEPT),
    Mutant("spacing: no space is nothing to keep", "text/spacing.py", 'tf.where(spaces == "", NOTHING, spaces)', "spaces", WHOLE),
    Mutant("spacing: kept by the word rather than the mark", "text/spacing.py", "previous(rank, 0) < rank", "previous(rank, 0) > rank", KEPT),
    Mutant("spacing: kept by the word after", "text/spacing.py", 'tf.concat([after[1:], [""]], axis=0)[: tf.size(flat)]', "after", KEPT),
    Mutant("spacing: kept across texts", "text/spacing.py", "return previous(rows, -1) == rows", "return rows >= 0", "test_spacing.py"),
    Mutant("spacing: Spanish marks close", "text/spacing.py", "~opens & tf.strings", "tf.strings", KEPT),
    Mutant("spacing: clitics stand apart", "text/spacing.py", "{_CLOSING}|{_LINK}|{_CLITIC}", "{_CLOSING}|{_LINK}", KEPT),
    Mutant("vocabulary: a mark is known beside one space only", "text/vocabulary.py", "        if self._fold is None:", "        if True:", "test_spacing.py::test_a_mark_is_known_beside_any_space"),
    Mutant("vocabulary: of tokens alike the rarest", "text/vocabulary.py", "ids.setdefault(token, index)", "ids[token] = index", "test_spacing.py::test_of_tokens_alike_the_more_frequent_stands_for_an_unknown_one"),
    Mutant("vocabulary: long words are no matter", "text/vocabulary.py", "if length > _LONGEST_WORD:", "if False:", "test_spacing.py::test_word_level_says_where_it_does_not_fit"),
    Mutant("text: apostrophes are different", "text/spacing.py", """APOSTROPHE, "'")""", """"’", "’")""", "test_spacing.py::test_a_mark_is_known_beside_any_space"),
    Mutant("text: tokens show their spaces", "text/processor.py", "return write_spacing(words, spaces), words", "return write_spacing(words, spaces), write_spacing(words, spaces)", "test_spacing.py::test_the_tokens_that_are_shown_have_no_spaces"),
    Mutant("text: decoding goes on after [END]", "text/processor.py", "inside & (ids != PADDING)", "(ids != PADDING)", "test_text.py"),
    Mutant("text: the rarest words are kept", "text/processor.py", "sorted((-count, token)", "sorted((count, token)", "test_text.py"),
    Mutant("text: the control tokens do not count", "text/processor.py", "self.vocab_size - len(CONTROL_TOKENS)", "self.vocab_size", "test_text.py"),
    Mutant("tokenization: joiners are dropped", "text/tokenization.py", r"\x{2060}-\x{2064}", r"\x{200C}\x{200D}\x{2060}-\x{2064}", WHOLE),
    Mutant("tokenization: runs of spaces stay", "text/tokenization.py", r"\x{85}]{2,}", r"\x{85}]{3,}", "test_spacing.py::test_any_text_comes_back"),
    Mutant("tokenization: all spaces are one", "text/tokenization.py", r"[\s\p{Zl}\p{Zp}", r"[\s\p{Z}", WHOLE),
    Mutant("tokenization: emoji fall apart", "text/tokenization.py", r"(?:\x{{200D}}{_ONE_EMOJI})*", "", "test_tokenization.py"),
    Mutant("words: a longest match goes before the order", "translation/word_attention.py", "    if \"\".join(text[index] for index in visible) == letters:", "    if False:", "test_words.py"),
]  # fmt: skip

DATA = [
    Mutant("buckets: the last batch is full", "data/buckets.py", "batches = -(-(edges[start + 1 :] - edges[start]) // rows)", "batches = (edges[start + 1 :] - edges[start]) / rows", "test_data_batches.py"),
    Mutant("buckets: as many as there may be", "data/buckets.py", "        if smallest[-1] < best:", "        if True:", "test_data_batches.py"),
    Mutant("splits: a percent is a tenth", "data/splits.py", "/ 100 * size", "/ 10 * size", "test_data_files.py"),
    Mutant("splits: validation is trained on", "data/splits.py", 'return Splits(f"{train}[:95%]"', 'return Splits(f"{train}[:100%]"', "test_data_files.py"),
    Mutant("cleaning: an empty side is kept", "data/cleaning.py", "np.minimum(source_lengths, target_lengths) == 0", "np.maximum(source_lengths, target_lengths) == 0", "test_data_batches.py"),
]  # fmt: skip

LANGUAGES_AND_FILES = [
    Mutant("languages: Thai has spaces", "text/languages.py", '    "Thai": "THAI",\n', "", "test_languages.py"),
    Mutant("languages: parts of macrolanguages are others", "text/languages.py", "macro=True", "macro=False", "test_languages.py"),
    Mutant("languages: a territory is a language", "text/languages.py", "        return\n    right", "        return\n    return\n    right", "test_languages.py"),
    Mutant("languages: a kana makes it Japanese", "text/languages.py", "_LEAST_KANA * both", "0", "test_languages.py"),
    Mutant("languages: a rarer way to write is not kept", "data/find_languages.py", "    spelling |= {code: code for code in languages}", "    pass", "test_data_files.py"),
    Mutant("bleu: an unknown language has spaces", "metrics/corpus.py", "        return names_by_text", "        return names", "test_metrics.py::test_a_code_that_nobody_knows_leaves_the_choice_to_the_letters"),
    Mutant("bleu: without spaces as with them", "metrics/corpus.py", '_AT_SPACES if has_spaces(script) else ("char",)', "_AT_SPACES", "test_metrics.py"),
    Mutant("lines: a lone carriage return goes", "text/lines.py", "line.removesuffix(ending)", 'line.rstrip(b"\\r\\n")', "test_lines.py"),
    Mutant("lines: a mark in each line goes", "text/lines.py", " if number == 1 else line", "", "test_lines.py"),
    Mutant("files: languages have two letters", "data/find_languages.py", "[a-z]{2,3}([-_][a-z]{4})", "[a-z]{2}([-_][a-z]{4})", "test_data_files.py"),
    Mutant("sources: a folder hides a set", "data/load.py", " and is_name_of_set(dataset)", " and False", "test_data_files.py"),
    Mutant("program: characters must fit the code page", "runtime.py", 'errors="backslashreplace"', 'errors="strict"', "test_programs.py::test_a_character_that_the_encoding_lacks_is_spelt"),
    Mutant("program: the last flush is heard", "runtime.py", "        atexit.register(_flush)\n", "", "test_programs.py::test_a_closed_pipe_ends_a_program_without_a_word"),
    Mutant("program: a closed pipe is heard", "runtime.py", "        sys.excepthook = _end_quietly\n", "", "test_programs.py::test_a_closed_pipe_ends_a_program_without_a_word"),
    Mutant("curves: names are formulas", "plotting/curves.py", "text.set(**LITERAL)", "pass", "test_plotting.py::test_a_text_of_the_user_is_drawn_as_it_is"),
    Mutant("figures: dollars are formulas", "plotting/fonts.py", '"parse_math": False', '"parse_math": True', "test_plotting.py::test_a_text_of_the_user_is_drawn_as_it_is"),
]  # fmt: skip

MUTANTS = [
    *CELLS,
    *RECURRENCE,
    *BPTT,
    *ATTENTION,
    *MASKS_AND_SCORES,
    *MODELS,
    *TRANSLATOR,
    *TEXT,
    *DATA,
    *LANGUAGES_AND_FILES,
]
