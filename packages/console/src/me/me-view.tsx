import { PASSWORD_CHARS_MIN, PASSWORD_CHARS_MIN_OF_TWO, UNIT_CHOICES } from '@granary/contract/outline';
import './me-view.css';
import type { Me } from '@granary/contract/me';
import type { SessionListed } from '@granary/contract/session';
import { isLanguage, LANGUAGES, languageName } from '@granary/words/languages';
import { useSignal } from '@preact/signals';
import { type Console, callOptions, isSharedBrowser, useConsole } from '../context/console.ts';
import { chooseLanguage, chooseUnits } from '../context/preferences.ts';
import { units } from '../context/units.ts';
import { ConfirmButton, DialogButton, FormDialog } from '../kit/dialog.tsx';
import { FactList } from '../kit/fact-list.tsx';
import { useChoices, useDraft } from '../kit/form-state.ts';
import { PasswordInput, SelectInput } from '../kit/inputs.tsx';
import { Age, Time } from '../kit/measured.tsx';
import { Failure, Notice } from '../kit/messages.tsx';
import { column, Table } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { type Loaded, useLoaded } from '../kit/use-loaded.ts';
import { leaveFor } from '../session/sign-in.ts';
import { language, texts } from '../texts.ts';
import { browserName } from './browser-name.ts';
import { Keys, LetIn } from './keys.tsx';
import { Passkeys } from './passkeys.tsx';
import { PushPanel } from './push-panel.tsx';
import { meaningsOf } from './rights.ts';
import { SecondFactor } from './second-factor.tsx';
import { WithPasswordButton } from './with-password.tsx';
import { WrongSecretsPanel } from './wrong-secrets.tsx';

/** Shows what people can see and change about themselves. */
export function MeView() {
  const { client, session } = useConsole();
  const { me, shell } = texts.value;
  const isPerson = session.kind === 'person';
  const own = useLoaded(isPerson ? (signal) => client.me.get({ signal }) : null, []);
  return (
    <div class="me-view">
      <LetIn />
      <h1>{isPerson ? session.name : me.title}</h1>
      <Failure of={own.failure} />
      {isPerson && own.value === undefined && own.failure === null && <Notice>{shell.loading}</Notice>}
      {own.value !== undefined && <WrongSecretsPanel me={own.value} />}
      {isPerson ? own.value !== undefined && <AboutMe me={own.value} /> : <p class="muted">{me.keyMeans}</p>}
      <Display />
      {!isSharedBrowser(session) && <PushPanel />}
      <Sessions />
      {isPerson && <Keys />}
      {own.value !== undefined && <Password own={own} me={own.value} />}
      {own.value !== undefined && <Identity own={own} me={own.value} />}
      {own.value !== undefined && <Passkeys me={own.value} onChanged={own.reload} />}
      {own.value?.has_password === true && <SecondFactor me={own.value} onChanged={own.reload} />}
      {own.value?.has_password === true && <PinPanel own={own} me={own.value} />}
    </div>
  );
}

function AboutMe({ me: { person } }: { readonly me: Me }) {
  const { me, people } = texts.value;
  return (
    <section class="panel" aria-label={me.about}>
      <FactList
        facts={[
          { title: people.login, value: person.login },
          ...(person.email === null ? [] : [{ title: me.email, value: person.email }]),
          {
            title: people.may,
            value: meaningsOf(person.grants).map((meaning) => <div key={meaning}>{meaning}</div>),
          },
        ]}
      />
    </section>
  );
}

/** Sets how this person reads the page, such as the language and the units. */
function Display() {
  const { client, session } = useConsole();
  const { me, shell } = texts.value;
  const { run, failure } = useChoices();
  return (
    <section class="panel" aria-label={me.display}>
      <header>
        <h2>{me.display}</h2>
      </header>
      <p class="muted">{me.displayMeans}</p>
      <div class="form-row">
        <SelectInput
          label={shell.language}
          value={language.value}
          onValue={(value) => isLanguage(value) && run(() => chooseLanguage(value))}
          options={LANGUAGES.map((one) => [one, languageName(one)])}
        />
        {UNIT_KINDS.map((kind) => (
          <SelectInput
            key={kind}
            label={me.unitKinds[kind]}
            value={units.value[kind]}
            onValue={(value) => run(() => chooseUnits(client, session, { [kind]: value }))}
            options={UNIT_CHOICES[kind].map((one) => [one, me.units[one]])}
          />
        ))}
      </div>
      <Failure of={failure} />
    </section>
  );
}

