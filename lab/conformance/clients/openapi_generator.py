"""A tour with a client that OpenAPI Generator made from the document."""
import os
import time
from datetime import datetime, timedelta, timezone

import granary_generated as generated

configuration = generated.Configuration(host=os.environ["GRANARY_URL"])
configuration.access_token = os.environ["GRANARY_API_KEY"]
client = generated.ApiClient(configuration)
SILO = "silo-05"

devices = generated.DevicesApi(client).devices_silo_list(limit=3)
assert len(devices.data) == 3 and devices.page.next_cursor
readings = generated.TelemetryApi(client).telemetry_silo_current(SILO)
assert readings.data.level.current > 0

week_ago = (datetime.now(timezone.utc) - timedelta(days=7)).isoformat()
history = generated.TelemetryApi(client).telemetry_silo_history(SILO, sensor="level", interval="1d", _from=week_ago)
assert len(history.data.points) >= 7

configurations = generated.ConfigurationApi(client)
_, _, headers = configurations.configuration_silo_get_with_http_info(SILO)
patch = generated.SiloConfigurationPatch(thresholds=generated.SiloConfigurationPatchThresholds(low_level=21))
configurations.configuration_silo_update(SILO, patch, if_match=headers["ETag"])
try:
    configurations.configuration_silo_update(SILO, patch, if_match=headers["ETag"])
    raise AssertionError("a stale version was accepted")
except generated.ApiException as refusal:
    assert refusal.status == 412 and "stale_version" in refusal.body

operations = generated.OperationsApi(client)
discharge = generated.DischargeRequest(amount=20, rate=100, target_container="cart")
started = operations.operations_discharge(SILO, discharge, idempotency_key="tour-python").data
again = operations.operations_discharge(SILO, discharge, idempotency_key="tour-python").data
assert again.operation_id == started.operation_id
operations.operations_stop(SILO, started.operation_id)
for _ in range(100):
    status = operations.operations_get(SILO, started.operation_id).data.status
    if status in ("stopped", "completed"):
        break
    time.sleep(0.2)
assert status in ("stopped", "completed"), status

assert generated.FleetApi(client).fleet_overview().data.devices.total > 10
assert len(generated.AuditApi(client).audit_list(limit=5).data) == 5
print("  the tour with OpenAPI Generator for Python is complete")
