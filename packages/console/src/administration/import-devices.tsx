import { ApiError } from '@granary/client';
import type { ImportedDevices } from '@granary/contract/bulk';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { Dialog, FormDialog } from '../kit/dialog.tsx';
import { download } from '../kit/download.ts';
import { Field } from '../kit/inputs.tsx';
import { faultText } from '../kit/sentences.ts';
import { texts } from '../texts.ts';

type Faults = NonNullable<ApiError['details']>;

/** Registers the devices of a file, after every row of it was checked. */
export function ImportDevices({ onClose }: { readonly onClose: () => void }) {
  const console = useConsole();
  const { deviceAdmin } = texts.value;
  const csv = useSignal<string | null>(null);
  const checked = useSignal<ImportedDevices | null>(null);
  const faults = useSignal<Faults>([]);
  const done = useSignal<ImportedDevices | null>(null);

  async function send(): Promise<void> {
    const isCheck = checked.peek() === null;
    faults.value = [];
    try {
      const query = isCheck ? ({ dry_run: 'true' } as const) : {};
      const file = { csv: csv.peek() ?? '' };
      const answer = await console.client.bulk.importDevices(file, query, callOptions(console));
      if (isCheck) checked.value = answer;
      else done.value = answer;
    } catch (error) {
      const { details = [] } = error instanceof ApiError ? error : {};
      if (!details.some(({ path }) => path.startsWith('/rows'))) throw error;
      faults.value = details;
      checked.value = null;
    }
  }

  if (done.value !== null) return <Secrets imported={done.value} onClose={onClose} />;
  const count = checked.value?.devices;
  return (
    <FormDialog
      title={deviceAdmin.importTitle}
      submit={count === undefined ? deviceAdmin.importCheck : deviceAdmin.importDo({ count })}
      isIncomplete={csv.value === null}
      onSubmit={send}
      onClose={onClose}
      staysOpen
    >
      <p class="muted">{deviceAdmin.importMeans}</p>
      <Field label={deviceAdmin.importFile}>
        {(id) => (
          <input
            id={id}
            type="file"
            accept=".csv,text/csv"
            onChange={async ({ currentTarget: { files } }) => {
              checked.value = null;
              faults.value = [];
              const [file] = files ?? [];
              csv.value = file === undefined ? null : textOf(await file.arrayBuffer());
            }}
          />
        )}
      </Field>
      {faults.value.length > 0 && <FaultList faults={faults.value} />}
      {checked.value !== null && <Checked checked={checked.value} />}
    </FormDialog>
  );
}

/** Reads a file in UTF-8 or in the characters of Windows, in which spreadsheets on many machines save it. */
function textOf(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function FaultList({ faults }: { readonly faults: Faults }) {
  const { deviceAdmin } = texts.value;
  return (
    <div role="alert">
      <p class="refusal">{deviceAdmin.importFaults({ count: faults.length })}</p>
      <table class="table" aria-label={deviceAdmin.importFault}>
        <thead>
          <tr>
            <th scope="col">{deviceAdmin.importRow}</th>
            <th scope="col">{deviceAdmin.importColumn}</th>
            <th scope="col">{deviceAdmin.importFault}</th>
          </tr>
        </thead>
        <tbody>
          {faults.map((fault) => {
            const [, , row = '', column = ''] = fault.path.split('/');
            return (
              <tr key={`${fault.path} ${fault.message}`}>
                <td data-title={deviceAdmin.importRow}>{row}</td>
                <td data-title={deviceAdmin.importColumn}>{column}</td>
                <td data-title={deviceAdmin.importFault}>{faultText(fault)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** Shows how the service understood the first rows. */
function Checked({ checked: { devices, first } }: { readonly checked: ImportedDevices }) {
  const { deviceAdmin } = texts.value;
  return (
    <>
      <p role="status">
        <strong>{deviceAdmin.importChecked({ count: devices })}</strong>
      </p>
      <ul>
        {first.map(({ device_id, name, location, capacity }) => (
          <li key={device_id} class="free-text">
            <strong>{name}</strong> {device_id} · {location.facility} · {location.zone}
            {capacity !== undefined && ` · ${capacity.max} kg`}
          </li>
        ))}
        {devices > first.length && <li>…</li>}
      </ul>
    </>
  );
}

interface SecretsProps {
  readonly imported: ImportedDevices;
  readonly onClose: () => void;
}

function Secrets({ imported: { devices, credentials }, onClose }: SecretsProps) {
  const { deviceAdmin, common } = texts.value;
  const isKept = useSignal(false);
  const file = `username,secret\r\n${credentials.map(({ username, secret }) => `${username},${secret}\r\n`).join('')}`;
  return (
    <Dialog
      title={deviceAdmin.imported({ count: devices })}
      onClose={onClose}
      {...(isKept.value ? {} : { question: deviceAdmin.importSecretsOnce })}
    >
      <p>{deviceAdmin.importSecretsOnce}</p>
      <div class="dialog-actions">
        <Button onPress={onClose} isDisabled={!isKept.value}>
          {common.close}
        </Button>
        <Button
          kind="primary"
          onPress={() => {
            download('secrets.csv', file);
            isKept.value = true;
          }}
        >
          {deviceAdmin.importSecrets}
        </Button>
      </div>
    </Dialog>
  );
}
