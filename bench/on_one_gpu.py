"""Many experiments on one GPU: runs the jobs of a plan, alone or side by side, each with a share of the GPU's memory.

    python bench/on_one_gpu.py bench/gpu_plan.yaml --folder WORK --set q05=FOLDER q15=FOLDER smol=FOLDER      # runs it
    python bench/on_one_gpu.py --share 0.1 bench/domains.py recipes/qwen_math.yaml ...                        # one script

WORK/status.txt says how each job goes, WORK/logs has what it printed, and WORK/out what it measured. A job that ended well is not
run again. `alone: true` gives a job the whole GPU, for figures of speed. The others run side by side under MPS while their
`slots` fit, in the order of the plan. `needs` are paths that must exist first, and `after` are jobs that must have ended well.
The plan is read again every second, so jobs can be added while it runs. Do not kill a job that runs under MPS: it can end the
others too. Interrupt it (SIGINT) instead, or let it wait (SIGSTOP, then SIGCONT).
"""

import argparse
import os
import runpy
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import yaml

MPS = {"CUDA_MPS_PIPE_DIRECTORY": "/tmp/verigym-mps", "CUDA_MPS_LOG_DIRECTORY": "/tmp/verigym-mps-log"}


def main() -> None:
    if sys.argv[1:2] == ["--share"]:
        return run_with_share(float(sys.argv[2]), sys.argv[3:])
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("plan", type=Path)
    asked.add_argument("--folder", type=Path, required=True, help="folder for logs, workspaces and results")
    asked.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="values for {NAME} in commands")
    asked.add_argument("--only", nargs="*", default=[], metavar="JOB", help="run only these jobs")
    asked.add_argument("--seconds", type=float, default=float("inf"), help="start no job after so many seconds")
    args = asked.parse_args()
    values = dict(each.split("=", 1) for each in args.set)
    sys.exit(Queue(args.plan, args.folder.absolute(), values, args.only, args.seconds).run())


