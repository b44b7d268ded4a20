CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
CREATE TABLE devices (
      device_no INTEGER PRIMARY KEY,
      device_id TEXT NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      model TEXT NOT NULL,
      firmware_version TEXT NOT NULL,
      facility TEXT NOT NULL,
      zone TEXT NOT NULL,
      capacity_kg DOUBLE PRECISION,
      secret_hash TEXT NOT NULL,
      registered_at_ms BIGINT NOT NULL
    );
CREATE TABLE presence (
      device_no BIGINT PRIMARY KEY REFERENCES devices,
      last_seen_at_ms BIGINT,
      link_down_at_ms BIGINT,
      reported_state TEXT,
      rejected_count BIGINT NOT NULL DEFAULT 0
    );
CREATE TABLE configurations (
      device_no BIGINT PRIMARY KEY REFERENCES devices,
      version BIGINT NOT NULL,
      body TEXT NOT NULL
    );
CREATE TABLE rejections (
      rejection_no INTEGER PRIMARY KEY,
      device_no BIGINT NOT NULL REFERENCES devices,
      received_at_ms BIGINT NOT NULL,
      topic TEXT NOT NULL,
      reason TEXT NOT NULL,
      payload TEXT NOT NULL
    );
CREATE INDEX rejections_of_device ON rejections (device_no, rejection_no);
CREATE TABLE keys (
      key_id TEXT PRIMARY KEY,
      hash TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      scopes TEXT NOT NULL,
      facilities TEXT,
      device_ids TEXT,
      created_at_ms BIGINT NOT NULL,
      expires_at_ms BIGINT,
      last_used_at_ms BIGINT,
      revoked_at_ms BIGINT
    );
CREATE TABLE readings (
      ts_ms BIGINT NOT NULL,
      device_no BIGINT NOT NULL,
      weight BIGINT,
      temperature BIGINT,
      humidity BIGINT,
      latitude BIGINT,
      longitude BIGINT,
      altitude BIGINT,
      battery_level BIGINT,
      signal_strength BIGINT,
      soil_moisture BIGINT,
      light_intensity BIGINT,
      wind_speed BIGINT,
      atmospheric_pressure BIGINT,
      PRIMARY KEY (ts_ms, device_no)
    ) WITHOUT ROWID;
CREATE TABLE buckets (
      size_ms BIGINT NOT NULL,
      block BIGINT NOT NULL,
      device_no BIGINT NOT NULL,
      part BIGINT NOT NULL,
      start_ms BIGINT NOT NULL,
      a_sum BIGINT NOT NULL,
      a_count BIGINT NOT NULL,
      a_min BIGINT,
      a_max BIGINT,
      a_last BIGINT,
      a_last_ts_ms BIGINT,
      b_sum BIGINT NOT NULL,
      b_count BIGINT NOT NULL,
      b_min BIGINT,
      b_max BIGINT,
      b_last BIGINT,
      b_last_ts_ms BIGINT,
      c_sum BIGINT NOT NULL,
      c_count BIGINT NOT NULL,
      c_min BIGINT,
      c_max BIGINT,
      c_last BIGINT,
      c_last_ts_ms BIGINT,
      PRIMARY KEY (size_ms, block, device_no, part, start_ms)
    ) WITHOUT ROWID;
CREATE TABLE latest (
      device_no BIGINT NOT NULL,
      part BIGINT NOT NULL,
      a_value BIGINT,
      a_ts_ms BIGINT,
      a_sum BIGINT,
      a_count BIGINT,
      a_min BIGINT,
      a_max BIGINT,
      b_value BIGINT,
      b_ts_ms BIGINT,
      b_sum BIGINT,
      b_count BIGINT,
      b_min BIGINT,
      b_max BIGINT,
      c_value BIGINT,
      c_ts_ms BIGINT,
      c_sum BIGINT,
      c_count BIGINT,
      c_min BIGINT,
      c_max BIGINT,
      PRIMARY KEY (device_no, part)
    ) WITHOUT ROWID;
INSERT INTO schema_version (version) VALUES (1);
INSERT INTO devices (device_no, device_id, kind, name, model, firmware_version, facility, zone, capacity_kg, secret_hash, registered_at_ms) VALUES
(20, 'rover-commands', 'field', 'Rover rover-commands', 'SiloScale 3000', '2.1.0', 'North', 'A', NULL, 'hash of a secret', 1781524800000),
(23, 'silo-alerts', 'silo', 'Silo silo-alerts', 'SiloScale 3000', '2.1.0', 'North', 'A', 10000, 'hash of a secret', 1781524800000);
INSERT INTO presence (device_no, last_seen_at_ms, link_down_at_ms, reported_state, rejected_count) VALUES
(20, 1781524800000, NULL, NULL, 0),
(23, 1781524800000, NULL, NULL, 0);
INSERT INTO configurations (device_no, version, body) VALUES
(23, 1, '{"thresholds":{"low_level":20,"high_level":90,"critical_level":10},"operation_limits":{"max_feed_rate":100,"max_discharge_rate":100,"rate_unit":"kg/min"},"maintenance":{"next_scheduled":"2026-09-13T12:00:00.000Z","interval_hours":2160}}');
INSERT INTO readings (ts_ms, device_no, weight, temperature, humidity, latitude, longitude, altitude, battery_level, signal_strength, soil_moisture, light_intensity, wind_speed, atmospheric_pressure) VALUES
(1781524800000, 20, NULL, 18000, NULL, 520000000, 130000000, 40000, 100000, NULL, NULL, NULL, 3000, NULL),
(1781524800000, 23, 500000, 18250, 55500, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO latest (device_no, part, a_value, a_ts_ms, a_sum, a_count, a_min, a_max, b_value, b_ts_ms, b_sum, b_count, b_min, b_max, c_value, c_ts_ms, c_sum, c_count, c_min, c_max) VALUES
(20, 1, NULL, NULL, NULL, NULL, NULL, NULL, 18000, 1781524800000, 18000, 1, 18000, 18000, NULL, NULL, NULL, NULL, NULL, NULL),
(20, 2, 520000000, 1781524800000, 520000000, 1, 520000000, 520000000, 130000000, 1781524800000, 130000000, 1, 130000000, 130000000, 40000, 1781524800000, 40000, 1, 40000, 40000),
(20, 3, 100000, 1781524800000, 100000, 1, 100000, 100000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
(20, 4, NULL, NULL, NULL, NULL, NULL, NULL, 3000, 1781524800000, 3000, 1, 3000, 3000, NULL, NULL, NULL, NULL, NULL, NULL),
(23, 1, 500000, 1781524800000, 500000, 1, 500000, 500000, 18250, 1781524800000, 18250, 1, 18250, 18250, 55500, 1781524800000, 55500, 1, 55500, 55500);
