"""The order of the batches as callbacks set it: epoch k is trained in the order of epoch k."""


def plan_of(batches):
    """Return the `BatchPlan` of a dataset of `make_batches`; None if there is no dataset.

    Raises:
        ValueError: If the dataset has no plan.
    """
    if batches is None:
        return None
    plan = getattr(batches, "plan", None)
    if plan is None:
        raise ValueError(
            "`batches` must be what `make_batches` returned; a dataset that `map` or `take` made "
            f"of it has no plan. Received: batches={batches!r}"
        )
    return plan


def begin_epoch(plan, epoch, fit):
    """Let the pass over the batches that comes next take the order of `epoch`.

    Args:
        plan: A `BatchPlan`, or None to leave the order alone.
        epoch: Number of the epoch, from 0.
        fit: Dict of the parameters of `fit`, as Keras gives them to callbacks.

    Raises:
        ValueError: If an epoch of `fit` is no pass: its batches would come from the pass before.
    """
    if plan is None:
        return
    steps = (fit or {}).get("steps")
    if steps not in (None, len(plan)):
        raise ValueError(
            f"An epoch must be one pass over the batches, {len(plan)} steps: `fit` needs no "
            f"`steps_per_epoch`. Received: steps={steps}"
        )
    plan.epoch = epoch
