"""Chat templates shaped like those of the common model families, and a tokenizer of bytes to put them on.

The words in them are our own; what matters is kept: where tools, calls, results and thinking stand, what is dropped from
the past, what is trimmed, and what is refused.
"""

from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

BARE = """\
{%- for message in messages %}
{{- '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{% endif %}"""
"""No tools: they are written in the plain dialect."""

_CHATML_TOOLS = """\
{%- if tools %}
{{- '<|im_start|>system\\n' + (messages[0].content + '\\n\\n' if messages[0].role == 'system' else '') }}
{{- 'Functions that can be called:\\n<tools>' }}
{%- for tool in tools %}{{- '\\n' + (tool | tojson) }}{% endfor %}
{{- '\\n</tools>\\nA call looks like this:\\n<tool_call>\\n{"name": <name>, "arguments": <object>}\\n</tool_call><|im_end|>\\n' }}
{%- elif messages[0].role == 'system' %}
{{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}"""
_CHATML_CALLS = """\
{%- for call in message.tool_calls or [] %}
{{- '\\n' if content or not loop.first else '' }}
{{- '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' }}
{{- (call.function.arguments | tojson) + '}\\n</tool_call>' }}
{%- endfor %}
{{- '<|im_end|>\\n' }}"""
_CHATML_RESULT = """\
{{- '<|im_start|>user' if loop.first or messages[loop.index0 - 1].role != 'tool' else '' }}
{{- '\\n<tool_response>\\n' + message.content + '\\n</tool_response>' }}
{{- '<|im_end|>\\n' if loop.last or messages[loop.index0 + 1].role != 'tool' else '' }}"""

QWEN2 = (
    _CHATML_TOOLS
    + """\
{%- for message in messages %}
{%- set content = message.content %}
{%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}
{{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>\\n' }}
{%- elif message.role == 'assistant' %}
{{- '<|im_start|>assistant\\n' + content }}
"""
    + _CHATML_CALLS
    + "{%- elif message.role == 'tool' %}"
    + _CHATML_RESULT
    + """{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{% endif %}"""
)
"""Hermes: keeps everything."""

_QWEN3 = (
    _CHATML_TOOLS
    + """\
{%- set seen = namespace(last=-1) %}
{%- for message in messages %}{% if message.role == 'user' %}{% set seen.last = loop.index0 %}{% endif %}{% endfor %}
{%- for message in messages %}
{%- set content = message.content %}
{%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}
{{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>\\n' }}
{%- elif message.role == 'assistant' %}
{%- set thought = message.reasoning_content or '' %}
{{- '<|im_start|>assistant\\n' }}
{%- if loop.index0 > seen.last and (loop.last or thought) %}
{{- '<think>\\n' + thought.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}
{%- else %}{{- content }}{% endif %}
"""
    + _CHATML_CALLS
    + "{%- elif message.role == 'tool' %}"
    + _CHATML_RESULT
    + """{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\nOPENED' }}{% endif %}"""
)
QWEN3 = _QWEN3.replace("OPENED", "")
"""Hermes: the thinking of replies before the last user message is dropped."""
QWEN3_THINKING = _QWEN3.replace("OPENED", "<think>\\n")
"""The same, and the prompt itself opens the thinking."""

LLAMA3 = """\
{{- bos_token }}
{%- if messages[0].role == 'system' %}
{%- set system = messages[0].content | trim %}{% set messages = messages[1:] %}
{%- else %}{% set system = '' %}{% endif %}
{{- '<|start_header_id|>system<|end_header_id|>\\n\\n' + ('Environment: ipython\\n' if tools else '') + system + '<|eot_id|>' }}
{%- if tools %}
{%- if not messages %}{{- raise_exception('tools need a first user message') }}{% endif %}
{{- '<|start_header_id|>user<|end_header_id|>\\n\\nAnswer with {"name": ..., "parameters": ...} to call one of:\\n\\n' }}
{%- for tool in tools %}{{- (tool | tojson(indent=4)) + '\\n\\n' }}{% endfor %}
{{- (messages[0].content | trim) + '<|eot_id|>' }}
{%- set messages = messages[1:] %}
{%- endif %}
{%- for message in messages %}
{%- if message.role == 'tool' %}
{{- '<|start_header_id|>ipython<|end_header_id|>\\n\\n' + ({'output': message.content} | tojson) + '<|eot_id|>' }}
{%- elif 'tool_calls' in message %}
{%- if message.tool_calls | length != 1 %}{{- raise_exception('only one tool call at once') }}{% endif %}
{%- set call = message.tool_calls[0].function %}
{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{{- '{"name": "' + call.name + '", "parameters": ' + (call.arguments | tojson) + '}<|eot_id|>' }}
{%- else %}
{{- '<|start_header_id|>' + message.role + '<|end_header_id|>\\n\\n' + (message.content | trim) + '<|eot_id|>' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}"""
"""Trims, writes one call at most, and drops what was said beside it."""

