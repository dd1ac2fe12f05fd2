"""Words that chat templates treat as commands, by the families of models that do.

An endpoint that tokenises a request with such words enabled takes them for turns, tools or the end
of the text, wherever they occur. Collected from the published templates and tokenizer settings.
Tokenizers compare them letter by letter, so each is listed in its own case: `<PRE>` is a command
of CodeLlama, `<pre>` is HTML.

Some tokens are left out on purpose, because they are ordinary text and have no meaning for turns or
tools: the HTML of Gemma (`<table>`, `<h1>`), the marks of pictures in the first Qwen-VL (`<img>`,
`<ref>`, `<box>`), the placeholders of StarCoder2 (`<NAME>`, `<EMAIL>`).
"""

from __future__ import annotations

# Every token that begins with "<|" or "[|", the bar full-width or not, is covered by that alone:
# ChatML, GPT, Llama 3 and 4, Phi, Qwen, GLM, Granite, Command, Falcon, OLMo, Kimi, gpt-oss,
# DeepSeek, Hunyuan, EXAONE and others. So is a lower-case word that ends in "|>", as in Gemma 4.

ANGLED = (
    # SentencePiece, Llama 2, Mistral, T5, BERT and their heirs
    *("s", "unk", "pad", "mask", "cls", "sep", "bos", "eos", "eod", "eop", "sop", "eot", "eom"),
    *("bos_token", "eos_token", "pad_token", "unk_token", "mask_token", "cls_token", "sep_token"),
    *("beginoftext", "startoftext", "endoftext", "start_of_text", "end_of_text"),
    # Gemma, Gemma 3n and FunctionGemma
    *("start_of_turn", "end_of_turn", "start_of_image", "end_of_image", "image_soft_token"),
    *("start_of_audio", "end_of_audio", "audio_soft_token", "2mass"),
    *("start_function_call", "end_function_call", "start_function_response"),
    *("end_function_response", "start_function_declaration", "end_function_declaration", "escape"),
    # Qwen, DeepSeek, Hermes, GLM, Nemotron: thinking and tools
    *("think", "thinking", "answer", "tool_calls", "tool_responses", "tools", "tool_call_begin"),
    *("tool_call_end", "toolcall", "TOOLCALL", "available_tools", "AVAILABLE_TOOLS", "tool_list"),
    *("TOOL_RESPONSE", "function_calls", "function_call", "function_response", "arg_key"),
    "arg_value",
    # Command
    *("PAD", "UNK", "CLS", "SEP", "MASK_TOKEN", "BOS_TOKEN", "EOS_TOKEN", "EOP_TOKEN", "EOT_TOKEN"),
    # MiniMax
    *("minimax:tool_call", "begin_of_image", "fim_hole", "jupyter_error", "add_file"),
    *("delete_file", "rename_file", "edit_file", "code_interpreter", "commit_message"),
    *("beginning_of_sentence", "end_of_sentence"),
    # InternLM, Yi, Aquila
    *("eoh", "eoa", "eosys", "eoi"),
    # StarCoder, SmolLM2, Granite, CodeLlama: repositories, and filling in the middle
    *("fim_prefix", "fim_middle", "fim_suffix", "fim_pad", "file_sep", "repo_name", "reponame"),
    *("filename", "gh_stars", "issue_start", "issue_comment", "issue_closed", "jupyter_start"),
    *("jupyter_text", "jupyter_code", "jupyter_output", "jupyter_script", "empty_output"),
    *("commit_before", "commit_msg", "commit_after", "pr", "pr_status", "pr_is_merged", "pr_base"),
    *("pr_file", "pr_base_code", "pr_diff", "pr_diff_hunk", "pr_comment", "pr_event_id"),
    *("pr_review", "pr_review_state", "pr_review_comment", "pr_in_reply_to_review_id"),
    *("pr_in_reply_to_comment_id", "pr_diff_hunk_comment_line", "PRE", "SUF", "MID", "EOT"),
    # pictures: LLaVA, SmolVLM, InternVL
    *("image", "image_pad", "image_start", "image_end", "image_placeholder", "im_start", "im_end"),
    *("im_patch", "im_col_sep", "fake_token_around_image", "global-img", "end_of_utterance"),
    *("IMG_CONTEXT", "vision_start", "vision_end"),
)

WITH_ATTRIBUTES = ("invoke", "function", "parameter", "tool_call", "tool_response")
"""Angled, and a space, an equals sign or the end of the tag follows."""

FAMILIES = ("seed:[a-z_/]++", "longcat_[a-z_]++", r"row_\d++_col_\d++")
"""Angled: patterns for families with many tokens."""

NUMBERED = (
    *("unused", "unused_", "unused_token_", "UNUSED_TOKEN_", "TOKENS_UNUSED_", "reserved_"),
    *("extra_id_", "extra_", "special_", "SPECIAL_", "additional_special_token_", "mask:", "mask_"),
    *("unk_", "ctrl", "co:", "loc", "seg"),
)
"""Angled, and a number follows."""

SQUARED = (
    # Llama 2 and Mistral
    *("INST", "AVAILABLE_TOOLS", "TOOL_CALLS", "TOOL_RESULTS", "TOOL_CONTENT", "SYSTEM_PROMPT"),
    *("PREFIX", "SUFFIX", "MIDDLE", "CALL_ID", "ARGS", "THINK", "IMG", "IMG_BREAK", "IMG_END"),
    *("AUDIO", "BEGIN_AUDIO", "TRANSCRIBE", "MODEL_SETTINGS", "STREAMING_PAD", "STREAMING_WORD"),
    *("NEXT_AUDIO_TEXT", "REPEAT_AUDIO_TEXT"),
    # Gemma, Nemotron
    *("multimodal", "@BOS@", "start_header_id", "end_header_id"),
    # BERT, GLM, Kimi
    *("CLS", "SEP", "PAD", "MASK", "UNK", "BOS", "EOS", "EOT", "gMASK", "sMASK"),
)

NUMBERED_SQUARED = ("control_", "UNUSED_TOKEN_", "unused")
"""In square brackets, and a number follows."""

HEADINGS = (
    *("TITLE", "ABSTRACT", "INTRODUCTION", "SUMMARY", "COMMENT", "ANSWER", "QUESTION", "DOMAIN"),
    *("PREFIX", "SUFFIX", "MIDDLE"),
)
"""Falcon: between `>>` and `<<`."""

ROLES = ("Human", "Assistant")
"""After an empty line and before a colon: a turn, in Claude's older prompts and Falcon's."""
