"""Turns an OpenAPI description (3.0 or 3.1) into the entries of a tools file: one tool per operation.

Parameters and the properties of a JSON or form body become the arguments of the tool. References between schemas stay
references (`$defs`), so schemas may refer to themselves. Credentials become environment variables. What cannot be expressed is
left out and listed in `notes`. Not supported: Swagger 2.0, other documents, cookies, files and XML.
"""

import re
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from verigym.core import settings
from verigym.core.errors import BadInput
from verigym.core.records import Json

_METHODS = ("get", "put", "post", "delete", "patch", "head", "options")
_LONGEST = 400
_DEFS = "#/components/schemas/"
_DROPPED = (
    "example",
    "examples",
    "xml",
    "externalDocs",
    "discriminator",
    "deprecated",
    "readOnly",
    "writeOnly",
    "nullable",
)
_OWN_HEADERS = ("accept", "content-type", "authorization")
_FORMS = {"application/json": "json", "application/x-www-form-urlencoded": "form"}


class ImportedTools(Struct, kw_only=True):
    """The content of a tools file, before it is written."""

    base_url: str
    headers: dict[str, str]
    tools: list[Json]
    """Entries of `tools`."""
    notes: list[str]
    """What was left out, and what to look at."""
    secrets: list[str]
    """Environment variables that must be set."""
    dangerous: list[str]
    """Names of tools that delete something."""


def read_openapi(path: Path) -> ImportedTools:
    """Reads a JSON or YAML file."""
    if not path.is_file():
        raise BadInput(f"{path}: the file does not exist. Name an OpenAPI description (JSON or YAML)")
    if path.suffix.lower() == ".json":
        try:
            document = msgspec.json.decode(path.read_bytes())
        except msgspec.DecodeError as error:
            raise BadInput(f"{path}: this is not valid JSON: {error}") from error
    else:
        document = settings.read_yaml(
            path, "an OpenAPI description is a list of keys and values with openapi and paths"
        )
    return _Importer(document, str(path)).imported()


