"""Other names of arguments, functions and measures that people type: data alone.

A name with one meaning here is accepted; of one with several, or with none, a `Hint` says what to
type. `metrics.public` looks arguments up, the package its names, the registry those of measures.
"""

from collections.abc import Mapping
from typing import NamedTuple


class Hint(NamedTuple):
    """A sentence that says what to type in the place of a name."""

    text: str


def plain(name: str) -> str:
    """A name without what people write in several ways: capitals, _ and -, and the plural.

    >>> plain("cut_offs"), plain("topK"), plain("Queries")
    ('cutoff', 'topk', 'query')
    """
    letters = name.lower().replace("_", "").replace("-", "")
    return f"{letters[:-3]}y" if letters.endswith("ies") else letters.removesuffix("s")


_IN_TABLE = "The table that compare gives has"
_WRITE = Hint("Write the table: .to_csv(path), or .to_parquet(path).")
_LEVEL = Hint(
    "Intervals are those of compare, of plot_bias of values per query, and of "
    "mean_interval(values, level=...)."
)
_ROUND = Hint("Round what it returns, as table.round(3).")
_NAMES_OF_RUNS = Hint("Give runs by name: {name: run}.")
_AGREEMENT = Hint(
    "Write fairpool.agreement(votes): it gives every coefficient of a data frame of votes."
)
_MISSING = 'Give missing="zero" or missing="skip" for documents without a text.'
_PROCESSORS = Hint("Leave it out: it always uses all processors.")
_GROUPS = Hint(
    "Words of groups are lexicon={group: words}; groups of documents are labels={docno: group}."
)

_OF_A_RUN = {
    **dict.fromkeys(("k", "cutoff", "top_k"), "depth"),
    **dict.fromkeys(("run_name", "tag", "system"), "name"),
}

