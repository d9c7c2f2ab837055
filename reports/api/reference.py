"""The OpenAPI document as rows that a page prints."""

from collections.abc import Iterator, Mapping

Node = Mapping[str, object]


def sections(document: Node) -> list[dict[str, object]]:
    """Each address with its method, what it says, its parameters, and what it answers."""
    return [
        {
            "id": operation["operationId"],
            "method": method.upper(),
            "path": path,
            "summary": operation.get("summary", ""),
            "texts": [text for text in operation.get("description", "").split("\n\n") if text],
            "parameters": [_parameter(each) for each in operation.get("parameters", []) if not _repeated(each)],
            "answer": list(_fields(_body(operation), document)),
            "errors": [(code, each["description"]) for code, each in operation["responses"].items() if int(code) >= 300],
        }
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]


def _repeated(parameter: Node) -> bool:
    """An exclude of each key says nothing that the first did not."""
    return parameter["name"].startswith("exclude.") and parameter["name"] != "exclude.team"


def _parameter(each: Node) -> dict[str, object]:
    schema = each["schema"]
    values = schema.get("enum") or schema.get("items", {}).get("enum") or []
    return {
        "name": each["name"],
        "required": each.get("required", False),
        "text": each.get("description", ""),
        "values": [value for value in values if value],
        "default": schema.get("default", ""),
    }


def _body(operation: Node) -> Node:
    good = next((each for code, each in operation["responses"].items() if code.startswith("2")), {})
    return next(iter(good.get("content", {}).values()), {}).get("schema", {})


def _fields(schema: Node, document: Node, inside: str = "") -> Iterator[dict[str, str]]:
    """Each property once, those of rows after `rows[].`."""
    schema = _followed(schema, document)
    for part in schema.get("allOf", ()):
        yield from _fields(part, document, inside)
    for name, each in schema.get("properties", {}).items():
        each = _followed(each, document)
        yield {"name": f"{inside}{name}", "type": _type(each), "text": each.get("description", "")}
        if each.get("type") == "array" and not inside:
            yield from _fields(each["items"], document, f"{name}[].")


def _followed(schema: Node, document: Node) -> Node:
    place = schema.get("$ref", "")
    return document["components"]["schemas"][place.rsplit("/", 1)[1]] if place else schema


def _type(schema: Node) -> str:
    kind = schema.get("type", "object")
    kinds = [kind] if isinstance(kind, str) else kind
    return " or ".join(kinds) + (" or null" if schema.get("nullable") else "")
