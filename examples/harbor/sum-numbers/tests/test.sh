#!/bin/bash
if [ "$(cat /app/sum.txt)" = "7" ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
