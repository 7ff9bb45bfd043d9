"""What a role of PostgreSQL may do: the GRANTs of a worker that appends to the ledger and cannot change it, or of a reader.

The owner of the tables creates and migrates them. A worker is another role. So no process of a worker can remove the trigger of
the ledger, or give itself the privilege to change an entry.
"""

from verigym.core.errors import BadInput
from verigym.store.schema import LEDGER, TABLES


def grants(role: str, *, schema: str = "public", read_only: bool = False) -> list[str]:
    """The SQL that the owner of the tables runs once, and again after a migration that adds a table."""
    for what, name in (("role", role), ("schema", schema)):
        if not name.strip() or "\x00" in name or len(name.encode()) > 63:
            raise BadInput(f'The name of the {what} is not valid ("{name}"). PostgreSQL takes 1 to 63 bytes')
    to, place = _quoted(role), _quoted(schema)
    written = [f"{place}.{table.name}" for table in TABLES.sorted_tables if table is not LEDGER]
    ledger, version = f"{place}.{LEDGER.name}", f"{place}.store_version"
    lines = [
        f"REVOKE ALL ON ALL TABLES IN SCHEMA {place} FROM {to};",
        f"GRANT USAGE ON SCHEMA {place} TO {to};",
        f"GRANT SELECT ON {', '.join([*written, ledger, version])} TO {to};",
    ]
    if not read_only:
        lines += [
            f"GRANT INSERT, UPDATE, DELETE ON {', '.join(written)} TO {to};",
            f"GRANT INSERT ON {ledger} TO {to};",
        ]
    return lines


def _quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'