#: For all functions, then by function: the argument that a name stands for, or a hint.
ARGUMENTS: Mapping[str, Mapping[str, str | Hint]] = {
    "": {
        **dict.fromkeys(("k", "at", "top_k", "n"), "cutoff"),
        **dict.fromkeys(("word_list", "wordlist", "words", "lexicons"), "lexicon"),
        **dict.fromkeys(("random_state", "random_seed", "rng"), "seed"),
        **dict.fromkeys(
            ("n_resamples", "n_permutations", "permutations", "iterations", "n_iter", "n_boot"),
            "resamples",
        ),
        **dict.fromkeys(("decimals", "digits", "round", "round_digits", "rounding_digits"), _ROUND),
        **dict.fromkeys(("n_jobs", "workers", "num_workers", "threads", "processes"), _PROCESSORS),
        **dict.fromkeys(("save", "save_to", "output", "out", "to_csv"), _WRITE),
        **dict.fromkeys(("ci", "confidence", "confidence_level", "conf", "interval"), "level"),
        "alpha": Hint("An interval has a level: level=0.95 for alpha=0.05."),
        **dict.fromkeys(
            ("verbose", "progress", "show_progress", "device", "batch_size", "cache", "tqdm"),
            Hint("Leave it out."),
        ),
        "tokeniser": "tokenizer",
        **dict.fromkeys(("mask", "valid"), "present"),
        **dict.fromkeys(("lengths", "n_words", "doc_lengths", "document_lengths"), "n_tokens"),
        **dict.fromkeys(
            ("bootstrap", "method", "correction", "lower", "lowercase", "equal_var"),
            Hint("Leave it out: there is only one way."),
        ),
        **dict.fromkeys(
            ("format", "kind", "sep", "delimiter", "header", "encoding", "compression"),
            Hint("Leave it out: a file is known by what it holds."),
        ),
        "magnitude": Hint("Give the numbers themselves: magnitudes of documents in ranked order."),
    },
    "evaluate": {
        **dict.fromkeys(("k", "at", "top_k", "top", "n", "rank", "depth", "threshold"), "cutoffs"),
        **dict.fromkeys(("texts", "docs", "documents", "corpus", "text"), "scores"),
        **dict.fromkeys(("magnitudes_file", "scored", "index", "passages_text"), "scores"),
        **dict.fromkeys(("rankings", "results", "systems", "retr_systems", "hits"), "runs"),
        **dict.fromkeys(
            ("predictions", "preds", "run_dict", "ranked_lists", "y_score", "y_pred"), "runs"
        ),
        **dict.fromkeys(("metrics", "eval_metrics"), "measures"),
        **dict.fromkeys(
            ("gender_words", "group_words", "word_lists", "lexica", "vocabulary"), "lexicon"
        ),
        **dict.fromkeys(
            ("female", "male", "female_words", "male_words"),
            Hint('Words of groups are lexicon={"f": [...], "m": [...]}.'),
        ),
        **dict.fromkeys(("topics", "query_ids", "qids"), "queries"),
        **dict.fromkeys(("judgments", "judgements", "relevance", "ground_truth"), "qrels"),
        **dict.fromkeys(("references", "gold", "truth", "y_true", "labels_true"), "qrels"),
        **dict.fromkeys(
            ("relevance_level", "rel", "min_rel", "binary_relevance", "min_relevance"),
            Hint("Give it with the measure: P(rel=2)@10."),
        ),
        **dict.fromkeys(
            ("complete", "c", "all_queries"),
            Hint(
                "Leave it out: judged queries that a run does not answer count 0 for "
                "effectiveness; queries=[...] names others."
            ),
        ),
        **dict.fromkeys(("mode", "weighting"), "magnitude"),
        **dict.fromkeys(("on_missing", "ignore_missing", "missing_docs", "errors"), Hint(_MISSING)),
        **dict.fromkeys(("ties", "tie_breaking", "sort"), "order"),
        **dict.fromkeys(
            ("language", "lang", "stopwords"),
            Hint("Give the words of the language: lexicon=FILE or {group: words}."),
        ),
        **dict.fromkeys(
            ("lowercase", "stemmer", "stem", "normalize", "normalise"),
            Hint(
                "Words are counted in lower case and without stemming; choose how texts are cut "
                "with tokenizer=."
            ),
        ),
        **dict.fromkeys(("plot", "draw", "figure"), Hint("Draw it: fairpool.plot_bias(table).")),
        **dict.fromkeys(
            ("protected", "protected_attribute", "protected_group", "sensitive"), _GROUPS
        ),
        **dict.fromkeys(("filter", "subset", "only"), "queries"),
        **dict.fromkeys(
            ("by_query", "by_qid", "by_topic", "per_topic", "return_per_query"), "per_query"
        ),
        **dict.fromkeys(
            ("return_mean", "aggregate", "aggregated", "agg", "mean", "average", "reduce"),
            Hint("per_query=True gives the value of each query."),
        ),
        "make_comparable": Hint("queries=[...] names the queries that all runs are measured over."),
        "filter_by_qrels": Hint("Give queries=list(qrels)."),
        **dict.fromkeys(
            ("as_dict", "return_type", "return_df", "as_frame", "dataframe", "format"),
            Hint('It returns a data frame; use .to_dict("records").'),
        ),
        "dataset": Hint("Say what to read from it: scores=dataset, qrels=dataset."),
        **dict.fromkeys(("document_labels", "doc_labels"), "labels"),
        **dict.fromkeys(("attribute", "attributes"), _GROUPS),
        "method": Hint('Its magnitudes are magnitude="tf", "bool", ...; tests are compare(...).'),
        **dict.fromkeys(("ci", "confidence", "confidence_level", "level", "interval"), _LEVEL),
        **dict.fromkeys(("bootstrap", "bootstraps", "std", "stderr"), _LEVEL),
        "groups": _GROUPS,
        "group": _GROUPS,
        "weights": Hint(
            "Chances of drawn queries are inclusion={qid: chance}; weights of documents in groups "
            "are labels={docno: {group: weight}}."
        ),
        **dict.fromkeys(("names", "name", "run_names", "system_names"), _NAMES_OF_RUNS),
        **dict.fromkeys(
            ("test", "significance", "p_values", "stat_test"),
            Hint("Tests are fairpool.compare(evaluate(..., per_query=True))."),
        ),
        "seed": Hint("Leave it out: the numbers are always the same."),
    },
    "compare": {
        **dict.fromkeys(("frame", "results", "data", "values", "df"), "per_query"),
        **dict.fromkeys(
            ("method", "test", "tests", "stat_test"), Hint(f"{_IN_TABLE} t_p and permutation_p.")
        ),
        **dict.fromkeys(
            ("correction", "adjust", "adjustment"),
            Hint(f"{_IN_TABLE} both: t_p_bonferroni and t_p_holm, and those of permutation_p."),
        ),
        **dict.fromkeys(("reference", "control", "base"), "baseline"),
        **dict.fromkeys(
            ("alpha", "level", "ci", "confidence", "max_p"),
            Hint(f"{_IN_TABLE} low and high; compare a p with your own level."),
        ),
        "metric": Hint("Compare a part of the table: per_query[per_query.measure == name]."),
        "measure": Hint("Compare a part of the table: per_query[per_query.measure == name]."),
        **dict.fromkeys(("equivalence", "delta", "epsilon"), "margin"),
        **dict.fromkeys(
            ("n_permutations", "permutations", "resamples", "n_resamples", "n_boot"),
            Hint("Leave it out, or use permutation_test(first, second, resamples=...)."),
        ),
        "paired": Hint("Leave it out: runs are paired over their queries."),
    },
    "correlation": {
        "method": Hint("It returns all of them, as attributes."),
        **dict.fromkeys(("a", "x"), "first"),
        **dict.fromkeys(("b", "y"), "second"),
    },
    **{
        name: {"alternative": Hint("Leave it out: its p is two-sided.")}
        for name in ("paired_t_test", "permutation_test")
    },
    "compare_all": {
        **dict.fromkeys(("reference", "control"), "baseline"),
        **dict.fromkeys(
            ("method", "correction"), Hint("Leave it out: each pair has t_p_holm, t_p_bonferroni.")
        ),
    },
    "fairr": dict.fromkeys(("threshold",), "tau"),
    "chain": dict.fromkeys(("texts", "docs", "documents", "corpus", "collection"), "scores"),
    "plot_bias": {
        **dict.fromkeys(("frame", "data", "df", "per_query"), "results"),
        **dict.fromkeys(("measure", "metric", "metrics"), "measures"),
        **dict.fromkeys(
            ("path", "save", "output", "filename"), Hint("Write the figure: .savefig(path).")
        ),
        **dict.fromkeys(("title", "figsize", "ax"), Hint("Change the figure that it returns.")),
    },
    "load_magnitudes": dict.fromkeys(
        ("texts", "docs", "documents", "corpus", "collection", "path"), "source"
    ),
    "score_texts": {**dict.fromkeys(("docs", "documents", "passages"), "texts")},
    "rab": {**dict.fromkeys(("f", "women"), "female"), **dict.fromkeys(("m", "men"), "male")},
    "arab": {**dict.fromkeys(("f", "women"), "female"), **dict.fromkeys(("m", "men"), "male")},
    "read_run": {**_OF_A_RUN, **dict.fromkeys(("file", "filename", "run"), "path")},
    "from_dict": {**_OF_A_RUN, **dict.fromkeys(("data", "results", "rankings"), "run")},
    "from_frame": {**_OF_A_RUN, **dict.fromkeys(("data", "df", "run", "results"), "frame")},
    "score_collection": {
        **dict.fromkeys(("collection", "path", "source", "file"), "paths"),
        **dict.fromkeys(("output_path", "out", "to", "save"), "output"),
        **dict.fromkeys(("overwrite", "force"), Hint("Leave it out: the file is always replaced.")),
    },
    "read_qrels": dict.fromkeys(("file", "filename", "qrels"), "path"),
    "read_lexicon": dict.fromkeys(("file", "filename", "words", "lexicon"), "path"),
    "rbo": dict.fromkeys(("k", "cutoff", "top_k"), "depth"),
    "read_votes": {
        **dict.fromkeys(("path", "file", "files", "filename"), "paths"),
        "format": "layout",
    },
    **{
        name: {
            **dict.fromkeys(("data", "df", "frame"), "votes"),
            **dict.fromkeys(("task", "qid", "query_id", "unit"), "item"),
            **dict.fromkeys(("annotator", "rater", "coder"), "worker"),
            **dict.fromkeys(("label", "answer", "category"), "value"),
            **dict.fromkeys(("level_of_measurement", "metric"), "kind"),
            **dict.fromkeys(("labels", "categories", "value_domain"), "options"),
        }
        for name in ("agreement", "decide")
    },
    "awrf": dict.fromkeys(("population", "target_distribution", "targets"), "target"),
}

