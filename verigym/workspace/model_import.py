"""Imports weights that were trained elsewhere as a version: a PEFT adapter, or a whole checkpoint in safetensors.

The folder is recognised by its files. Formats that only their own trainer reads (shards of FSDP, DeepSpeed or Megatron) are
refused with the command that converts them. The weights are copied into the workspace under their hash, so the version stays
whole if the folder changes. What it was trained on is known only if the importer names a dataset of this workspace.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from verigym.core.errors import BadInput, Refused
from verigym.core.names import as_name, check_given_name
from verigym.core.records import Dataset, Json, Version
from verigym.model import embedded
from verigym.registry.imports import KEY, ImportedWeights
from verigym.registry.integrity import ADAPTER_FILE, CONFIG_FILE, MODEL_CONFIG_FILE, MODEL_FILE, sha256_of
from verigym.workspace import datasets
from verigym.workspace.workspace import WorkspaceFolder

_INDEX = "model.safetensors.index.json"
_TOKENIZER = (
    "tokenizer.json", "tokenizer_config.json", "tokenizer.model", "vocab.json", "merges.txt", "special_tokens_map.json",
    "added_tokens.json", "chat_template.jinja", "generation_config.json",
)  # fmt: skip
_TRAINERS = {"verl": "lora_adapter"}
"""Trainer to the folder inside its checkpoint that holds an adapter."""


class ImportResult(NamedTuple):
    version: Version
    """If the same weights were already a version, that one as it is."""
    warnings: list[str]


def import_model(
    ws: WorkspaceFolder,
    folder: Path,
    *,
    trained_by: str,
    base: str = "",
    parent: str = "",
    data: str = "",
    note: str = "",
    name: str = "",
) -> ImportResult:
    """Registers the weights in `folder` as a version. `base` is the model that the training began with, `parent` a version. The
    new version keeps the prompt and settings of the parent."""
    check_given_name(name)
    if not trained_by.strip():
        raise BadInput("--trained-by is empty. Name the trainer, such as verl")
    if base and parent:
        raise BadInput("--base and --parent cannot be combined. A parent has a base model. Remove one")
    folder = _weights_folder(folder)
    is_adapter = (folder / CONFIG_FILE).is_file()
    named = _named_base(folder, is_adapter)
    start = ws.find(parent) if parent else ws.agent(base or _known_base(folder, named, is_adapter))
    _check_start(start, is_adapter)
    dataset = datasets.find_stored(ws, data) if data else None
    warnings = _other_base(named, start)
    files = sorted(_files(folder, is_adapter), key=lambda file: file.name)
    origin = ImportedWeights(
        trained_by=trained_by.strip(),
        folder=str(folder.absolute()),
        files={file.name: sha256_of(file) for file in files},
        named_base=named,
        data=dataset.name if dataset else "",
        note=note.strip(),
    )
    from verigym.model import import_check

    warnings += (import_check.check_adapter if is_adapter else _check_whole)(start.base, folder)
    sha256 = ws.keep_files(lambda out: _copy(folder, out, files, is_adapter, start.base))
    start = start if start.made else ws.register(start)
    version = _version(start, sha256, origin, dataset, is_adapter, name)
    return ImportResult(ws.register(version), warnings)


def _check_whole(base: str, folder: Path) -> list[str]:
    from verigym.model import import_check

    return import_check.check_checkpoint(folder, base)


def _version(
    start: Version, sha256: str, origin: ImportedWeights, dataset: Dataset | None, is_adapter: bool, name: str
) -> Version:
    return msgspec.structs.replace(
        start,
        id="",
        adapter=sha256,
        full=not is_adapter,
        adapter_config="",
        name=name or as_name(f"{origin.trained_by}-{sha256[:6]}"),
        parent=start.id,
        recipe={KEY: msgspec.to_builtins(origin)},
        data_hash=dataset.id if dataset else "",
        families=sorted({*start.families, *(dataset.families if dataset else ())}),
        made="",
        seal="",
    )


def _weights_folder(folder: Path) -> Path:
    """The folder that holds the adapter or the model. Refuses a folder without weights, with what to do."""
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "does not exist"
        raise BadInput(f"{folder} {what}. Name the folder with adapter_config.json or config.json")
    inside = next((folder / name for name in _TRAINERS.values() if (folder / name / CONFIG_FILE).is_file()), folder)
    has = {file.name for file in inside.iterdir()}
    if CONFIG_FILE in has and ADAPTER_FILE in has:
        return inside
    if CONFIG_FILE not in has and MODEL_CONFIG_FILE in has and has & {MODEL_FILE, _INDEX}:
        return inside
    raise BadInput(f"{folder}: {_what_to_do(folder, has)}")


def _what_to_do(folder: Path, has: set[str]) -> str:
    """Why a folder cannot be imported as it is, and the command that makes it importable."""
    if CONFIG_FILE in has:
        pickled = "adapter_model.bin" in has
        reason = "adapter_model.bin can run code when it is read" if pickled else f"{ADAPTER_FILE} is missing"
        return f"{reason}. Save the adapter again with PEFT: model.save_pretrained(FOLDER, safe_serialization=True)"
    if any(name.startswith("model_world_size_") for name in has):
        command = f"python -m verl.model_merger merge --backend fsdp --local_dir {folder} --target_dir MERGED"
        return f"these are shards of verl. Merge them with verl, and import MERGED: {command}"
    if "dist_ckpt" in has or any(name.endswith(".distcp") for name in has):
        verl = f"python -m verl.model_merger merge --backend megatron --local_dir {folder} --target_dir MERGED"
        return (
            "this is a distributed checkpoint. Convert it with its trainer to a folder with safetensors, and import that. "
            f"verl: {verl}. NeMo RL: examples/converters/convert_dcp_to_hf.py"
        )
    if "zero_to_fp32.py" in has:
        command = f"python {folder / 'zero_to_fp32.py'} {folder} MERGED --safe_serialization"
        return f"this is a checkpoint of DeepSpeed. Convert it, add config.json, and import MERGED: {command}"
    if any(name.endswith((".bin", ".pt", ".pth")) for name in has):
        return (
            "its weights are pickled, and such a file can run code when it is read. Save the model again with transformers: "
            "model.save_pretrained(FOLDER, safe_serialization=True)"
        )
    steps = sorted((one for one in has if one.startswith(("checkpoint-", "global_step_"))), key=_number)
    if steps:
        return f"it holds checkpoints and no weights. Import one of them, such as {folder / steps[-1]}"
    deeper = [path for path in ("actor", "huggingface") if (folder / path).is_dir()]
    if deeper:
        return f"it has no weights. Look in {folder / deeper[0]}"
    return f"it has no weights. It needs {CONFIG_FILE} and {ADAPTER_FILE}, or {MODEL_CONFIG_FILE} and {MODEL_FILE}"


def _number(name: str) -> int:
    digits = "".join(letter for letter in name if letter.isdigit())
    return int(digits or 0)


def _read_json(path: Path) -> Json:
    try:
        value = msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise BadInput(f"{path} does not hold an object")
    return value


def _named_base(folder: Path, is_adapter: bool) -> str:
    config = _read_json(folder / (CONFIG_FILE if is_adapter else MODEL_CONFIG_FILE))
    named = config.get("base_model_name_or_path" if is_adapter else "_name_or_path")
    return named if isinstance(named, str) else ""


def _known_base(folder: Path, named: str, is_adapter: bool) -> str:
    """The base model that the files name, as Verigym names it. Refuses one that is not here."""
    if named and Path(named).is_absolute() and Path(named) == embedded.folder().absolute():
        return embedded.NAME
    if not named or (is_adapter and Path(named).is_absolute() and not Path(named).is_dir()):
        said = f"The files name {named}, which is not on this machine" if named else "The files do not name it"
        raise BadInput(
            f"{folder}: the base model is not known. {said}. Name the model that the training began with: --base MODEL"
        )
    return named


def _check_start(start: Version, is_adapter: bool) -> None:
    if start.is_remote:
        raise Refused(
            f"{start.base} is behind a server, so its weights cannot be compared. Name a model here with --base"
        )
    if is_adapter and start.full:
        raise Refused(
            f"{start.label} is a model that was trained as a whole, and an adapter on it cannot be stored. Merge the adapter "
            "with PEFT (merge_and_unload), and import the merged model"
        )
    if start.quantized and not is_adapter:
        raise Refused(f"{start.label} is in 4 bits, and a whole checkpoint is not. Name another base with --base")


def _other_base(named: str, start: Version) -> list[str]:
    if not named or named == start.base or Path(named).name == Path(start.base).name:
        return []
    if start.base == embedded.NAME and Path(named) == embedded.folder().absolute():
        return []
    return [f"the files name the base model {named}, and it is imported for {start.base}. Only its shape was compared"]


def _files(folder: Path, is_adapter: bool) -> Iterator[Path]:
    if is_adapter:
        yield from (folder / CONFIG_FILE, folder / ADAPTER_FILE)
        return
    names = {MODEL_CONFIG_FILE, *_TOKENIZER}
    if (folder / MODEL_FILE).is_file():
        names.add(MODEL_FILE)
    else:
        listed = _read_json(folder / _INDEX).get("weight_map", {})
        parts = {str(part) for part in listed.values()} if isinstance(listed, dict) else set()
        missing = sorted(part for part in parts if not (folder / part).is_file())
        if missing or not parts:
            what = f"{missing[0]} is missing" if missing else f"{_INDEX} names no weights"
            raise BadInput(f"{folder}: {what}. The checkpoint is not whole")
        names |= parts
    yield from (folder / name for name in names if (folder / name).is_file())


def _copy(folder: Path, out: Path, files: list[Path], is_adapter: bool, base: str) -> None:
    from verigym.model import import_check

    try:
        out.mkdir()
        sharded = not is_adapter and not (folder / MODEL_FILE).is_file()
        for file in files:
            if not (sharded and file.suffix == ".safetensors"):
                shutil.copyfile(file, out / file.name)
    except OSError as error:
        raise BadInput(f"{folder} cannot be copied: {error}. Nothing was imported") from error
    if sharded:
        import_check.save_whole(folder, out, base)
    elif not is_adapter and not (folder / "tokenizer_config.json").is_file():
        import_check.add_tokenizer(out, base)
