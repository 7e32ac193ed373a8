"""The lessons are notebooks, too: converted by jupytext, they run from top to bottom."""

import ast

import pytest
from support.lessons import TUTORIALS

jupytext = pytest.importorskip("jupytext", reason="pip install -e '.[notebook]'")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

pytestmark = pytest.mark.slow
LESSONS = sorted(TUTORIALS.glob("[0-9]*.py"))


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda file: file.stem)
def test_every_cell_arrives(lesson):
    notebook = jupytext.read(lesson)
    assert notebook.metadata["jupytext"]["text_representation"]["format_name"] == "percent"
    first, *_ = notebook.cells
    assert first.cell_type == "markdown" and first.source.startswith(f"# {int(lesson.stem[:2])}. ")
    for cell in notebook.cells:
        assert cell.source.strip()
        if cell.cell_type == "code":
            ast.parse(cell.source)


@pytest.mark.parametrize("name", ["02_rnn", "08_summary"])
def test_runs_as_a_notebook(name, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(TUTORIALS))
    notebook = jupytext.read(TUTORIALS / f"{name}.py")
    small = {"epochs=4": "epochs=1", "units=128": "units=16", "embedding_dim=64": "embedding_dim=8"}
    [options] = [cell for cell in notebook.cells if "lesson.options(" in cell.source]
    for written, smaller in small.items() if name == "02_rnn" else ():
        assert written in options.source
        options.source = options.source.replace(written, smaller)  # as a reader would
    nbclient.NotebookClient(notebook, resources={"metadata": {"path": tmp_path}}).execute()
    assert (tmp_path / "runs" / name / "results.json").is_file()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    printed = "".join(output.get("text", "") for output in outputs)
    assert f"Results: runs/{name}/results.json" in printed
    if name == "02_rnn":
        assert any("image/png" in output.get("data", {}) for output in outputs)