class _Importer:
    def __init__(self, document: Any, where: str) -> None:
        self._where = where
        version = str(document.get("openapi", "")) if isinstance(document, dict) else ""
        if isinstance(document, dict) and "swagger" in document:
            raise BadInput(f"{where}: this is Swagger {document['swagger']}. Convert it to OpenAPI 3 first")
        if not version.startswith("3.") or not isinstance(document.get("paths", {}), dict):
            raise BadInput(f'{where}: this is not an OpenAPI 3 description. It needs "openapi": "3.x" and "paths"')
        self._document: Json = document
        self._is_30 = version.startswith("3.0")
        self._schemes = self._at(self._document, "components", "securitySchemes")
        self._notes: list[str] = []
        self._secrets: dict[str, None] = {}
        self._headers: dict[str, str] = {}
        self._names: set[str] = set()

    def _at(self, value: Json, *keys: str) -> Json:
        """The object at these keys, or an empty one."""
        for key in keys:
            found = self._resolved(value.get(key))
            value = found if isinstance(found, dict) else {}
        return value

    def imported(self) -> ImportedTools:
        tools: list[Json] = []
        dangerous: list[str] = []
        for path, given in self._at(self._document, "paths").items():
            item = self._resolved(given)
            for method in _METHODS:
                operation = item.get(method) if isinstance(item, dict) else None
                if not isinstance(operation, dict):
                    continue
                entry = self._entry(path, method, item, operation)
                if entry is not None:
                    tools.append(entry)
                    dangerous += [entry["name"]] if method == "delete" else []
        if not tools:
            raise BadInput(f"{self._where}: no operation can be a tool. {' '.join(self._notes) or 'It has no paths.'}")
        base_url = self._base_url()
        return ImportedTools(
            base_url=base_url,
            headers=self._headers,
            tools=tools,
            notes=self._notes,
            secrets=list(self._secrets),
            dangerous=dangerous,
        )

    def _base_url(self) -> str:
        servers = self._document.get("servers")
        server = servers[0] if isinstance(servers, list) and servers and isinstance(servers[0], dict) else {}
        url = str(server.get("url", "/"))
        variables = server.get("variables")
        for name, variable in variables.items() if isinstance(variables, dict) else ():
            default = variable.get("default", "") if isinstance(variable, dict) else ""
            url = url.replace(f"{{{name}}}", str(default))
        if urlsplit(url).scheme in ("http", "https") and urlsplit(url).hostname and "{" not in url:
            return url.rstrip("/")
        self._notes.append(f'The description names no host (its server is "{url}"). Correct base_url.')
        return f"http://localhost:8000{url if url.startswith('/') else ''}".rstrip("/")

    def _entry(self, path: str, method: str, item: Json, operation: Json) -> Json | None:
        """The entry of one operation, or None if it cannot be a tool."""
        what = f"{method.upper()} {path}"
        if operation.get("deprecated") is True:
            self._notes.append(f"{what} is deprecated and was left out.")
            return None
        arguments = _Arguments()
        url, query, headers = path, dict[str, str](), dict[str, str]()
        for parameter in self._parameters(item, operation):
            name, place = str(parameter.get("name", "")), parameter.get("in")
            schema = self._schema(parameter.get("schema") or _content_schema(parameter))
            if not name or (place == "header" and name.lower() in _OWN_HEADERS):
                continue
            if place == "cookie":
                self._notes.append(f"{what}: the cookie {name} was left out.")
                continue
            required = bool(parameter.get("required")) or place == "path"
            argument = arguments.add(name, schema, required, str(parameter.get("description") or ""))
            if place == "path":
                url = url.replace(f"{{{name}}}", f"{{{argument}}}")
            elif place == "query":
                query[name] = f"{{{argument}}}"
            else:
                headers[name] = f"{{{argument}}}"
        for name in re.findall(r"\{([^{}]+)\}", url):
            if name not in arguments.properties:
                arguments.add(name, {"type": "string"}, True, "")
        body, encoding = None, "json"
        if isinstance(operation.get("requestBody"), dict):
            media = self._media(operation["requestBody"], what)
            if media is None:
                return None
            encoding, schema, required = media
            body = arguments.add_body(schema, required)
        query |= self._credentials(operation)
        http: Json = {"method": method.upper(), "url": url}
        http |= {"query": query} if query else {}
        http |= {"headers": headers} if headers else {}
        http |= {"body": body} if body is not None else {}
        http |= {"encoding": encoding} if encoding != "json" else {}
        plain = set(http) == {"method", "url"}
        return {
            "name": self._name(operation, method, path),
            "description": _description(operation),
            "parameters": self._with_definitions(arguments.schema),
            "http": f"{method.upper()} {url}" if plain else http,
        }

    def _parameters(self, item: Json, operation: Json) -> list[Json]:
        """The parameters of the path and of the operation. Those of the operation take precedence."""
        found: dict[tuple[Any, Any], Json] = {}
        for holder in (item, operation):
            listed = holder.get("parameters")
            for each in listed if isinstance(listed, list) else []:
                parameter = self._resolved(each)
                if isinstance(parameter, dict):
                    found[parameter.get("name"), parameter.get("in")] = parameter
        return list(found.values())

    def _media(self, body: Any, what: str) -> tuple[str, Json, bool] | None:
        body = self._resolved(body)
        content = body.get("content") if isinstance(body, dict) else None
        for kind, media in content.items() if isinstance(content, dict) else ():
            plain = str(kind).partition(";")[0].strip().lower()
            encoding = "json" if plain.endswith("+json") else _FORMS.get(plain)
            if encoding and isinstance(media, dict):
                schema = self._schema(media.get("schema"))
                return encoding, self._flat(schema), bool(body.get("required"))
        kinds = ", ".join(content) if isinstance(content, dict) else "nothing"
        self._notes.append(f"{what} was left out, because its body is not JSON or a form ({kinds}).")
        return None

    def _flat(self, schema: Json, depth: int = 0) -> Json:
        """The schema of a body with its properties in it: a reference is followed once, and `allOf` is merged."""
        if depth > 20:
            return schema
        if isinstance(schema.get("$ref"), str) and schema["$ref"].startswith("#/$defs/"):
            target = self._at(self._document, "components", "schemas").get(schema["$ref"].removeprefix("#/$defs/"))
            return self._flat(self._schema(target), depth + 1)
        if isinstance(schema.get("allOf"), list):
            merged: Json = {key: value for key, value in schema.items() if key != "allOf"}
            for part in (self._flat(part, depth + 1) for part in schema["allOf"] if isinstance(part, dict)):
                properties = {**merged.get("properties", {}), **part.get("properties", {})}
                required = [*merged.get("required", []), *part.get("required", [])]
                merged = {**part, **merged, "properties": properties, "required": list(dict.fromkeys(required))}
            return merged
        return schema

    def _credentials(self, operation: Json) -> dict[str, str]:
        """Adds the headers that an operation demands. Returns credentials that go into the query."""
        demanded = operation.get("security", self._document.get("security"))
        query: dict[str, str] = {}
        first = demanded[0] if isinstance(demanded, list) and demanded and isinstance(demanded[0], dict) else {}
        for name in first:
            scheme = self._resolved(self._schemes.get(name))
            if not isinstance(scheme, dict):
                continue
            variable = re.sub(r"[^A-Z0-9]+", "_", str(name).upper()).strip("_") or "API_KEY"
            variable = f"API_{variable}" if variable[0].isdigit() else variable
            kind, place = scheme.get("type"), scheme.get("in")
            if kind == "apiKey" and place == "query":
                query[str(scheme.get("name"))] = f"${{{variable}}}"
            elif kind == "apiKey" and place == "header":
                self._headers[str(scheme.get("name"))] = f"${{{variable}}}"
            elif kind == "http" and str(scheme.get("scheme")).lower() == "basic":
                self._headers["Authorization"] = f"Basic ${{{variable}}}"
                self._note_once(f"Set {variable} to the base64 text of USER:PASSWORD.")
            elif kind in ("http", "oauth2", "openIdConnect"):
                self._headers["Authorization"] = f"Bearer ${{{variable}}}"
            else:
                self._note_once(f"The credentials {name} ({kind}, {place}) are not supported.")
                continue
            self._secrets[variable] = None
        return query

    def _note_once(self, note: str) -> None:
        if note not in self._notes:
            self._notes.append(note)

    def _name(self, operation: Json, method: str, path: str) -> str:
        given = operation.get("operationId")
        text = given if isinstance(given, str) and given.strip() else f"{method}_{path.strip('/')}"
        base = re.sub(r"[^A-Za-z0-9_.-]+", "_", text).strip("_.-")[:60] or method
        name, number = base, 1
        while name in self._names:
            number += 1
            name = f"{base}_{number}"
        self._names.add(name)
        return name

    # -- schemas ------------------------------------------------------------------------------------------------------

    def _resolved(self, value: Any) -> Any:
        """What a reference to another part of the document points to."""
        seen: set[str] = set()
        while isinstance(value, dict) and isinstance(value.get("$ref"), str):
            reference = value["$ref"]
            if reference in seen or not reference.startswith("#/"):
                self._note_once(f"The reference {reference} was not followed.")
                return {}
            seen.add(reference)
            value = self._document
            for part in reference[2:].split("/"):
                key = part.replace("~1", "/").replace("~0", "~")
                value = value.get(key) if isinstance(value, dict) else None
        return value

    def _schema(self, schema: Any) -> Json:
        """A schema as JSON schema. References to named schemas point to `$defs`."""
        if not isinstance(schema, dict):
            return {}
        reference = schema.get("$ref")
        if isinstance(reference, str):
            if reference.startswith(_DEFS) and "/" not in reference.removeprefix(_DEFS):
                return {"$ref": f"#/$defs/{reference.removeprefix(_DEFS)}"}
            return self._schema(self._resolved(schema)) if reference.startswith("#/") else self._external(reference)
        found: Json = {}
        for key, value in schema.items():
            if key in _DROPPED or str(key).startswith("x-"):
                continue
            if key == "pattern" and not is_pattern(value):
                self._note_once(f"The pattern {value} is not a regular expression of Python and was left out.")
                continue
            if key in ("properties", "patternProperties") and isinstance(value, dict):
                kept = {
                    name: each
                    for name, each in value.items()
                    if not (isinstance(each, dict) and each.get("readOnly") is True)
                }
                found[key] = {
                    name: self._schema(each) if isinstance(each, dict) else each for name, each in kept.items()
                }
            elif key in ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"):
                found[key] = self._schema(value) if isinstance(value, dict) else value
            elif key in ("allOf", "anyOf", "oneOf", "prefixItems") and isinstance(value, list):
                found[key] = [self._schema(each) for each in value]
            else:
                found[key] = value
        if isinstance(found.get("required"), list) and isinstance(found.get("properties"), dict):
            found["required"] = [name for name in found["required"] if name in found["properties"]]
        return self._of_30(found, schema) if self._is_30 else found

    def _external(self, reference: str) -> Json:
        self._note_once(f"The reference {reference} leads to another document and was not followed.")
        return {}

    def _of_30(self, found: Json, schema: Json) -> Json:
        """What OpenAPI 3.0 writes in another way than JSON schema."""
        if schema.get("nullable") is True and isinstance(found.get("type"), str):
            found["type"] = [found["type"], "null"]
            if isinstance(found.get("enum"), list) and None not in found["enum"]:
                found["enum"] = [*found["enum"], None]
        for name, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            if isinstance(found.get(name), bool):
                exclusive = found.pop(name)
                if exclusive and bound in found:
                    found[name] = found.pop(bound)
        return found

    def _with_definitions(self, schema: Json) -> Json:
        """The schema with the named schemas that it refers to, directly or not."""
        named = self._at(self._document, "components", "schemas")
        definitions: Json = {}
        waiting = _references(schema)
        while waiting:
            name = waiting.pop()
            if name not in definitions:
                definitions[name] = self._schema(named.get(name))
                waiting += _references(definitions[name])
        return {**schema, "$defs": dict(sorted(definitions.items()))} if definitions else schema