const UNIT_KINDS = ['mass', 'temperature', 'speed'] as const;

function Sessions() {
  const console = useConsole();
  const { client } = console;
  const { me } = texts.value;
  const sessions = useLoaded((signal) => client.session.list({ signal }), []);
  const { value: rows = [], reload } = sessions;
  return (
    <section class="panel" aria-label={me.sessions}>
      <header>
        <h2>{me.sessions}</h2>
        {rows.some(({ is_current }) => !is_current) && (
          <ConfirmButton
            text={me.endOthers}
            label={me.endOthers}
            means={me.endOthersMeans}
            onConfirm={async () => {
              await client.session.endOthers(callOptions(console));
              reload();
            }}
          />
        )}
      </header>
      <p class="muted">{me.sessionsMean}</p>
      <Failure of={sessions.failure} />
      <Table
        label={me.sessions}
        columns={sessionColumns(console, reload)}
        rows={rows}
        idOf={({ session_id }) => session_id}
      />
    </section>
  );
}

const nameOf = ({ browser }: SessionListed): string => browserName(browser) ?? texts.value.me.unknownBrowser;

function sessionColumns(console: Console, reload: () => void): readonly Column<SessionListed>[] {
  const { me } = texts.value;
  return [
    column('browser', me.browser, { kind: 'title' }, (session) => (
      <span title={session.browser}>
        <strong>{nameOf(session)}</strong>
        {session.is_current && <span class="muted"> · {me.thisBrowser}</span>}
      </span>
    )),
    column('address', me.address, {}, ({ address }) => address),
    column('since', me.since, {}, ({ created_at }) => <Time at={created_at} />),
    column('used', me.lastUsed, {}, ({ last_used_at }) => <Age since={last_used_at} />),
    column('ends', me.endsAt, {}, ({ expires_at }) => <Time at={expires_at} />),
    column(
      'actions',
      me.actions,
      { kind: 'actions' },
      (session) =>
        !session.is_current && (
          <ConfirmButton
            text={me.end}
            label={me.endOf({ browser: `${nameOf(session)} (${session.address})` })}
            means={me.endMeans}
            onConfirm={async () => {
              await console.client.session.endOne(session.session_id, callOptions(console));
              reload();
            }}
          />
        ),
    ),
  ];
}

interface PasswordProps {
  readonly own: Loaded<Me>;
  readonly me: Me;
}

function Password({ me: { person, has_password: hasPassword }, own }: PasswordProps) {
  const { me } = texts.value;
  const isChanged = useSignal(false);
  return (
    <section class="panel" aria-label={me.password}>
      <header>
        <h2>{me.password}</h2>
        {hasPassword && (
          <DialogButton text={me.changePassword}>
            {(close) => (
              <ChangePassword
                person={person}
                onClose={close}
                onChanged={() => {
                  isChanged.value = true;
                  own.reload();
                }}
              />
            )}
          </DialogButton>
        )}
      </header>
      {!hasPassword && <p class="muted">{me.noPassword}</p>}
      <p role="status">{isChanged.value ? me.changed : ''}</p>
    </section>
  );
}

/** Links an identity of the identity provider, if there is one. */
function Identity({ me: person, own }: PasswordProps) {
  const console = useConsole();
  const { me } = texts.value;
  const { sign_on_name: provider } = console.settings;
  if (provider === null) return null;
  const isLinked = person.person.has_single_sign_on;
  return (
    <section class="panel" aria-label={me.identity}>
      <header>
        <h2>{me.identity}</h2>
        <span class="buttons">
          {person.has_password && (
            <DialogButton text={me.linkIdentity({ provider })}>
              {(close) => <LinkIdentity me={person} provider={provider} onClose={close} />}
            </DialogButton>
          )}
          {isLinked && person.has_password && (
            <WithPasswordButton
              text={me.unlinkIdentity({ provider })}
              label={me.unlinkIdentity({ provider })}
              means={me.unlinkMeans({ provider })}
              login={person.person.login}
              onConfirm={async (current_password) => {
                await console.client.me.unlink({ current_password }, callOptions(console));
                own.reload();
              }}
            />
          )}
        </span>
      </header>
      <p class="muted">{me.identityMeans({ provider })}</p>
      <p role="status">{isLinked ? me.isLinked({ provider }) : ''}</p>
    </section>
  );
}

