"""Seeds of the made-up input: small files, whole and broken, of every layout."""

import gzip
import io
import zipfile

import pyarrow as pa

_SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"


def _packed(data: bytes) -> tuple[bytes, bytes]:
    packed: bytes = pa.compress(data, "zstd", asbytes=True)
    return gzip.compress(data, mtime=0), packed


_RUN = b"q1 Q0 d1 1 3.5 a\nq1 Q0 d2 2 3.5 a\nq1\tQ0\td3\t3\t-1e-3\ta\r\nq2 Q0 d1 0 .5 a\n"
_RUN_GZ, _RUN_ZST = _packed(_RUN)
RUNS = (
    b"\0" + _RUN,
    b"\0\xef\xbb\xbf" + _RUN,
    b"\0q1 Q0 d1 1 nan a\n",
    b"\0q1 Q0 d\xff 1 1 a\n",
    b"\0q1 Q0 d1 1 1e308 a\nq1 Q0 d1 2 1e309 a",
    b"\0q1 Q0 \xd7\xa9 +1 1.00000000000000000000000001 a\n\n",
    b"\2" + _RUN_GZ,
    b"\3" + _RUN_ZST,
    b"\2" + _RUN_GZ[:-5],
)

_TSV = b"d1\tShe said\r\nd2\t\xc3\xa9 his\tbrother\n"
_JSONL = b'{"id": "d1", "contents": "she"}\n{"docid": 7, "text": "\\u00e9"}\n'
_TSV_GZ, _ = _packed(_TSV)
_, _JSONL_ZST = _packed(_JSONL)
COLLECTIONS = (
    b"\0" + _TSV,
    b"\1" + _JSONL,
    b"\2" + _JSONL,
    b"\2\xef\xbb\xbf" + _TSV,
    b"\1" + b'{"id": "d1", "contents": ' + b"[" * 500,
    b"\3" + _TSV_GZ,
    b"\4" + _JSONL_ZST,
)
WORDS = (b"word,group\nshe,f\nhe,m\n", b"\xef\xbb\xbfstep-mother,f\nShe,f\n", b"she,f\nshe,m\n")

_TEXTS = b"1\twho was the queen\n2\twhat, is tea\n"
_TEXTS_GZ, _TEXTS_ZST = _packed(_TEXTS)
QUERIES = (
    b"\0" + _TEXTS,
    b"\1" + b"1,who, was it,f\n2,tea,n\n",
    b"\0" + b"1\n2\n",
    b"\2" + _TEXTS_GZ,
    b"\3" + _TEXTS_ZST,
)
LABELS = (b"1,who, was it,f\n2,tea,n\n", b"1,,o\r\n", b"1,a,x\n", b'1,"a\n",n\n')
_JUDGED = b"q1 0 d1 1\nq1 0 d2 -1\nq2\t0\td1\t+3\n"
_JUDGED_GZ, _JUDGED_ZST = _packed(_JUDGED)
QRELS = (b"\0" + _JUDGED, b"\1" + _JUDGED_GZ, b"\2" + _JUDGED_ZST, b"\0q1 0 d1 1.5\n")

_PLAIN = b'query_id,worker,label,gold,seconds,query\nq1,a,n,,3.5,"what, is"\nq1,b,f,f,,x\n'
_MTURK = (
    b'"HITId","AssignmentId","WorkerId","AssignmentStatus","Input.query","Answer.label"\r\n'
    b'"3H","3A","A1","Approved","who","f"\r\n"3H","3B","A2","Rejected","who","m"\r\n'
)
_PLAIN_GZ, _PLAIN_ZST = _packed(_PLAIN)
VOTES = (b"\0" + _PLAIN, b"\0" + _MTURK, b"\2" + _PLAIN_GZ, b"\3" + _PLAIN_ZST)


