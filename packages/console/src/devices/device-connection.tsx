import type { FleetDevice } from '@granary/contract/fleet';
import type { LinkStatus } from '@granary/contract/link/link-status';
import { useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useConsole } from '../context/console.ts';
import { formatNumber } from '../kit/format.ts';
import { Age, Time } from '../kit/measured.tsx';
import { Failure, Notice } from '../kit/messages.tsx';
import { messageText } from '../kit/sentences.ts';
import { useLoaded } from '../kit/use-loaded.ts';
import { locale, texts } from '../texts.ts';
import './device-connection.css';

const AGAIN_MS = 10_000;

/** Shows the MQTT connection of the device, and its messages that could not be used. */
export function DeviceConnection({ device: { device_id, group } }: { readonly device: FleetDevice }) {
  const { client, live } = useConsole();
  const { devices, shell } = texts.value;
  const round = useComputed(() => Math.floor(live.site.clock.nowMs.value / AGAIN_MS)).value;
  const loaded = useLoaded(
    async (signal) => {
      const [link, rejections] = await Promise.all([
        client.devices[group].link(device_id, { signal }),
        client.devices[group].rejections(device_id, { signal }),
      ]);
      return { link, rejections };
    },
    [device_id, group, round],
  );
  if (loaded.value === undefined) {
    return loaded.failure === null ? <Notice>{shell.loading}</Notice> : <Failure of={loaded.failure} />;
  }
  const { link, rejections } = loaded.value;
  const words = devices.link;
  return (
    <div class="device-connection">
      <section class="panel" aria-label={words.title}>
        <h2>{words.title}</h2>
        <Failure of={loaded.failure} />
        <LinkFacts link={link} />
      </section>
      <section class="panel" aria-label={words.rejections}>
        <h2>{`${words.rejections}: ${count(rejections.total)}`}</h2>
        {rejections.recent.length === 0 ? (
          <p class="muted">{words.noRejections}</p>
        ) : (
          <ul class="device-rejections">
            {rejections.recent.map(({ received_at, topic, reason, payload }) => (
              <li key={`${received_at} ${topic} ${reason}`}>
                <p>
                  <Time at={received_at} /> <strong class="free-text">{reason}</strong>
                </p>
                <p class="muted free-text">{topic}</p>
                <pre class="free-text">{payload}</pre>
              </li>
            ))}
          </ul>
        )}
      </section>
    </div>
  );
}

const count = (value: number): string => formatNumber(value, 0, locale.value);

function LinkFacts({ link }: { readonly link: LinkStatus }) {
  const words = texts.value.devices.link;
  return (
    <dl>
      <Row title={words.state}>
        <strong>{link.connected ? words.connected : words.notConnected}</strong>
        {link.connected_since !== null && (
          <span class="muted">
            {' '}
            <Age since={link.connected_since} />
          </span>
        )}
      </Row>
      <Row title={words.commands}>{link.subscribed ? words.subscribed : words.notSubscribed}</Row>
      <Row title={words.address}>{link.remote_address ?? '–'}</Row>
      <Row title={words.session}>{link.session === null ? '–' : words.sessions[link.session]}</Row>
      <Row title={words.messages}>
        {words.inAndOut({ received: count(link.messages.in), sent: count(link.messages.out) })}
      </Row>
      <Row title={words.unacknowledged}>{count(link.messages.unacknowledged)}</Row>
      <Row title={words.connects}>{count(link.connects)}</Row>
      <Row title={words.takeovers}>{count(link.takeovers)}</Row>
      <Row title={words.dropped}>{count(link.dropped.expired + link.dropped.not_connected)}</Row>
      <Row title={words.refusedLogins}>
        {count(link.refused_logins.total)}
        {link.refused_logins.last !== null && (
          <Happening at={link.refused_logins.last.at} text={loginText(link.refused_logins.last)} />
        )}
      </Row>
      <Row title={words.faults}>
        {count(link.faults.total)}
        {link.last_fault !== null && (
          <Happening at={link.last_fault.at} text={messageText(link.last_fault)} />
        )}
      </Row>
      <Row title={words.lastDisconnect}>
        {link.last_disconnect === null ? (
          '–'
        ) : (
          <Happening
            at={link.last_disconnect.at}
            text={words.ending({ how: link.last_disconnect.reason, message: link.last_disconnect.message })}
          />
        )}
      </Row>
    </dl>
  );
}

const loginText = ({
  reason,
  reason_code,
  reason_values,
}: NonNullable<LinkStatus['refused_logins']['last']>): string =>
  messageText({ message: reason, message_code: reason_code, message_values: reason_values });

const Row = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
);

const Happening = ({ at, text }: { readonly at: string; readonly text: string }) => (
  <span class="muted free-text">
    {' '}
    <Time at={at} />: {text}
  </span>
);