def run_with_share(share: float, command: list[str]) -> None:
    """Runs a script in this process, which may take at most this share of the GPU's memory."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.set_per_process_memory_fraction(share)
        real = torch.cuda.mem_get_info

        def mem_get_info(device: Any = None) -> tuple[int, int]:
            free, total = real(device)
            own = int(total * share)
            return max(0, min(free, own - torch.cuda.memory_reserved(device))), own

        torch.cuda.mem_get_info = mem_get_info
    sys.argv = command
    sys.path.insert(0, str(Path(command[0]).resolve().parent))
    runpy.run_path(command[0], run_name="__main__")


class Queue:
    def __init__(self, plan: Path, folder: Path, values: dict[str, str], only: list[str], seconds: float) -> None:
        self.plan, self.folder, self.only, self.seconds = plan, folder, only, seconds
        self.values = {"folder": str(folder), "python": sys.executable, **values}
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.ended: dict[str, str] = {}
        """`ok`, `exit CODE` or `skipped`, by job."""
        self.seconds_of: dict[str, float] = {}
        self.began = time.monotonic()
        for part in ("logs", "out", "homes", "done"):
            (folder / part).mkdir(parents=True, exist_ok=True)

    def run(self) -> int:
        self._start_mps()
        while True:
            plan = self._read()
            self._collect()
            for job in plan["jobs"]:
                self._consider(job, plan)
            self._write_status(plan["jobs"])
            if not self.running and (self._over() or all(job["name"] in self.ended for job in plan["jobs"])):
                return int(any(state != "ok" for state in self.ended.values()))
            time.sleep(1)

    def _read(self) -> dict[str, Any]:
        plan = yaml.safe_load(self.plan.read_text())
        jobs = [one for job in plan["jobs"] for one in _with_seeds(job)]
        plan["jobs"] = [job for job in jobs if not self.only or job["name"] in self.only]
        return plan

    def _over(self) -> bool:
        return time.monotonic() - self.began > self.seconds

    def _collect(self) -> None:
        for name, process in [*self.running.items()]:
            if (code := process.poll()) is None:
                continue
            del self.running[name]
            self.ended[name] = "ok" if code == 0 else f"exit {code}"
            self.seconds_of[name] = time.monotonic() - self.seconds_of[name]
            if code == 0:
                (self.folder / "done" / name).touch()

    def _consider(self, job: dict[str, Any], plan: dict[str, Any]) -> None:
        """Starts a job if it may start now."""
        name, after = job["name"], job.get("after", [])
        if name in self.running or name in self.ended or self._over():
            return
        if (self.folder / "done" / name).exists():
            self.ended[name] = "ok"
            return
        if not all(os.path.exists(self._filled(path)) for path in job.get("needs", [])):
            return
        if any(self.ended.get(one, "ok") != "ok" for one in after):
            self.ended[name] = "skipped"
            return
        if any(one not in self.ended for one in after) or not self._fits(job, plan):
            return
        command, alone = self._filled(job["run"]), bool(job.get("alone"))
        if share := job.get("share"):
            command = f"{sys.executable} {Path(__file__).resolve()} --share {share} {command}"
        env = {**os.environ, "PYTHONUNBUFFERED": "1", **({} if alone else MPS)}
        with (self.folder / "logs" / f"{name}.log").open("w") as log:
            self.running[name] = subprocess.Popen(
                ["bash", "-c", command], stdout=log, stderr=subprocess.STDOUT, env=env, start_new_session=True
            )
        self.seconds_of[name] = time.monotonic()

    def _fits(self, job: dict[str, Any], plan: dict[str, Any]) -> bool:
        jobs = {one["name"]: one for one in plan["jobs"]}
        on = [jobs[name] for name in self.running if name in jobs]
        if job.get("alone"):
            return not self.running
        if any(one.get("alone") for one in on):
            return False
        if any(one.get("alone") and one["name"] not in self.ended for one in plan["jobs"]):
            return False  # those that need the GPU alone are first
        return sum(one.get("slots", 1) for one in on) + job.get("slots", 1) <= plan.get("slots", 8)

    def _filled(self, text: str) -> str:
        for name, value in self.values.items():
            text = text.replace(f"{{{name}}}", value)
        return text

    def _write_status(self, jobs: list[dict[str, Any]]) -> None:
        lines = [f"{time.monotonic() - self.began:.0f} s"]
        for job in jobs:
            name = job["name"]
            if name in self.running:
                took = time.monotonic() - self.seconds_of[name]
                lines.append(f"{name} [running {took:.0f} s] {self._last_line(name)}")
            elif name in self.ended:
                lines.append(
                    f"{name} [{self.ended[name]} {self.seconds_of.get(name, 0):.0f} s] {self._last_line(name)}"
                )
            else:
                lines.append(f"{name} [waiting]")
        new = self.folder / "status.tmp"
        new.write_text("\n".join(lines) + "\n")
        new.rename(self.folder / "status.txt")

    def _last_line(self, name: str) -> str:
        log = self.folder / "logs" / f"{name}.log"
        text = log.read_bytes()[-1500:].decode(errors="replace").strip() if log.exists() else ""
        return text.splitlines()[-1][-170:] if text else ""

    def _start_mps(self) -> None:
        for folder in MPS.values():
            Path(folder).mkdir(exist_ok=True)
        try:
            subprocess.run(["nvidia-cuda-mps-control", "-d"], env={**os.environ, **MPS}, capture_output=True)
        except OSError:
            print("MPS is not installed, so jobs take turns on the GPU", file=sys.stderr)


def _with_seeds(job: dict[str, Any]) -> list[dict[str, Any]]:
    """The job once for each of its seeds, with {seed} filled in."""
    if "seeds" not in job:
        return [job]

    def filled(value: Any, seed: int) -> Any:
        if isinstance(value, list):
            return [filled(one, seed) for one in value]
        return value.replace("{seed}", str(seed)) if isinstance(value, str) else value

    return [{key: filled(value, seed) for key, value in job.items() if key != "seeds"} for seed in job["seeds"]]


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what is in its background without it
    main()
