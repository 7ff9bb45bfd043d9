"""The pages of a workspace whose store is a PostgreSQL database: the same as those of a file, and new with each commit."""

import gzip
from pathlib import Path

import pytest

from tests.store.conftest import new_schema
from tests.store.conftest import server as server  # the fixture
from tests.store.server import PostgresServer
from tests.view.crawl import crawl, open_client
from verigym import workspace
from verigym.store.copy import copy_store
from verigym.store.database import Store

pytestmark = pytest.mark.cluster


def test_the_pages_are_those_of_the_file_and_follow_the_database(server: PostgresServer, tmp_path: Path) -> None:
    file = tmp_path / "file" / "store.db"
    file.parent.mkdir()
    file.write_bytes(gzip.decompress((Path(workspace.__file__).parent / "demo.db.gz").read_bytes()))
    url = new_schema(server, "pages")
    store = Store(url)
    copy_store(Store(file), store)
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "store.url").write_text(url)
    with open_client(shared) as client, open_client(file.parent) as other:
        pages, expected = crawl(client, each=1, limit=60), crawl(other, each=1, limit=60)
        assert [(page.address, page.status) for page in pages] == [(page.address, page.status) for page in expected]
        assert all(page.status == 200 for page in pages) and len(pages) > 20
        store.begin_run("brand-new", "eval", {"environment": "toolcall"})
        assert "brand-new" in client.get("/runs").text
        store.delete_run("brand-new")
        assert "brand-new" not in client.get("/runs").text
    store.close()
