import { ALERT_SEVERITIES, type AlertSeverity } from '@granary/contract/alerts';
import type uPlot from 'uplot';
import type { PlotContents } from './plot-contents.ts';

type Colour = (name: string) => string;

const BAR_HEIGHT = 6;
const MARK_SIZE = 10;
const LABEL_FONT_PX = 12;

/** Operations as bars at the bottom, and alerts as marks above them. */
export function drawMarks(u: uPlot, { bars, marks }: PlotContents, colour: Colour): void {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  const bottom = bbox.top + bbox.height;
  const x = (ms: number): number =>
    Math.min(bbox.left + bbox.width, Math.max(bbox.left, u.valToPos(ms / 1_000, 'x', true)));
  ctx.save();
  ctx.fillStyle = colour('--contents');
  for (const { fromMs, toMs } of bars) {
    const left = x(fromMs);
    const width = Math.max(2 * ratio, x(toMs) - left);
    ctx.globalAlpha = 0.15;
    ctx.fillRect(left, bbox.top, width, bbox.height);
    ctx.globalAlpha = 1;
    ctx.fillRect(left, bottom - BAR_HEIGHT * ratio, width, BAR_HEIGHT * ratio);
  }
  // The most severe last, so that no other mark covers it.
  const bySeverity = marks.toSorted(
    (one, other) => ALERT_SEVERITIES.indexOf(one.severity) - ALERT_SEVERITIES.indexOf(other.severity),
  );
  for (const { atMs, severity } of bySeverity) {
    const at = u.valToPos(atMs / 1_000, 'x', true);
    if (at < bbox.left || at > bbox.left + bbox.width) continue;
    ctx.fillStyle = colour(`--${severity}`);
    ctx.strokeStyle = colour('--text');
    ctx.lineWidth = ratio;
    const path = shape(severity, at, bottom - (BAR_HEIGHT + 2 + MARK_SIZE) * ratio, MARK_SIZE * ratio);
    ctx.fill(path);
    ctx.stroke(path);
  }
  ctx.restore();
}

/** The same shapes as everywhere: a square, a triangle, a circle. */
function shape(severity: AlertSeverity, centre: number, top: number, size: number): Path2D {
  const path = new Path2D();
  if (severity === 'critical') path.rect(centre - size / 2, top, size, size);
  else if (severity === 'warning') {
    path.moveTo(centre, top);
    path.lineTo(centre + size / 2, top + size);
    path.lineTo(centre - size / 2, top + size);
    path.closePath();
  } else path.arc(centre, top + size / 2, size / 2, 0, 2 * Math.PI);
  return path;
}

/** A line for each threshold, with its name at the right end. */
export function drawThresholds(u: uPlot, { thresholds }: PlotContents, colour: Colour): void {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = `${LABEL_FONT_PX * ratio}px system-ui, sans-serif`;
  ctx.textAlign = 'right';
  ctx.textBaseline = 'bottom';
  ctx.lineJoin = 'round';
  ctx.fillStyle = colour('--muted');
  for (const { unit, value, name } of thresholds) {
    const y = Math.round(u.valToPos(value, unit, true));
    if (y < bbox.top || y > bbox.top + bbox.height) continue;
    ctx.lineWidth = ratio;
    ctx.strokeStyle = colour('--muted');
    ctx.setLineDash([6 * ratio, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    // The name stays readable where a line of the chart crosses it.
    ctx.setLineDash([]);
    ctx.strokeStyle = colour('--surface');
    ctx.lineWidth = 4 * ratio;
    ctx.strokeText(name, bbox.left + bbox.width - 4 * ratio, y - 2 * ratio, bbox.width);
    ctx.fillText(name, bbox.left + bbox.width - 4 * ratio, y - 2 * ratio, bbox.width);
  }
  ctx.restore();
}
