import type { AlertSeverity } from '@granary/contract/alerts';
import { texts } from '../texts.ts';
import './severity-mark.css';

export const SEVERITY_SHAPES: Readonly<Record<AlertSeverity, string>> = {
  critical: 'M2 2h12v12H2z',
  warning: 'M8 1.5 15 14H1z',
  info: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2z',
};

interface Props {
  readonly severity: AlertSeverity;
  /** A text instead of the word, such as a count; the word is then only read aloud. */
  readonly text?: string;
  /** An acknowledged alert is drawn as an outline. */
  readonly isOutlined?: boolean;
}

/** Shows an alarm with a colour, a shape and a word. */
export function SeverityMark({ severity, text, isOutlined = false }: Props) {
  const word = texts.value.common.severities[severity];
  return (
    <span class={`severity ${severity} ${isOutlined ? 'outlined' : ''}`}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path d={SEVERITY_SHAPES[severity]} />
      </svg>
      {text === undefined ? (
        word
      ) : (
        <>
          <span class="only-for-readers">{word}</span> {text}
        </>
      )}
    </span>
  );
}
