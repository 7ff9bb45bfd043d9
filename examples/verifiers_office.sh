#!/bin/sh
# An environment of Verigym as a taskset of verifiers 0.4, against any server that speaks Chat Completions.
# Needs: pip install verigym verifiers==0.4.0. By default verifiers asks a service for a sandbox. `subprocess` needs none.
# sh examples/verifiers_office.sh MODEL URL
vf-eval verigym-taskset \
    --env.taskset.environment workplace --env.taskset.split val \
    --env.agent.runtime.type subprocess \
    -m "$1" --client.base-url "$2" -n 10 -r 1