_MISTRAL = """\
{%- if messages[0].role == 'system' %}
{%- set system = messages[0].content %}{% set messages = messages[1:] %}
{%- endif %}
{%- set users = messages | selectattr('role', 'equalto', 'user') | list %}
{%- set turns = namespace(count=0) %}
{%- for message in messages if message.role != 'tool' and not message.tool_calls %}
{%- if (message.role == 'user') != (turns.count % 2 == 0) %}{{- raise_exception('roles must alternate') }}{% endif %}
{%- set turns.count = turns.count + 1 %}
{%- endfor %}
{{- bos_token }}
{%- for message in messages %}
{%- if message.role == 'user' %}
{%- if tools and message == users[-1] %}{{- '[AVAILABLE_TOOLS] ' + (tools | tojson) + '[/AVAILABLE_TOOLS]' }}{% endif %}
{{- '[INST] ' + (system + '\\n\\n' if system is defined and message == users[-1] else '') + message.content + '[/INST]' }}
{%- elif message.tool_calls %}
CALLS
{{- eos_token }}
{%- elif message.role == 'assistant' %}{{- ' ' + message.content + eos_token }}
{%- elif message.role == 'tool' %}
{%- if message.tool_call_id | length != 9 %}{{- raise_exception('an id has nine letters') }}{% endif %}
{{- '[TOOL_RESULTS] {"content": ' + message.content + ', "call_id": "' + message.tool_call_id + '"}[/TOOL_RESULTS]' }}
{%- endif %}
{%- endfor %}"""
MISTRAL = _MISTRAL.replace(
    "CALLS",
    """{{- '[TOOL_CALLS] [' }}
{%- for call in message.tool_calls %}
{%- if call.id | length != 9 %}{{- raise_exception('an id has nine letters') }}{% endif %}
{{- (call.function | tojson)[:-1] + ', "id": "' + call.id + '"}' + ('' if loop.last else ', ') }}
{%- endfor %}
{{- ']' }}""",
)
"""System prompt and tools stand at the last user message, so that each one moves them. Drops what was said beside a call."""
MISTRAL_NEWER = (
    _MISTRAL.replace("message == users[-1]", "loop.first")
    .replace("' ' + message", "message")
    .replace(
        "CALLS",
        """{{- message.content }}
{%- for call in message.tool_calls %}
{{- '[TOOL_CALLS]' + call.function.name + '[ARGS]' + (call.function.arguments | tojson) }}
{%- endfor %}""",
    )
)
"""Keeps everything."""

