"""A silo with a persistent session on the paho client, which does whatever it is told.

Arguments: port, device id, secret, weight in kg, share of stops that it ignores.
Prints one JSON line for each command that it receives and each thing that it does.
When it is killed it has lost its memory; its session at the service stays.
"""
import json
import random
import sys
import threading
import time

import paho.mqtt.client as mqtt

STEP_S = 0.1
TELEMETRY_STEPS = 5
REPORT_STEPS = 3

port, device_id, secret = int(sys.argv[1]), sys.argv[2], sys.argv[3]
weight_kg, ignored_share = float(sys.argv[4]), float(sys.argv[5])
topic = f"granary/v1/{device_id}/"
runs = {}
lock = threading.RLock()
last_ts = 0
is_subscribed = False


def now_ms():
    return int(time.time() * 1000)


def ts():
    global last_ts
    last_ts = max(now_ms(), last_ts + 1)
    return last_ts


def note(kind, **fields):
    print(json.dumps({"kind": kind, "at": now_ms(), **fields}), flush=True)


def publish(subject, payload):
    client.publish(topic + subject, json.dumps(payload), qos=1)


def report(operation_id):
    run = runs.get(operation_id)
    state = run["state"] if run else "unknown"
    moved = run["moved"] if run else 0
    publish("progress", {"operation_id": operation_id, "state": state, "amount_kg": moved, "ts": ts()})


def on_connect(client, userdata, flags, code):
    # By the protocol a session that is present has its subscriptions.
    global is_subscribed
    is_subscribed = is_subscribed and bool(flags["session present"])
    if code == 0 and not is_subscribed:
        client.subscribe(topic + "command", qos=1)


def on_subscribe(client, userdata, message_id, granted):
    global is_subscribed
    is_subscribed = True


def on_message(client, userdata, message):
    command = json.loads(message.payload)
    with lock:
        note("received", command=command)
        operation_id = command["operation_id"]
        if command["command"] == "start" and operation_id not in runs:
            note("execute", id=operation_id)
            sign = 1 if command["type"] == "feed" else -1
            runs[operation_id] = {
                "state": "running", "moved": 0, "steps": 0, "sign": sign,
                "amount": command["amount_kg"], "rate": command["rate_kg_per_min"],
            }
            publish("ack", {"operation_id": operation_id, "accepted": True})
        if command["command"] == "stop":
            # The service repeats a stop until the device has answered it.
            if random.random() < ignored_share:
                return
            if operation_id in runs and runs[operation_id]["state"] == "running":
                runs[operation_id]["state"] = "stopped"
        report(operation_id)


def step():
    global weight_kg
    for operation_id, run in runs.items():
        if run["state"] != "running":
            continue
        kg = min(run["amount"] - run["moved"], run["rate"] * STEP_S / 60)
        run["moved"] += kg
        weight_kg += run["sign"] * kg
        run["steps"] += 1
        note("move", id=operation_id, weight=weight_kg)
        if run["moved"] >= run["amount"]:
            run["state"] = "completed"
        if run["steps"] % REPORT_STEPS == 0 or run["state"] == "completed":
            report(operation_id)


client = mqtt.Client(client_id=device_id, clean_session=False)
client.username_pw_set(device_id, secret)
client.reconnect_delay_set(min_delay=1, max_delay=1)
client.on_connect = on_connect
client.on_message = on_message
client.on_subscribe = on_subscribe
client.connect_async("127.0.0.1", port, keepalive=30)
client.loop_start()
steps = 0
while True:
    time.sleep(STEP_S)
    with lock:
        step()
        steps += 1
        if steps % TELEMETRY_STEPS == 0 and client.is_connected():
            publish("telemetry", {"ts": ts(), "weight": round(weight_kg, 3)})
