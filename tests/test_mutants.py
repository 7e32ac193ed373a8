import mutants
import pytest
from mutants import MUTANTS, ROOT


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_text_of_a_mutant_is_still_there(mutant):
    assert mutants.is_found_once(mutant)
    assert mutant.replacement != mutant.text
    for test in mutant.tests.split():
        file, _, name = test.partition("::")
        assert f"def {name}" in (ROOT / "tests" / file).read_text()


def test_mutants_have_names_of_their_own():
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 40
