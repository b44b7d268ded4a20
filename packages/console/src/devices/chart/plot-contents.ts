import type { AlertSeverity } from '@granary/contract/alerts';
import type { ChartTable } from './series.ts';

export interface PlottedSensor {
  readonly unit: string;
  /** The name of the colour token. */
  readonly colour: string;
  /** Shares of a whole are drawn from 0 to 100. */
  readonly isShare: boolean;
}

export interface PlottedThreshold {
  readonly unit: string;
  readonly value: number;
  readonly name: string;
  readonly severity: AlertSeverity;
}

export interface PlottedBar {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface PlottedMark {
  readonly atMs: number;
  readonly severity: AlertSeverity;
}

export interface PlotContents {
  readonly table: ChartTable;
  readonly fromMs: number;
  readonly toMs: number;
  readonly thresholds: readonly PlottedThreshold[];
  readonly bars: readonly PlottedBar[];
  readonly marks: readonly PlottedMark[];
}

export interface PlotOptions {
  readonly sensors: readonly PlottedSensor[];
  readonly language: string;
  readonly height: number;
  /** A range was drawn with the mouse. */
  readonly onSelect: (fromMs: number, toMs: number) => void;
  /** The row of the table under the cursor. */
  readonly onCursor: (index: number | null) => void;
}

export interface Plot {
  readonly over: HTMLElement;
  show(contents: PlotContents): void;
  resize(width: number): void;
  /** After a change of the colours. */
  redraw(): void;
  timeAt(clientX: number): number;
  close(): void;
}
