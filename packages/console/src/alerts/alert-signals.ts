import type { AlertSeverity } from '@granary/contract/alerts';
import type { FleetAlert } from '@granary/contract/fleet';
import { ALERT_SEVERITIES } from '@granary/contract/outline';
import { useSignalEffect } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { useConsole } from '../context/console.ts';
import { type AlertSummary, isUnacknowledged, summaryOf } from './alerts.ts';

const TONES_HZ = [880, 660, 880];
const TONE_S = 0.16;
const VOLUME = 0.2;
const TITLE = 'Granary';
const PLAIN_ICON = '/icon.svg';
const MOST_URGENT_FIRST = ALERT_SEVERITIES.toReversed();

/** The colours of the light theme, because the bar of a browser does not have the theme of the page. */
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

/** Signals alerts outside the page: in its title, in its icon, and by a sound where the person wants one. */
export function AlertSignals() {
  const { live, preferences } = useConsole();
  const critical = useMemo(() => new NewCritical(), [live]);
  /** The page is loaded with the plain icon. */
  const shownIcon = useRef(PLAIN_ICON);
  useSignalEffect(() => {
    if (live.connection.current.value.state === 'connecting') return;
    const alerts = [...live.site.alerts.all.value.values()];
    if (critical.hasNew(alerts) && preferences.hasSound.peek()) playAlarm();
    const { title, icon } = pageSigns(summaryOf(alerts));
    document.title = title;
    if (icon === shownIcon.current) return;
    shownIcon.current = icon;
    document.querySelector('link[rel="icon"]')?.setAttribute('href', icon);
  });
  return null;
}

/** Finds out when there is a critical alert that was not there before. */
export class NewCritical {
  #known: ReadonlySet<string> | null = null;

  /** The alerts that exist when the page opens are not new. */
  hasNew(alerts: Iterable<FleetAlert>): boolean {
    const now = new Set(
      [...alerts]
        .filter((alert) => alert.severity === 'critical' && isUnacknowledged(alert))
        .map(({ alert_id }) => alert_id),
    );
    const known = this.#known;
    this.#known = now;
    return known !== null && [...now].some((id) => !known.has(id));
  }
}

interface PageSigns {
  readonly title: string;
  /** The address of the icon. */
  readonly icon: string;
}

/** The title and icon that show how many alerts wait for a person, to somebody who looks at another page. */
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

let context: AudioContext | undefined;

/** A browser lets a page sound only after the person has pressed something in it; until then nothing is heard. */
export function playAlarm(): void {
  context ??= new AudioContext();
  void context.resume();
  const volume = context.createGain();
  volume.gain.value = VOLUME;
  volume.connect(context.destination);
  TONES_HZ.forEach((hz, index) => {
    const tone = new OscillatorNode(volume.context, { frequency: hz });
    tone.connect(volume);
    const startS = volume.context.currentTime + index * TONE_S * 1.5;
    tone.start(startS);
    tone.stop(startS + TONE_S);
  });
}