_MEASURE = Hint('Use evaluate(runs, "RaB@10", texts).')
_FRAME = Hint("Use to_frame().")
_TREC = Hint("Use save(path), which writes a TREC run.")
_READ = Hint("Use read_run(path).")

#: Attributes by class that it has by another name.
ATTRIBUTES: Mapping[str, Mapping[str, Hint]] = {
    "": dict.fromkeys(
        (
            *("to_pandas", "to_df", "to_dataframe", "as_frame", "df", "head", "tail", "shape"),
            *("columns", "loc", "iloc", "groupby", "merge", "describe"),
        ),
        _FRAME,
    ),
    "Run": {
        **dict.fromkeys(("from_file", "from_path", "read", "load", "from_trec", "open"), _READ),
        **dict.fromkeys(
            ("from_df", "from_pandas", "from_polars"), Hint("Use Run.from_frame(frame).")
        ),
        "from_ranx": Hint("Use Run.from_dict(run.to_dict())."),
        **dict.fromkeys(("from_run", "from_mapping"), Hint("Use Run.from_dict(run).")),
        **dict.fromkeys(("to_trec", "write", "to_file", "dump", "export"), _TREC),
        **dict.fromkeys(
            ("to_csv", "to_parquet", "to_json"),
            Hint("Write its frame, to_frame().to_csv(path), or a TREC run, save(path)."),
        ),
        **dict.fromkeys(("queries", "query_ids", "topics"), Hint("Use qids.")),
        **dict.fromkeys(("ranking", "docs", "get_documents"), Hint("Use documents(qid).")),
        "get": Hint("Use run[qid], or to_dict()."),
        "values": Hint("Use items(), or to_dict()."),
        **dict.fromkeys(("evaluate", "measure", "score"), _MEASURE),
        **dict.fromkeys(("from_dataframe",), Hint("Use Run.from_frame(frame).")),
        **dict.fromkeys(("from_list", "from_tuples"), Hint("Use Run.from_dict({qid: [docno]}).")),
        **dict.fromkeys(("from_csv", "from_json", "from_parquet"), _READ),
        **dict.fromkeys(("save_as",), _TREC),
        **dict.fromkeys(
            ("filter", "select", "subset"),
            Hint("Use Run.from_dict({qid: run[qid] for qid in ...})."),
        ),
        **dict.fromkeys(("top", "cut", "truncate"), Hint("Use Run.from_dict(run, depth=10).")),
        "copy": Hint("Leave it out: a run never changes."),
        "run": Hint("Use to_dict()."),
    },
    "Magnitudes": {
        **dict.fromkeys(("to_csv", "to_parquet", "save"), Hint("Write its frame: to_frame().")),
        **dict.fromkeys(("get", "loc", "rows"), Hint("Use magnitudes[docno], or find(docnos).")),
        **dict.fromkeys(
            ("keys", "items", "values", "to_dict"),
            Hint("Use docnos, magnitudes[docno] or to_frame()."),
        ),
        **dict.fromkeys(("f", "m", "female", "male"), Hint('Use tf["f"], tc["f"] or to_frame().')),
        **dict.fromkeys(("close", "load"), Hint("Leave it out: it is read when it is needed.")),
        **dict.fromkeys(("lexicon", "words"), Hint("Use metadata.lexicon_name, or groups.")),
    },
    "Lexicon": {
        **dict.fromkeys(
            ("from_file", "from_csv", "from_path", "load", "read"), Hint("Use read_lexicon(path).")
        ),
        **dict.fromkeys(
            ("to_dict", "items", "keys", "values", "female", "male", "f", "m", "save", "to_csv"),
            Hint("Use groups and words, or group_of."),
        ),
        **dict.fromkeys(
            ("add", "append", "update", "union"),
            Hint("Make one with all words: read_lexicon({group: words})."),
        ),
    },
    "Interval": {
        **dict.fromkeys(("lower", "low_ci", "ci_low"), Hint("Use low.")),
        **dict.fromkeys(("upper", "ci_high"), Hint("Use high.")),
        **dict.fromkeys(("mean", "estimate", "center"), Hint("Use value.")),
        **dict.fromkeys(("pvalue", "p_value"), Hint("Use p.")),
    },
    "Correlation": {
        **dict.fromkeys(("tau", "statistic", "correlation"), Hint("Use kendall.")),
        **dict.fromkeys(("rho", "r"), Hint("Use spearman, or pearson.")),
        **dict.fromkeys(("pvalue", "p"), Hint("Use kendall_p, spearman_p or pearson_p.")),
    },
    "_Decider": {
        **dict.fromkeys(("predict", "transform"), Hint("Use fit_predict(votes).")),
        "predict_proba": Hint("Use fit_predict_proba(votes)."),
        "decisions_": Hint("Use fit(votes) first."),
    },
    "Queries": {
        **dict.fromkeys(("items", "keys", "values", "to_dict", "get"), Hint("Use texts, or ids.")),
        **dict.fromkeys(("queries", "topics", "text"), Hint("Use texts.")),
        **dict.fromkeys(("qids", "query_ids"), Hint("Use ids.")),
        **dict.fromkeys(
            ("to_frame", "to_pandas", "to_df"), Hint("Use pandas.Series(queries.texts).")
        ),
    },
    **dict.fromkeys(
        ("Measure", "Definition"),
        dict.fromkeys(
            (
                *("evaluate", "calc", "calc_aggregate", "iter_calc", "compute_per_query", "score"),
                *("measure", "evaluator", "per_query"),
            ),
            _MEASURE,
        ),
    ),
}

