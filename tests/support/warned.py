"""How bsbench warns: in a sentence that names what it is about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bsbench.common.errors import BsbenchWarning
from tests.support.refusals import assert_sentence, names


@contextmanager
def warned(*named: str, kind: type[Warning] = BsbenchWarning) -> Iterator[pytest.WarningsRecorder]:
    """Fail unless the block warns in sentences, and one of them names some words."""
    with pytest.warns(kind) as caught:
        yield caught
    told = [str(each.message) for each in caught if issubclass(each.category, kind)]
    for text in told:
        assert_sentence(text)
    assert any(all(names(text, name) for name in named) for text in told), (named, told)
