"""Bytes of the store by their hash. A picture is shown, everything else is a download.

Only the first bytes decide, and only PNG, JPEG, GIF and WebP are pictures. Never SVG, which can hold scripts. The answer has
a policy of its own under which nothing runs.
"""

from verigym.core.errors import NotFound
from verigym.view.page import FileData, Page, Query
from verigym.view.read import Reader

_POLICY = "default-src 'none'; img-src 'self'; sandbox"


def picture_type(body: bytes) -> str:
    """The type of a picture by its first bytes. Empty if it is none."""
    if body.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if body.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if body.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if body[:4] == b"RIFF" and body[8:12] == b"WEBP" else ""


def blob(reader: Reader, query: Query) -> FileData:
    sha = query.path["sha"]
    if len(sha) != 64 or not all(letter in "0123456789abcdef" for letter in sha):
        raise NotFound("A blob is named by the 64 hexadecimal digits of its sha256")
    body = reader.store.blob(sha)
    kind = picture_type(body)
    headers = {"content-security-policy": _POLICY}
    if not kind:
        headers["content-disposition"] = f'attachment; filename="{sha[:16]}.bin"'
    return FileData(title=sha, body=body, kind=kind or "application/octet-stream", headers=headers)


PAGES = [Page("/blob/{sha}", blob, "", "runs")]
