import type { Migration } from './migration.ts';

/** Who changed what: the audit log, and the actor of each event. */
export const AUDIT: Migration = [
  // The device as text, because its entries stay when the device is removed.
  `CREATE TABLE audit (
      audit_no {{generatedKey}},
      audit_id {{idText}} NOT NULL UNIQUE,
      at_ms BIGINT NOT NULL,
      request_id TEXT NOT NULL,
      key_id {{idText}},
      key_name TEXT,
      actor {{idText}},
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
  `ALTER TABLE events ADD COLUMN actor TEXT`,
];
