import type { AlarmHelp, AlarmHelpTexts } from '@granary/contract/alarm-help';
import type { FleetAlert } from '@granary/contract/fleet';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole, useScope } from '../context/console.ts';
import { ConfirmButton, DialogButton, FormDialog } from '../kit/dialog.tsx';
import { useDraft } from '../kit/form-state.ts';
import { bound, SelectInput, TextArea } from '../kit/inputs.tsx';
import { useLoaded } from '../kit/use-loaded.ts';
import { texts } from '../texts.ts';
import { helpFor, helpPlaces } from './alerts.ts';

const PARTS = ['cause', 'consequence', 'action'] as const;

/** Shows what a person should know to act on the alert: the text of the site, or the text that is shipped. */
export function AlertHelp({ alert }: { readonly alert: FleetAlert }) {
  const { client, live } = useConsole();
  const { alarmHelp } = texts.value;
  const { value: own, reload } = useLoaded(
    (signal) => Array.fromAsync(client.alarmHelp.listAll({}, { signal })),
    [client],
  );
  const facility = live.site.devices.described(alert.device_id)?.location.facility ?? null;
  const written = helpFor(own ?? [], { type: alert.type, facility, rule: alert.rule ?? null });
  const help: AlarmHelpTexts = written ?? alarmHelp.types[alert.type];
  return (
    <section class="alerts-help" aria-label={alarmHelp.title}>
      <h3>{alarmHelp.title}</h3>
      <dl class="alerts-facts">
        {PARTS.map((part) => (
          <div key={part}>
            <dt>{alarmHelp[part]}</dt>
            <dd class="free-text">{help[part]}</dd>
          </div>
        ))}
      </dl>
      {written !== null && (
        <p class="muted free-text">{alarmHelp.writtenFor({ place: placeText(written) })}</p>
      )}
      {useScope('configure') && own !== undefined && (
        <div class="alerts-help-actions">
          <HelpActions alert={alert} facility={facility} help={help} written={written} onDone={reload} />
        </div>
      )}
    </section>
  );
}

interface ActionProps {
  readonly alert: FleetAlert;
  readonly facility: string | null;
  /** The text that is shown now. */
  readonly help: AlarmHelpTexts;
  /** The text of the site; `null` when the shipped one is shown. */
  readonly written: AlarmHelp | null;
  readonly onDone: () => void;
}

function HelpActions({ alert, facility, help, written, onDone }: ActionProps) {
  const console = useConsole();
  const { session, client } = console;
  const { alarmHelp } = texts.value;
  const places = helpPlaces({ facility, rule: alert.rule ?? null }, session);
  const canRemove = places.some((one) => isPlaceOf(one, written));
  if (places.length === 0) return null;
  return (
    <>
      <DialogButton text={alarmHelp.edit}>
        {(close) => (
          <HelpForm
            alert={alert}
            help={help}
            places={places}
            chosen={Math.max(
              0,
              places.findIndex((one) => isPlaceOf(one, written)),
            )}
            onClose={close}
            onDone={onDone}
          />
        )}
      </DialogButton>
      {written !== null && canRemove && (
        <ConfirmButton
          text={alarmHelp.remove}
          label={alarmHelp.removeTitle}
          means={alarmHelp.removeMeans}
          onConfirm={async () => {
            await client.alarmHelp.remove(alert.type, queryOf(written), callOptions(console));
            onDone();
          }}
        />
      )}
    </>
  );
}

interface FormProps extends Pick<ActionProps, 'alert' | 'help' | 'onDone'> {
  readonly places: readonly HelpPlace[];
  readonly chosen: number;
  readonly onClose: () => void;
}

function HelpForm({ alert, help, places, chosen, onClose, onDone }: FormProps) {
  const console = useConsole();
  const { alarmHelp } = texts.value;
  const place = useSignal(String(chosen));
  const { cause, consequence, action } = help;
  const { current, field } = useDraft({ cause, consequence, action });
  return (
    <FormDialog
      title={alarmHelp.editTitle({ name: alarmHelp.types[alert.type].name })}
      submit={alarmHelp.save}
      isIncomplete={PARTS.some((part) => current.value[part].trim() === '')}
      onSubmit={async () => {
        const wanted = places[Number(place.peek())];
        if (wanted === undefined) return;
        await console.client.alarmHelp.put(alert.type, current.peek(), queryOf(wanted), callOptions(console));
        onDone();
      }}
      onClose={onClose}
    >
      <SelectInput
        label={alarmHelp.place}
        options={places.map((one, index) => [String(index), placeText(one)])}
        {...bound(place)}
      />
      {PARTS.map((part) => (
        <TextArea key={part} label={alarmHelp[part]} rows={3} maxLength={1_000} isRequired {...field(part)} />
      ))}
    </FormDialog>
  );
}

type HelpPlace = Pick<AlarmHelp, 'facility' | 'rule'>;

const isPlaceOf = (one: HelpPlace, other: HelpPlace | null): boolean =>
  other !== null && one.facility === other.facility && one.rule === other.rule;

const queryOf = ({ facility, rule }: HelpPlace) => ({
  ...(facility === null ? {} : { facility }),
  ...(rule === null ? {} : { rule }),
});

function placeText({ facility, rule }: HelpPlace): string {
  const { places } = texts.value.alarmHelp;
  if (rule === null) return facility === null ? places.all : places.facility({ facility });
  return facility === null ? places.rule({ rule }) : places.ruleAt({ rule, facility });
}
