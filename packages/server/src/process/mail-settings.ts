import { EMAIL_PATTERN } from '@granary/contract/notifications';

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the start; otherwise STARTTLS is used when the server offers it. */
  readonly isTls: boolean;
  /** Nothing is sent without encryption. */
  readonly isTlsRequired: boolean;
  readonly user: string | null;
  readonly password: string | null;
}

export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** The text may contain a password, so the message never repeats it. */
export function asSmtpServer(text: string): SmtpServer | Error {
  const fault = new Error('must be an address such as smtps://user:password@mail.example.com');
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:')) return fault;
  const { hostname, username, password, searchParams } = url;
  if (hostname === '' || !['', '/'].includes(url.pathname) || url.hash !== '') return fault;
  const tls = searchParams.get('tls');
  const isKnown = [...searchParams.keys()].every((name) => name === 'tls');
  if (!isKnown || !['required', 'optional', null].includes(tls)) {
    return new Error('may only have the parameter tls=required or tls=optional');
  }
  const isTls = url.protocol === 'smtps:';
  // A password must not be sent to whoever removes the offer of encryption from the connection.
  const isSecret = username !== '' && !LOOPBACK.test(hostname);
  try {
    return {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? PORTS[url.protocol] : Number(url.port),
      isTls,
      isTlsRequired: !isTls && (tls === null ? isSecret : tls === 'required'),
      user: username === '' ? null : decodeURIComponent(username),
      password: password === '' ? null : decodeURIComponent(password),
    };
  } catch {
    return new Error('has a % in its user or password that must be written as %25');
  }
}

const ADDRESS = new RegExp(EMAIL_PATTERN, 'u');

/** `granary@example.com` or `Granary north <granary@example.com>`. */
export function asMailAddress(text: string): MailAddress | Error {
  const [, name = '', inBrackets] = /^([^<>"\p{Cc}]*?)\s*<([^<>]+)>$/u.exec(text) ?? [];
  const address = inBrackets ?? text;
  return ADDRESS.test(address)
    ? { name, address }
    : new Error(
        `must be an address such as granary@example.com or Granary <granary@example.com>, not "${text}"`,
      );
}

export function asPublicUrl(text: string): string | Error {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.search === '' && url.hash === '' && url.username === '';
  return isPlain && (url.protocol === 'https:' || url.protocol === 'http:')
    ? text.replace(/\/+$/, '')
    : new Error('must be an address such as https://granary.example.com');
}
