"""Let callbacks set the order of the batches: epoch k of `fit` takes the order of epoch k."""


def plan_of(batches):
    """Return the `BatchPlan` of a dataset of `make_batches`; None for None.

    Raises:
        ValueError: If the dataset has no plan.
    """
    if batches is None:
        return None
    plan = getattr(batches, "plan", None)
    if plan is None:
        raise ValueError(
            "`batches` must be the dataset that `make_batches` returned; a dataset made from it by "
            f"`map` or `take` has no plan. Received: batches={batches!r}"
        )
    return plan


def begin_epoch(plan, epoch, fit):
    """Give the next pass over the batches the order of `epoch`.

    Args:
        plan: A `BatchPlan`, or None to leave the order alone.
        epoch: Number of the epoch, from 0.
        fit: Dict of the parameters of `fit`, the attribute `params` of a Keras callback.

    Raises:
        ValueError: If an epoch of `fit` is not one whole pass over the batches. With other
            `steps_per_epoch`, an epoch would go on with the batches of the pass before.
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
