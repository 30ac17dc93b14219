"""Tiny causal language models with random weights, made on the spot. They say nothing sensible, but they say it by the
same code as large ones."""

from __future__ import annotations

import string
from pathlib import Path
from typing import Any

WINDOW = 12
"""Tokens that a sliding-window layer sees."""
# Gemma's template writes the BOS that its tokenizer writes too; this one does the same.
CHAT = "{{ bos_token }}{% for m in messages %}<user>{{ m.content }}{% endfor %}<model>"
_LETTERS = string.ascii_letters + string.digits + " .:?!\nəğışöüçƏ"
_COMMON: dict[str, Any] = {
    "intermediate_size": 128,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "max_position_embeddings": 512,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}


def make_tokenizer(chat_template: str | None = CHAT) -> Any:
    """A token a letter, and a few whole words."""
    from tokenizers import Tokenizer, decoders, pre_tokenizers, processors
    from tokenizers.models import BPE
    from transformers import PreTrainedTokenizerFast

    words = ["<pad>", "<bos>", "<eos>", "<unk>", "<user>", "<model>"]
    tokenizer = Tokenizer(BPE({word: n for n, word in enumerate([*words, *_LETTERS])}, [], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    tokenizer.decoder = decoders.Fuse()
    tokenizer.add_special_tokens(words)
    tokenizer.post_processor = processors.TemplateProcessing(single="<bos> $A", special_tokens=[("<bos>", 1)])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        bos_token="<bos>",
        eos_token="<eos>",
        unk_token="<unk>",
        chat_template=chat_template,
    )


def make_model(
    folder: Path,
    kind: str = "llama",
    chat_template: str | None = CHAT,
    hidden_size: int = 64,
    tied: bool = False,
    **changes: Any,
) -> Path:
    """A model of the architecture `kind` ("llama", "gemma3", "gpt2", "mamba") in `folder`, in float32 safetensors.

    `tied` (gemma3 alone): the embeddings are the output layer too; with random weights such a model only says the last
    token again. `changes` are to its generation config.
    """
    import torch
    from transformers import AutoModelForCausalLM, Gemma3TextConfig, GPT2Config, LlamaConfig, MambaConfig

    tokenizer = make_tokenizer(chat_template)
    own = {"vocab_size": len(tokenizer), "hidden_size": hidden_size, "num_hidden_layers": 3, **_COMMON}
    if kind == "gemma3":
        kinds = ["sliding_attention", "full_attention", "sliding_attention"]
        config: Any = Gemma3TextConfig(
            **own, layer_types=kinds, sliding_window=WINDOW, query_pre_attn_scalar=16, tie_word_embeddings=tied
        )
    elif kind == "gpt2":
        ends = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
        config = GPT2Config(vocab_size=len(tokenizer), n_embd=32, n_layer=2, n_head=4, n_positions=512, **ends)
    elif kind == "mamba":
        config = MambaConfig(
            vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, state_size=4, pad_token_id=0
        )
    else:
        config = LlamaConfig(**own)
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(config)
    with torch.no_grad():
        # As they are initialised, all logits are nearly the same; spread out, answers differ from prompt to prompt.
        for weights in model.parameters():
            if weights.dim() > 1:
                weights.mul_(8)
    for name, value in changes.items():
        setattr(model.generation_config, name, value)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
