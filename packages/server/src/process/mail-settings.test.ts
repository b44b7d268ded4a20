import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asMailAddress, asPublicUrl, asSmtpServer } from './setting-values.ts';

const accepted = <T>(value: T | Error): T => {
  if (value instanceof Error) throw value;
  return value;
};

test('an address of a mail server', () => {
  assert.deepEqual(asSmtpServer('smtps://ada:p%40ss@mail.example.com'), {
    host: 'mail.example.com',
    port: 465,
    isTls: true,
    isTlsRequired: false,
    user: 'ada',
    password: 'p@ss',
  });
  assert.deepEqual(asSmtpServer('smtp://localhost:2525'), {
    host: 'localhost',
    port: 2525,
    isTls: false,
    isTlsRequired: false,
    user: null,
    password: null,
  });
  assert.equal(accepted(asSmtpServer('smtp://[::1]:25/')).host, '::1');
});

test('a password needs encryption, except on this machine or where a parameter says otherwise', () => {
  const isRequired = (url: string) => accepted(asSmtpServer(url)).isTlsRequired;
  assert.ok(isRequired('smtp://a:b@mail.example.com'));
  assert.ok(!isRequired('smtp://a:b@127.0.0.1'));
  assert.ok(!isRequired('smtp://mail.example.com'));
  assert.ok(isRequired('smtp://mail.example.com?tls=required'));
  assert.ok(!isRequired('smtp://a:b@mail.example.com?tls=optional'));
});

test('what is no address of a mail server is refused without its password', () => {
  for (const text of [
    'mail.example.com',
    'http://a:secret@b',
    'smtp://',
    'smtp://a:secret@',
    'smtp://a:secret@h/path',
    'smtp://a:secret@h?tls=no',
    'smtp://a:secret@h?debug=true',
    'smtp://a:secret%@h',
    'smtp://a:secret@h:99999',
  ]) {
    const refused = asSmtpServer(text);
    assert.ok(refused instanceof Error, text);
    assert.doesNotMatch(refused.message, /secret/);
  }
});

test('the address of the sender, with or without a name', () => {
  assert.deepEqual(asMailAddress('granary@example.com'), { name: '', address: 'granary@example.com' });
  assert.deepEqual(asMailAddress('Granary north <granary@example.com>'), {
    name: 'Granary north',
    address: 'granary@example.com',
  });
  for (const text of ['granary', 'a@b, c@d', 'x <a@b> y', 'a\r\nb <a@b>', '<>', '"x" <a@b']) {
    assert.ok(asMailAddress(text) instanceof Error, text);
  }
});

test('the public address', () => {
  assert.equal(asPublicUrl('https://granary.example.com/'), 'https://granary.example.com');
  assert.equal(asPublicUrl('http://10.0.0.1:8080/farm'), 'http://10.0.0.1:8080/farm');
  for (const text of [
    'granary.example.com',
    'ftp://x',
    'https://a:b@x',
    'https://x?y',
    'javascript:alert(1)',
  ]) {
    assert.ok(asPublicUrl(text) instanceof Error, text);
  }
});
