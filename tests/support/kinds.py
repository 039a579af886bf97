"""Finds where code asks which kind of feedback it has, instead of what the kind reveals."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from itertools import chain

WORDS = {"hit", "sunk", "ship"}
MEMBERS = {word.upper() for word in WORDS}
# Of these a value goes through unchanged, or is still known by its place in the whole.
KEEPING = {"dict", "frozenset", "getattr", "int", "iter", "list", "max", "min", "next", "repr"}
KEEPING |= {"reversed", "set", "sorted", "str", "tuple"}
KEEPING_METHODS = {"get", "items", "keys", "lower", "parse", "pop", "strip", "upper", "values"}
ORDERING = {"frozenset", "max", "min", "set", "sorted"}
COMPARING = {"count", "endswith", "find", "index", "remove", "startswith"}
LOOKING_UP = {"count", "get", "index", "pop", "setdefault"}
OPERATORS = {"eq", "ge", "gt", "is_", "is_not", "le", "lt", "ne"}


def comparing_lines(code: str) -> list[int]:
    """Return the lines that compare kinds of feedback, order them, or look up something by one.

    A kind is what is called ``feedback`` or ``needs`` (but for the needs of charts), a member of
    `Feedback`, and a variable or container that got one. Lines are listed, too, that name a member
    for more than to give it to ``feedback=`` or ``needs``, and those with all words in a row.
    """
    tree = ast.parse(code)
    nodes = list(ast.walk(tree))
    called = {node.id for node in nodes if isinstance(node, ast.Name)}
    named = {"feedback"} if "Needs" in called else {"feedback", "needs"}
    known: set[str] = set()
    while (more := named | set(chain.from_iterable(map(partial(_bound, known), nodes)))) != known:
        known = more
    given = set(map(id, chain.from_iterable(map(_given, nodes))))
    return sorted(
        {node.lineno for node in nodes if id(node) not in given and _compares(node, known)}
    )


def _bound(known: set[str], node: ast.AST) -> Iterator[str]:
    """Yield the variables that a statement binds to kinds."""
    match node:
        case ast.Assign(targets, value):
            pairs = [(target, value) for target in targets]
        case (
            ast.AnnAssign(target, _, value)
            | ast.AugAssign(target, _, value)
            | ast.NamedExpr(target, value)
            | ast.For(target, value)
            | ast.comprehension(target, value)
        ):
            pairs = [(target, value)]
        case _:
            return
    for target, value in pairs:
        match target, value:
            case ast.Tuple(parts), ast.Tuple(values) if len(parts) == len(values):
                yield from chain.from_iterable(
                    _bound(known, ast.Assign([part], each))
                    for part, each in zip(parts, values, strict=True)
                )
            case ast.Name(name), ast.Name("Feedback"):
                yield name
            case ast.Name(name), _ if _is_kind(value, known):
                yield name


def _given(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is only given on: as an argument, a default, what a class needs, or a type."""
    match node:
        case ast.keyword("feedback" | "needs", value):
            yield value
        case ast.Assign([ast.Name("needs" | "uses")], value) | ast.AnnAssign(
            ast.Name("needs" | "uses" | "feedback"), _, value
        ) if value:
            yield value
        case ast.Call(ast.Name("getattr"), [_, ast.Constant("needs"), value]) | ast.Subscript(
            ast.Name("Literal"), value
        ):
            yield value


def _is_kind(node: ast.AST | None, known: set[str]) -> bool:
    """Return whether an expression is a kind, or holds kinds."""
    kind = partial(_is_kind, known=known)
    match node:
        case ast.Name(name):
            return name in known
        case ast.Attribute(ast.Name("Feedback"), name):
            return name in MEMBERS
        case ast.Attribute(value, name):
            return name in known & {"feedback", "needs"} or (
                name in {"name", "value"} and kind(value)
            )
        case ast.Subscript(value, ast.Constant(key)) if isinstance(key, str):
            return key in known or kind(value)
        case ast.Call(ast.Name("Feedback") | ast.Attribute(ast.Name("Feedback"), "parse")):
            return True
        case ast.Call(ast.Name("getattr"), [_, ast.Constant(name), *_]):
            return name in known
        case ast.Call(ast.Attribute(_, "get" | "pop"), [ast.Constant(key), *_]) if key in known:
            return True
        case ast.Call(ast.Name(name), arguments) if name in KEEPING:
            return any(map(kind, arguments))
        case ast.Call(ast.Attribute(value, name)) if name in KEEPING_METHODS:
            return kind(value)
        case ast.Dict([_, *_] as keys, values):
            return all(map(kind, keys)) or all(map(kind, values))
        case ast.DictComp(key, value):
            return kind(key) or kind(value)
        case (
            ast.ListComp(part)
            | ast.SetComp(part)
            | ast.GeneratorExp(part)
            | ast.Lambda(_, part)
            | ast.Starred(part)
            | ast.NamedExpr(_, part)
            | ast.Subscript(part)
            | ast.UnaryOp(_, part)
            | ast.FormattedValue(part)
            | ast.JoinedStr([part])
        ):
            return kind(part)
        case ast.List(parts) | ast.Tuple(parts) | ast.Set(parts) | ast.BoolOp(_, parts):
            return any(map(kind, parts))
        case ast.IfExp(_, one, other) | ast.BinOp(one, _, other):
            return kind(one) or kind(other)
    return False


def _compares(node: ast.AST, known: set[str]) -> bool:
    """Return whether an expression or statement itself compares kinds."""
    kind = partial(_is_kind, known=known)
    match node:
        case ast.Compare(_, [ast.Is() | ast.IsNot()], [ast.Constant(None)]):
            return False
        case ast.Compare(left, _, others):
            return any(map(kind, [left, *others]))
        case ast.Match(subject):
            return kind(subject)
        case ast.If(test) | ast.IfExp(test) | ast.While(test) | ast.UnaryOp(ast.Not(), test):
            return kind(test)
        case ast.Subscript(_, key):
            return kind(key)
        case ast.Dict(keys):
            return any(map(kind, keys))
        case ast.SetComp(part) | ast.DictComp(part):
            return kind(part)
        case ast.Attribute(ast.Name("Feedback"), name):
            return name in MEMBERS
        case ast.Tuple(parts) | ast.List(parts) | ast.Set(parts):
            return {part.value for part in parts if isinstance(part, ast.Constant)} >= WORDS
        case ast.Call(called, arguments, keywords):
            keys = [each.value for each in keywords if each.arg == "key"]
            match called:
                case ast.Name("getattr"):
                    return kind(arguments[1])
                case ast.Name(name) if name in ORDERING:
                    return any(map(kind, arguments + keys))
                case ast.Attribute(_, "sort"):
                    return any(map(kind, keys))
                case ast.Name(name) | ast.Attribute(ast.Name("operator"), name) if (
                    name in OPERATORS
                ):
                    return any(map(kind, arguments))
                case ast.Attribute(value, name):
                    return (kind(value) and (name in COMPARING or name.startswith("__"))) or (
                        name in LOOKING_UP and any(map(kind, arguments))
                    )
    return False
