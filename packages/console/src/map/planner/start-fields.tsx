import type { Signal } from '@preact/signals';
import { Field } from '../../parts/forms/field.tsx';
import { texts } from '../../texts/texts.ts';
import type { Draft } from './draft.ts';

/** Now, or at a time in the zone of the viewer. */
export function StartFields({ draft }: { readonly draft: Signal<Draft> }) {
  const { missions } = texts.value;
  const { startsAt } = draft.value;
  const isLater = startsAt !== null;
  const choose = (later: boolean): void => {
    draft.value = { ...draft.peek(), startsAt: later ? '' : null };
  };
  return (
    <fieldset class="map-start">
      <legend>{missions.start}</legend>
      {[false, true].map((later) => (
        <label key={String(later)}>
          <input
            type="radio"
            name="mission-start"
            checked={isLater === later}
            onChange={() => choose(later)}
          />
          {later ? missions.startLater : missions.startNow}
        </label>
      ))}
      {isLater && (
        <Field label={missions.startsAt}>
          {(id) => (
            <input
              id={id}
              type="datetime-local"
              required
              value={startsAt}
              onInput={({ currentTarget }) => {
                draft.value = { ...draft.peek(), startsAt: currentTarget.value };
              }}
            />
          )}
        </Field>
      )}
    </fieldset>
  );
}
