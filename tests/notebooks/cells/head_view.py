"""BertViz's head view: cells of a notebook, each after a line with two per cent signs."""

# %% [markdown]
# # Lines of attention, in a notebook
#
# The calls are those of BertViz's notebook on its head view; the import is from `bertviz_app`.

# %%
from typing import Any

import torch
from transformers import AutoModel, AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

from bertviz_app import head_view

torch.set_grad_enabled(False)


def load(name: str, kind: Any = AutoModel) -> tuple[Any, Any]:
    """Return a model whose attention can be read, and its tokenizer."""
    return kind.from_pretrained(name, attn_implementation="eager"), AutoTokenizer.from_pretrained(name)


# %% [markdown]
# ## Two sentences, as an encoder reads them

# %%
model, tokenizer = load("bert")
inputs = tokenizer("the cat ate", "it was hungry", return_tensors="pt")
attention = model(**inputs, output_attentions=True).attentions
tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
second = inputs["token_type_ids"][0].tolist().index(1)
head_view(attention, tokens, second)

# %% [markdown]
# A layer and some of its heads first:

# %%
head_view(attention, tokens, second, layer=1, heads=[0, 3])

# %% [markdown]
# ## A decoder: what comes later cannot be looked at

# %%
model, tokenizer = load("gpt2", AutoModelForCausalLM)
inputs = tokenizer("the cat sat on a mat", return_tensors="pt")
attention = model(inputs["input_ids"], output_attentions=True).attentions
head_view(attention, tokenizer.convert_ids_to_tokens(inputs["input_ids"][0]))

# %% [markdown]
# ## An encoder with a decoder: three kinds of attention

# %%
model, tokenizer = load("t5", AutoModelForSeq2SeqLM)
read = tokenizer("the cat sat on a mat", return_tensors="pt")["input_ids"]
written = tokenizer("it was a cat", return_tensors="pt")["input_ids"]
outputs = model(input_ids=read, decoder_input_ids=written, output_attentions=True)
head_view(
    encoder_attention=outputs.encoder_attentions,
    decoder_attention=outputs.decoder_attentions,
    cross_attention=outputs.cross_attentions,
    encoder_tokens=tokenizer.convert_ids_to_tokens(read[0]),
    decoder_tokens=tokenizer.convert_ids_to_tokens(written[0]),
)

# %% [markdown]
# ## An image: patches are tokens

# %%
model = AutoModel.from_pretrained("vit", attn_implementation="eager")
image = torch.linspace(-1, 1, 3 * 32 * 32).reshape(1, 3, 32, 32)
attention = model(pixel_values=image, output_attentions=True).attentions
side = 32 // 8
patches = ["[CLS]", *(f"{row},{column}" for row in range(side) for column in range(side))]
head_view(attention, patches)
