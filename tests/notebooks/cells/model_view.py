"""BertViz's model view: cells of a notebook."""

# %% [markdown]
# # All layers and heads, in a notebook
#
# The calls are those of BertViz's notebook on its model view.

# %%
import torch
from transformers import AutoModel, AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

from bertviz_app import model_view

torch.set_grad_enabled(False)

# %%
model = AutoModel.from_pretrained("bert", attn_implementation="eager")
tokenizer = AutoTokenizer.from_pretrained("bert")
inputs = tokenizer("the cat ate the fish", "because it was hungry", return_tensors="pt")
attention = model(**inputs, output_attentions=True).attentions
tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
second = inputs["token_type_ids"][0].tolist().index(1)
model_view(attention, tokens, second)

# %% [markdown]
# On a light page, some layers and heads alone:

# %%
model_view(attention, tokens, second, display_mode="light", include_layers=[1], include_heads=[0, 2])

# %% [markdown]
# ## A decoder

# %%
model = AutoModelForCausalLM.from_pretrained("gpt2", attn_implementation="eager")
tokenizer = AutoTokenizer.from_pretrained("gpt2")
ids = tokenizer("the cat sat on a mat", return_tensors="pt")["input_ids"]
model_view(model(ids, output_attentions=True).attentions, tokenizer.convert_ids_to_tokens(ids[0]))

# %% [markdown]
# ## An encoder with a decoder

# %%
model = AutoModelForSeq2SeqLM.from_pretrained("t5", attn_implementation="eager")
tokenizer = AutoTokenizer.from_pretrained("t5")
read = tokenizer("the cat sat on a mat", return_tensors="pt")["input_ids"]
written = tokenizer("it was a cat", return_tensors="pt")["input_ids"]
outputs = model(input_ids=read, decoder_input_ids=written, output_attentions=True)
model_view(
    encoder_attention=outputs.encoder_attentions,
    decoder_attention=outputs.decoder_attentions,
    cross_attention=outputs.cross_attentions,
    encoder_tokens=tokenizer.convert_ids_to_tokens(read[0]),
    decoder_tokens=tokenizer.convert_ids_to_tokens(written[0]),
)
