import type { Migration } from './migration.ts';

/** Rules about alerts that people are told of, what each step of a rule has to tell or has told, and the messages. */
export const NOTIFICATIONS: Migration = [
  `CREATE TABLE notification_rules (
     rule_no {{generatedKey}},
     rule_id {{idText}} NOT NULL UNIQUE,
     created_at_ms BIGINT NOT NULL,
     updated_at_ms BIGINT NOT NULL,
     body TEXT NOT NULL,
     windows TEXT NOT NULL)`,
  `CREATE TABLE notification_position (last_sequence BIGINT NOT NULL) {{oftenUpdated}}`,
  `INSERT INTO notification_position (last_sequence) SELECT last_sequence FROM event_counter`,
  `CREATE TABLE notification_notices (
     rule_id {{idText}} NOT NULL,
     alert_id {{idText}} NOT NULL,
     step BIGINT NOT NULL,
     due_at_ms BIGINT,
     changed_at_ms BIGINT NOT NULL,
     body TEXT NOT NULL,
     PRIMARY KEY (rule_id, alert_id, step)) {{clustered}}`,
  `CREATE INDEX notification_notices_due ON notification_notices (due_at_ms) WHERE due_at_ms IS NOT NULL`,
  `CREATE INDEX notification_notices_of_alert ON notification_notices (alert_id)`,
  `CREATE INDEX notification_notices_by_change ON notification_notices (changed_at_ms)`,
  `CREATE TABLE notifications (
     notification_no {{generatedKey}},
     notification_id {{idText}} NOT NULL UNIQUE,
     rule_id {{idText}} NOT NULL,
     step BIGINT NOT NULL,
     status TEXT NOT NULL,
     created_at_ms BIGINT NOT NULL,
     attempts BIGINT NOT NULL,
     next_attempt_at_ms BIGINT,
     sent_at_ms BIGINT,
     last_error TEXT,
     body TEXT NOT NULL)`,
  `CREATE INDEX notifications_pending ON notifications (next_attempt_at_ms) WHERE status = 'pending'`,
  `CREATE INDEX notifications_by_status ON notifications (status, notification_no)`,
  `CREATE INDEX notifications_of_rule ON notifications (rule_id, notification_no)`,
  `CREATE INDEX notifications_by_creation ON notifications (created_at_ms)`,
];