BETWEEN_FILES = b"\0--\0"
BUNDLE_FILES = (
    "manifest.json",
    "batches/1/batch.json",
    "batches/1/queries.csv",
    "batches/1/votes.csv",
    "batches/1/labels.csv",
    "batches/1/agreement.json",
    "batches/1/documents.csv",
    "batches/1/bias.csv",
    "batches/1/figures/bias_per_query.csv",
)
_BUNDLE = (
    (
        b'{"format": 2, "study": {"name": "s"}, "files": {"batches/1/batch.json": "0", '
        b'"batches/1/votes.csv": "0"}}'
    ),
    (
        b'{"name": "b", "parameters": {"categories": ["n", "f", "m", "o"], "method": "majority", '
        b'"strict": false, "label_seed": 0, "n_categories": 4, "resamples": 10, "level": 0.95, '
        b'"agreement_seed": 0, "interval": "queries", "queries_per_hit": 1}}'
    ),
    b"qid,query,gold\nq1,what,\nq2,who,n\n",
    b"qid,worker,kind,category,repeated,set_aside\nq1,a,human,n,0,0\nq1,b,human,f,0,1\n",
    (
        b"qid,label,method,source,n_votes,n_for,confidence,decided_by,reason\n"
        b"q1,n,majority,unanimous,1,1,,,\n"
    ),
    b'{"ties": 0, "majority": {"n": 1}}',
    (
        b"run,qid,rank,docno,in_collection,counts,n_tokens,f_tc,f_tf,m_tc,m_tf\n"
        b"A,q1,1,d,1,1,3,1,0.69,0,0.0\n"
    ),
    (
        b"run,measure,magnitude,cutoff,value,n_queries,n_queries_missing,n_docs_missing\n"
        b"A,RaB,tf,5,0.1,1,0,0\n"
    ),
    b"run,qid,measure,magnitude,cutoff,value\nA,q1,RaB,tf,5,0.1\n",
)
BUNDLES = (BETWEEN_FILES.join(_BUNDLE), BETWEEN_FILES.join(_BUNDLE[:6]))


