"""Whether the files of a model are there: a folder, or the model hub's cache."""

import os
from collections.abc import Mapping
from pathlib import Path

from tgrag.doctor.findings import Finding, failed, ok, warning

WEIGHTS = ("*.safetensors", "*.bin", "*.gguf", "*.pt")


def hub_cache(environment: Mapping[str, str]) -> Path:
    """Return where huggingface_hub keeps what it downloads."""
    if cache := environment.get("HF_HUB_CACHE"):
        return Path(cache)
    home = environment.get("HF_HOME") or Path(environment.get("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    return Path(home, "hub").expanduser()


def model_files(
    setting: str, name: str, revision: str = "", environment: Mapping[str, str] = os.environ
) -> Finding:
    """setting: that names the model, such as rerank.model. name: a folder or owner/name on the hub."""
    check = f"model: {setting}"
    if not name:
        return failed(check, "no model is named", f"set {setting} to a folder or to a name on the hub")
    folder = Path(name).expanduser()
    if folder.is_dir():
        if is_whole(folder):
            return ok(check, str(folder))
        return failed(
            check, f"{folder} has no config.json or no weights", "copy the whole model folder there"
        )
    if folder.is_absolute() or name.startswith((".", "~")):
        return failed(
            check, f"there is no folder {name}", "name a folder that is there, or a model on the hub"
        )
    cache = hub_cache(environment)
    snapshots = cache / f"models--{name.replace('/', '--')}" / "snapshots"
    if any(map(is_whole, snapshots.glob(revision or "*"))):
        return ok(check, f"{name} in {cache}")
    found = f"{name}{'@' + revision if revision else ''} is not in {cache}"
    if environment.get("HF_HUB_OFFLINE", "") not in ("", "0"):
        return failed(
            check, found, f"HF_HUB_OFFLINE forbids to download it: run `hf download {name}` without"
        )
    return warning(check, found, f"it is downloaded at the first start; beforehand: `hf download {name}`")


def is_whole(folder: Path) -> bool:
    return (folder / "config.json").is_file() and any(next(folder.glob(pattern), None) for pattern in WEIGHTS)
