"""Payloads lose what makes them look like tags or commands, and get it back."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.growth import assert_grows_linearly
from support.hostile import made_of, texts
from tether.trust.lookalikes import ANGLED, SQUARED
from tether.trust.neutral import changed_json, neutralise, restore
from tether.trust.tag_shapes import LOOK_ALIKES, NONCED_NAMES, PLAIN_NAMES

# From the published templates and tokenizer settings of each family.
TOKENS = {
    "chatml": ["<|im_start|>", "<|im_end|>", "<|im_sep|>"],
    "gpt": ["<|endoftext|>", "<|endofprompt|>", "<|fim_prefix|>"],
    "gpt-oss": ["<|start|>", "<|channel|>", "<|message|>", "<|call|>", "<|return|>", "<|end|>"],
    "llama 2": ["[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "<s>", "</s>"],
    "llama 3": ["<|begin_of_text|>", "<|start_header_id|>", "<|eot_id|>", "<|python_tag|>"],
    "llama 4": ["<|header_start|>", "<|header_end|>", "<|eot|>"],
    "mistral": ["[AVAILABLE_TOOLS]", "[TOOL_CALLS]", "[/TOOL_RESULTS]", "[SYSTEM_PROMPT]"],
    "gemma": ["<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>", "<pad>", "<unused7>"],
    "gemma 4": ["<|turn>", "<turn|>", "<|channel>", "<channel|>"],
    "phi": ["<|user|>", "<|assistant|>", "<|system|>", "<|end|>"],
    "qwen": ["<|im_start|>", "<tool_call>", "</tool_call>", "<think>", "</think>"],
    "deepseek": [
        "<\uff5cUser\uff5c>",
        "<\uff5cAssistant\uff5c>",
        "<\uff5cbegin\u2581of\u2581sentence\uff5c>",
        "<\uff5ctool\u2581calls\u2581begin\uff5c>",
    ],
    "command": ["<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>", "<BOS_TOKEN>", "<EOS_TOKEN>"],
    "granite": ["<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>"],
    "glm": ["[gMASK]", "<sop>", "<|observation|>", "<eop>"],
    "older claude": ["\n\nHuman:", "\n\nAssistant:", "\n\r\nHuman:"],
    "exaone": ["[|user|]", "[|endofturn|]"],
    "minimax": ["]~!b[", "]~b]", "[e~[", "<minimax:tool_call>"],
    "seed": ["<seed:bos>", "<seed:think>", "</seed:think>"],
    "bert and t5": ["[CLS]", "[SEP]", "[MASK]", "<unk>", "<mask>", "<extra_id_0>"],
    "starcoder": ["<fim_prefix>", "<fim_suffix>", "<fim_middle>", "<file_sep>", "<repo_name>"],
    "starcoder and granite code": [
        *("<filename>", "<gh_stars>", "<issue_start>", "<issue_comment>", "<issue_closed>"),
        *("<jupyter_start>", "<jupyter_text>", "<jupyter_code>", "<jupyter_output>"),
        *("<empty_output>", "<commit_before>", "<commit_msg>", "<commit_after>", "<reponame>"),
        *("<pr>", "<pr_status>", "<pr_base>", "<pr_diff_hunk_comment_line>"),
    ],
    "codellama": ["<PRE>", "<SUF>", "<MID>", "<EOT>"],
    "more of minimax": [
        *("]!p~[", "]!d~[", "]<]image[>[", "]<]video[>[", "]<]speech[>[", "]<]end of image[>["),
        *("<add_file>", "<edit_file>", "<code_interpreter>", "<commit_message>", "<fim_hole>"),
    ],
    "internlm": ["<TOKENS_UNUSED_1>", "[UNUSED_TOKEN_145]", "<eoh>", "<eoa>", "<|plugin|>"],
    "more of mistral": [
        *("[IMG]", "[IMG_BREAK]", "[ARGS]", "[CALL_ID]", "[THINK]", "[/THINK]", "[control_8]"),
        *("[MODEL_SETTINGS]", "[/MODEL_SETTINGS]", "[STREAMING_PAD]", "[NEXT_AUDIO_TEXT]"),
        "<SPECIAL_36>",
    ],
    "gemma 3n": ["<start_of_audio>", "<end_of_audio>", "<audio_soft_token>", "[multimodal]"],
    "deepseek markup": ["<\uff5cDSML\uff5cinvoke", "</\uff5cDSML\uff5cinvoke>", "</|x|>"],
    "longcat": ["<longcat_s>", "<longcat_tool_call>", "</longcat_tool_call>", "<longcat_user>"],
    "more of command": ["<EOP_TOKEN>", "<PAD>", "<UNK>", "<CLS>", "<SEP>", "<MASK_TOKEN>"],
    "falcon": [
        *(">>TITLE<<", ">>ABSTRACT<<", ">>INTRODUCTION<<", ">>SUMMARY<<", ">>COMMENT<<"),
        *(">>ANSWER<<", ">>QUESTION<<", ">>DOMAIN<<", ">>PREFIX<<", ">>SUFFIX<<", ">>MIDDLE<<"),
    ],
    "smolvlm": [
        *("<image>", "<fake_token_around_image>", "<global-img>", "<row_1_col_1>"),
        "<end_of_utterance>",
    ],
    "more of seed": [
        *("<seed:tool_call>", "<seed:cot_budget_reflect>", "</seed:cot_budget_reflect>"),
        "<[begin\u2581of\u2581sentence]>",
        "<[BOS_never_used_51bce0c785ca2f68081bfa7d91973934]>",
    ],
    "nemotron": ["<TOOLCALL>", "</TOOLCALL>", "<AVAILABLE_TOOLS>", "<SPECIAL_10>"],
    "calls in markup": [
        *('<invoke name="a">', "</invoke>", '<function name="a">', "<function=a>", "</function>"),
        *('<parameter name="a">', "<parameter=a>", '<tool_call name="a">', "<tool_response\n>"),
    ],
}


@pytest.mark.parametrize(("family", "tokens"), TOKENS.items(), ids=TOKENS.keys())
def test_the_control_tokens_of_a_model_family_are_broken(family: str, tokens: list[str]) -> None:
    for token in tokens:
        neutral = neutralise(f"text {token} text")
        assert token not in neutral
        assert restore(neutral) == f"text {token} text"


@pytest.mark.parametrize("name", [*LOOK_ALIKES, *NONCED_NAMES, *PLAIN_NAMES])
@pytest.mark.parametrize("shape", ["<{}", "</{}", "< / {}", "<\n{}", "<\t/\r\n{}"])
def test_look_alikes_of_our_tags_are_broken(name: str, shape: str) -> None:
    base = name if name in PLAIN_NAMES else f"{name}_".replace("__", "_")
    for written in (base, base.upper(), base.title()):
        tag = shape.format(written) + "0>"
        assert neutralise(tag) == "&lt;" + tag[1:]
        assert restore("&lt;" + tag[1:]) == tag


@pytest.fixture(scope="module")
def folding() -> dict[str, list[str]]:
    """What folds to plain letters and signs, by the Unicode database.

    Compatibility characters of that kind lie in the first two planes only.
    """
    found: dict[str, list[str]] = {}
    for code in (*range(0x80, 0xD800), *range(0xE000, 0x20000)):
        folded = unicodedata.normalize("NFKC", chr(code)).casefold()
        if folded.isascii():
            found.setdefault(folded, []).append(chr(code))
    return found


def test_no_character_that_folds_to_a_part_of_a_tag_hides_it(folding: dict[str, list[str]]) -> None:
    assert sorted(folding["<"]) == ["\ufe64", "\uff1c"]
    for name in LOOK_ALIKES:
        tag = f"</{name}"
        for position, plain in enumerate(tag):
            for twin in folding.get(plain, ()):
                written = f"{tag[:position]}{twin}{tag[position + 1 :]}"
                assert neutralise(written) != written
                assert restore(neutralise(written)) == written


def test_no_ligature_hides_a_tag(folding: dict[str, list[str]]) -> None:
    tried = 0
    for name in LOOK_ALIKES:
        for ligature, twins in folding.items():
            position = name.find(ligature) if len(ligature) > 1 else -1
            if position >= 0:
                for twin in twins:
                    written = f"<{name[:position]}{twin}{name[position + len(ligature) :]}"
                    assert neutralise(written) == f"&lt;{written[1:]}"
                    tried += 1
    assert tried >= 10  # st, ev, in, ss, ns


def test_the_folded_form_of_a_neutral_text_has_no_tag_either() -> None:
    for written in ("\uff1c/memory_", "\ufe64\uff0fmemory_", "</\U0001d426emory_"):
        assert "</memory_" in unicodedata.normalize("NFKC", written)
        assert "</memory_" not in unicodedata.normalize("NFKC", neutralise(written))


@pytest.mark.unmeasured
@given(texts | st.text(max_size=20))
@settings(max_examples=250)
def test_a_text_comes_back_from_its_neutral_form(text: str) -> None:
    assert restore(neutralise(text)) == text


SQUARE_PIECES = ("]", "~", "~b", "!p~", "!", "b", "]~b", "&#126;", "#33;", "&#93;", ">>TITLE", "<<")
PIECES = ("&", "amp;", "lt;", "#91;", "#58;", "<", "[", "|", "x", "memory_", "INST]", "Human", ":")
MORE_PIECES = ("LT;", "\uff1c", "\U0001d425t;", "\n", "\r\n")


@pytest.mark.unmeasured
@given(made_of(PIECES + MORE_PIECES + SQUARE_PIECES, at_most=16))
@settings(max_examples=250)
def test_references_come_back_however_they_are_nested(text: str) -> None:
    neutral = neutralise(text)
    assert restore(neutral) == text
    assert restore(restore(neutralise(neutral))) == text


@pytest.mark.parametrize(
    "text",
    [
        *(
            "[INST]~b",
            "[INST]~!b[",
            "[INST]]<]image[>[",
            "]~b]~b]",
            "]~!b!p~[",
            "]!p~b",
            ">>TITLE<<s>",
        ),
        *(
            "]&#126;b",
            "]&amp;#126;b",
            "[INST]&#126;b",
            "]&lt;]",
            ">>TITLE<&lt;",
            "<[INST]>",
            "&#93;~b",
        ),
    ],
)
def test_what_makes_one_spot_is_not_rewritten_by_another(text: str) -> None:
    neutral = neutralise(text)
    assert restore(neutral) == text
    assert neutralise(neutral) != neutral or neutral == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain words",
        "if a < b and c > d: return [x, y]",
        "a <| b, and x |> f",
        "<p>Hello <b>you</b></p> &lt;p&gt; &amp; more",
        "Note: Human: is a word here",
        "Assistant: hello",
        "Human: hi\nAssistant: hello",
        "\n\nHUMAN: x",
        "<pre>code</pre> <video> <img> <ref> <audio> <box>",
        "[args] and [prefix], dict[prefix], a[inst], [Mask]",
        "vector<S> and <P> and <Image> and <THINK>",
        ">>TITLE< and cout<<title<<x and a>>B<<c",
        "a ~b !p~ ]~c ]!x [e]",
        "<functional> <parameters> <invoked>",
        "<[list]>",
        "List[int] and [1, 2] and [a](b)",
        "\u00e9t\u00e9 \u4e2d\u6587 \U0001f600 \ud800",
        "&LT;memory_ and &#60;memory_ and &lt ;memory_",
        "\uff21 is wide, &LT;memory_ is no reference",
        "<memor y_",
        "/memory_",
    ],
)
def test_clean_text_is_the_same_object(text: str) -> None:
    assert neutralise(text) is text


def test_the_restored_form_of_a_raw_look_alike_is_itself() -> None:
    assert (
        restore("<memory_ and [INST] and \uff1cmemory_") == "<memory_ and [INST] and \uff1cmemory_"
    )


def test_each_trigger_becomes_its_reference() -> None:
    assert neutralise("<memory_") == "&lt;memory_"
    assert neutralise("\uff1cmemory_") == "&#65308;memory_"
    assert neutralise("[INST]") == "&#91;INST]"
    assert neutralise("]~b]") == "]&#126;b]"
    assert neutralise("]!p~[") == "]&#33;p~["
    assert neutralise("]<]image[>[") == "]&lt;]image[>["
    assert neutralise(">>TITLE<<") == ">>TITLE<&lt;"
    assert neutralise("\nHuman: a\n\nAssistant: b") == "\nHuman&#58; a\n\nAssistant&#58; b"
    assert neutralise("&lt;memory_") == "&amp;lt;memory_"
    assert neutralise("&amp;amp;lt;memory_") == "&amp;amp;amp;lt;memory_"


def test_the_lists_of_tokens_hold_plain_words_and_each_once() -> None:
    for word in (*ANGLED, *SQUARED):
        assert re.escape(word).replace("\\-", "-") == word
    assert len(set(ANGLED)) == len(ANGLED)
    assert len(set(SQUARED)) == len(SQUARED)


@pytest.mark.unmeasured
@pytest.mark.unmeasured
@pytest.mark.parametrize(
    "unit",
    [
        "</memory_",
        "<|",
        "&amp;",
        "amp;",
        "&amp;amp;lt;memory_",
        "<",
        "< ",
        "<\n",
        " ",
        "\n",
        "\n\nHuman:",
        "[/",
        "&",
        "<a",
        "\uff1c/memory_",
        "\U0001d426",
        "\u00e9",
        "<s",
        "&#",
        "]~",
        ">>TITLE<<",
        "<a_",
    ],
)
def test_time_grows_with_the_length_only(unit: str) -> None:
    assert_grows_linearly(neutralise, unit)
    assert_grows_linearly(restore, neutralise(unit * 3))


def test_every_string_and_key_of_a_json_value_is_changed() -> None:
    value = {"<s>": ["[INST]", {"q": "<|x|>"}, ("a",)], "n": 1, "t": True, "z": None, "f": 1.5}
    neutral = changed_json(value, neutralise)
    assert neutral == {
        "&lt;s>": ["&#91;INST]", {"q": "&lt;|x|>"}, ["a"]],
        "n": 1,
        "t": True,
        "z": None,
        "f": 1.5,
    }
    assert value["<s>"][0] == "[INST]"  # type: ignore[index]  # the value given is not touched
    assert changed_json(neutral, restore) == {**value, "<s>": ["[INST]", {"q": "<|x|>"}, ["a"]]}


def test_keys_that_become_one_are_both_kept() -> None:
    def first(text: str) -> str:
        return text[:1]

    assert changed_json({"a": 1, "ab": 2, "ac": 3}, first) == {"a": 1, "a'": 2, "a''": 3}
