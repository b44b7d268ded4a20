"""A device on Debian's paho client with a persistent session. Cuts its own connection before and after its PUBACKs.

Arguments: host, port, device id, secret, number of readings to publish with QoS 2 (0: none). Writes one JSON object per line for each event.
"""

import json
import socket
import sys
import threading

import paho.mqtt.client as mqtt

host, port, device_id, secret, readings = sys.argv[1:6]
topic = f"granary/v1/{device_id}"
lock = threading.Lock()
messages = 0
published = 0
all_published = threading.Event()


def tell(**event):
    with lock:
        print(json.dumps(event), flush=True)


def cut(client):
    connection = client.socket()
    if connection is not None:
        connection.shutdown(socket.SHUT_RDWR)


def on_connect(client, _userdata, flags, code):
    tell(event="connect", code=code, session=flags["session present"])
    if not flags["session present"]:
        client.subscribe(f"{topic}/command", qos=1)


def on_message(client, _userdata, message):
    global messages
    messages += 1
    tell(event="message", mid=message.mid, dup=message.dup, payload=message.payload.decode())
    # paho sends the PUBACK when this returns.
    if messages % 2 == 0:
        cut(client)
    else:
        threading.Timer(0.02, cut, [client]).start()


def on_publish(_client, _userdata, _mid):
    global published
    published += 1
    if published == int(readings):
        all_published.set()


client = mqtt.Client(device_id, clean_session=False)
client.username_pw_set(device_id, secret)
client.reconnect_delay_set(0.01, 0.02)
client.on_connect = on_connect
client.on_message = on_message
client.on_publish = on_publish
client.connect(host, int(port), keepalive=10)
client.loop_start()
# A publish may find the connection cut; paho keeps the message and sends it later, but a wait for this message would fail.
for n in range(int(readings)):
    client.publish(f"{topic}/telemetry", json.dumps({"ts": 1 + n, "weight": 1}), qos=2)
if int(readings) > 0:
    all_published.wait()
    tell(event="published")
sys.stdin.read()
