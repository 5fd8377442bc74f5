"""Which tokenizer class a checkpoint's files name, and which of the program's own reads its files as that."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bertviz_app.checkpoint.folder import TOKENIZER_CONFIG
from bertviz_app.errors import Message, TokenizerError, shown

AS_SAVED = "TokenizersBackend"
"""The class that takes a tokenizer.json as it is."""
_BERT = ("ConvBert", "DistilBert", "Electra", "LayoutLM", "Lxmert", "MobileBert", "SqueezeBert")
_ALIASES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(_BERT, "Bert"),
        **dict.fromkeys(("DPRContextEncoder", "DPRQuestionEncoder", "DPRReader"), "DPR"),
        **dict.fromkeys(("Bart", "LED", "Longformer"), "Roberta"),
        "FNet": "Albert",
        "KoBERT": "KoBert",
    }
)
"""Classes that read their files as another does, without "Tokenizer"."""
KNOWN = frozenset(
    {
        *(
            "Albert",
            "Bert",
            "BertJapanese",
            "Bertweet",
            "BertGeneration",
            "BigBird",
            "CLIP",
            "Camembert",
            "DPR",
            "Deberta",
            "DebertaV2",
        ),
        *("Esm", "Funnel", "Herbert", "KoBert", "Luke", "MPNet", "Phobert", "RemBert", "RoFormer", "Roberta"),
        *("Splinter", "T5", "XLMRoberta"),
    }
)
_OTHERS = frozenset(
    {
        *(
            "Barthez",
            "Bartpho",
            "BioGpt",
            "Blenderbot",
            "Canine",
            "CodeGen",
            "Cohere",
        ),
        *("CpmAnt", "Cpm", "Flaubert", "GPT2", "GPTNeoX", "Gemma", "LayoutLMv2", "LayoutLMv3", "LayoutXLM"),
        *("Llama", "MBart", "MBart50", "MLuke", "MarkupLM", "Nllb", "OpenAIGPT", "Pegasus"),
        *("ProphetNet", "Qwen2", "Reformer", "RoCBert", "Tapas", "Udop", "XGLM", "XLM", "XLNet"),
    }
)
"""Classes of `transformers` that split a text by code of their own, whatever a tokenizer.json says."""
_PYTHON_ONLY = frozenset(
    {
        *("Bartpho", "BioGpt", "Canine", "Cpm", "CpmAnt", "Flaubert", "ProphetNet"),
        *("RoCBert", "Tapas", "XLM"),
    }
)
"""Those of them that are written in Python, so that no tokenizer.json can be made of them."""
_BY_MODEL: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("bert", "convbert", "distilbert", "electra", "ernie", "layoutlm", "lxmert"), "Bert"),
        **dict.fromkeys(("megatron-bert", "mobilebert", "nezha", "nomic_bert", "squeezebert"), "Bert"),
        **dict.fromkeys(("data2vec-text", "ibert", "longformer", "mra", "roberta"), "Roberta"),
        "roberta-prelayernorm": "Roberta",
        **dict.fromkeys(("gte", "jina_embeddings_v3", "xlm-roberta", "xmod"), "XLMRoberta"),
        **dict.fromkeys(("albert", "fnet", "yoso"), "Albert"),
        "bert-generation": "BertGeneration",
        "big_bird": "BigBird",
        **dict.fromkeys(("clip", "clip_text_model"), "CLIP"),
        "camembert": "Camembert",
        "deberta": "Deberta",
        "deberta-v2": "DebertaV2",
        "dpr": "DPR",
        "esm": "Esm",
        "funnel": "Funnel",
        "luke": "Luke",
        "mpnet": "MPNet",
        "rembert": "RemBert",
        "roformer": "RoFormer",
        "splinter": "Splinter",
        **dict.fromkeys(("mt5", "t5"), "T5"),
    }
)
"""The class of a `model_type`, for a checkpoint that names none."""
_AS_SAVED_MODELS = frozenset({"modernbert", "nystromformer", "xlm-roberta-xl"})
"""Models whose tokenizer.json is taken as it is, whatever class is named."""
SAVE = "AutoTokenizer.from_pretrained(folder).backend_tokenizer.save('tokenizer.json')"
SAVE_OWN = SAVE.replace("(folder)", "(folder, trust_remote_code=True)")


def kind_of_tokenizer(
    rules: Mapping[str, object], settings: Mapping[str, object], has_json: bool
) -> str | None:
    """Return the class that the checkpoint is read as, without "Tokenizer"; None: its files decide.

    `rules` are those of tokenizer_config.json, `settings` those of config.json. Raises TokenizerError for a
    class that is not supported.
    """
    model = settings.get("model_type")
    name = declared_class(rules, settings)
    kind = _BY_MODEL.get(str(model)) if name is None else _kind(name, model)
    if kind == "XLNet" and _is_kobert(rules, model):
        return "KoBert"
    if name is not None and _has_own_code(rules) and kind != "KoBert":
        raise TokenizerError(
            _unsupported(name, Message("Its code comes with the checkpoint, and is not run.")), _save_own()
        )
    if has_json and model in _AS_SAVED_MODELS:
        return AS_SAVED
    if name is None or kind in KNOWN:
        return kind
    if kind in _OTHERS:
        raise other_class(name, Message("That class splits text in another way."))
    if not has_json:
        raise other_class(name, Message("How that class splits text is not known here."))
    return AS_SAVED


def _is_kobert(rules: Mapping[str, object], model: object) -> bool:
    """Return whether XLNet's class is named for SKT's KoBERT, whose own class derives from it.

    That is a BERT whose texts stand between [CLS] and [SEP], as XLNet's do not.
    """
    ends = [rules.get(role) for role in ("cls_token", "sep_token")]
    texts = [end.get("content") if isinstance(end, Mapping) else end for end in ends]
    return model == "bert" and texts == ["[CLS]", "[SEP]"]


def takes_json_as_it_is(rules: Mapping[str, object], settings: Mapping[str, object]) -> bool:
    """Return whether the class keeps the rules of a tokenizer.json: only its special tokens are its own."""
    name = declared_class(rules, settings) or ""
    kind = name.removesuffix("Fast").removesuffix("Tokenizer")
    return kind in ("ConvBert", "FNet") or _is_fast_dpr(name, settings.get("model_type"))


def declared_class(rules: Mapping[str, object], settings: Mapping[str, object]) -> str | None:
    """Return the name of the tokenizer class, from tokenizer_config.json, else from config.json."""
    for source in (rules, settings):
        name = source.get("tokenizer_class")
        if isinstance(name, str) and name:
            return name
    return None


def other_class(name: str, reason: Message) -> TokenizerError:
    """Return the TokenizerError for a checkpoint whose tokenizer is of a class that is not read here."""
    if _kind(name, None) == "XLNet":
        hint = Message("What can be saved as tokenizer.json has other special tokens than such a checkpoint.")
    elif _kind(name, None) in _PYTHON_ONLY:
        hint = Message(
            "No tokenizer.json can be made of that class: choose a checkpoint with another tokenizer."
        )
    else:
        hint = Message(
            "Save the fast tokenizer as tokenizer.json into a copy of the folder: {0}. Let “tokenizer_class” "
            "in {1} be “PreTrainedTokenizerFast” there.",
            SAVE,
            TOKENIZER_CONFIG,
        )
    return TokenizerError(_unsupported(name, reason), hint)


def _unsupported(name: str, reason: Message) -> Message:
    return Message(
        "The tokenizer of this checkpoint is a {0}, which is not supported. {1}", shown(name), reason
    )


def _save_own() -> Message:
    """Return the way out where the class comes with the checkpoint: who trusts that code may run it."""
    return Message(
        "If you trust that code and it has a fast tokenizer, save it as tokenizer.json into a copy of the "
        "folder: {0}. Let “tokenizer_class” in {1} be “PreTrainedTokenizerFast” there, and remove "
        "“auto_map”.",
        SAVE_OWN,
        TOKENIZER_CONFIG,
    )


def _kind(name: str, model: object) -> str:
    kind = "Bert" if _is_fast_dpr(name, model) else name.removesuffix("Fast").removesuffix("Tokenizer")
    return _ALIASES.get(kind, kind)


def _is_fast_dpr(name: str, model: object) -> bool:
    """Return whether a class of DPR's is its fast one: that of questions is not, in a model of DPR's."""
    is_of_model = name.startswith("DPRQuestionEncoder") and model == "dpr"
    return name.startswith("DPR") and name.endswith("Fast") and not is_of_model


def _has_own_code(rules: Mapping[str, object]) -> bool:
    """Return whether tokenizer_config.json names a class in a Python file of the checkpoint."""
    classes = rules.get("auto_map")
    if isinstance(classes, Mapping):
        classes = classes.get("AutoTokenizer")
    if isinstance(classes, list):
        return any(isinstance(name, str) for name in classes)
    return isinstance(classes, str)
