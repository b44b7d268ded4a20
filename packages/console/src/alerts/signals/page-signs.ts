import { ALERT_SEVERITIES, type AlertSeverity } from '@granary/contract/alerts';
import type { AlertSummary } from '../summary.ts';

export interface PageSigns {
  readonly title: string;
  /** The address of an icon. */
  readonly icon: string;
}

const TITLE = 'Granary';
const PLAIN_ICON = '/icon.svg';
const MOST_URGENT_FIRST = ALERT_SEVERITIES.toReversed();

/** The colours of the light theme; the bar of a browser has no theme of ours. */
const COLOURS: Readonly<Record<AlertSeverity, readonly [fill: string, text: string]>> = {
  critical: ['#a30018', '#ffffff'],
  warning: ['#ffc02e', '#241800'],
  info: ['#40566a', '#ffffff'],
};

const SHAPES: Readonly<Record<AlertSeverity, string>> = {
  critical: '<path d="M2 2h60v60H2z"/>',
  warning: '<path d="M32 0 64 64H0z"/>',
  info: '<circle cx="32" cy="32" r="31"/>',
};

/** How many alerts wait for a person, for one who looks at another page. */
export function pageSigns({ unacknowledged }: Pick<AlertSummary, 'unacknowledged'>): PageSigns {
  const worst = MOST_URGENT_FIRST.find((severity) => unacknowledged[severity] > 0);
  if (worst === undefined) return { title: TITLE, icon: PLAIN_ICON };
  const count = ALERT_SEVERITIES.reduce((sum, severity) => sum + unacknowledged[severity], 0);
  return { title: `(${count}) ${TITLE}`, icon: iconOf(worst, count) };
}

function iconOf(severity: AlertSeverity, count: number): string {
  const [fill, colour] = COLOURS[severity];
  const text = count > 99 ? '99' : String(count);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><g fill="${fill}">${SHAPES[severity]}</g><text x="32" y="${severity === 'warning' ? 56 : 46}" fill="${colour}" font-family="sans-serif" font-size="${text.length > 1 ? 34 : 40}" font-weight="700" text-anchor="middle">${text}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
