"""More layouts of doccano, Label Studio and Appen, column for column as they write them."""

import json
from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.votes.files.mapping import as_options
from tests.annotation.vote_files.test_field_layouts import apart, read, votes, written

#: A record of Label Studio's JSON-MIN.
RECORD = {"id": 5, "text": "queen", "sentiment": "Female", "annotator": "a@b.org",
          "annotation_id": 5, "created_at": "2023-01-01T00:00:00.000000Z",
          "updated_at": "2023-01-02T00:00:00.000000Z", "lead_time": 3.1}  # fmt: skip


def test_tables_of_doccano_have_metadata_comments_and_line_ends(tmp_path: Path) -> None:
    text = (
        'id,data,label,source,Comments\n1,queen,Female,web,[]\n2,king,,web,[]\n3,"a\nb",Male,,[]\n'
    )
    found = read(written(tmp_path, text, "cyd.csv"))
    assert votes(found) == [("1", "cyd", "f"), ("3", "cyd", "m")]
    assert found.votes[1].text == "a\nb"
    assert votes(read(written(tmp_path, "label,text,id\nMale,king,9\n", "dan.csv"))) == [
        ("9", "dan", "m"),
    ]  # fmt: skip


def test_records_of_label_studio_have_addresses_agreement_and_skips(tmp_path: Path) -> None:
    skipped = {name: value for name, value in RECORD.items() if name != "sentiment"}
    records = [{**RECORD, "agreement": 50.0}, {**skipped, "annotator": "c@d.org"}]
    found = read(written(tmp_path, json.dumps(records)))
    assert votes(found) == [("5", "a@b.org", "f")]
    assert apart(found) == [("c@d.org", "blank")]
    named = {**RECORD, "query": "who", "qid": "q9"}
    del named["text"]
    assert votes(read(written(tmp_path, json.dumps([named])))) == [("q9", "a@b.org", "f")]


#: The columns of a full report before those of the job.
APPEN = (
    "_unit_id,_created_at,_golden,_id,_missed,_started_at,_tainted,_channel,_trust,_worker_id,"
    "_country,_region,_city,_ip,"
)


def test_a_full_report_of_appen_has_places_reasons_and_rejections(tmp_path: Path) -> None:
    row = "{},1/1/2015 10:00:00,{},{},,1/1/2015 09:59:00,false,elite,1,{},USA,CA,X,1.1.1.1,"
    text = APPEN + "gender,query,orig__golden,gender_gold,gender_gold_reason\n"
    text += row.format(11, "false", 1, 51) + "Female,queen,,,\n"
    text += row.format(12, "true", 2, 51) + "Male,king,true,Female,since\n"
    found = read(written(tmp_path, text))
    assert votes(found) == [("11", "51", "f"), ("12", "51", "m")]
    assert [one.gold for one in found.votes] == ["", "f"]
    text = APPEN + "_rejected,gender,comments,text\n"
    text += row.format(1, "FALSE", 1, 7) + "TRUE,Female,,queen\n"
    text += row.format(1, "FALSE", 2, 8) + ",Male,,queen\n"
    found = read(written(tmp_path, text))
    assert (votes(found), apart(found)) == ([("1", "8", "m")], [("7", "rejected")])


def test_gold_of_appen_with_several_right_answers_is_left_out(tmp_path: Path) -> None:
    row = "{},1/1/2015 10:00:00,true,{},,1/1/2015 09:59:00,false,elite,1,{},USA,CA,X,1.1.1.1,"
    text = APPEN + "gender,query,gender_gold\n"
    text += row.format(11, 1, 51) + 'Female,queen,"Female\nMale"\n'
    text += row.format(12, 2, 51) + 'Male,king,"Male\n"\n'
    found = read(written(tmp_path, text))
    assert votes(found) == [("11", "51", "f"), ("12", "51", "m")]
    assert [one.gold for one in found.votes] == ["", "m"]
    assert [note for note in found.notes if note.startswith("Gold") and note.endswith(": 1.")]


def test_the_aggregated_report_of_appen_is_told_from_the_full_one(tmp_path: Path) -> None:
    text = (
        "_unit_id,_golden,_unit_state,_trusted_judgments,_last_judgment_at,gender,"
        "gender:confidence,query\n"
        "11,false,finalized,3,1/1/2015 10:00:00,Female,0.9,queen\n"
        "12,false,finalized,3,1/1/2015 10:00:01,Male,0.8,king\n"
    )
    with pytest.raises(InputError, match="aggregated report") as raised:
        read(written(tmp_path, text))
    assert "full report" in raised.value.remedy
    assert "--" not in raised.value.remedy


def test_only_questions_are_offered_as_the_label_of_records(tmp_path: Path) -> None:
    two = {**RECORD, "tone": "Male"}
    with pytest.raises(InputError, match="'label'") as raised:
        read(written(tmp_path, json.dumps([two])))
    assert raised.value.advice(as_options) == (
        "Add --columns label=sentiment or --columns label=tone to say which it is."
    )
    assert votes(read(written(tmp_path, json.dumps([two])), columns={"label": "tone"})) == [
        ("5", "a@b.org", "m"),
    ]  # fmt: skip
