import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_ENDPOINTS } from '@granary/contract/endpoints/endpoints';
import { ERROR_CODES, Refusal } from '@granary/contract/errors';
import { issueOf } from '@granary/contract/input/validation-issues';
import { sentence } from '@granary/contract/sentences/codes';
import { LANGUAGES } from '@granary/words/languages';
import { capitalized } from '@granary/words/message';
import { messages, texts, useLanguage } from '../texts.ts';
import { actionText, cureText, messageText, refusalText } from './sentences.ts';

test('a code that the page does not know is shown in the English of the service', async () => {
  await useLanguage('de');
  const told = { message: 'The hopper is open', message_code: 'hopper_open', message_values: {} };
  assert.equal(messageText(told), 'The hopper is open');
  const incomplete = { message: 'Level is low', message_code: 'level_below', message_values: { level: 3 } };
  assert.equal(messageText(incomplete), 'Level is low');
});

test('what to do about a refusal is told by the code of its sentence, else by its error code, else not at all', async () => {
  await useLanguage('en');
  assert.match(cureText({ code: 'reading_stale', message_code: 'weight_is_old' }) ?? '', /next weight/);
  assert.match(cureText({ code: 'forbidden', message_code: undefined }) ?? '', /^Sign in with a key/);
  assert.match(cureText({ code: 'device_offline', message_code: 'newer_code' }) ?? '', /power/);
  assert.equal(cureText({ code: 'newer_code', message_code: undefined }), null);
  await useLanguage('de');
  assert.match(cureText({ code: 'reading_stale', message_code: 'weight_is_old' }) ?? '', /nächste Gewicht/);
});

test('every action of the audit log has words in every language', async () => {
  const audited = ALL_ENDPOINTS.filter(({ endpoint }) => endpoint.isAudited);
  assert.ok(audited.length > 50);
  for (const language of LANGUAGES) {
    await useLanguage(language);
    for (const { name } of audited) assert.notEqual(actionText(name), name);
  }
  assert.equal(actionText('newer.action'), 'newer.action');
});

test('every error code has a text, which is shown where a refusal has no sentence of its own', async () => {
  for (const language of LANGUAGES.filter((one) => one !== 'en')) {
    await useLanguage(language);
    const { fields } = texts.value.common;
    for (const code of ERROR_CODES) {
      const details = [{ path: '/url', message: 'in English' }];
      const text = refusalText({ code, message: 'the English text', details });
      assert.doesNotMatch(text, /English|undefined/, `${language} ${code}`);
      assert.match(text, /^\p{Lu}/u, `${language} ${code}`);
      assert.ok(text.endsWith(`: ${fields.url}.`), `${language} ${code}: ${text}`);
    }
  }
  await useLanguage('de');
  const told = {
    code: 'reading_stale',
    message: 'x',
    message_code: 'weight_is_old',
    message_values: { age: 90 },
  };
  assert.equal(refusalText(told), 'Das letzte Gewicht ist 90\u00a0s alt.');
  const { details } = new Refusal('invalid_input', 'the body is not valid', [
    issueOf(
      '/targets/0/url',
      sentence('must_be', { what: [sentence('web_address'), sentence('null_value')] }),
    ),
  ]);
  assert.equal(
    refusalText({ code: 'invalid_input', message: 'x', details }),
    `${capitalized(messages.value.errors['invalid_input'] ?? '')}: Ziel 1 Adresse muss eine Adresse, die mit http:// oder https:// beginnt, ohne Leerzeichen oder leer (null) sein.`,
  );
  assert.equal(refusalText({ code: 'newer_code', message: 'it is too windy' }), 'It is too windy.');
});
