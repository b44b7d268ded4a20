import type { Migration } from './migration.ts';

/** On PostgreSQL events wait here for their number, so that writes do not wait for each other. */
export const UNNUMBERED_EVENTS: Migration = [
  {
    sqlite: [],
    postgres: [
      `CREATE TABLE unnumbered_events (
         event_no  BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
         at_ms     BIGINT NOT NULL,
         type      TEXT NOT NULL,
         device_no BIGINT REFERENCES devices,
         actor     TEXT,
         data      TEXT NOT NULL
       ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`,
    ],
  },
];
