"""The attention translator of `kerasseq.build_attention_seq2seq` in PyTorch, at its best.

The same network, operation for operation: embeddings, a bidirectional LSTM over packed sequences, a
bridge, an LSTM cell that looks at the source by additive attention before every step, a readout,
and logits by the target embedding. `load` copies the weights of a Keras model, so that both can be
seen to compute the same.

What was tried, a training step at batch 64 with 512 units on two busy cores: `nn.LSTMCell` in place
of the three products below, one product for state and context, Adam without `fused=True`, and
`torch.compile` of the step and of the whole. All lay between 790 and 950 ms with quartiles that
overlap; the compiled ones were the fastest by 3 to 5 %, after a minute of compiling, and are not
used.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

PADDING, START, END = 0, 2, 3


class Translator(nn.Module):
    """Encoder, attention, decoder.

    Args:
        source_vocab_size, target_vocab_size, embedding_dim, units, attention_units: As in
            `kerasseq.build_attention_seq2seq` with `tie_embeddings=True`.
    """

    def __init__(self, source_vocab_size, target_vocab_size, embedding_dim, units, attention_units):
        super().__init__()
        self.source_embedding = nn.Embedding(source_vocab_size, embedding_dim)
        self.target_embedding = nn.Embedding(target_vocab_size, embedding_dim)
        nn.init.normal_(self.target_embedding.weight, std=embedding_dim**-0.5)
        self.encoder = nn.LSTM(embedding_dim, units // 2, batch_first=True, bidirectional=True)
        self.bridge_h, self.bridge_c = nn.Linear(units, units), nn.Linear(units, units)
        self.project_keys = nn.Linear(units, attention_units, bias=False)
        self.score = nn.Linear(attention_units, 1, bias=False)
        # The cell in three parts, as only what reads the words can be done for all steps at once;
        # what reads the state asks the attention, too: one product instead of two.
        self.from_word = nn.Linear(embedding_dim, 4 * units)
        self.from_context = nn.Linear(units, 4 * units, bias=False)
        self.from_state = nn.Linear(units, 4 * units + attention_units, bias=False)
        self.readout = nn.Linear(2 * units + embedding_dim, embedding_dim)
        self.units = units

    def encode(self, source):
        """Return values, keys, mask and the decoder's first state, from ids `(batch, length)`."""
        mask = source != PADDING
        lengths = mask.sum(1).clamp(min=1)  # a row of padding only
        packed = pack_padded_sequence(
            self.source_embedding(source), lengths, batch_first=True, enforce_sorted=False
        )
        values, (h, c) = self.encoder(packed)
        values, _ = pad_packed_sequence(values, batch_first=True, total_length=source.shape[1])
        h = torch.tanh(self.bridge_h(torch.cat([h[0], h[1]], dim=-1)))
        c = torch.tanh(self.bridge_c(torch.cat([c[0], c[1]], dim=-1)))
        return values, self.project_keys(values), mask, (h, c)

    def step(self, from_word, state, values, keys, mask):
        """Take one step; return the new state and the context."""
        h, c = state
        from_state, query = self.from_state(h).split([4 * self.units, keys.shape[-1]], dim=-1)
        scores = self.score(torch.tanh(query.unsqueeze(1) + keys)).squeeze(-1)
        weights = F.softmax(scores.masked_fill(~mask, -1e9), dim=-1)
        context = torch.bmm(weights.unsqueeze(1), values).squeeze(1)
        gates = from_word + self.from_context(context) + from_state
        i, f, g, o = gates.chunk(4, dim=-1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return (torch.sigmoid(o) * torch.tanh(c), c), context

    def logits(self, h, context, embedded):
        readout = torch.tanh(self.readout(torch.cat([h, context, embedded], dim=-1)))
        return F.linear(readout, self.target_embedding.weight)

    def forward(self, source, target_in):
        """Return the logits `(batch, length, vocabulary)` under a given target."""
        values, keys, mask, state = self.encode(source)
        embedded = self.target_embedding(target_in)
        states, contexts = [], []
        for from_word in self.from_word(embedded).unbind(1):
            state, context = self.step(from_word, state, values, keys, mask)
            states.append(state[0])
            contexts.append(context)
        return self.logits(torch.stack(states, 1), torch.stack(contexts, 1), embedded)

    @torch.no_grad()
    def load(self, model):
        """Copy the weights of a `build_attention_seq2seq` model with tied embeddings."""

        def weights_of(name):
            return [torch.tensor(array) for array in model.get_layer(name).get_weights()]

        self.source_embedding.weight.copy_(*weights_of("source_embedding"))
        self.target_embedding.weight.copy_(*weights_of("target_embedding"))
        encoder = weights_of("encoder")  # kernel, recurrent kernel, bias of each direction
        for suffix, (kernel, recurrent, bias) in (("", encoder[:3]), ("_reverse", encoder[3:])):
            getattr(self.encoder, f"weight_ih_l0{suffix}").copy_(kernel.T)
            getattr(self.encoder, f"weight_hh_l0{suffix}").copy_(recurrent.T)
            getattr(self.encoder, f"bias_ih_l0{suffix}").copy_(bias)
            getattr(self.encoder, f"bias_hh_l0{suffix}").zero_()
        kernel, recurrent, bias, query_kernel, key_kernel, score_kernel = weights_of("decoder")
        width = self.target_embedding.embedding_dim
        self.from_word.weight.copy_(kernel[:width].T)
        self.from_word.bias.copy_(bias)
        self.from_context.weight.copy_(kernel[width:].T)
        self.from_state.weight.copy_(torch.cat([recurrent, query_kernel], dim=1).T)
        self.project_keys.weight.copy_(key_kernel.T)
        self.score.weight.copy_(score_kernel.T)
        for name, layer in (
            ("bridge_0", self.bridge_h),
            ("bridge_1", self.bridge_c),
            ("readout", self.readout),
        ):
            kernel, bias = weights_of(name)
            layer.weight.copy_(kernel.T)
            layer.bias.copy_(bias)


def make_training_step(model):
    """Return a function (source, target_in, target_out) -> loss that trains the model."""
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-7, fused=True)

    def train(source, target_in, target_out):
        optimizer.zero_grad(set_to_none=True)
        logits = model(source, target_in)
        loss = F.cross_entropy(
            logits.flatten(0, 1), target_out.flatten(), ignore_index=PADDING, label_smoothing=0.1
        )
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.detach()

    return train