NEMOTRON = """\
{%- set mode = namespace(think=true) %}
{%- for message in messages if message.role in ['user', 'system'] and '/no_think' in message.content %}
{%- set mode.think = false %}
{%- endfor %}
{{- '<SPECIAL_10>System\\n' + (messages[0].content.replace('/no_think', '').strip() if messages[0].role == 'system' else '') }}
{%- if tools %}
{{- '\\n\\nTools that can be used:\\n<AVAILABLE_TOOLS>[' }}
{%- for tool in tools %}{{- (tool.function | tojson) + ('' if loop.last else ', ') }}{% endfor %}
{{- ']</AVAILABLE_TOOLS>\\n\\nTo use some:\\n<TOOLCALL>[{"name": "tool", "arguments": "arguments"}]</TOOLCALL>' }}
{%- endif %}
{{- '\\n' }}
{%- set messages = messages[1:] if messages[0].role == 'system' else messages %}
{%- if messages[-1].role == 'assistant' %}
{%- set last = messages[-1].content.strip() %}{% set messages = messages[:-1] %}
{%- endif %}
{%- for message in messages %}
{%- if message.role == 'user' %}{{- '<SPECIAL_11>User\\n' + message.content.replace('/no_think', '').strip() + '\\n' }}
{%- elif message.role == 'tool' %}
{{- '<SPECIAL_11>User\\n<TOOL_RESPONSE>[' if loop.first or messages[loop.index0 - 1].role != 'tool' else '' }}
{{- message.content }}
{{- ']</TOOL_RESPONSE>\\n' if loop.last or messages[loop.index0 + 1].role != 'tool' else ', ' }}
{%- elif message.role == 'assistant' %}
{%- set content = message.content.split('</think>')[-1].strip() %}
{{- '<SPECIAL_11>Assistant\\n' + content }}
{%- if message.tool_calls %}
{{- ('\\n\\n' if content else '') + '<TOOLCALL>[' }}
{%- for call in message.tool_calls %}
{{- '{"name": "' + call.function.name + '", "arguments": ' + (call.function.arguments | tojson) + '}' }}
{{- '' if loop.last else ', ' }}
{%- endfor %}
{{- ']</TOOLCALL>' }}
{%- endif %}
{{- '\\n<SPECIAL_12>\\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt or last %}
{{- '<SPECIAL_11>Assistant\\n' + ('<think>\\n' if mode.think else '<think></think>') }}
{%- endif %}
{%- if last %}{{- last + '\\n<SPECIAL_12>\\n' }}{% endif %}"""
"""The prompt opens the thinking, and all earlier thinking is dropped. The calls of a last reply are not written."""

GEMMA = """\
{{- bos_token }}
{%- if messages[0]['role'] == 'system' %}{{- raise_exception('no system role') }}{% endif %}
{%- for message in messages %}
{%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{- raise_exception('roles must alternate') }}{% endif %}
{{- '<start_of_turn>' + ('model' if message['role'] == 'assistant' else message['role']) + '\\n' }}
{{- (message['content'] | trim) + '<end_of_turn>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<start_of_turn>model\\n' }}{% endif %}"""
"""No tools, no system role, strict turns."""

_CHATML = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
_TAGS = ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>"]
_FAMILIES: dict[str, tuple[str, list[str], str]] = {
    "bare": (BARE, _CHATML, "<|im_end|>"),
    "qwen2": (QWEN2, _CHATML, "<|im_end|>"),
    "qwen3": (QWEN3, _CHATML, "<|im_end|>"),
    "qwen3 thinking": (QWEN3_THINKING, _CHATML, "<|im_end|>"),
    "llama3": (
        LLAMA3,
        ["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|python_tag|>"],
        "<|eot_id|>",
    ),
    "mistral": (MISTRAL, ["<s>", "</s>", "[INST]", "[/INST]", "[TOOL_CALLS]"], "</s>"),
    "mistral newer": (MISTRAL_NEWER, ["<s>", "</s>", "[INST]", "[/INST]", "[TOOL_CALLS]", "[ARGS]"], "</s>"),
    "nemotron": (NEMOTRON, ["<s>", "<SPECIAL_10>", "<SPECIAL_11>", "<SPECIAL_12>"], "<SPECIAL_12>"),
    "gemma": (GEMMA, ["<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>"], "<eos>"),
}
FAMILIES = list(_FAMILIES)


def tokenizer(family: str) -> Any:
    """A token for every byte, whatever the text, and the family's special tokens and template."""
    return tokenizer_with(*_FAMILIES[family])


def tokenizer_with(template: str, special: list[str], eos: str) -> Any:
    letters = {letter: id for id, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    made = Tokenizer(models.BPE(vocab=letters, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in special])
    made.add_tokens([AddedToken(text, special=False, normalized=False) for text in _TAGS])
    wrapped: Any = PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token=special[0], eos_token=eos, clean_up_tokenization_spaces=False
    )
    wrapped.chat_template = template
    return wrapped
