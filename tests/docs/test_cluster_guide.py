"""The script for arrays of jobs in `docs/cluster.md`, run as Slurm would, with few games."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bsbench
from tests.support import ROOT


@pytest.mark.slow
def test_tasks_of_the_array_and_merge_give_the_record_of_one_run(in_folder):
    text = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"```bash\n(#!/bin/bash\n.*?)```", text, flags=re.DOTALL)
    script = re.sub(r"^games=\d+$", "games=200", script, flags=re.MULTILINE)
    Path("night.sh").write_text(script)
    own = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    own["SLURM_CPUS_PER_TASK"] = "1"
    # The second task is started again: what it has saved is kept.
    for task in (1, 0, 1):
        own["SLURM_ARRAY_TASK_ID"] = str(task)
        subprocess.run(["bash", "-e", "night.sh"], env=own, check=True)
    (merge,) = re.findall(r"--wrap '(.*?)'", text)
    subprocess.run(["bash", "-e", "-c", merge], env=own, check=True, capture_output=True)
    together = bsbench.load("night.json")
    assert together.tally.digest == bsbench.run("prob", games=400).tally.digest
