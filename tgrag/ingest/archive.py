"""Zip containers (EPUB, DOCX, XLSX, zipped FictionBook): opened only when their sizes are sane."""

import io
import zipfile
import zlib

from tgrag.ingest.refusal import Refused

MAX_MEMBERS = 20_000
MAX_TOTAL_BYTES = 1_000_000_000
MAX_RATIO = 200  # text packs to a tenth; only a bomb packs to a two-hundredth
RATIO_APPLIES_FROM_BYTES = 50_000_000

DAMAGED = "the file is damaged: {}; open it in the program that made it and save it again"


class Archive:
    """A zip archive in memory. Nothing is extracted to disk; sizes are checked before anything is unpacked."""

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError) as error:
            raise Refused(DAMAGED.format("it is not a readable archive")) from error
        members = self._zip.infolist()
        total = sum(member.file_size for member in members)
        is_bomb = total > RATIO_APPLIES_FROM_BYTES and total > MAX_RATIO * len(data)
        if len(members) > MAX_MEMBERS or total > MAX_TOTAL_BYTES or is_bomb:
            raise Refused(
                f"the archive would unpack to {len(members)} files of {total / 1e6:.0f} MB in all, far more than"
                " a document needs; it was not opened"
            )
        if any(member.flag_bits & 1 for member in members):
            raise Refused("the archive is protected by a password; remove the password and try again")
        self.names = [member.filename for member in members if not member.is_dir()]
        self._known = frozenset(self.names)

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def read(self, name: str) -> bytes:
        """Return one file of the archive. Raises Refused when it is missing or damaged."""
        if name not in self._known:
            raise Refused(DAMAGED.format(f"{name} is missing in it"))
        try:
            return self._zip.read(name)
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError) as error:
            raise Refused(DAMAGED.format(f"{name} cannot be unpacked")) from error

    def replaced(self, name: str, content: bytes) -> bytes:
        """Return the bytes of a copy of the archive in which one file has another content."""
        copy = io.BytesIO()
        with zipfile.ZipFile(copy, "w", zipfile.ZIP_STORED) as target:
            for member in self.names:
                target.writestr(member, content if member == name else self.read(member))
        return copy.getvalue()
