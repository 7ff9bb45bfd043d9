#!/bin/sh
# Checks on a GPU that the tests on CPUs cannot make: graphs, 4-bit kernels, memory of QLoRA, and the recipe of a hybrid reasoning
# model. Run it in the folder of the repository: sh bench/gpu_checks.sh FOLDER [kernels qlora model recipe sft]
# FOLDER holds the random model and a workspace. It needs 15 GB. Every part says how long it took and whether it passed.
set -u
place=${1:?name a folder for the random model and the workspace}
shift
parts=${*:-kernels qlora model recipe sft}
python3 -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' || { echo "There is no GPU here, or no torch"; exit 1; }
mkdir -p "$place"
export PYTHONPATH="$PWD:$PWD/bench${PYTHONPATH:+:$PYTHONPATH}"
share=${GPU_SHARE:-1} # of the memory of the GPU, less if other programs use it
verigym="python3 -c 'import sys, torch; torch.cuda.set_per_process_memory_fraction($share); sys.argv[0] = \"verigym\"
from verigym.cli.main import main; main()'"
failed=""

part() { # NAME SECONDS COMMAND
    case " $parts " in *" $1 "*) ;; *) return ;; esac
    began=$(date +%s)
    echo "== $1"
    timeout "$2" sh -c "$3"
    code=$?
    echo "== $1: exit $code after $(($(date +%s) - began)) s"
    [ $code -eq 0 ] || failed="$failed $1"
}

cat > "$place/sft.yaml" <<YAML
model: $place/model
algorithm: sft
adapter: full
full: {checkpointing: true}
optimizer: {name: adamw8bit}
reward: tool_call_verifier
held_out_eval: tool_call_eval
num_tasks: 480
prompts_per_step: 16
steps: 20
learning_rate: 3.0e-4
max_tokens: 64
eval_tasks: 8
eval_interval: 0
name: warm
YAML

part kernels 240 "python3 -m pytest -q -rs -o addopts= -p no:cacheprovider tests/model/test_cuda.py"
part qlora 240 "python3 bench/qlora.py"
part model 120 "python3 bench/random_model.py $place/model"
# random weights pass no task, so gold solutions join the groups, and every step has an update
part recipe 400 "$verigym train recipes/nemotron_nano.yaml model=$place/model steps=2 prompts_per_step=2 max_tokens=64 \
    limits.reasoning_tokens=16 episodes.gold_when_all_fail=1 eval_tasks=4 eval_interval=2 --home $place/home"
part sft 300 "$verigym train $place/sft.yaml --home $place/home && $verigym models export warm --out $place/warm --home $place/home"
echo "failed:${failed:- nothing}"
[ -z "$failed" ]
