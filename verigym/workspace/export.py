"""Exports a version as files: a PEFT adapter, merged weights, a GGUF file, or only prompt and settings.

The folder is created atomically and must not exist yet. Folders of a base model or of the workspace are never written to.
"""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from verigym.core.errors import BadInput, InfrastructureFailure, Refused, not_found
from verigym.core.names import as_name
from verigym.core.records import Version
from verigym.model import embedded
from verigym.registry.cards import card
from verigym.registry.integrity import CONFIG_FILE
from verigym.workspace.agents import about
from verigym.workspace.workspace import WorkspaceFolder

RECORD = "version.json"
CARD = "README.md"


def export(ws: WorkspaceFolder, version: Version, to: Path, merged: bool = False, gguf: str = "") -> list[str]:
    """Writes the version into a new folder and returns the names of its files. With `merged`, and if all parameters were trained,
    it writes complete weights, with `gguf` (f32, f16 or q8_0) one GGUF file, otherwise a PEFT adapter. Prompt, tool
    descriptions, constraints and sampling are in `version.json`."""
    _check_folder(ws, version, to)
    if merged and gguf:
        raise BadInput("A GGUF file always has merged weights. Remove --merged, or remove --gguf")
    if gguf and gguf not in GGUF_TYPES:
        raise not_found("type of GGUF weights", gguf, list(GGUF_TYPES), "Name one with --gguf.")
    if (merged or gguf) and version.is_remote:
        raise Refused(
            f"{version.base}: the weights of a model behind a server cannot be merged. Remove {'--gguf' if gguf else '--merged'}"
        )
    adapter = ws.adapter_of(version)
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=to.parent, prefix=f".{to.name}.new-") as work:
            folder = Path(work) / "export"
            folder.mkdir()
            if gguf:
                _save_gguf(ws, version, adapter, Path(work) / "merged", folder / gguf_file(version, gguf), gguf)
            elif merged:
                from verigym.model.export import save_merged

                save_merged(ws.source_of(version), adapter, folder, version.sampling, version.quantized)
            elif version.full:
                shutil.copytree(ws.source_of(version), folder, dirs_exist_ok=True, copy_function=shutil.copyfile)
            elif adapter is not None:
                shutil.copytree(adapter, folder, dirs_exist_ok=True, copy_function=shutil.copyfile)
                _name_base(folder / CONFIG_FILE, loadable_base(version))
            record = msgspec.json.format(msgspec.json.encode(version), indent=2)
            (folder / RECORD).write_bytes(record + b"\n")
            code = loading_code(version, to, merged, gguf)
            loading = "".join(["\n## Load it\n\n```python\n", *(f"{line}\n" for line in code), "```\n"]) if code else ""
            (folder / CARD).write_text(card(about(ws, version)) + loading, encoding="utf-8")
            _check_free(to)
            folder.rename(to)
    except OSError as error:
        raise InfrastructureFailure(
            f"{to} cannot be written ({error}). No files were left there. Choose a folder that you may write"
        ) from error
    return sorted(file.name for file in to.iterdir())


GGUF_TYPES = ("f16", "q8_0", "f32")


def gguf_file(version: Version, gguf: str) -> str:
    return f"{as_name(version.label)}-{gguf}.gguf"


def _save_gguf(ws: WorkspaceFolder, version: Version, adapter: Path | None, work: Path, out: Path, kind: Any) -> None:
    """Merges the weights into `work`, which is deleted afterwards, and writes them as GGUF."""
    from verigym.model import gguf_write
    from verigym.model.export import save_merged

    source = ws.source_of(version)
    if (Path(source) / "config.json").is_file():
        gguf_write.check(Path(source))  # before the weights are loaded
    save_merged(source, adapter, work, version.sampling, version.quantized)
    gguf_write.write(work, out, kind, version.label)


def loadable_base(version: Version) -> str:
    """The base model as transformers and PEFT find it: a Hugging Face model id, or the full path of a folder."""
    if version.base == embedded.NAME:
        return str(embedded.folder().absolute())
    return str(Path(version.base).absolute()) if Path(version.base).is_dir() else version.base


def loading_code(version: Version, to: Path, merged: bool, gguf: str = "") -> list[str]:
    """Python lines that load an exported folder. Empty if it has no weights."""
    if gguf:
        return ["from llama_cpp import Llama", f"model = Llama({str(to.absolute() / gguf_file(version, gguf))!r})"]
    merged = merged or version.full
    folder, base = str(to.absolute()), str(to.absolute()) if merged else loadable_base(version)
    if merged:
        imports, load = "from transformers import AutoModelForCausalLM, AutoTokenizer", "AutoModelForCausalLM"
    elif version.adapter:
        is_reward_model = version.recipe.get("algorithm") == "reward"
        load = f"AutoPeftModelFor{'SequenceClassification' if is_reward_model else 'CausalLM'}"
        imports = f"from peft import {load}\nfrom transformers import AutoTokenizer"
    else:
        return []
    labels = ", num_labels=1" if load.endswith("Classification") else ""
    quantized: list[str] = []
    if version.quantized and not merged:  # merged weights are those after dequantisation
        imports = imports.replace("import AutoTokenizer", "import AutoTokenizer, BitsAndBytesConfig")
        labels += ", quantization_config=nf4"
        quantized = [
            'nf4 = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True)'
        ]
    return [
        *imports.splitlines(),
        *quantized,
        f"model = {load}.from_pretrained({folder!r}{labels})",
        f"tokenizer = AutoTokenizer.from_pretrained({base!r})",
    ]


def _name_base(config: Path, base: str) -> None:
    settings = msgspec.json.decode(config.read_bytes())
    body = msgspec.json.encode({**settings, "base_model_name_or_path": base})
    config.write_bytes(msgspec.json.format(body, indent=2) + b"\n")


def _check_folder(ws: WorkspaceFolder, version: Version, to: Path) -> None:
    _check_free(to)
    hub = os.environ.get("HF_HUB_CACHE") or os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface"
    protected = {
        "the base model": Path(version.base),
        "embedded models": embedded.cache_folder(),
        "downloaded Hugging Face models": Path(hub),
        "this workspace": ws.home,
    }
    for owner, folder in protected.items():
        if os.path.isdir(folder) and to.resolve().is_relative_to(folder.resolve()):  # also if a parent cannot be read
            raise Refused(f"{to} is inside {folder}, the folder of {owner}. Pass another folder with --out")


def _check_free(to: Path) -> None:
    if not to.name:
        raise BadInput(f"--out {to} is invalid. Name a folder that does not exist yet")
    if to.exists() or to.is_symlink():
        raise Refused(f"{to} already exists. Name a folder that does not exist yet")
