"""Words that chat templates treat as commands, by the families of models that do.

An endpoint that tokenises a request with such words enabled takes them for turns, tools or the end
of the text, wherever they stand. Collected from the published templates and tokenizer settings.
"""

from __future__ import annotations

# Every token that begins with "<|" or "[|", the bar full-width or not, is covered by that alone:
# ChatML, GPT, Llama 3 and 4, Phi, Qwen, GLM, Granite, Command, Falcon, OLMo, Kimi, gpt-oss,
# DeepSeek, Hunyuan, EXAONE and others. So is a word that ends in "|>", as in Gemma 4. The rest is
# listed, in lower case.

ANGLED = (
    # SentencePiece, Llama 2, Mistral, T5, BERT and their heirs
    *("s", "unk", "pad", "mask", "cls", "sep", "bos", "eos", "eod", "eop", "sop", "eot", "eom"),
    *("bos_token", "eos_token", "pad_token", "unk_token", "mask_token", "cls_token", "sep_token"),
    # Gemma and FunctionGemma
    *("start_of_turn", "end_of_turn", "start_of_image", "end_of_image", "image_soft_token"),
    *("start_function_call", "end_function_call", "start_function_response"),
    *("end_function_response", "start_function_declaration", "end_function_declaration", "escape"),
    # Qwen, DeepSeek, Hermes, GLM, Nemotron: thinking and tools
    *("think", "thinking", "answer", "tool_call", "tool_calls", "tool_response", "tool_responses"),
    *("tools", "tool_call_begin", "tool_call_end", "toolcall", "available_tools", "tool_list"),
    *("function_calls", "function_call", "function_response", "invoke", "arg_key", "arg_value"),
    # MiniMax and Seed
    *("minimax:tool_call", "seed:bos", "seed:eos", "seed:pad", "seed:think", "seed:tool_call"),
    # InternLM, Yi, Aquila
    *("eoh", "eoa", "eosys", "eoi"),
    # StarCoder, CodeLlama: filling in the middle
    *("fim_prefix", "fim_middle", "fim_suffix", "fim_pad", "file_sep", "repo_name", "pre", "suf"),
    *("mid", "gh_stars", "jupyter_start", "jupyter_code", "jupyter_output", "empty_output"),
    # pictures and sounds
    *("image", "img", "audio", "video", "box", "ref", "quad"),
)

NUMBERED = ("unused", "reserved_", "extra_id_", "special_", "additional_special_token_", "mask:")
"""Angled, and a number follows."""

SQUARED = (
    # Llama 2 and Mistral
    *("inst", "available_tools", "tool_calls", "tool_results", "tool_content", "system_prompt"),
    *("prefix", "suffix", "middle", "call_id", "args", "think", "img", "img_break", "img_end"),
    *("audio", "begin_audio", "transcribe", "model_settings", "unused"),
    # BERT, GLM
    *("cls", "sep", "pad", "mask", "unk", "bos", "eos", "gmask", "smask"),
)

ROLES = ("human", "assistant")
"""After an empty line and before a colon: a turn, in Claude's older prompts and Falcon's."""