class _Arguments:
    """The arguments of one tool."""

    def __init__(self) -> None:
        self.properties: Json = {}
        self.required: list[str] = []

    def add(self, name: str, schema: Json, required: bool, description: str) -> str:
        """Adds an argument and returns its name, which may get a number to be unique."""
        base = re.sub(r"[{}\s]+", "_", name).strip("_") or "argument"
        argument, number = base, 1
        while argument in self.properties:
            number += 1
            argument = f"{base}_{number}"
        if description and "description" not in schema and "$ref" not in schema:
            schema = {**schema, "description": _short(description)}
        self.properties[argument] = schema
        if required:
            self.required.append(argument)
        return argument

    def add_body(self, schema: Json, required: bool) -> Any:
        """Adds the properties of a body, or the whole body as one argument. Returns the template of the body."""
        properties = schema.get("properties")
        if not isinstance(properties, dict) or not properties:
            return f"{{{self.add('body', schema, required, '')}}}"
        needed = cast(list[str], schema.get("required", [])) if required else []
        return {
            name: f"{{{self.add(str(name), each if isinstance(each, dict) else {}, name in needed, '')}}}"
            for name, each in properties.items()
        }

    @property
    def schema(self) -> Json:
        made: Json = {"type": "object", "properties": self.properties}
        return {**made, "required": self.required} if self.required else made


def is_pattern(text: Any) -> bool:
    """Whether Python reads the text as a regular expression."""
    try:
        re.compile(text)
    except (re.error, TypeError, RecursionError, OverflowError):
        return False
    return True


def _content_schema(parameter: Json) -> Any:
    content = parameter.get("content")
    media = next(iter(content.values()), None) if isinstance(content, dict) else None
    return media.get("schema") if isinstance(media, dict) else None


def _references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = value.get("$ref")
        names = [own.removeprefix("#/$defs/")] if isinstance(own, str) and own.startswith("#/$defs/") else []
        return names + [name for each in value.values() for name in _references(each)]
    return [name for each in value for name in _references(each)] if isinstance(value, list) else []


def _description(operation: Json) -> str:
    summary, details = (str(operation.get(key) or "").strip() for key in ("summary", "description"))
    if details.startswith(summary):
        summary = ""
    return _short(f"{summary.rstrip('.')}. {details}" if summary and details else summary or details)


def _short(text: str) -> str:
    text = " ".join(re.sub(r"<[^>]+>", " ", text).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3].rsplit(' ', 1)[0]}..."
