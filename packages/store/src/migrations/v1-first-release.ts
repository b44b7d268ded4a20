import type { Migration } from './migration.ts';

/** All tables of the first release. */
export const FIRST_SCHEMA: Migration = [
  `CREATE TABLE devices (
     device_no {{generatedKey}},
     device_id {{idText}} NOT NULL UNIQUE,
     device_group TEXT NOT NULL,
     profile TEXT NOT NULL,
     name TEXT NOT NULL,
     model TEXT NOT NULL,
     firmware_version TEXT NOT NULL,
     facility TEXT NOT NULL,
     zone TEXT NOT NULL,
     capacity_kg DOUBLE PRECISION,
     sensors TEXT,
     labels TEXT,
     secret_hash TEXT NOT NULL,
     version BIGINT NOT NULL DEFAULT 1,
     registered_at_ms BIGINT NOT NULL,
     maintenance_since_ms BIGINT,
     maintenance_until_ms BIGINT,
     maintenance_reason TEXT,
     maintenance_by TEXT,
     removed_at_ms BIGINT,
     -- How far the removal of all rows of the device has come; this row stays, because events refer to it.
     purge_started_at_ms BIGINT,
     purge_stage BIGINT,
     purge_position BIGINT NOT NULL DEFAULT 0,
     purge_rows BIGINT NOT NULL DEFAULT 0,
     purged_device_id TEXT
   )`,
  // This table finds devices by a label; the column "labels" of devices is what is shown.
  `CREATE TABLE device_labels (
     name {{idText}} NOT NULL,
     value {{idText}} NOT NULL,
     device_no BIGINT NOT NULL REFERENCES devices,
     PRIMARY KEY (name, value, device_no)
   ) {{clustered}}`,
  `CREATE INDEX labels_of_device ON device_labels (device_no)`,
  `CREATE INDEX devices_being_purged ON devices (device_no) WHERE purge_stage IS NOT NULL`,
  // This table is separate from devices, because it changes with every message.
  `CREATE TABLE presence (
     device_no BIGINT PRIMARY KEY REFERENCES devices,
     last_seen_at_ms BIGINT,
     link_down_at_ms BIGINT,
     reported_state TEXT,
     rejected_count BIGINT NOT NULL DEFAULT 0,
     reporting_interval_ms BIGINT NOT NULL DEFAULT 10000,
     offline_delay_ms BIGINT NOT NULL DEFAULT 30000
   ) {{oftenUpdated}}`,
  // The faults of the messages (`reception`) and of the connections (`duplicate`) of devices.
  `CREATE TABLE device_health (
     device_no BIGINT PRIMARY KEY REFERENCES devices,
     reception TEXT,
     duplicate TEXT
   )`,
  `CREATE TABLE configurations (
     device_no BIGINT PRIMARY KEY REFERENCES devices,
     version BIGINT NOT NULL,
     -- By which the site of a silo tells times; it is in the body, too.
     time_zone TEXT,
     body TEXT NOT NULL
   )`,
  `CREATE INDEX configurations_with_time_zone ON configurations (device_no, time_zone) WHERE time_zone IS NOT NULL`,
  `CREATE TABLE configuration_versions (
     device_no BIGINT NOT NULL REFERENCES devices,
     version BIGINT NOT NULL,
     at_ms BIGINT NOT NULL,
     actor TEXT,
     body TEXT NOT NULL,
     PRIMARY KEY (device_no, version)
   )`,
  `CREATE TABLE rejections (
     rejection_no {{generatedKey}},
     device_no BIGINT NOT NULL REFERENCES devices,
     received_at_ms BIGINT NOT NULL,
     topic TEXT NOT NULL,
     reason TEXT NOT NULL,
     payload TEXT NOT NULL
   )`,
  `CREATE INDEX rejections_of_device ON rejections (device_no, rejection_no)`,

  // The table of readings. Time comes first in the key: readings arrive in order of time, so they are written side by side.
  `CREATE TABLE readings (
     ts_ms BIGINT NOT NULL,
     device_no BIGINT NOT NULL,
     -- The values of all sensor groups.
     body {{bytes}} NOT NULL,
     PRIMARY KEY (ts_ms, device_no)
   ) {{partitionedByTime}}`,
  // Older readings in compressed chunks.
  `CREATE TABLE reading_chunks (
     first_ms {{timeKey}},
     last_ms BIGINT NOT NULL,
     readings BIGINT NOT NULL,
     chunk_no BIGINT NOT NULL,
     body {{bytes}} NOT NULL
   )`,
  { sqlite: [], postgres: [`ALTER TABLE reading_chunks ALTER COLUMN body SET STORAGE EXTERNAL`] },
  // The progress of the compression; its row is also the lock of the chunks.
  `CREATE TABLE reading_compression (chunked_until_ms BIGINT NOT NULL, last_chunk_no BIGINT NOT NULL)`,
  `INSERT INTO reading_compression (chunked_until_ms, last_chunk_no) VALUES (-1, 0)`,
  `CREATE TABLE buckets (
     size_ms BIGINT NOT NULL,
     time_chunk BIGINT NOT NULL,
     device_no BIGINT NOT NULL,
     sensor_group BIGINT NOT NULL,
     start_ms BIGINT NOT NULL,
     a_sum BIGINT NOT NULL,
     a_count BIGINT NOT NULL,
     a_bad_count BIGINT NOT NULL DEFAULT 0,
     a_min BIGINT,
     a_max BIGINT,
     a_last BIGINT,
     a_last_ts_ms BIGINT,
     b_sum BIGINT NOT NULL,
     b_count BIGINT NOT NULL,
     b_bad_count BIGINT NOT NULL DEFAULT 0,
     b_min BIGINT,
     b_max BIGINT,
     b_last BIGINT,
     b_last_ts_ms BIGINT,
     c_sum BIGINT NOT NULL,
     c_count BIGINT NOT NULL,
     c_bad_count BIGINT NOT NULL DEFAULT 0,
     c_min BIGINT,
     c_max BIGINT,
     c_last BIGINT,
     c_last_ts_ms BIGINT,
     PRIMARY KEY (size_ms, time_chunk, device_no, sensor_group, start_ms)
   ) {{clustered}} {{oftenUpdated}}`,
  // Older buckets in compressed chunks, each of one sensor and one span of time. In SQLite the table is not stored by its key,
  // because the last page of a long body would then not be shared with other rows.
  `CREATE TABLE bucket_chunks (
     size_ms BIGINT NOT NULL,
     span_no BIGINT NOT NULL,
     device_no BIGINT NOT NULL,
     sensor_group BIGINT NOT NULL,
     slot BIGINT NOT NULL,
     body {{bytes}} NOT NULL,
     PRIMARY KEY (size_ms, span_no, device_no, sensor_group, slot)
   )`,
  { sqlite: [], postgres: [`ALTER TABLE bucket_chunks ALTER COLUMN body SET STORAGE EXTERNAL`] },
  // The numbers of the open buckets are one column, because every message changes most of them.
  `CREATE TABLE open_buckets (
     device_no BIGINT NOT NULL,
     sensor_group BIGINT NOT NULL,
     oldest_ms BIGINT,
     newest_ms BIGINT,
     body {{bytes}},
     PRIMARY KEY (device_no, sensor_group)
   ) {{clustered}} {{oftenUpdated}}`,
  `CREATE TABLE tracks (
     time_chunk BIGINT NOT NULL,
     device_no BIGINT NOT NULL,
     ts_ms BIGINT NOT NULL,
     latitude BIGINT,
     longitude BIGINT,
     altitude BIGINT,
     PRIMARY KEY (time_chunk, device_no, ts_ms)
   ) {{clustered}}`,

  // An operation claims its device from its start to its first end; an unsolicited operation claims nothing.
  `CREATE TABLE operations (
     operation_no {{generatedKey}},
     operation_id {{idText}} NOT NULL UNIQUE,
     device_no BIGINT NOT NULL REFERENCES devices,
     type TEXT,
     status TEXT NOT NULL,
     claims_device BIGINT NOT NULL,
     is_finished BIGINT NOT NULL,
     advanced_at_ms BIGINT NOT NULL,
     ended_at_ms BIGINT,
     body TEXT NOT NULL
   )`,
  `CREATE UNIQUE INDEX operations_claim ON operations (device_no) WHERE claims_device = 1`,
  `CREATE INDEX operations_unfinished ON operations (device_no) WHERE is_finished = 0`,
  `CREATE INDEX operations_by_end ON operations (ended_at_ms) WHERE ended_at_ms IS NOT NULL`,
  `CREATE INDEX operations_of_device ON operations (device_no, operation_no)`,
  `CREATE INDEX operations_by_status ON operations (status, operation_no)`,
  `CREATE INDEX operations_of_device_by_status ON operations (device_no, status, operation_no)`,
  `CREATE TABLE commands (
     command_no {{generatedKey}},
     command_id {{idText}} NOT NULL UNIQUE,
     device_no BIGINT NOT NULL REFERENCES devices,
     command TEXT NOT NULL,
     status TEXT NOT NULL,
     is_finished BIGINT NOT NULL,
     advanced_at_ms BIGINT NOT NULL,
     ended_at_ms BIGINT,
     body TEXT NOT NULL
   )`,
  `CREATE INDEX commands_unfinished ON commands (device_no) WHERE is_finished = 0`,
  `CREATE INDEX commands_by_end ON commands (ended_at_ms) WHERE ended_at_ms IS NOT NULL`,
  `CREATE INDEX commands_of_device ON commands (device_no, command_no)`,
  `CREATE INDEX commands_by_status ON commands (status, command_no)`,
  `CREATE INDEX commands_of_device_by_status ON commands (device_no, status, command_no)`,
  // A mission claims its device from its dispatch to its first end; a mission that continues after that end claims nothing.
  `CREATE TABLE missions (
     mission_no {{generatedKey}},
     mission_id {{idText}} NOT NULL UNIQUE,
     device_no BIGINT NOT NULL REFERENCES devices,
     status TEXT NOT NULL,
     claims_device BIGINT NOT NULL,
     is_finished BIGINT NOT NULL,
     due_at_ms BIGINT NOT NULL,
     advanced_at_ms BIGINT NOT NULL,
     ended_at_ms BIGINT,
     body TEXT NOT NULL
   )`,
  `CREATE UNIQUE INDEX missions_claim ON missions (device_no) WHERE claims_device = 1`,
  `CREATE INDEX missions_unfinished ON missions (due_at_ms, device_no) WHERE is_finished = 0`,
  `CREATE INDEX missions_by_end ON missions (ended_at_ms) WHERE ended_at_ms IS NOT NULL`,
  `CREATE INDEX missions_ended ON missions (device_no, ended_at_ms)`,
  `CREATE INDEX missions_of_device ON missions (device_no, mission_no)`,
  `CREATE INDEX missions_by_status ON missions (status, mission_no)`,
  `CREATE INDEX missions_of_device_by_status ON missions (device_no, status, mission_no)`,

  `CREATE TABLE alerts (
     alert_no {{generatedKey}},
     alert_id {{idText}} NOT NULL UNIQUE,
     device_no BIGINT NOT NULL REFERENCES devices,
     type TEXT NOT NULL,
     rule {{idText}} NOT NULL,
     severity TEXT NOT NULL,
     status TEXT NOT NULL,
     resolved_at_ms BIGINT,
     shelved_until_ms BIGINT,
     cause TEXT,
     body TEXT NOT NULL
   )`,
  `CREATE UNIQUE INDEX alerts_open ON alerts (device_no, type, rule) WHERE status <> 'resolved'`,
  // The index has every column by which a list chooses its rows, because a row has a long body.
  `CREATE INDEX alerts_open_by_number ON alerts (alert_no, device_no, status, severity, type, shelved_until_ms)
     WHERE status <> 'resolved'`,
  `CREATE INDEX alerts_by_resolution ON alerts (resolved_at_ms) WHERE resolved_at_ms IS NOT NULL`,
  `CREATE INDEX alerts_of_device ON alerts (device_no, alert_no, status)`,
  `CREATE INDEX alerts_by_type ON alerts (type, alert_no, status)`,
  `CREATE INDEX alerts_by_severity ON alerts (severity, alert_no, status)`,
  `CREATE INDEX alerts_of_device_by_type ON alerts (device_no, type, alert_no, status)`,
  `CREATE INDEX alerts_of_device_by_severity ON alerts (device_no, severity, alert_no, status)`,
  // The times at which alerts became active; the severity is a number from info (0) to critical (2).
  `CREATE TABLE alert_raises (
     raise_no {{generatedKey}},
     at_ms BIGINT NOT NULL,
     device_no BIGINT NOT NULL REFERENCES devices,
     type TEXT NOT NULL,
     rule {{idText}} NOT NULL,
     severity BIGINT NOT NULL
   )`,
  `CREATE UNIQUE INDEX alert_raises_of_device ON alert_raises (device_no, type, rule, at_ms)`,
  `CREATE INDEX alert_raises_by_time ON alert_raises (at_ms, device_no, type, rule, severity)`,
  `CREATE TABLE alert_evaluations (
     device_no BIGINT PRIMARY KEY REFERENCES devices,
     no_change_min_g BIGINT,
     no_change_max_g BIGINT,
     no_change_ranges TEXT,
     next_evaluation_at_ms BIGINT,
     last_published_status BIGINT,
     online_since_ms BIGINT,
     left_at_ms BIGINT,
     restored_at_ms BIGINT
   ) {{oftenUpdated}}`,
  `CREATE INDEX alert_evaluations_due ON alert_evaluations (next_evaluation_at_ms)`,
  // The time since when the service has observed the devices without a gap, and the last time at which it did.
  `CREATE TABLE observation (since_ms BIGINT NOT NULL, until_ms BIGINT NOT NULL) {{oftenUpdated}}`,
  `INSERT INTO observation (since_ms, until_ms) VALUES (0, 0)`,

  // The forecasts of when silos run empty: one row for each silo, with the columns that lists and the choice of the next silos need.
  `CREATE TABLE forecasts (
     device_no BIGINT PRIMARY KEY REFERENCES devices,
     made_at_ms BIGINT NOT NULL,
     next_at_ms BIGINT NOT NULL,
     watched_until_ms BIGINT NOT NULL,
     newest_ms BIGINT,
     configuration_version BIGINT NOT NULL,
     status TEXT NOT NULL,
     level_kg DOUBLE PRECISION,
     kg_per_day DOUBLE PRECISION,
     order_by_ms BIGINT,
     product TEXT,
     bushel_kg DOUBLE PRECISION,
     had_operation BIGINT NOT NULL,
     alarms TEXT NOT NULL,
     state TEXT NOT NULL,
     body TEXT NOT NULL,
     tail TEXT NOT NULL
   )`,
  `CREATE INDEX forecasts_by_order ON forecasts (order_by_ms)`,
  // This table is separate from forecasts, because it changes once a day.
  `CREATE TABLE forecast_histories (device_no BIGINT PRIMARY KEY REFERENCES devices, body TEXT NOT NULL)`,
  `CREATE TABLE use_days (
     device_no BIGINT NOT NULL,
     day BIGINT NOT NULL,
     kg DOUBLE PRECISION NOT NULL,
     discharged_kg DOUBLE PRECISION NOT NULL,
     refilled_kg DOUBLE PRECISION NOT NULL,
     quiet_kg DOUBLE PRECISION,
     flags BIGINT NOT NULL,
     hours TEXT,
     PRIMARY KEY (device_no, day)
   ) {{clustered}}`,
  `CREATE TABLE refills (
     refill_no {{generatedKey}},
     refill_id {{idText}} NOT NULL UNIQUE,
     device_no BIGINT NOT NULL REFERENCES devices,
     from_ms BIGINT NOT NULL,
     to_ms BIGINT NOT NULL,
     kg DOUBLE PRECISION NOT NULL,
     measured_kg DOUBLE PRECISION,
     source TEXT NOT NULL,
     operation_id TEXT,
     in_gap BIGINT NOT NULL,
     before_kg DOUBLE PRECISION,
     after_kg DOUBLE PRECISION,
     delivery_note_kg DOUBLE PRECISION,
     product TEXT,
     is_refill BIGINT NOT NULL,
     changed_at_ms BIGINT,
     changed_by TEXT
   )`,
  `CREATE INDEX refills_of_device ON refills (device_no, to_ms)`,
  `CREATE INDEX refills_by_time ON refills (from_ms, refill_id)`,
  // The last result of each examination of a silo; the sensor id is empty if the result is not about one sensor.
  `CREATE TABLE findings (
     finding_no {{generatedKey}},
     device_no BIGINT NOT NULL REFERENCES devices,
     type TEXT NOT NULL,
     sensor_id {{idText}} NOT NULL,
     result TEXT NOT NULL,
     since_ms BIGINT NOT NULL,
     body TEXT NOT NULL
   )`,
  `CREATE UNIQUE INDEX findings_of_device ON findings (device_no, type, sensor_id)`,
  // The time since when the history of a device has changed after forecasts had used it.
  `CREATE TABLE late_readings (device_no BIGINT PRIMARY KEY, from_ms BIGINT NOT NULL, marks BIGINT NOT NULL)`,
  // The lease with which one node at a time makes the forecasts.
  `CREATE TABLE forecaster_lease (holder TEXT NOT NULL, until_ms BIGINT NOT NULL) {{oftenUpdated}}`,
  `INSERT INTO forecaster_lease (holder, until_ms) VALUES ('', 0)`,

  // A note belongs to a device or to a facility.
  `CREATE TABLE notes (
     note_no {{generatedKey}},
     note_id {{idText}} NOT NULL UNIQUE,
     device_no BIGINT REFERENCES devices,
     facility TEXT,
     at_ms BIGINT NOT NULL,
     text TEXT NOT NULL,
     created_at_ms BIGINT NOT NULL,
     created_by TEXT
   )`,
  `CREATE INDEX notes_by_time ON notes (at_ms, note_no)`,
  `CREATE INDEX notes_of_device ON notes (device_no, at_ms, note_no)`,

  // Operations that programs propose and people decide about.
  `CREATE TABLE proposals (
     proposal_no {{generatedKey}},
     proposal_id {{idText}} NOT NULL UNIQUE,
     device_no BIGINT NOT NULL REFERENCES devices,
     created_at_ms BIGINT NOT NULL,
     expires_at_ms BIGINT NOT NULL,
     decided_at_ms BIGINT,
     decided_by TEXT,
     operation_id {{idText}},
     refusal_reason TEXT,
     body TEXT NOT NULL
   )`,
  `CREATE INDEX proposals_by_end ON proposals (expires_at_ms)`,
  `CREATE INDEX proposals_of_device ON proposals (device_no, proposal_no)`,

  // The handovers from one shift to the next; a handover without a facility is about all of them.
  `CREATE TABLE handovers (
     handover_id {{idText}} PRIMARY KEY,
     facility TEXT,
     from_ms BIGINT NOT NULL,
     to_ms BIGINT NOT NULL,
     text TEXT NOT NULL,
     created_at_ms BIGINT NOT NULL,
     created_by TEXT,
     acknowledged_at_ms BIGINT,
     acknowledged_by TEXT
   )`,
  `CREATE INDEX handovers_by_time ON handovers (created_at_ms)`,
  `CREATE INDEX handovers_waiting ON handovers (handover_id) WHERE acknowledged_at_ms IS NULL`,
  // The schedules of reports, with their recipients.
  `CREATE TABLE report_schedules (
     schedule_id {{idText}} PRIMARY KEY,
     key_id {{idText}} NOT NULL,
     body TEXT NOT NULL,
     created_by TEXT,
     next_at_ms BIGINT,
     sent_at_ms BIGINT
   )`,
  `CREATE INDEX report_schedules_due ON report_schedules (next_at_ms)`,
  // Pages of the console with their filters, under a name.
  `CREATE TABLE views (
     view_id {{idText}} PRIMARY KEY,
     key_id {{idText}} NOT NULL,
     name TEXT NOT NULL,
     address TEXT NOT NULL,
     shared BIGINT NOT NULL,
     created_by TEXT,
     updated_at_ms BIGINT NOT NULL
   )`,
  `CREATE INDEX views_of_key ON views (key_id)`,
  // The units in which a person or a key reads quantities on the console.
  `CREATE TABLE preferences (
     key_id {{idText}} PRIMARY KEY,
     units TEXT NOT NULL,
     updated_at_ms BIGINT NOT NULL
   )`,
  // Processes that attach devices which were not made for this service, with their last reports; before the first report all
  // columns are NULL.
  `CREATE TABLE bridges (
     bridge_id {{idText}} PRIMARY KEY,
     session {{idText}},
     reported_at_ms BIGINT,
     figures TEXT,
     body TEXT
   )`,
  // The keys that may report for a bridge: one key, and the keys that have replaced it.
  `CREATE TABLE bridge_keys (
     bridge_id {{idText}} NOT NULL,
     key_id {{idText}} NOT NULL,
     PRIMARY KEY (bridge_id, key_id)
   )`,
  `CREATE INDEX bridge_keys_of_key ON bridge_keys (key_id)`,
  `CREATE TABLE bridge_parts (
     bridge_id {{idText}} NOT NULL,
     kind TEXT NOT NULL,
     name {{idText}} NOT NULL,
     -- Of a device, as in the figures of the bridge.
     state TEXT,
     unit_differs BIGINT,
     body TEXT NOT NULL,
     PRIMARY KEY (bridge_id, kind, name)
   )`,
  `CREATE INDEX bridges_of_device ON bridge_parts (name, bridge_id, state, unit_differs) WHERE kind = 'device'`,
  // Requests of people to a bridge, until their results are read, with the session of the bridge that has taken the request.
  `CREATE TABLE bridge_requests (
     request_id {{idText}} PRIMARY KEY,
     bridge_id {{idText}} NOT NULL,
     expires_at_ms BIGINT NOT NULL,
     session {{idText}},
     body TEXT NOT NULL,
     result TEXT
   )`,
  `CREATE INDEX bridge_requests_of_bridge ON bridge_requests (bridge_id)`,
  // The texts of a site about its alerts; an empty facility or rule means all of them.
  `CREATE TABLE alarm_help (
     help_no {{generatedKey}},
     alert_type TEXT NOT NULL,
     facility TEXT NOT NULL,
     rule TEXT NOT NULL,
     cause TEXT NOT NULL,
     consequence TEXT NOT NULL,
     action TEXT NOT NULL,
     updated_at_ms BIGINT NOT NULL,
     updated_by TEXT
   )`,
  `CREATE UNIQUE INDEX alarm_help_of_place ON alarm_help (alert_type, facility, rule)`,

  `CREATE TABLE events (
     sequence BIGINT PRIMARY KEY,
     at_ms BIGINT NOT NULL,
     type TEXT NOT NULL,
     device_no BIGINT REFERENCES devices,
     actor TEXT,
     data TEXT NOT NULL
   )`,
  `CREATE TABLE event_counter (last_sequence BIGINT NOT NULL) {{oftenUpdated}}`,
  `INSERT INTO event_counter (last_sequence) VALUES (0)`,
  // On PostgreSQL events wait here for their number, so that writes do not wait for each other.
  {
    sqlite: [],
    postgres: [
      `CREATE TABLE unnumbered_events (
         event_no BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
         at_ms BIGINT NOT NULL,
         type TEXT NOT NULL,
         device_no BIGINT REFERENCES devices,
         actor TEXT,
         data TEXT NOT NULL
       ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`,
    ],
  },

  // Notification rules, what each step of a rule has told or has to tell about an alert, and the messages.
  `CREATE TABLE notification_rules (
     rule_no {{generatedKey}},
     rule_id {{idText}} NOT NULL UNIQUE,
     -- Whose own settings for Web Push these are.
     owner_id {{idText}},
     created_at_ms BIGINT NOT NULL,
     updated_at_ms BIGINT NOT NULL,
     body TEXT NOT NULL,
     windows TEXT NOT NULL
   )`,
  `CREATE TABLE notification_position (last_sequence BIGINT NOT NULL) {{oftenUpdated}}`,
  `INSERT INTO notification_position (last_sequence) VALUES (0)`,
  `CREATE TABLE notification_notices (
     rule_id {{idText}} NOT NULL,
     alert_id {{idText}} NOT NULL,
     step BIGINT NOT NULL,
     due_at_ms BIGINT,
     changed_at_ms BIGINT NOT NULL,
     body TEXT NOT NULL,
     PRIMARY KEY (rule_id, alert_id, step)
   ) {{clustered}}`,
  `CREATE INDEX notification_notices_due ON notification_notices (due_at_ms) WHERE due_at_ms IS NOT NULL`,
  `CREATE INDEX notification_notices_of_alert ON notification_notices (alert_id)`,
  `CREATE INDEX notification_notices_by_change ON notification_notices (changed_at_ms)`,
  `CREATE TABLE notifications (
     notification_no {{generatedKey}},
     notification_id {{idText}} NOT NULL UNIQUE,
     rule_id {{idText}} NOT NULL,
     step BIGINT NOT NULL,
     channel TEXT NOT NULL,
     kind TEXT NOT NULL,
     status TEXT NOT NULL,
     created_at_ms BIGINT NOT NULL,
     attempts BIGINT NOT NULL,
     next_attempt_at_ms BIGINT,
     sent_at_ms BIGINT,
     last_error TEXT,
     body TEXT NOT NULL
   )`,
  `CREATE INDEX notifications_pending ON notifications (channel, kind, next_attempt_at_ms) WHERE status = 'pending'`,
  `CREATE INDEX notifications_by_status ON notifications (status, notification_no)`,
  `CREATE INDEX notifications_of_rule ON notifications (rule_id, notification_no)`,
  `CREATE INDEX notifications_asked ON notifications (rule_id, created_at_ms) WHERE kind IN ('report', 'test')`,
  `CREATE INDEX notifications_by_creation ON notifications (created_at_ms)`,

  // Browsers that receive Web Push, and the keys by which push services recognise the service (one row).
  `CREATE TABLE push_subscriptions (
     subscription_id {{idText}} PRIMARY KEY,
     key_id {{idText}} NOT NULL,
     session_hash TEXT,
     endpoint TEXT NOT NULL UNIQUE,
     p256dh TEXT NOT NULL,
     auth TEXT NOT NULL,
     browser TEXT NOT NULL,
     created_at_ms BIGINT NOT NULL
   )`,
  `CREATE INDEX push_subscriptions_of_key ON push_subscriptions (key_id, created_at_ms)`,
  `CREATE INDEX push_subscriptions_of_session ON push_subscriptions (session_hash)`,
  `CREATE TABLE push_keys (
     key_no BIGINT PRIMARY KEY,
     public_key TEXT NOT NULL,
     private_key TEXT NOT NULL
   )`,

  `CREATE TABLE webhooks (
     webhook_no {{generatedKey}},
     webhook_id {{idText}} NOT NULL UNIQUE,
     url TEXT NOT NULL,
     description TEXT,
     event_types TEXT,
     device_ids TEXT,
     facilities TEXT,
     severities TEXT,
     enabled BIGINT NOT NULL,
     disabled_reason TEXT,
     secret TEXT NOT NULL,
     previous_secret TEXT,
     previous_secret_until_ms BIGINT,
     position BIGINT NOT NULL,
     failing_since_ms BIGINT,
     dead_reported_at_ms BIGINT,
     created_at_ms BIGINT NOT NULL,
     updated_at_ms BIGINT NOT NULL,
     removed_at_ms BIGINT
   ) {{oftenUpdated}}`,
  `CREATE INDEX webhooks_by_position ON webhooks (position) WHERE enabled = 1`,
  `CREATE TABLE webhook_deliveries (
     delivery_no {{generatedKey}},
     webhook_no BIGINT NOT NULL,
     message_id {{idText}} NOT NULL,
     type TEXT NOT NULL,
     sequence BIGINT,
     body TEXT,
     status TEXT NOT NULL,
     is_retry BIGINT NOT NULL,
     attempts BIGINT NOT NULL,
     next_attempt_at_ms BIGINT NOT NULL,
     leased_until_ms BIGINT NOT NULL,
     last_status BIGINT,
     last_error TEXT,
     created_at_ms BIGINT NOT NULL,
     finished_at_ms BIGINT
   ) {{oftenUpdated}}`,
  `CREATE UNIQUE INDEX webhook_deliveries_of_webhook ON webhook_deliveries (webhook_no, message_id)`,
  `CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_no, is_retry, next_attempt_at_ms, delivery_no)
     WHERE status = 'pending'`,
  `CREATE INDEX webhook_deliveries_by_number ON webhook_deliveries (webhook_no, delivery_no)`,
  `CREATE INDEX webhook_deliveries_by_status ON webhook_deliveries (webhook_no, status, delivery_no)`,
  `CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (status, finished_at_ms)`,

  `CREATE TABLE keys (
     key_id {{idText}} PRIMARY KEY,
     hash TEXT NOT NULL UNIQUE,
     kind TEXT NOT NULL,
     owner_id {{idText}},
     name TEXT NOT NULL,
     grants TEXT NOT NULL,
     is_full_admin BIGINT NOT NULL,
     created_at_ms BIGINT NOT NULL,
     expires_at_ms BIGINT,
     last_used_at_ms BIGINT,
     revoked_at_ms BIGINT
   )`,
  `CREATE INDEX keys_of_owner ON keys (owner_id)`,
  // Browsers that have signed in with a key, and codes with which one can sign in once; only hashes are stored.
  // A person is a row of keys without a secret; the password is argon2id in PHC form.
  `CREATE TABLE people (
     key_id {{idText}} PRIMARY KEY,
     login {{idText}} NOT NULL UNIQUE,
     email TEXT,
     password TEXT,
     pin TEXT,
     totp_secret TEXT,
     totp_step BIGINT,
     recovery_codes TEXT
   )`,
  `CREATE TABLE passkeys (
     credential_id TEXT NOT NULL PRIMARY KEY,
     key_id {{idText}} NOT NULL,
     name TEXT NOT NULL,
     -- The host name for which it was made.
     rp_id TEXT NOT NULL,
     public_key TEXT NOT NULL,
     sign_count BIGINT NOT NULL,
     created_at_ms BIGINT NOT NULL,
     last_used_at_ms BIGINT
   )`,
  `CREATE INDEX passkeys_of_person ON passkeys (key_id, created_at_ms)`,
  // Networks and terminals from which a person has completed a sign-in with all factors.
  `CREATE TABLE known_places (
     person_id {{idText}} NOT NULL,
     place {{idText}} NOT NULL,
     last_at_ms BIGINT NOT NULL,
     PRIMARY KEY (person_id, place)
   )`,
  // The counts of PINs that were tried at a terminal since the last right one, of wrong PINs there in a day, and of codes of
  // the second factor at a known place or elsewhere.
  `CREATE TABLE guesses (
     person_id {{idText}} NOT NULL,
     kind TEXT NOT NULL,
     place {{idText}} NOT NULL,
     count BIGINT NOT NULL,
     -- Of the last PIN, or when those of a day began to be counted.
     at_ms BIGINT NOT NULL,
     PRIMARY KEY (person_id, kind, place)
   )`,
  // Wrong passwords, PINs and codes of a person from each network or terminal, which are shown to the person, and the time of
  // the last e-mail about them.
  `CREATE TABLE wrong_secrets (
     person_id {{idText}} NOT NULL,
     kind TEXT NOT NULL,
     place {{idText}} NOT NULL,
     count BIGINT NOT NULL,
     -- Those of a day since the last sign-in there.
     waiting BIGINT NOT NULL,
     first_at_ms BIGINT NOT NULL,
     last_at_ms BIGINT NOT NULL,
     PRIMARY KEY (person_id, kind, place)
   )`,
  `CREATE TABLE sessions (
     hash TEXT NOT NULL PRIMARY KEY,
     key_id {{idText}} NOT NULL,
     address TEXT NOT NULL,
     browser TEXT NOT NULL,
     created_at_ms BIGINT NOT NULL,
     last_used_at_ms BIGINT NOT NULL,
     expires_at_ms BIGINT NOT NULL,
     -- Of a session that began with the identity provider: its latest end, and what the provider calls it.
     ends_at_ms BIGINT,
     provider_sid TEXT,
     -- Of the session that made the code with which this one began, and ends it.
     begun_by TEXT,
     -- Who has signed in at a terminal.
     person_id {{idText}},
     person_until_ms BIGINT
   )`,
  `CREATE INDEX sessions_of_provider ON sessions (provider_sid) WHERE provider_sid IS NOT NULL`,
  `CREATE INDEX sessions_begun_by ON sessions (begun_by) WHERE begun_by IS NOT NULL`,
  `CREATE INDEX sessions_of_person ON sessions (person_id) WHERE person_id IS NOT NULL`,
  `CREATE INDEX sessions_of_key ON sessions (key_id, last_used_at_ms)`,
  `CREATE INDEX sessions_by_end ON sessions (expires_at_ms)`,
  // made_by is the key that made a link for another person; the key must still have that right when the link is used.
  // session_hash is the session that made a code; it must not have ended.
  `CREATE TABLE sign_in_codes (
     hash TEXT NOT NULL PRIMARY KEY,
     key_id {{idText}} NOT NULL,
     made_by {{idText}},
     session_hash TEXT,
     created_at_ms BIGINT NOT NULL,
     expires_at_ms BIGINT NOT NULL
   )`,
  `CREATE INDEX sign_in_codes_of_session ON sign_in_codes (session_hash) WHERE session_hash IS NOT NULL`,
  `CREATE INDEX sign_in_codes_of_key ON sign_in_codes (key_id, created_at_ms)`,
  `CREATE INDEX sign_in_codes_by_end ON sign_in_codes (expires_at_ms)`,
  // The identities of people at the identity provider, with the groups of the last sign-in.
  `CREATE TABLE identities (
     issuer TEXT NOT NULL,
     subject {{idText}} NOT NULL,
     key_id {{idText}} NOT NULL,
     group_names TEXT NOT NULL,
     last_sign_in_at_ms BIGINT NOT NULL,
     PRIMARY KEY (issuer, subject)
   )`,
  `CREATE INDEX identities_of_key ON identities (key_id)`,
  // The last sign-ins with the identity provider, including refused ones.
  `CREATE TABLE sign_ins (
     sign_in_no {{generatedKey}},
     at_ms BIGINT NOT NULL,
     body TEXT NOT NULL
   )`,
  // Hashes of what was used and must not be used again: messages of the identity provider and challenges that passkeys have signed.
  `CREATE TABLE sign_on_uses (hash TEXT NOT NULL PRIMARY KEY, expires_at_ms BIGINT NOT NULL)`,
  `CREATE INDEX sign_on_uses_by_end ON sign_on_uses (expires_at_ms)`,
  // The keys with which the nodes sign challenges for passkeys.
  `CREATE TABLE challenge_keys (key_no BIGINT PRIMARY KEY, secret TEXT NOT NULL)`,
  `CREATE TABLE sign_in_policy (policy_no BIGINT PRIMARY KEY, body TEXT NOT NULL)`,
  // The confirmations of people, until they are used.
  `CREATE TABLE confirmations (
     hash TEXT NOT NULL PRIMARY KEY,
     key_id {{idText}} NOT NULL,
     digest TEXT NOT NULL,
     confirmed_by TEXT NOT NULL,
     expires_at_ms BIGINT NOT NULL
   )`,
  `CREATE INDEX confirmations_by_end ON confirmations (expires_at_ms)`,
  `CREATE TABLE idempotency (
     key_id {{idText}} NOT NULL,
     idempotency_key {{idText}} NOT NULL,
     fingerprint TEXT NOT NULL,
     created_at_ms BIGINT NOT NULL,
     result TEXT,
     encrypted_secret TEXT,
     PRIMARY KEY (key_id, idempotency_key)
   )`,
  `CREATE INDEX idempotency_by_time ON idempotency (created_at_ms)`,
  // The device is a text and no reference, because audit entries stay when the device is removed.
  `CREATE TABLE audit (
     audit_no {{generatedKey}},
     audit_id {{idText}} NOT NULL UNIQUE,
     at_ms BIGINT NOT NULL,
     request_id TEXT NOT NULL,
     key_id {{idText}},
     key_name TEXT,
     actor {{idText}},
     terminal TEXT,
     by_key TEXT,
     confirmed_by TEXT,
     agent TEXT,
     address TEXT NOT NULL,
     action {{idText}} NOT NULL,
     method TEXT NOT NULL,
     path TEXT NOT NULL,
     device_id {{idText}},
     facility {{idText}},
     resource_id TEXT,
     result TEXT NOT NULL,
     code TEXT,
     count BIGINT NOT NULL,
     input TEXT
   )`,
  `CREATE INDEX audit_by_time ON audit (at_ms, audit_no)`,
  `CREATE INDEX audit_by_device ON audit (device_id, at_ms, audit_no) WHERE device_id IS NOT NULL`,
  `CREATE INDEX audit_by_facility ON audit (facility, at_ms, audit_no) WHERE facility IS NOT NULL`,
  `CREATE INDEX audit_by_key ON audit (key_id, at_ms, audit_no) WHERE key_id IS NOT NULL`,
  `CREATE INDEX audit_by_actor ON audit (actor, at_ms, audit_no) WHERE actor IS NOT NULL`,
  `CREATE INDEX audit_by_action ON audit (action, at_ms, audit_no)`,
  `CREATE INDEX audit_of_refusals ON audit (at_ms, audit_no) WHERE result = 'refused'`,

  `CREATE TABLE plants (id BIGINT PRIMARY KEY, body TEXT NOT NULL, created_at_ms BIGINT NOT NULL) {{clustered}}`,
  // The processes that share a PostgreSQL database.
  {
    sqlite: [],
    postgres: [
      `CREATE TABLE nodes (
         node_id TEXT COLLATE "C" PRIMARY KEY,
         folder_id TEXT NOT NULL,
         host TEXT NOT NULL,
         broker TEXT NOT NULL,
         version TEXT NOT NULL,
         preset_hash TEXT,
         started_at_ms BIGINT NOT NULL,
         live_since_ms BIGINT NOT NULL,
         last_seen_at_ms BIGINT NOT NULL,
         broker_since_ms BIGINT
       ) WITH (fillfactor = 50)`,
    ],
  },
];