def forbid(logits):
    """Make padding, [UNK] and [START] impossible."""
    logits[:, :END] = -math.inf
    return logits


@torch.inference_mode()
def greedy_search(model, source, max_length):
    """Return the ids of the likeliest next tokens, `(batch, steps)`, and their log-probability."""
    values, keys, mask, state = model.encode(source)
    tokens = torch.full_like(max_length, START)
    ended, found, score = max_length <= 0, [], torch.zeros(len(source))
    for position in range(1, int(max_length.max()) + 1):
        embedded = model.target_embedding(tokens)
        state, context = model.step(model.from_word(embedded), state, values, keys, mask)
        log_probs = F.log_softmax(model.logits(state[0], context, embedded), dim=-1)
        best, tokens = forbid(log_probs).max(dim=-1)
        tokens = tokens.masked_fill(ended, PADDING)
        score += best.masked_fill(ended, 0.0)
        found.append(tokens)
        ended = ended | (tokens == END) | (position >= max_length)
        if ended.all():
            break
    return torch.stack(found, 1), score


@torch.inference_mode()
def beam_search(model, source, max_length, beam_width):
    """Return the ids of the best hypothesis of every sentence, `(batch, steps)`, and its score."""
    batch, rows = len(source), len(source) * beam_width
    values, keys, mask, state = model.encode(source)
    values, keys, mask, *state = (
        tensor.repeat_interleave(beam_width, dim=0) for tensor in (values, keys, mask, *state)
    )
    limits = max_length.repeat_interleave(beam_width)
    first = torch.arange(batch).unsqueeze(1) * beam_width
    scores = torch.full((batch, beam_width), -math.inf)
    scores[:, 0] = 0.0
    tokens = torch.full((rows,), START)
    found, ended = torch.zeros((rows, 0), dtype=torch.long), limits <= 0
    for position in range(1, int(max_length.max()) + 1):
        embedded = model.target_embedding(tokens)
        state, context = model.step(model.from_word(embedded), state, values, keys, mask)
        log_probs = forbid(F.log_softmax(model.logits(state[0], context, embedded), dim=-1))
        log_probs[ended] = -math.inf
        log_probs[ended, PADDING] = 0.0  # a hypothesis that has ended costs nothing more
        total = (scores.view(-1, 1) + log_probs).view(batch, -1)
        scores, best = total.topk(beam_width, dim=-1)
        parents = (first + best // log_probs.shape[-1]).flatten()
        tokens = (best % log_probs.shape[-1]).flatten()
        # Values, keys and mask are the same for all hypotheses of a sentence: no need to move them.
        state = [tensor[parents] for tensor in state]
        found = torch.cat([found[parents], tokens.unsqueeze(1)], dim=1)
        ended = ended[parents] | (tokens == END) | (position >= limits)
        if ended.all():
            break
    return found.view(batch, beam_width, -1)[:, 0], scores[:, 0]