interface LinkProps {
  readonly me: Me;
  readonly provider: string;
  readonly onClose: () => void;
}

function LinkIdentity({ me: { person }, provider, onClose }: LinkProps) {
  const console = useConsole();
  const { me } = texts.value;
  const { current, field } = useDraft({ password: '' });
  return (
    <FormDialog
      title={me.linkIdentity({ provider })}
      submit={me.linkNow}
      onSubmit={async () => {
        const given = { current_password: current.peek().password };
        const { url } = await console.client.signOn.link(given, callOptions(console));
        leaveFor(url);
      }}
      onClose={onClose}
    >
      <p>{me.linkMeans({ provider })}</p>
      <input type="text" autocomplete="username" value={person.login} readOnly hidden />
      <PasswordInput label={me.currentPassword} autocomplete="current-password" {...field('password')} />
    </FormDialog>
  );
}

/** Sets the PIN for shared terminals. */
function PinPanel({ me: { person, has_pin: hasPin }, own }: PasswordProps) {
  const console = useConsole();
  const { me, terminals } = texts.value;
  const { current, field } = useDraft({ current: '', pin: '' });
  const save = async (): Promise<void> => {
    const { current: current_password, pin } = current.peek();
    await console.client.me.setPin({ current_password, pin }, callOptions(console));
    own.reload();
  };
  return (
    <section class="panel" aria-label={terminals.pin}>
      <header>
        <h2>{terminals.pin}</h2>
        <DialogButton text={terminals.setPin}>
          {(close) => (
            <FormDialog title={terminals.setPin} submit={terminals.setPin} onSubmit={save} onClose={close}>
              <p>{terminals.pinMeans}</p>
              <input type="text" autocomplete="username" value={person.login} readOnly hidden />
              <PasswordInput
                label={me.currentPassword}
                autocomplete="current-password"
                {...field('current')}
              />
              <PasswordInput
                label={terminals.pin}
                autocomplete="off"
                pattern="[0-9]{4,8}"
                maxLength={8}
                {...field('pin')}
              />
            </FormDialog>
          )}
        </DialogButton>
      </header>
      <p class="muted">{terminals.pinMeans}</p>
      <p role="status">{hasPin ? terminals.hasPin : terminals.noPin}</p>
    </section>
  );
}

interface ChangeProps {
  readonly person: Me['person'];
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

function ChangePassword({ person, onClose, onChanged }: ChangeProps) {
  const console = useConsole();
  const { me, session } = texts.value;
  const { has_second_factor: hasSecondFactor } = person;
  const { current, field } = useDraft({ current: '', chosen: '' });
  return (
    <FormDialog
      title={me.changePassword}
      submit={me.changePassword}
      onSubmit={async () => {
        const { current: current_password, chosen: password } = current.peek();
        await console.client.me.changePassword({ current_password, password }, callOptions(console));
        onChanged();
      }}
      onClose={onClose}
    >
      <p>{me.changeMeans}</p>
      {/* Tells the password manager of the browser whose password it is. */}
      <input type="text" autocomplete="username" value={person.login} readOnly hidden />
      <PasswordInput label={me.currentPassword} autocomplete="current-password" {...field('current')} />
      <PasswordInput
        label={me.newPassword}
        hint={hasSecondFactor ? me.shortPasswordHint : session.newPasswordHint}
        autocomplete="new-password"
        minLength={hasSecondFactor ? PASSWORD_CHARS_MIN_OF_TWO : PASSWORD_CHARS_MIN}
        {...field('chosen')}
      />
    </FormDialog>
  );
}
