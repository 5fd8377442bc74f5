"""The keys of config.json that nothing reads, and that might change what the model computes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from bertviz_app.errors import Message, shown

_MOST_NAMED = 6
_HARMLESS = re.compile(
    r"""_.*
    | architectures | auto_map | model_type | model_name | name | type | author | license | version | revision
    | .*_version | (torch_)?dtype | torchscript | quantization_config
    | id2label | label2id | num_labels | problem_type | finetuning_task | task_specific_params | .*labels?
    | (.*_)?dropout(_.*)? | .*_(prob|drop|pdrop) | (dropout|drop)_.* | init(ializer)?_.*
    | .*_init(ializer)?(_.*)?
    | .*token_id | tokenizer.* | .*_token | vocab_file | do_lower_case | add_.*_space | tie_.* | tied_.*
    | use_cache | output_.* | return_dict.* | gradient_checkpointing | chunk_size_feed_forward
    | attn_implementation
    | use_bfloat16 | tf_legacy_loss | remove_invalid_values | pruned_heads | prefix | is_encoder_decoder
    | pooler_(fc_size|num_.*|size_per_head|type|hidden_size|act.*) | directionality | languages? | lang.*
    | summary_.* | classifier_.* | sentence_transformers | sbert_.* | matryoshka_.* | prompts?
    | .*loss.* | .*smoothing | .*ignore.* | reference_compile | deterministic_.* | (repad|unpad).* | sparse_.*
    | (max|min)_length | do_sample | temperature | top_[kp] | typical_p
    | num_(beams|beam_groups|return_sequences)
    | (repetition|length|diversity)_penalty | no_repeat_ngram_size | encoder_no_repeat_ngram_size
    | bad_words_ids
    | early_stopping | exponential_decay_length_penalty | suppress_tokens | begin_suppress_tokens
    | .*_processor.*
    | cross_attention_hidden_size | (.*_)?decoder(_.*)? | dense_act_fn | is_gated_act | pretraining_tp
    | entity_.* | use_entity_aware_attention
    | legacy | max_relative_positions | position_biased_input | type_vocab_size | projection_dim
    | rope_theta | true_hidden_size | is_folding_model | esmfold_config | vocab_list
    | gap_size | net_structure_type | num_memory_blocks | inner_group_num | down_scale_factor""",
    re.VERBOSE,
)
"""What concerns training, generation, tokens, labels or storage; what only another setting or a tensor of the
weights brings into use, and that is read; the last are of old files and never used."""


class ReadKeys(dict[str, object]):
    """The settings of a config.json, which remember which of their keys were looked up."""

    def __init__(self, settings: Mapping[str, object]) -> None:
        super().__init__(settings)
        self.read: set[str] = set()

    def __getitem__(self, key: str) -> object:
        """Return the value at `key`."""
        self.read.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: object = None) -> object:
        """Return the value at `key`, else `default`."""
        self.read.add(key)
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        """Return whether there is a value at `key`."""
        self.read.add(str(key))
        return super().__contains__(key)

    def renamed(self, rename: Callable[[Mapping[str, object]], Mapping[str, object]]) -> ReadKeys:
        """Return the settings under other names; what `rename` looked up counts as looked up."""
        found = ReadKeys(rename(self))
        found.read |= self.read
        return found

    def unread(self) -> Iterator[str]:
        """Yield the keys that were not looked up, are not switched off, and may be of the arithmetic."""
        for key, value in self.items():
            is_off = not value or value == "absolute"
            if key not in self.read and not is_off and not _HARMLESS.fullmatch(key):
                yield key


def unread_remark(settings: ReadKeys) -> tuple[Message, ...]:
    """Return a remark that names what is not read, to be called after everything was."""
    names = [shown(key) for key in settings.unread()]
    if not names:
        return ()
    listed = ", ".join([*names[:_MOST_NAMED], *["…"] * (len(names) > _MOST_NAMED)])
    return (
        Message(
            "config.json has settings that are not known here: {0}. If they change what the model computes, "
            "the numbers are not those of its own code.",
            listed,
        ),
    )
