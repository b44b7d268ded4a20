/** Operations, alerts and their evaluation, the log of events, and the answers kept for repeated requests. */
export const CONTROL: readonly string[] = [
  `CREATE TABLE operations (
      operation_no {{generatedKey}},
      operation_id {{idText}} NOT NULL UNIQUE,
      device_no BIGINT NOT NULL REFERENCES devices,
      type TEXT,
      status TEXT NOT NULL,
      claims_device BIGINT NOT NULL,
      is_settled BIGINT NOT NULL,
      ticked_at_ms BIGINT NOT NULL,
      body TEXT NOT NULL
    )`,
  // An operation claims its device from its start to its first end. One that a device reports unasked claims nothing.
  `CREATE UNIQUE INDEX operations_claim ON operations (device_no) WHERE claims_device = 1`,
  `CREATE INDEX operations_of_device ON operations (device_no, operation_no)`,
  `CREATE INDEX operations_unsettled ON operations (device_no) WHERE is_settled = 0`,
  `CREATE TABLE alerts (
      alert_no {{generatedKey}},
      alert_id {{idText}} NOT NULL UNIQUE,
      device_no BIGINT NOT NULL REFERENCES devices,
      type TEXT NOT NULL,
      status TEXT NOT NULL,
      body TEXT NOT NULL
    )`,
  `CREATE UNIQUE INDEX alerts_open ON alerts (device_no, type) WHERE status <> 'resolved'`,
  `CREATE INDEX alerts_of_device ON alerts (device_no, alert_no)`,
  `CREATE TABLE watches (
      device_no BIGINT PRIMARY KEY REFERENCES devices,
      quiet_min_g BIGINT,
      quiet_max_g BIGINT,
      check_at_ms BIGINT,
      told_status BIGINT
    ) {{oftenUpdated}}`,
  `CREATE INDEX watches_due ON watches (check_at_ms)`,
  `INSERT INTO watches (device_no, check_at_ms) SELECT device_no, 0 FROM devices WHERE kind = 'silo'`,
  `CREATE TABLE events (
      sequence BIGINT PRIMARY KEY,
      at_ms BIGINT NOT NULL,
      type TEXT NOT NULL,
      device_no BIGINT REFERENCES devices,
      data TEXT NOT NULL
    )`,
  `CREATE TABLE event_counter (last_sequence BIGINT NOT NULL) {{oftenUpdated}}`,
  `INSERT INTO event_counter (last_sequence) VALUES (0)`,
  `CREATE TABLE idempotency (
      key_id {{idText}} NOT NULL,
      idempotency_key {{idText}} NOT NULL,
      fingerprint TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      result TEXT,
      sealed TEXT,
      PRIMARY KEY (key_id, idempotency_key)
    )`,
  `CREATE INDEX idempotency_by_time ON idempotency (created_at_ms)`,
];
