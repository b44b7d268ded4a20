/** Since when the service listens, since when each device is online again, and until when each alert is shelved. */
export const OBSERVATION: readonly string[] = [
  `CREATE TABLE observation (since_ms BIGINT NOT NULL) {{oftenUpdated}}`,
  `INSERT INTO observation (since_ms) VALUES (0)`,
  `ALTER TABLE watches ADD COLUMN online_since_ms BIGINT`,
  `ALTER TABLE watches ADD COLUMN left_at_ms BIGINT`,
  `ALTER TABLE alerts ADD COLUMN shelved_until_ms BIGINT`,
  // Times have 13 digits until the year 2286.
  `UPDATE alerts SET shelved_until_ms =
     CAST(substr(body, {{positionFunction}}(body, '"shelvedUntilMs":') + 17, 13) AS BIGINT)
   WHERE status <> 'resolved' AND body LIKE '%"shelvedUntilMs":1____________,%'`,
];
