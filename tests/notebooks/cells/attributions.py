"""Attributions of a classifier, as captum's tutorials have them: cells of a notebook."""

# %% [markdown]
# # What a classifier's answer rests on
#
# What tutorials on attribution do with captum's layer integrated gradients takes one call here; the baseline,
# the wrapper of the forward function and the sum over dimensions are in it.

# %%
import bertviz_app

model = bertviz_app.open_model("classifier")
text = "the cat ate the fish because it was hungry"
model.classify(text)

# %%
trace = model.trace(text)
found = model.analyse("integrated-gradients", trace, target="class", answer="positive", steps=64)
found

# %%
found.figure()

# %% [markdown]
# The attributions add up to what the answer has more than with an empty text; how far they are off:

# %%
print(f"sum {found.to_numpy().sum():+.4f}, off by {found.identity_error:.0e}")

# %% [markdown]
# Other methods on the same answer, and how far they agree:

# %%
for key in ("gradient-input", "occlusion", "shapley"):
    other = model.analyse(key, trace, target="class", answer="positive")
    largest = other.to_numpy().argmax()
    print(f"{key}: most for {largest} {trace.tokens.labels[largest]}")

# %% [markdown]
# ## The attention of the layers, beside it

# %%
model.analyse("attention-rollout", trace).figure(layer=1)
