"""What BertViz's neuron view shows, by Steps: cells of a notebook."""

# %% [markdown]
# # Queries, keys and their products, in a notebook
#
# BertViz's neuron view shows of one head how a weight comes out of a query and a key. Here that is Steps:
# each stage of the arithmetic, with the numbers of the model itself, whatever encoder it is.

# %%
import bertviz_app

model = bertviz_app.open_model("bert")
trace = model.trace("the cat ate the fish", "because it was hungry")
trace

# %% [markdown]
# ## The queries and the keys of one head

# %%
layer, head, query = 1, 2, 2
trace.figure("steps", layer=layer, head=head, stage="queries", token=query)

# %% [markdown]
# ## One query with every key

# %%
trace.figure("steps", layer=layer, head=head, stage="scores", token=query)

# %% [markdown]
# ## One query times one key, number by number

# %%
trace.figure("steps", layer=layer, head=head, stage="scores", token=query, key=5, products=True)

# %% [markdown]
# ## From the scores to the weights

# %%
trace.figure("steps", layer=layer, head=head, stage="softmax", token=query)

# %% [markdown]
# ## The same as arrays

# %%
import numpy as np

q, k = trace.queries[layer, head], trace.keys[layer, head]
products = q[query] * k  # [T, E]: a row for each key
scores = products.sum(1) / np.sqrt(q.shape[1])
weights = np.exp(scores - scores.max())
weights /= weights.sum()
difference = np.abs(weights - trace.attention(layer, head)[query]).max()
print(f"largest difference from the model's own weights: {difference:.0e}")

# %% [markdown]
# The whole window beside the notebook, to walk through the stages: `bertviz_app.window(trace)`, then P.
