import type { Migration } from './migration.ts';

/** Receivers of events, and what is sent to each of them. */
export const WEBHOOKS: Migration = [
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
];
