"""The part that the Python examples share: requests that are repeated safely, and events with resume. Python 3.8 or later."""

import json
import os
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

URL = os.environ.get("GRANARY_URL", "http://127.0.0.1:8080").rstrip("/")
KEY = os.environ.get("GRANARY_API_KEY", "")
ANSWER_SECONDS = 10
# The service sends a heartbeat every 15 s.
SILENCE_SECONDS = 45
TEMPORARY = {"rate_limited", "idempotency_in_progress", "storage_unavailable", "too_many_connections"}


class Refused(Exception):
    """The service refused; `code` is stable, so programs can branch on it."""

    def __init__(self, status, code, message):
        super().__init__(f"{message} ({code})")
        self.status = status
        self.code = code


class Unreachable(Exception):
    """There was no answer, so a change may have been made or not."""


def call(method, path, body=None, query=None, limit_seconds=30):
    """Sends a request until it is answered. All repetitions of a POST have one key, so it is carried out once."""
    address = URL + path + ("?" + urllib.parse.urlencode(query) if query else "")
    headers = {"Authorization": f"Bearer {KEY}", "Accept": "application/json"}
    if method == "POST" and not path.endswith("/stop"):
        headers["Idempotency-Key"] = str(uuid.uuid4())
    data = None
    if body is not None:
        data = json.dumps(body).encode()
        headers["Content-Type"] = "application/json"
    deadline = time.monotonic() + limit_seconds
    wait = 0.25
    while True:
        pause = wait * random.uniform(0.5, 1)
        try:
            request = urllib.request.Request(address, data, headers, method=method)
            with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            failure = refusal_of(error)
            if failure.code not in TEMPORARY and error.code not in (502, 504):
                raise failure from None
            pause = max(pause, retry_after_seconds(error))
        except (OSError, ValueError) as error:
            failure = Unreachable(f"no answer from {URL}: {error}")
        if time.monotonic() + pause > deadline:
            raise failure
        time.sleep(pause)
        wait = min(5, wait * 2)


def refusal_of(error):
    try:
        fields = json.load(error)["error"]
        return Refused(error.code, fields["code"], fields["message"])
    except (ValueError, KeyError, TypeError):
        return Refused(error.code, "unexpected_answer", f"answered {error.code}")


def retry_after_seconds(error):
    seconds = error.headers.get("Retry-After", "")
    return int(seconds) if seconds.isdigit() else 0


def every(path, query=None):
    """Every item of a list, page by page."""
    cursor = None
    while True:
        page = call("GET", path, query={**(query or {}), **({"cursor": cursor} if cursor else {})})
        yield from page["data"]
        cursor = page["page"]["next_cursor"]
        if cursor is None:
            return


def events(types, last_event_id=None):
    """Yields (id, name, data) of each event once and in order, also after lost connections; the name is "connected" after each connection."""
    while True:
        headers = {"Authorization": f"Bearer {KEY}", "Accept": "text/event-stream"}
        if last_event_id is not None:
            headers["Last-Event-ID"] = str(last_event_id)
        address = f"{URL}/v1/events?" + urllib.parse.urlencode({"type": ",".join(types)})
        try:
            request = urllib.request.Request(address, headers=headers)
            with urllib.request.urlopen(request, timeout=SILENCE_SECONDS) as stream:
                yield last_event_id, "connected", None
                for event_id, name, data in blocks(stream):
                    last_event_id = event_id if event_id is not None else last_event_id
                    if data is not None:
                        yield last_event_id, name, data
        except urllib.error.HTTPError as error:
            if error.code < 500 and error.code != 429:
                raise refusal_of(error) from None
        except (OSError, ValueError):
            pass
        time.sleep(random.uniform(0.5, 2))


def blocks(stream):
    """The blocks of a text/event-stream; one that the end of the connection cuts off is ignored."""
    event_id, name, data = None, "message", None
    for raw in stream:
        line = raw.decode().rstrip("\r\n")
        if line == "":
            yield event_id, name, None if data is None else json.loads(data)
            event_id, name, data = None, "message", None
        field, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "id":
            event_id = int(value)
        elif field == "event":
            name = value
        elif field == "data":
            data = value if data is None else f"{data}\n{value}"
