"""The four control tokens. Their ids are fixed; no text of a user ever becomes one."""

PADDING, UNKNOWN, START, END = 0, 1, 2, 3
CONTROL_TOKENS = ("[PAD]", "[UNK]", "[START]", "[END]")
