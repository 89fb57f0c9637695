"""Runs in the container: a number of runs and a command in, its median CPU and wall time out."""

import json
import sys

import measuring

if __name__ == "__main__":
    cost = measuring.median(sys.argv[2:], runs=int(sys.argv[1]))
    print(json.dumps([cost.cpu_s, cost.wall_s, cost.peak_mb]))
