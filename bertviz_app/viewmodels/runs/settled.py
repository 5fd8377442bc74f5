"""`settled`: what a result of run A changes in the state of the window."""

from __future__ import annotations

from bertviz_app.text import Tokens
from bertviz_app.text.edits import NO_EDITS
from bertviz_app.text.tokens import same_tokens
from bertviz_app.trace import Trace
from bertviz_app.values import replace
from bertviz_app.viewmodels.options import NOTHING, Pair
from bertviz_app.viewmodels.runs.run import Shown, written
from bertviz_app.viewmodels.state import OtherRun, WindowState


def settled(state: WindowState, before: Shown | None, now: Shown, *, is_restored: bool) -> WindowState:
    """Return `state` once the run A that answers it is on screen, `before` being the one that was.

    What is pinned stays where the text has the same token, and the edits of run B stay where run A has what
    they name. A restored state is of the new run from the start.
    """
    trace = now.result.trace
    if before is not None and not is_restored:
        if state.pinned != NOTHING:
            state = replace(state, pinned=pair_in(state.pinned, before.result.trace, trace))
        other = None if state.other is None else _without_gone_edits(state.other, before, now)
        if other is not state.other:
            state = state.with_other(other)
    return replace(state, pinned=state.pinned.within(trace.n_tokens, trace.n_keys))


def pair_in(pair: Pair, old: Trace, new: Trace) -> Pair:
    """Return `pair` of tokens of one text in another one: none where the same tokens are not there."""
    queries, keys = same_tokens(old.tokens, new.tokens), same_tokens(old.key_tokens, new.key_tokens)
    return pair if {pair.query} <= {None, *queries} and {pair.key} <= {None, *keys} else NOTHING


def _without_gone_edits(other: OtherRun, before: Shown, now: Shown) -> OtherRun:
    """Return run B without the edits that no longer apply after run A changed.

    Another checkpoint has other heads; an intervention on tokens stays as long as the text has the same where
    they are.
    """
    one, two = before.result.request, now.result.request
    if other.ref is None and two.ref != one.ref:
        return replace(other, edits=NO_EDITS)
    if other.text is not None or (one.text, one.pair) == (two.text, two.pair):
        return other
    old, new = before.result.trace.tokens, now.result.trace.tokens

    def stays(token: int) -> bool:
        then = _written(old, one.edits.position_read(token))
        return then is not None and then == _written(new, two.edits.position_read(token))

    return replace(other, edits=other.edits.where_tokens(stays))


def _written(tokens: Tokens, position: int | None) -> tuple[int, str] | None:
    """Return the sentence of a token and what is written there, None beyond the end and for no position."""
    if position is None or position >= len(tokens):
        return None
    return int(tokens.sentences[position]), written(tokens, position)
