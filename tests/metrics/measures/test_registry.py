import pytest

from metrics.errors import InputError
from metrics.measures import available, get


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("ARaB@10", "ARaB@10"),
        ("RaB", "RaB"),
        ("ARaB(magnitude=tf)@10", "ARaB@10"),
        (" RaB( male=x , magnitude=bool )@5 ", "RaB(magnitude=bool,male=x)@5"),
    ],
)
def test_a_name_is_read_and_its_canonical_form_reads_back(written: str, canonical: str) -> None:
    measure = get(written)
    assert str(measure) == canonical
    assert str(get(str(measure))) == canonical


@pytest.mark.parametrize(
    ("written", "data"),
    [
        ("Bias@10", "'Bias'"),
        ("RaB@0", "0"),
        ("RaB@-1", "-1"),
        ("RaB@", ""),
        ("RaB(magnitude)", "magnitude"),
        ("RaB(magnitude=idf)", "'idf'"),
        ("RaB(colour=red)", "'colour'"),
        ("", ""),
    ],
)
def test_a_name_that_means_nothing_is_an_error(written: str, data: str) -> None:
    with pytest.raises(InputError) as caught:
        get(written)
    assert data in str(caught.value)


def test_the_measures_of_all_files_are_found_in_the_order_of_the_tables() -> None:
    bias = ["RaB", "ARaB", "RaB-adjusted", "FaiRR", "NFaiRR", "AWRF", "TED", "TED-noRBDF"]
    others = ["TExFAIR", "TExFAIR-noRBDF", "LIWC", "LabelExposure", "LabelAWRF", "MRR", "Recall"]
    released = [*bias, *others, "nDCG"]
    assert [one.name for one in available() if one.name in released] == released
    assert len({measure.position for measure in available()}) == len(available())


def test_every_measure_describes_itself() -> None:
    for measure in available():
        for text in (
            measure.summary,
            measure.equation,
            measure.formula,
            measure.citation,
            measure.range,
            measure.direction,
            measure.short_list,
            measure.empty_list,
            measure.no_group_words,
        ):
            assert text, measure.name
        assert get(str(get(measure.name))).definition is measure
        assert all(info.description for info in measure.params.values())
