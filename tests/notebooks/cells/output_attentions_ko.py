"""A Korean course's first look at attention: cells of a notebook."""

# %% [markdown]
# # BERT의 어텐션 꺼내 보기
#
# 모델에 `output_attentions=True`를 주면 레이어마다 `[배치, 헤드, 토큰, 토큰]` 모양의 텐서를 돌려줍니다.

# %%
import torch
from transformers import AutoModel, AutoTokenizer

import bertviz_app

tokenizer = AutoTokenizer.from_pretrained("bert")
model = AutoModel.from_pretrained("bert", attn_implementation="eager")

inputs = tokenizer("고양이가 배고파", return_tensors="pt")
tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
with torch.no_grad():
    outputs = model(**inputs, output_attentions=True)
print(len(outputs.attentions), "개 레이어,", tuple(outputs.attentions[0].shape))

# %% [markdown]
# ## 어텐션을 그대로 넣기

# %%
trace = bertviz_app.from_arrays(outputs.attentions, tokens)
trace

# %% [markdown]
# ## 마지막 레이어의 히트맵

# %%
trace.figure("matrix", layer=1, head=0)

# %% [markdown]
# 헤드의 평균은 배열로 계산합니다.

# %%
mean = trace.attention(1).mean(0)
print("행의 합:", mean.sum(1).round(3).tolist())

# %% [markdown]
# ## 가리켜 보기

# %%
bertviz_app.head_view(outputs.attentions, tokens)

# %% [markdown]
# ## 한국어 페이지로 저장하기

# %%
page = trace.to_html("attention.html", view="matrix", layer=1, heads=[0], language="ko")
print(f"{page}: {page.stat().st_size / 1000:.0f} kB")
