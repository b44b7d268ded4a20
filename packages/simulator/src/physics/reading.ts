/** One telemetry reading. */
export interface Reading {
  readonly ts: number;
}
