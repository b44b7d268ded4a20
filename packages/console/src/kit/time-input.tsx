import { dayAs } from '@granary/common/time-text';
import { useRef } from 'preact/hooks';
import { locale, texts } from '../texts.ts';
import { Button } from './button.tsx';
import { EntryBox, type EntryProps, MEANS, type Notation } from './entry-box.tsx';
import { Field } from './inputs.tsx';
import { type TimeKind, timesIn, timeText } from './time-entry.ts';

const PICKERS = { date: 'date', time: 'time', dateTime: 'datetime-local' } as const;
const EXAMPLES: Readonly<Record<TimeKind, string>> = {
  date: '2026-11-19',
  time: '14:30',
  dateTime: '2026-11-19T14:30',
};

interface BoxProps extends EntryProps {
  readonly kind: TimeKind;
}

/**
 * A field for a date, a time of the day, or both, without a label of its own. The form holds it as `2026-11-19T14:30`. A browser writes
 * its own fields in its own language, such as 04/03 for the third of April, so only its calendar is used. The picked day stands in the
 * field in the words of the page.
 */
export function TimeBox({ kind, ...entry }: BoxProps) {
  const { value, onValue, isDisabled = false, name } = entry;
  const { forms } = texts.value;
  const picker = useRef<HTMLInputElement>(null);
  const notation = notationOf(kind);
  return (
    <EntryBox {...entry} notation={notation}>
      {!isDisabled && (
        <div class="entry-pick">
          <input
            ref={picker}
            class="picker"
            type={PICKERS[kind]}
            tabIndex={-1}
            aria-hidden="true"
            value={value}
            onChange={({ currentTarget }) => onValue(currentTarget.value)}
          />
          <Button
            kind="quiet"
            label={name === undefined ? forms.pick[kind] : `${name}: ${forms.pick[kind]}`}
            onPress={() => picker.current?.showPicker()}
          >
            <PickSign kind={kind} />
          </Button>
        </div>
      )}
    </EntryBox>
  );
}

interface InputProps extends Omit<BoxProps, 'id' | 'name'> {
  readonly label: string;
  readonly hint?: string | undefined;
}

export const TimeInput = ({ label, hint, ...box }: InputProps) => (
  <Field label={label} hint={hint}>
    {(id) => <TimeBox {...box} id={id} />}
  </Field>
);

function notationOf(kind: TimeKind): Notation {
  const language = locale.value;
  const write = (value: string): string => timeText(value, kind, language);
  const weekday = (value: string): string => dayAs('weekday', value.slice(0, 10), language);
  const say = (value: string): string =>
    kind === 'time' ? write(value) : `${weekday(value)}, ${write(value)}`;
  return {
    read: (text) => timesIn(text, kind, language),
    write,
    say,
    faultOf: () => null,
    unreadable: texts.value.forms.notATime({ example: write(EXAMPLES[kind]) }),
    // The weekday behind the text makes a wrong day noticeable, which its number alone does not.
    echo: (text, value) => {
      if (text !== write(value)) return `${MEANS}${say(value)}`;
      return kind === 'time' ? '' : weekday(value);
    },
    suffix: '',
  };
}

const PickSign = ({ kind }: { readonly kind: TimeKind }) => (
  <svg class="entry-sign" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    {kind === 'time' ? (
      <path d="M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13zM8 4.5V8l2.5 1.5" />
    ) : (
      <path d="M2 3.5h12v10.5H2zM2 6.5h12M5 1.5v3M11 1.5v3" />
    )}
  </svg>
);