#: How a function is called, where its parameters alone do not say it.
USAGE = {
    "compare": "Give it what evaluate(..., per_query=True) returns: compare(per_query).",
    "evaluate": "The order is evaluate(runs, measures, texts); all others are named, as qrels=...",
    "rab": "female and male are two arrays: rab(female, male, cutoff=10).",
    "arab": "female and male are two arrays: arab(female, male, cutoff=10).",
    "fairr": "female and male are two arrays: fairr(female, male, cutoff=10).",
    "texfair": "It needs n_tokens, the length of each document: "
    "texfair([female, male], n_tokens, cutoff=10).",
    "ted": "It needs n_tokens, the length of each document: "
    "ted([female, male], n_tokens, cutoff=10).",
}

#: Names of the package: where the function stands that has another name here, or a hint.
NAMES: Mapping[str, str | Hint] = {
    **dict.fromkeys(("measure", "evaluate_run", "evaluate_runs", "calculate"), "api:evaluate"),
    **dict.fromkeys(("plot", "plot_results"), "api:plot_bias"),
    **dict.fromkeys(
        ("list_metrics", "available_measures", "supported_measures"), "api:list_measures"
    ),
    **dict.fromkeys(("load_run", "parse_run", "read_trec_run", "Run_from_file"), "runs:read_run"),
    **dict.fromkeys(
        ("load_qrels", "parse_qrel", "parse_qrels", "read_trec_qrels"), "runs.qrels:read_qrels"
    ),
    **dict.fromkeys(("load_queries", "read_topics"), "runs.queries:read_queries"),
    **dict.fromkeys(("load_lexicon", "read_word_list"), "texts.lexicon:read_lexicon"),
    **dict.fromkeys(("load_collection", "load_corpus"), "texts.collection:read_collection"),
    **dict.fromkeys(("t_test", "ttest", "ttest_rel"), "statistics.significance:paired_t_test"),
    **dict.fromkeys(("holm", "bonferroni", "effect_size"), "statistics.significance:"),
    "metrics": "measures",
    "few_labels": "statistics.few_labels",
    "power": Hint("Use the program, `fairpool power`, or from fairpool.statistics import power."),
    "labels_needed": Hint("It is a column of evaluate(..., judge_qrels=...)."),
    **dict.fromkeys(
        ("iter_calc", "calc_aggregate", "calc"),
        Hint(
            "Use evaluate, with per_query=True for a value per query; inside ir_measures, "
            "import fairpool.ir_measures."
        ),
    ),
    **dict.fromkeys(
        (
            *("pool", "rank", "rerank", "train", "balance", "counterfactual", "explain", "report"),
            *("table", "comsrb", "debias"),
        ),
        Hint("It is a command of the program: `fairpool COMMAND --help`."),
    ),
    **dict.fromkeys(("wilcoxon", "sign_test"), "statistics.significance:permutation_test"),
    **dict.fromkeys(
        ("swap", "swap_gender"), Hint("It is a command: `fairpool counterfactual --help`.")
    ),
    **dict.fromkeys(
        ("stats", "significance"), Hint("Use fairpool.statistics, or compare and mean_interval.")
    ),
    **dict.fromkeys(("plots", "plotting"), Hint("Use plot_bias, plot_chain or plot_repeats.")),
    "score": Hint("Use score_texts for texts, score_collection for a file."),
    **dict.fromkeys(
        (
            "krippendorff",
            "krippendorff_alpha",
            "alpha",
            "kappa",
            "cohen_kappa",
            "cohen_kappa_score",
            "fleiss_kappa",
        ),
        _AGREEMENT,
    ),
    **dict.fromkeys(("load_votes", "read_annotations"), "votes.reading:read_votes"),
    **dict.fromkeys(("aggregate", "majority_vote"), "votes.public:decide"),
    "MajorityVote": "votes.objects:Majority",
    **dict.fromkeys(
        ("RelevanceEvaluator", "Experiment", "Evaluator"),
        Hint("Use evaluate(runs, measures, texts, qrels=qrels)."),
    ),
    **dict.fromkeys(
        ("Qrels", "Judgments"),
        Hint("Judgments are {qid: {docno: grade}}, a frame or a file, which read_qrels reads."),
    ),
    **dict.fromkeys(
        ("bias", "gender_bias", "fairness"), Hint('Use evaluate(runs, "RaB@10", texts).')
    ),
    **dict.fromkeys(
        ("download", "dataset", "datasets", "load_dataset", "get_dataset"),
        Hint('Only ir_datasets downloads data: give files, or "ir_datasets:ID".'),
    ),
    **dict.fromkeys(
        ("kendalltau", "kendall_tau", "spearman", "spearmanr", "pearson", "pearsonr", "tau"),
        Hint("Use correlation(first, second), which returns all of them."),
    ),
    **dict.fromkeys(
        ("load_runs", "read_runs"), Hint('Give the folder or a list: evaluate("runs").')
    ),
    **dict.fromkeys(
        ("lexicons", "list_lexicons", "wordlists"),
        Hint("Use read_lexicon(), or a file of your own."),
    ),
    **dict.fromkeys(("Measure", "MEASURES", "all_measures"), Hint("Use list_measures().")),
    "compute": "api:evaluate",
    "help": Hint("Use help(fairpool.evaluate), or list_measures()."),
}

