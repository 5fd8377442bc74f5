"""`dossier`: what the user has noted about the heads of a checkpoint."""

from __future__ import annotations

from bertviz_app.api.model import Model
from bertviz_app.errors import ArgumentError, Message
from bertviz_app.features.corpora.dossier import Dossier, DossierFile
from bertviz_app.trace import Trace
from bertviz_app.trace.indexing import described


def dossier(model: Model | Trace) -> Dossier:
    """Return what was noted in the window about the heads of a checkpoint.

    Parameters
    ----------
    model : Model or Trace
        The checkpoint, or a run of it. Notes are kept on this computer, by the fingerprint of the weights:
        the same weights in another folder have the same notes.

    Returns
    -------
    Dossier
        `dossier[0, 1]` are the notes of a head: its `note`, `tags` and `evidence`; `dossier.picture(one)` is
        the file of a picture, `dossier.save("notes.md")` writes all of it as Markdown.

    Raises
    ------
    ArgumentError
        For what is neither a model nor a trace.
    """
    if isinstance(model, Model):
        return DossierFile(model.facts.fingerprint, model.facts.name).read()
    if isinstance(model, Trace):
        return DossierFile(model.fingerprint, model.model).read()
    message = Message("Notes are kept for a model, not for {0}.", described(model))
    raise ArgumentError(message, Message("Call {0}.", "dossier(open_model())"))
