"""The YAML file of settings: which one applies, and whether it can be read."""

import os
from pathlib import Path

import yaml

from tgrag.errors import ConfigurationError


def config_path() -> Path | None:
    """Return the YAML file that applies, or None. Raises ConfigurationError when TGRAG_CONFIG names none."""
    named = os.environ.get("TGRAG_CONFIG")
    if named:
        path = Path(named)
        if not path.is_file():
            raise ConfigurationError(f"settings file {named} does not exist; name another with --config")
        return path
    default = Path("tgrag.yaml")
    return default if default.is_file() else None


def check_file(path: Path) -> None:
    """Raise ConfigurationError when a settings file cannot be read or is no mapping by names."""
    try:
        stated = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except OSError as error:
        raise ConfigurationError(f"settings file {path} cannot be read: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"settings file {path} is not valid YAML: {' '.join(str(error).split())}"
        ) from None
    if not isinstance(stated, dict) or not all(isinstance(name, str) for name in stated):
        raise ConfigurationError(f"settings file {path} holds no settings; write them as `name: value`")
