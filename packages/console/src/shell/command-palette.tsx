import { PROFILE_OUTLINES } from '@granary/contract/outline';
import { set } from '../kit/set.ts';
import './command-palette.css';
import { signal, useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { useAcknowledge } from '../alerts/acknowledge.ts';
import { isUnacknowledged } from '../alerts/alerts.ts';
import { useConsole, useScope } from '../context/console.ts';
import { addressOf, addressOfView } from '../context/routes.ts';
import { Dialog, FormDialog } from '../kit/dialog.tsx';
import { texts } from '../texts.ts';
import { useSavedViews } from '../views/saved-views.tsx';
import { ENTRIES_SHOWN_MAX, matching, type PaletteEntry } from './palette-entries.ts';
import { VIEWS } from './views.ts';

const isOpen = signal(false);

/** Shows people with a keyboard the keys of the palette, and opens it when pressed. */
export const PaletteButton = () => (
  <button
    type="button"
    class="palette-button"
    title={texts.value.shell.palette.title}
    aria-keyshortcuts="Control+K"
    onClick={() => set(isOpen, true)}
  >
    <kbd>{/^Mac|^iP/.test(navigator.platform) ? '⌘' : 'Ctrl'} K</kbd>
    <span class="only-for-readers">{texts.value.shell.palette.title}</span>
  </button>
);

/** Opens any device, view or setting, and begins the most frequent actions, from the keyboard: Ctrl K opens the palette everywhere. */
export function CommandPalette() {
  const site = useSignal<string | null>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      isOpen.value = document.querySelector('dialog[open]') === null;
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const close = (): void => set(isOpen, false);
  if (site.value !== null) {
    return <AcknowledgeSite facility={site.value} onClose={() => set(site, null)} />;
  }
  if (!isOpen.value) return null;
  return (
    <Palette
      onClose={close}
      onAcknowledge={(facility) => {
        close();
        site.value = facility;
      }}
    />
  );
}

interface PaletteProps {
  readonly onClose: () => void;
  readonly onAcknowledge: (facility: string) => void;
}

function Palette({ onClose, onAcknowledge }: PaletteProps) {
  const { shell } = texts.value;
  const search = useSignal('');
  const place = useSignal(0);
  const listId = useId();
  const all = useEntries(onAcknowledge);
  const found = matching(all, search.value);
  const entries = found.slice(0, ENTRIES_SHOWN_MAX);
  const current = currentOf(entries, place.value);
  const choose = (entry: PaletteEntry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      place.value = (place.value + step + entries.length) % Math.max(1, entries.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      // The last typed letters may not be drawn yet, so the entries are computed again.
      choose(currentOf(matching(all, search.value).slice(0, ENTRIES_SHOWN_MAX), place.value));
    }
  };
  return (
    <Dialog title={shell.palette.title} onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={current === undefined ? undefined : `${listId}-${current.id}`}
        aria-label={shell.palette.title}
        placeholder={shell.palette.hint}
        maxLength={200}
        value={search.value}
        onInput={({ currentTarget }) => {
          search.value = currentTarget.value;
          place.value = 0;
        }}
        onKeyDown={onKey}
      />
      {entries.length === 0 && <p class="muted">{shell.palette.nothing}</p>}
      <div id={listId} class="palette-entries" role="listbox" aria-label={shell.palette.title}>
        {entries.map((entry) => (
          // The keys are those of the input, which keeps the focus.
          // biome-ignore lint/a11y/useFocusableInteractive: the input names the current option
          // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the input chooses it
          <div
            key={entry.id}
            id={`${listId}-${entry.id}`}
            class="palette-entry"
            role="option"
            aria-selected={entry === current}
            onClick={() => choose(entry)}
          >
            <span class="free-text">{entry.text}</span>
            <span class="muted free-text">{entry.place}</span>
          </div>
        ))}
      </div>
      {found.length > entries.length && (
        <p class="muted">{texts.value.common.andOthers({ count: found.length - entries.length })}</p>
      )}
    </Dialog>
  );
}

const currentOf = (entries: readonly PaletteEntry[], place: number): PaletteEntry | undefined =>
  entries[Math.min(place, entries.length - 1)];

function useEntries(onAcknowledge: (facility: string) => void): PaletteEntry[] {
  const { live, navigation } = useConsole();
  const canOperate = useScope('operate');
  const { shell, devices: words } = texts.value;
  const open = (address: string) => () => navigation.open(address);
  const devices = [...live.site.devices.all.value.values()].map((device) => device.peek());
  const views = Object.entries(VIEWS).flatMap(([view, { title }]) => {
    const text = title?.();
    return text === undefined
      ? []
      : [{ id: view, text, place: shell.palette.view, run: open(addressOfView(view)) }];
  });
  const pages = Object.entries(texts.value.administration.pages).map(([page, text]) => ({
    id: `page-${page}`,
    text,
    place: shell.sections.administration,
    run: open(addressOf('administration', page)),
  }));
  const ofDevices = devices.flatMap(({ device_id, name, location, profile }) => {
    const entry = (id: string, text: string, query: Readonly<Record<string, string>> = {}) => ({
      id: `${id}-${device_id}`,
      text,
      place: `${location.facility} · ${location.zone}`,
      run: open(addressOf('devices', device_id, query)),
    });
    const moves = canOperate && PROFILE_OUTLINES[profile]?.capabilities.includes('operations') === true;
    return [
      entry('device', name),
      ...(moves ? [entry('discharge', shell.palette.discharge({ name }), { start: 'discharge' })] : []),
      ...(moves ? [entry('feed', shell.palette.feed({ name }), { start: 'feed' })] : []),
      entry('configuration', `${words.tabs.configuration}: ${name}`, { tab: 'configuration' }),
    ];
  });
  const waiting = [...live.site.alerts.all.value.values()].filter(isUnacknowledged);
  const facilities = new Set(
    waiting.flatMap(({ device_id }) => live.site.devices.find(device_id)?.peek().location.facility ?? []),
  );
  const sites = [...(canOperate ? facilities : [])].map((facility) => ({
    id: `acknowledge-${facility}`,
    text: shell.palette.acknowledge({ facility }),
    place: shell.sections.alerts,
    run: () => onAcknowledge(facility),
  }));
  const saved = (useSavedViews().value ?? []).map(({ view_id, name, address }) => ({
    id: `view-${view_id}`,
    text: name,
    place: texts.value.views.saved,
    run: open(address),
  }));
  return [...sites, ...views, ...saved, ...pages, ...ofDevices];
}

/** Acknowledges many alerts at once, after the person has read their number. */
function AcknowledgeSite({ facility, onClose }: { readonly facility: string; readonly onClose: () => void }) {
  const { site } = useConsole().live;
  const acknowledge = useAcknowledge();
  const { shell, common } = texts.value;
  const alerts = [...site.alerts.all.value.values()].filter(
    (alert) =>
      isUnacknowledged(alert) && site.devices.find(alert.device_id)?.peek().location.facility === facility,
  );
  return (
    <FormDialog
      title={shell.palette.acknowledge({ facility })}
      submit={common.acknowledge}
      onSubmit={() => acknowledge(alerts)}
      onClose={onClose}
      isIncomplete={alerts.length === 0}
    >
      <p>{shell.palette.waiting({ count: alerts.length })}</p>
    </FormDialog>
  );
}
