"""Writes the present level of every silo into a CSV file that a spreadsheet opens: python3 levels_to_csv.py levels.csv"""

import csv
import os
import sys

from granary_api import call, every

SILOS = "/v1/siloscale/devices"


def cell(value):
    """A text that begins like a formula gets an apostrophe, because spreadsheets would calculate it."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t") else value


def main(file):
    rows = []
    for device in every(SILOS):
        level = call("GET", f"{SILOS}/{device['device_id']}/sensors")["data"]["level"]
        rows.append(
            [device["device_id"], device["name"], level["current"], level["actual"], level["quality"], level["timestamp"]]
        )
    # The file is replaced at once, so that nobody opens half of it.
    with open(f"{file}.new", "w", newline="", encoding="utf-8") as target:
        writer = csv.writer(target)
        writer.writerow(["device_id", "name", "level_percent", "content_kg", "quality", "measured_at"])
        writer.writerows([[cell(value) for value in row] for row in rows])
    os.replace(f"{file}.new", file)
    print(f"{len(rows)} silos are in {file}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "levels.csv")
