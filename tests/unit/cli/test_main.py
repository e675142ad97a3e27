import subprocess
import sys
from types import ModuleType

import pytest

from tgrag.__main__ import main


def test_the_package_can_be_run() -> None:
    told = subprocess.run([sys.executable, "-m", "tgrag", "--help"], capture_output=True, text=True)
    assert told.returncode == 0 and "index" in told.stdout


class Interrupted(ModuleType):
    def __getattr__(self, name: str) -> object:
        raise KeyboardInterrupt


def test_ctrl_c_while_it_loads_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tgrag.cli", Interrupted("tgrag.cli"))
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
