#!/bin/sh
# GRPO of NeMo RL on an environment of Verigym, through a resources server of NeMo Gym.
# Run it in a checkout of NeMo RL with its Gym submodule: sh nemo_rl_office.sh RECIPE
set -e
verigym recipe translate "$1" --to nemo-rl --out examples/nemo_gym/verigym.yaml --rows rows
verigym serve-env workplace --as nemogym --split train,val --port 8500 &
trap 'kill $!' EXIT
uv run examples/nemo_gym/run_grpo_nemo_gym.py --config examples/nemo_gym/verigym.yaml
