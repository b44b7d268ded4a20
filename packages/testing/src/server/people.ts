import assert from 'node:assert/strict';
import { inItsTime } from './in-its-time.ts';
import type { Api } from './service.ts';

export const PASSWORD = 'long enough for the barn';
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

/** The number has four digits, so that names have the order in which people were invited. */
let made = 1_000;

/** Invites a person who has these grants; returns the person and the code of the link. */
export const invite = async (api: Api, grants: object[], login = `person-${++made}`) =>
  (await inItsTime(() => api.post('/v1/people', { login, name: `Name of ${login}`, grants }))).body.data;

const json = (body: object | undefined, headers: Record<string, string>) =>
  body === undefined
    ? { headers }
    : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };

export const signIn = (api: Api, body: object) => api.raw('POST', '/v1/session', json(body, OWN_PAGE));

export const cookieOf = (answer: { headers: Headers }): string =>
  answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';

/** Makes a person who has signed in, and a function that sends requests with their cookie. */
export async function signedIn(api: Api, grants: object[]) {
  const { person, code } = await invite(api, grants);
  const answer = await inItsTime(() => signIn(api, { invite: code, password: PASSWORD }));
  assert.equal(answer.status, 200, answer.text);
  const headers = { ...OWN_PAGE, cookie: cookieOf(answer) };
  const ask = (method: string, path: string, body?: object, more: Record<string, string> = {}) =>
    api.raw(method, path, json(body, { ...headers, ...more }));
  /** Resolves when the service has ended the stream. */
  const followed = async (as: Record<string, string> = headers): Promise<{ ended: Promise<string> }> => {
    const response = await fetch(`${api.started.httpUrl}/v1/events`, { headers: as });
    assert.equal(response.status, 200);
    return { ended: response.text() };
  };
  return { person, headers, ask, followed };
}