#: What other programs call a command.
COMMANDS: Mapping[str, str] = {
    **dict.fromkeys(("evaluate", "eval", "bias", "run"), "measure"),
    **dict.fromkeys(("trec_eval", "ir_measures", "trec-eval"), "ir-measures"),
    **dict.fromkeys(("help", "list"), "--help"),
    **dict.fromkeys(("metrics", "list-measures"), "measures"),
    **dict.fromkeys(("plot", "plots", "figures"), "report"),
    **dict.fromkeys(("agreement", "kappa", "alpha"), "agree"),
}

#: What others call `measures.get`.
READERS_OF_MEASURES = frozenset(
    {"parse", "parse_measure", "from_string", "from_name", "load", "measure", "create", "lookup"}
)

#: Options of the commands by other names, without dashes.
OPTIONS: Mapping[str, str] = {
    **dict.fromkeys(("texts", "docs", "documents", "corpus", "passages-file"), "collection"),
    **dict.fromkeys(("metric", "metrics", "measures"), "measure"),
    **dict.fromkeys(("topics", "query", "qids"), "queries"),
    **dict.fromkeys(("runs", "results", "input"), "run"),
    **dict.fromkeys(("k", "at", "top-k", "cutoffs", "depth"), "cutoff"),
    **dict.fromkeys(("qrel", "judgments", "judgements", "relevance"), "qrels"),
    **dict.fromkeys(("words", "word-list", "wordlist"), "lexicon"),
    **dict.fromkeys(("out", "save", "outfile", "output-file"), "output"),
    **dict.fromkeys(("magnitudes", "weighting"), "magnitude"),
    **dict.fromkeys(("threads", "workers", "jobs", "n-jobs"), "processes"),
    **dict.fromkeys(("q", "silent"), "quiet"),
    **dict.fromkeys(("f", "overwrite"), "force"),
    **dict.fromkeys(("by-query", "perquery", "per-topic"), "per-query"),
    **dict.fromkeys(("base", "reference"), "baseline"),
    **dict.fromkeys(("random-state", "random-seed"), "seed"),
}

