"""Finds where code asks which kind of feedback it has, instead of what the kind reveals."""

from __future__ import annotations

import ast

KINDS = {"feedback", "needs"}
MEMBERS = {"HIT", "TOLD", "LENGTH", "SUNK", "SHIP"}
ORDERING = {"frozenset", "max", "min", "set", "sorted"}


def comparing_lines(code: str) -> list[int]:
    """Return the lines that compare kinds of feedback, order them, or look up something by one.

    A kind is what is called ``feedback`` or ``needs`` (but for the needs of charts), a member of
    `Feedback`, and a variable that got one.
    """
    nodes = list(ast.walk(ast.parse(code)))
    charts = any(isinstance(node, ast.Name) and node.id == "Needs" for node in nodes)
    known = KINDS - ({"needs"} if charts else set())
    for node in nodes:
        match node:
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)):
                pairs = [*zip(targets, values, strict=False)]
            case ast.Assign([target], value) | ast.NamedExpr(target, value):
                pairs = [(target, value)]
            case _:
                continue
        known |= {ast.unparse(one) for one, other in pairs if _is_kind(other, known)}
    return sorted({node.lineno for node in nodes if _compares(node, known)})


def _is_kind(node: ast.AST, known: set[str]) -> bool:
    match node:
        case ast.Name(name):
            return name in known
        case ast.Attribute(ast.Name("Feedback"), name):
            return name in MEMBERS
        case ast.Attribute(_, name):
            return name in known & KINDS
        case ast.Call(ast.Attribute(ast.Name("Feedback"), "parse")):
            return True
        case ast.Call(ast.Name("str"), [value]):
            return _is_kind(value, known)
    return False


def _holds(node: ast.AST, known: set[str]) -> bool:
    """Return whether an expression is a kind, or made of kinds by more than asking them."""
    if _is_kind(node, known):
        return True
    if isinstance(node, ast.Attribute | ast.Call | ast.Compare):
        return False
    return any(_holds(each, known) for each in ast.iter_child_nodes(node))


def _compares(node: ast.AST, known: set[str]) -> bool:
    """Return whether an expression or statement itself compares kinds."""
    match node:
        case ast.Compare(_, [ast.Is() | ast.IsNot()], [ast.Constant(None)]):
            return False
        case ast.Compare(left, _, others):
            asked = [left, *others]
        case ast.Match(subject):
            asked = [subject]
        case ast.Subscript(_, key):
            asked = [key]
        case ast.Dict(keys):
            asked = [key for key in keys if key is not None]
        case ast.SetComp(part):
            asked = [part]
        case ast.Call(ast.Name(name), arguments, keywords) if name in ORDERING:
            asked = [*arguments, *(each.value for each in keywords)]
        case ast.Tuple(parts) | ast.List(parts) | ast.Set(parts):
            return sum(ast.unparse(part)[9:] in MEMBERS for part in parts) > 1
        case _:
            return False
    return any(_holds(each, known) for each in asked)
