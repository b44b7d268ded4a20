"""Discharges a silo, shows the progress, and stops on Ctrl-C: python3 discharge.py silo-01 20 "truck 12" """

import signal
import sys
import threading
import time

from granary_api import Refused, Unreachable, call


def stop(path):
    """A stop is repeated until the service has taken it, however long that takes."""
    while True:
        try:
            print(f"stop accepted: {call('POST', f'{path}/stop', limit_seconds=5)['data']['status']}", flush=True)
            return
        except Unreachable as error:
            print(f"NOT STOPPED YET: {error}; use the emergency switch of the silo", file=sys.stderr, flush=True)


def main(device_id, amount_kg, target):
    operations = f"/v1/siloscale/devices/{device_id}/operations"
    started = threading.Event()
    paths = []

    def stop_when_started():
        started.wait()
        for path in paths:
            stop(path)

    # The stop is sent in a thread of its own, because the program may be waiting for another answer.
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: threading.Thread(target=stop_when_started, daemon=True).start())
    request = {"amount": amount_kg, "unit": "kg", "target_container": target}
    try:
        operation_id = call("POST", f"{operations}/discharge", request, limit_seconds=10)["data"]["operation_id"]
    except Unreachable as error:
        print(f"{error}; the discharge MAY HAVE STARTED: look at the silo and at its operations", file=sys.stderr)
        return 1
    paths.append(f"{operations}/{operation_id}")
    started.set()
    print(f"started {operation_id}; Ctrl-C stops it", flush=True)
    return follow(paths[0])


def follow(path):
    """Shows the operation until it has ended; a service that restarts in between is waited for."""
    while True:
        try:
            operation = call("GET", path, limit_seconds=0)["data"]
            done, wanted = operation["amount_completed"], operation["amount_target"]
            print(f"{operation['status']}: {'unknown' if done is None else done} of {wanted} kg", flush=True)
            if operation["ended_at"] is not None:
                print(f"{operation['status']}: {operation['status_detail']}")
                return 0 if operation["status"] == "completed" else 1
        except Unreachable as error:
            print(f"{error}; trying again", file=sys.stderr, flush=True)
        time.sleep(0.5)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: discharge.py <device id> <amount in kg> <target container>")
    try:
        sys.exit(main(sys.argv[1], float(sys.argv[2]), sys.argv[3]))
    except Refused as error:
        sys.exit(f"refused: {error}")
