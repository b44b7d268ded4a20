import type { Migration } from './migration.ts';

/** Lists over all devices: the severity of an alert as a column, and indexes with which no list reads the whole history. */
export const FLEET: Migration = [
  `ALTER TABLE alerts ADD COLUMN severity TEXT NOT NULL DEFAULT 'info'`,
  // As text, because the body of a damaged row is not JSON.
  `UPDATE alerts SET severity = CASE WHEN body LIKE '%"severity":"critical"%' THEN 'critical'
                                     WHEN body LIKE '%"severity":"warning"%' THEN 'warning' ELSE 'info' END`,
  `CREATE INDEX alerts_open_by_number ON alerts (alert_no, device_no, status, severity, type, shelved_until_ms)
     WHERE status <> 'resolved'`,
  // With every column that a list needs to choose its rows, because a row has a long body.
  `DROP INDEX alerts_of_device`,
  `CREATE INDEX alerts_of_device ON alerts (device_no, alert_no, status)`,
  `CREATE INDEX alerts_by_type ON alerts (type, alert_no, status)`,
  `CREATE INDEX alerts_by_severity ON alerts (severity, alert_no, status)`,
  `CREATE INDEX alerts_of_device_by_type ON alerts (device_no, type, alert_no, status)`,
  `CREATE INDEX alerts_of_device_by_severity ON alerts (device_no, severity, alert_no, status)`,
  `CREATE INDEX operations_by_status ON operations (status, operation_no)`,
  `CREATE INDEX operations_of_device_by_status ON operations (device_no, status, operation_no)`,
  `CREATE INDEX commands_by_status ON commands (status, command_no)`,
  `CREATE INDEX commands_of_device_by_status ON commands (device_no, status, command_no)`,
  `CREATE INDEX missions_by_status ON missions (status, mission_no)`,
  `CREATE INDEX missions_of_device_by_status ON missions (device_no, status, mission_no)`,
];
