"""A silo as a device of Granary. Usage: python3 silo_device.py HOST PORT DEVICE_ID SECRET MEMORY_FILE"""
import json, signal, sys, threading, time
from datetime import datetime
import paho.mqtt.client as mqtt
from silo_hardware import Hardware

host, port, device_id, secret, memory_file = sys.argv[1:]
hardware, topic = Hardware(memory_file), f"granary/v1/{device_id}/"
operations = hardware.load()  # Begun or refused operations; none of them begins again.
running, interval_s, reported_at = None, 10, 0
lock, switched_off = threading.Lock(), threading.Event()

def publish(subject, **payload):
    return client.publish(topic + subject, json.dumps(payload), qos=1, retain=subject == "status")

def remember(operation_id, state, amount_kg=0, reason=""):
    operations[operation_id] = {"state": state, "amount_kg": round(amount_kg, 3), "reason": reason}
    hardware.save(dict(list(operations.items())[-64:]))

def report(operation_id):
    operation = operations.get(operation_id, {"state": "unknown", "amount_kg": 0})
    if operation["state"] == "running" and operation_id != running:
        operation = {**operation, "state": "failed", "reason": "the device was restarted"}
    publish("progress", operation_id=operation_id, ts=int(time.time() * 1000), **operation)

def begin(operation_id, start):
    global running
    expires_at = datetime.fromisoformat(start["expires_at"].replace("Z", "+00:00")).timestamp()
    limits = min(start["amount_kg"], start["max_amount_kg"]), start["max_duration_s"]
    if operation_id not in operations:
        if time.time() > expires_at or running:
            reason = f"{running} is running" if running else "the start has expired"
            remember(operation_id, "unknown", reason=reason)
        else:
            remember(operation_id, "running")  # It is stored first, so it cannot begin twice.
            running = operation_id
            hardware.open_gate(start["type"], start["rate_kg_per_min"], *limits)
    known = operations[operation_id]
    publish("ack", operation_id=operation_id, accepted=known["state"] != "unknown", reason=known["reason"])

def end(state, reason=""):
    global running, reported_at
    hardware.close_gate()  # The gate is closed first.
    operation_id, running = running, None
    reported_at = 0  # A reading follows at once; the service compares it with the amount.
    remember(operation_id, state, hardware.moved_kg, reason)
    report(operation_id)

def on_connect(client, _userdata, _flags, code):
    if code == 0:
        client.subscribe([(topic + "command", 1), (topic + "config", 1)])
        publish("status", state="online")

def on_message(_client, _userdata, message):
    global interval_s
    try:
        content = json.loads(message.payload)
        with lock:
            if message.topic == topic + "config":
                interval_s = content["reporting"]["interval_s"]
            elif content["command"] == "start":
                begin(content["operation_id"], content)
            elif content["command"] == "stop" and content["operation_id"] == running:
                end("stopped")
            elif content["command"] in ("stop", "report"):
                report(content["operation_id"])
    except Exception as error:  # This thread goes on: it is the one that receives the next stop.
        print("ignored", message.payload, repr(error), file=sys.stderr, flush=True)

# paho 2 wants to know which kind of callbacks these are.
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
        reading = hardware.read()
        if running and not hardware.is_open:
            has_all = hardware.moved_kg >= hardware.limit_kg
            end("completed" if has_all else "failed", "" if has_all else "max_duration_s has passed")
        if time.monotonic() - reported_at >= (min(1, interval_s) if running else interval_s):
            reported_at = time.monotonic()
            publish("telemetry", ts=int(time.time() * 1000), **reading)
            if running:
                remember(running, "running", hardware.moved_kg)
                report(running)
with lock:
    if running:
        end("failed", "the device was switched off")
if client.is_connected():
    publish("status", state="offline").wait_for_publish(timeout=2)
client.disconnect()
client.loop_stop()  # Waits until the goodbye is sent.
