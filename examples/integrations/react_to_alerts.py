"""Prints every new alert and acknowledges it: python3 react_to_alerts.py position.txt

The position file holds the last event that was dealt with, so that no alert is missed while this program does not run.
"""

import os
import sys

from granary_api import call, events

SEGMENTS = {"silo": "siloscale", "field": "fielddevice"}


def stored_position(file):
    try:
        with open(file, encoding="ascii") as stored:
            return int(stored.read())
    except (OSError, ValueError):
        return None


def store_position(file, event_id):
    with open(f"{file}.new", "w", encoding="ascii") as stored:
        stored.write(f"{event_id}\n")
    os.replace(f"{file}.new", file)


def react(event):
    alert, device_id = event["data"], event["device_id"]
    print(f"{alert['severity']} alert on {device_id}: {alert['message']}", flush=True)
    # Replace this by the action that your site needs: a lamp, a pump, a message.
    found = call("GET", "/v1/devices", query={"q": device_id})["data"]
    group = next((one["group"] for one in found if one["device_id"] == device_id), None)
    if group is None:
        return
    path = f"/v1/{SEGMENTS[group]}/devices/{device_id}/alerts/{alert['alert_id']}/acknowledge"
    call("POST", path, {"acknowledged_by": "react_to_alerts"})


def main(position_file):
    print("waiting for alerts; Ctrl-C ends this", flush=True)
    for event_id, name, data in events(["alert.raised"], stored_position(position_file)):
        if name == "connected":
            print("connected", flush=True)
            continue
        if name == "reset":
            print("events were missed that are no longer stored: look at the open alerts", flush=True)
        else:
            react(data)
        # The position is stored afterwards: after a crash the last alert is handled again, but none is missed.
        store_position(position_file, event_id)


if __name__ == "__main__":
    try:
        main(sys.argv[1] if len(sys.argv) > 1 else "position.txt")
    except KeyboardInterrupt:
        pass
