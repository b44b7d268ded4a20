"""A silo as a device of Granary. Usage: python3 silo_device.py HOST PORT DEVICE_ID SECRET MEMORY_FILE"""
import json, signal, sys, threading, time
from datetime import datetime
import paho.mqtt.client as mqtt
from silo_hardware import Hardware

host, port, device_id, secret, memory_file = sys.argv[1:]
hardware, topic = Hardware(memory_file), f"granary/v1/{device_id}/"
operations = hardware.load()  # Those that have begun or were refused: none of them begins again.
running, interval_s, reported_at = None, 10, 0
lock, switched_off = threading.Lock(), threading.Event()

def remember(operation_id, operation):
    operations[operation_id] = operation
    hardware.save(dict(list(operations.items())[-64:]))

def publish(subject, payload):
    return client.publish(topic + subject, json.dumps(payload), qos=1, retain=subject == "status")

def is_running(operation_id):
    return running is not None and running["operation_id"] == operation_id

def report(operation_id):
    operation = operations.get(operation_id, {"state": "unknown", "amount_kg": 0})
    if is_running(operation_id):
        operation = {**operation, "amount_kg": round(hardware.moved_kg, 3)}
    elif operation["state"] == "running":
        operation = {**operation, "state": "failed", "reason": "the device was restarted"}
    publish("progress", {"operation_id": operation_id, **operation, "ts": int(time.time() * 1000)})

def reason_to_refuse(start):
    if time.time() > datetime.fromisoformat(start["expires_at"].replace("Z", "+00:00")).timestamp():
        return "the start has expired"
    return f"{running['operation_id']} is running" if running else None

def begin(start):
    global running
    operation_id, limit_kg = start["operation_id"], min(start["amount_kg"], start["max_amount_kg"])
    if operation_id not in operations:
        reason = reason_to_refuse(start)
        outcome = {"state": "unknown", "reason": reason} if reason else {"state": "running"}
        remember(operation_id, {**outcome, "type": start["type"], "amount_kg": 0})  # Before anything moves.
        if reason is None:
            running = {**start, "limit_kg": limit_kg, "ends_at": time.monotonic() + start["max_duration_s"]}
            hardware.open_gate(start["type"], start["rate_kg_per_min"], limit_kg, start["max_duration_s"])
    known, accepted = operations[operation_id], operations[operation_id]["state"] != "unknown"
    publish("ack", {"operation_id": operation_id, "accepted": accepted, "reason": known.get("reason", "")})

def end(state, reason=""):
    global running
    hardware.close_gate()  # Before anything else.
    operation_id, running = running["operation_id"], None
    ended = {"state": state, "reason": reason, "amount_kg": round(hardware.moved_kg, 3)}
    remember(operation_id, {**operations[operation_id], **ended})
    report(operation_id)

def on_connect(client, _userdata, _flags, code):
    if code == 0:
        client.subscribe([(topic + "command", 1), (topic + "config", 1)])
        publish("status", {"state": "online"})

def on_message(_client, _userdata, message):
    global interval_s
    try:
        content = json.loads(message.payload)
        with lock:
            if message.topic == topic + "config":
                interval_s = content["reporting"]["interval_s"]
            elif content["command"] == "start":
                begin(content)
            elif content["command"] == "stop" and is_running(content["operation_id"]):
                end("stopped")
            elif content["command"] in ("stop", "report"):
                report(content["operation_id"])
    except Exception as error:  # The thread goes on: it is the one that receives the next stop.
        print("ignored", message.payload, repr(error), file=sys.stderr, flush=True)

# Since version 2 paho wants to be told which kind of callbacks these are.
callbacks = [mqtt.CallbackAPIVersion.VERSION1] if hasattr(mqtt, "CallbackAPIVersion") else []
client = mqtt.Client(*callbacks, client_id=device_id, clean_session=True)
client.username_pw_set(device_id, secret)
client.will_set(topic + "status", json.dumps({"state": "offline"}), qos=1, retain=True)
client.reconnect_delay_set(min_delay=1, max_delay=30)
client.max_queued_messages_set(10_000)  # What is measured while there is no link is sent when it is back.
client.on_connect, client.on_message = on_connect, on_message
client.connect_async(host, int(port), keepalive=30)
client.loop_start()
for signal_number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(signal_number, lambda *_: switched_off.set())
while not switched_off.wait(0.1):
    with lock:
        reading = {"ts": int(time.time() * 1000), **hardware.read()}
        if running and hardware.moved_kg >= running["limit_kg"]:
            end("completed")
        elif running and time.monotonic() > running["ends_at"]:
            end("failed", "it took longer than max_duration_s")
        if time.monotonic() - reported_at >= (min(1, interval_s) if running else interval_s):
            publish("telemetry", reading)
            reported_at = time.monotonic()
            if running:
                report(running["operation_id"])
with lock:
    if running:
        end("failed", "the device was switched off")
if client.is_connected():
    publish("status", {"state": "offline"}).wait_for_publish(timeout=2)
client.disconnect()
client.loop_stop()  # Waits until the goodbye is sent.
