"""Types that say what files hold: what is read by them, and what is refused."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import pytest
from msgspec import UNSET, Meta, UnsetType

from _pages.schemas import schema_of
from bsbench.common.record import Content, Count, Figure, Record, as_json, read, whole
from tests.support.damage import check_refusals, damages, example
from tests.support.refusals import refused


class Boat(Record, frozen=True):
    """A boat.

    Attributes
    ----------
    length, width
        In cells.
    """

    length: Annotated[int, Meta(ge=1, le=9)]
    width: float | None = None


class HarbourRecord(Content, frozen=True, kw_only=True):
    """What a harbour writes.

    It has a second sentence.

    Attributes
    ----------
    boats
        Those that lie there.
    seconds.count
        Counting.
    """

    schema = "bsbench-harbour-7"
    steps = {"count": "seconds"}  # noqa: RUF012

    boats: list[Boat]
    places: tuple[Count, ...] = ()
    signal: Literal["red", "green"] | UnsetType = UNSET
    keeper: Annotated[str, Meta(examples=["Ann"])] = ""
    names: dict[str, str] = {}  # noqa: RUF012
    figure: Figure | None = None


FRAME = {
    "schema": "bsbench-harbour-7",
    "bsbench": "0.1.0",
    "threads": 1,
    "seconds": {"count": 0.5},
    "machine": {"processor": "P", "cores": 2, "system": "S"},
    "versions": {},
    "date": "2026-01-01",
}


def test_what_is_read_has_its_types():
    table: dict[str, Any] = {"boats": [{"length": 3}], "places": [1, 2], "figure": None}
    found: Any = read(FRAME | table, HarbourRecord)
    assert (found.boats[0], found.places, found.signal) == (Boat(length=3), (1, 2), UNSET)
    assert (found.threads, found.seconds.count) == (1, 0.5)
    # A whole number is a number; and it is as large as it likes.
    assert read({"length": 2, "width": 2}, Boat).width == 2.0
    assert read({"value": None, "half_width": None}, Figure) == Figure(value=None, half_width=None)
    assert read(FRAME | {"boats": [], "places": [2**900]}, HarbourRecord).places == (2**900,)


def test_whatever_is_wrong_is_refused_in_a_sentence_with_its_key():
    check_refusals(
        lambda table: read(table, HarbourRecord), example(whole(HarbourRecord)), HarbourRecord
    )


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"boats": [{"length": 0}]}, ["boats[0].length", "1", "9", "0"]),
        ({"boats": [{"length": 2, "witdh": 1}]}, ["'witdh'", "'boats[0]'", "'width'"]),
        ({"signal": "blue"}, ["signal", '"red"', '"green"', "'blue'"]),
        ({"keeper": 1}, ["keeper", '"Ann"', "1"]),
    ],
)
def test_a_sentence_says_what_is_wanted_and_what_is_there(wrong, named):
    with refused(*named):
        read(FRAME | {"boats": []} | wrong, HarbourRecord)


def test_what_is_not_there_is_not_written_and_what_is_not_finite_is_null():
    harbour = HarbourRecord(boats=[Boat(length=2, width=math.nan)])
    written = as_json(harbour)
    assert written["boats"] == [{"length": 2, "width": None}]
    assert "signal" not in written


def test_the_schema_says_what_the_type_says():
    schema = schema_of(HarbourRecord)
    assert (schema["$id"], schema["title"]) == ("harbour.json", "Harbour")
    assert schema["description"] == "What a harbour writes. It has a second sentence."
    keys = [*schema["properties"]]
    assert keys[:3] == ["schema", "bsbench", "boats"]
    assert keys[-5:] == ["threads", "seconds", "machine", "versions", "date"]
    assert schema["required"] == [*[*FRAME][:2], "boats", *[*FRAME][2:]]
    boat = schema["properties"]["boats"]["items"]["properties"]
    assert boat["length"] == {"type": "integer", "minimum": 1, "maximum": 9} | {
        "description": "In cells."
    }
    assert boat["width"]["type"] == ["number", "null"]
    assert schema["properties"]["schema"]["const"] == "bsbench-harbour-7"
    assert schema["properties"]["signal"]["enum"] == ["red", "green"]
    assert schema["properties"]["seconds"]["properties"]["count"]["description"] == "Counting."
    choices = schema["properties"]["figure"]["anyOf"]
    assert choices == [{"$ref": "common.json#/$defs/estimate"}, {"type": "null"}]


def test_a_type_that_is_all_of_a_file_stays_itself():
    assert whole(Boat) is Boat
    assert whole(HarbourRecord) is whole(HarbourRecord)


def test_each_key_of_a_type_is_damaged_in_every_way_it_can_be():
    """What the tests of all readers stand on."""
    found = {(key, what) for key, what, _ in damages(example(Boat), Boat)}
    texts, lists = ("'7'", "[]"), ("[]", "{}")
    assert found == {
        *(("", each) for each in ("None", "True", "7", "2.0", "'7'", "[]")),
        *(("length", each) for each in ("missing", "0", "10", "None", "True", "2.0", *texts, "{}")),
        *(("width", each) for each in ("True", "'7'", "1" + 39 * "0", *lists)),
        ("surplus", "unknown in ''"),
    }
    keys = {key for key, _, _ in damages({}, whole(HarbourRecord))}
    assert {"boats[0].length", "seconds.count", "machine.cores", "figure.value"} <= keys
    assert {"places", "names", "signal", "schema", "date", "versions", ""} <= keys