#: Names of other measures, in lower case: those of trec_eval may end in a cut-off, map_cut_10.
MEASURES: Mapping[str, str] = {
    "map": "AP",
    "map_cut": "AP",
    "p": "P",
    "mrr": "MRR",
    "recip_rank": "MRR",
    "reciprocal_rank": "MRR",
    "rr": "MRR",
    "ndcg_cut": "nDCG",
    "ndcg": "nDCG",
    "recall": "Recall",
    "success": "Success",
    "hit_rate": "Success",
    "hit": "Success",
    "hits": "Success",
    "r_precision": "Rprec",
    "rprec": "Rprec",
    "bpref": "Bpref",
    "err": "ERR",
    "rbp": "RBP",
    "average_precision": "AP",
    "precision": "P",
}

#: The measures of ir_measures without one of ours, for where it is not installed.
OF_IR_MEASURES = frozenset(
    (
        *("Accuracy", "alpha_DCG", "alpha_nDCG", "AP", "AP_IA", "BPM", "Bpref", "Compat", "ERR"),
        *("ERR_IA", "infAP", "INSQ", "INST", "IPrec", "Judged", "nERR_IA", "nNRBP", "NRBP"),
        *("NumQ", "NumRel", "NumRet", "P_IA", "Rprec", "RBP", "SDCG", "SetAP", "SetF", "SetP"),
        *("SetR", "STREC", "StRecall", "Success"),
    )
)