def _zipped(method: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in zip(BUNDLE_FILES, _BUNDLE, strict=True):
            archive.writestr(name, content)
    return out.getvalue()


ZIPS = (_zipped(zipfile.ZIP_STORED), _zipped(zipfile.ZIP_DEFLATED))


def _answers(*fields: tuple[str, str]) -> bytes:
    inner = "".join(
        f"<Answer><QuestionIdentifier>{name}</QuestionIdentifier><FreeText>{value}</FreeText>"
        "</Answer>"
        for name, value in fields
    )
    space = f"{_SCHEMAS}2005-10-01/QuestionFormAnswers.xsd"
    return (
        f'<?xml version="1.0" encoding="ASCII"?><QuestionFormAnswers xmlns="{space}">{inner}'
        "</QuestionFormAnswers>"
    ).encode()


ANSWERS = (
    _answers(("v", "2"), ("q-0-gender", "f"), ("q-1-gender", "n"), ("q-2-gender", "m")),
    _answers(
        ("taskAnswers", '[{"q-0-gender": {"f": true, "n": false}, "q-1-gender": {"label": "n"}}]')
    ),
    b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
    b"<QuestionFormAnswers><Answer/></QuestionFormAnswers>",
)
FIELDS = (b"v\n1\nq-0\nf\nq-0\nm\nassignmentId\n3A", "naïve]]>\n\r\x0b<&\0\U0001f600".encode())

FORM = f"""<QuestionForm xmlns="{_SCHEMAS}2017-11-06/QuestionForm.xsd">
<Overview><Title>T</Title><FormattedContent><![CDATA[<p>x</p>]]></FormattedContent></Overview>
<Question><QuestionIdentifier>sum</QuestionIdentifier><IsRequired>true</IsRequired>
<QuestionContent><Text>1 + 1?</Text></QuestionContent><AnswerSpecification><SelectionAnswer>
<StyleSuggestion>radiobutton</StyleSuggestion><Selections><Selection><SelectionIdentifier>two
</SelectionIdentifier><Text>2</Text></Selection></Selections></SelectionAnswer>
</AnswerSpecification></Question></QuestionForm>""".replace("two\n", "two")


def _framed(kind: str, schema: str, member: str, content: str) -> bytes:
    return (
        f'<{kind} xmlns="{_SCHEMAS}{schema}/{kind}.xsd"><{member}>{content}</{member}>'
        f"<FrameHeight>0</FrameHeight></{kind}>"
    ).encode()


def html_question(page: str) -> bytes:
    """The question of a HIT that shows this page."""
    return _framed("HTMLQuestion", "2011-11-11", "HTMLContent", f"<![CDATA[{page}]]>")


def _external(url: str) -> bytes:
    return _framed("ExternalQuestion", "2006-07-14", "ExternalURL", url)


QUESTIONS = (
    FORM.encode(),
    html_question("<!DOCTYPE html><p>x"),
    _external("https://x.example/a?b=1"),
    _external("http://127.0.0.1:8000/"),
)
KEYS = (
    f"""<AnswerKey xmlns="{_SCHEMAS}2005-10-01/AnswerKey.xsd"><Question>
<QuestionIdentifier>sum</QuestionIdentifier><AnswerOption><SelectionIdentifier>two
</SelectionIdentifier><AnswerScore>5</AnswerScore></AnswerOption><DefaultScore>0</DefaultScore>
</Question><QualificationValueMapping><PercentageMapping><MaximumSummedScore>5</MaximumSummedScore>
</PercentageMapping></QualificationValueMapping></AnswerKey>""".replace("two\n", "two").encode(),
    b"""<AnswerKey><QualificationValueMapping><RangeMapping><SummedScoreRange>
<InclusiveLowerBound>0</InclusiveLowerBound><InclusiveUpperBound>9</InclusiveUpperBound>
<QualificationValue>1</QualificationValue></SummedScoreRange>
<OutOfRangeQualificationValue>0</OutOfRangeQualificationValue></RangeMapping>
</QualificationValueMapping></AnswerKey>""",
    b"""<AnswerKey><QualificationValueMapping><ScaleMapping><SummedScoreMultiplier>2.5
</SummedScoreMultiplier></ScaleMapping></QualificationValueMapping></AnswerKey>""",
)
PAGES = (
    (
        b'<!DOCTYPE html><html><body><form action="/mturk/externalSubmit"><input name="v">'
        b"<textarea>x</textarea><script>if (a < b) { f(); }</script></form></body></html>"
    ),
    b"<form></form><svg><![CDATA[<form>]]></svg><!-- <form> --><p title='</p>'>",
)
SIGNATURES = (
    b"AWS4-HMAC-SHA256 Credential=AKIAX/20260101/us-east-1/mturk-requester/aws4_request, "
    b"SignedHeaders=host;x-amz-date, Signature=" + b"0" * 64 + b"\n20260101T000000Z",
    b"AWS4-HMAC-SHA256 Credential=/\n20269999T999999Z",
)
REQUESTS = (
    b'\x00{"HITId": "3X"}',
    b'\x07{"Title": "t", "Reward": "0.25", "MaxAssignments": 3, "QualificationRequirements": [{}]}',
    b'\x20{"ExpireAt": 1e9, "HITId": "3X", "WorkerIds": ["A1"], "MaxResults": 3}',
    b'\x21{"ExpireAt": "2026-01-01T00:00:00Z", "HITId": "3X", "Status": "Reviewable"}',
    b'\x21{"ExpireAt": 1e400, "HITId": "3X"}',
    b'\x21{"ExpireAt": Infinity, "HITId": "3X"}',
    b"\x00" + b'{"HITId":' * 40 + b"1" + b"}" * 40,
)
CALLS = (
    b'{"name": "study", "queries": [{"qid": "1", "text": "what"}], "dry_run": true}',
    b'{"runs": ["BM25"], "cutoffs": [10, 1e400, -Infinity]}',
    b"[" * 40 + b"]" * 40,
    b'{"a":' * 2_000,
)
SUBMISSIONS = (
    b"\x00Submission id,Participant id,Status\n65a,5f1,APPROVED\n65b,5f2,AWAITING REVIEW\n",
    b"\x00\xef\xbb\xbfPARTICIPANT ID,status\r\np1,TIMED-OUT\r\n",
    b'\x01"Participant id","Status"\n"p""1",REJECTED\n',
    b"\x02\x1f\x8b\x08",
)
#: A token, and the set of keys.
SIGNED_LINKS = (
    b"eyJhbGciOiAiUlMyNTYiLCAia2lkIjogImsxIn0.eyJhdWQiOiAiaHR0cHM6Ly94LmV4YW1wbGUiLCAiZXhwIjogNDAwMDAwMDAwMCwgInByb2xpZmljIjogeyJQUk9MSUZJQ19QSUQiOiAicCJ9fQ."
    + b"A" * 86
    + b'\n{"keys": [{"kty": "RSA", "kid": "k1", "alg": "RS256", "e": "AQAB", "n": "'
    + b"q" * 342
    + b'"}]}',
    b'eyJhbGciOiAibm9uZSIsICJraWQiOiAiazEifQ.e30.\n{"keys": [{"kty": "RSA", "kid": "k1"}]}',
    b'a.b.c\n{"keys": [[], {"kty": "oct", "k": "AA", "kid": "k1"}]}',
)

_LOGITS = (
    b"train_on,category,query,document,gender,relevant,logit\n"
    b"Career,Career,q1,d1,m,1,0.5\nCareer,Career,q1,d2,f,0,-1e3\n"
)
LOGITS = (
    b"\0" + _LOGITS,
    b"\0" + _LOGITS + b"Career,Career,q1\n",
    b"\0" + _LOGITS.replace(b"0.5", b"nan"),
    b"\0" + _LOGITS.replace(b"q1", b'"q1'),
    b"\0\xef\xbb\xbf" + _LOGITS,
    b"\1" + gzip.compress(_LOGITS, mtime=0),
)
NUMBERS = (
    b"\0nDCG@10",
    b"\0FaiRR(tau=1)@10",
    b"\0RaB(cutoff=5)",
    b"\0AWRF(distance=kl,target=f:0.5/m:0.5)",
    b"\0011_0",
    b"\0021e-400",
    b"\0030.1,0.2,nan",
    b"\00490m",
    b"\00512.50",
    b"\0060,1,inf",
)
