import { checkNewNote, checkNoteQuery, Note } from '../shifts.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, endpoint } from './declaration/endpoint.ts';

/** What one shift tells the next one. */
export const shifts = {
  /** Newest first, by the times that they are about. */
  notes: endpoint('api', 'GET', '/notes', {
    scope: 'read',
    summary: 'Lists the notes on devices and facilities, newest first.',
    query: checkNoteQuery,
    answers: { 200: pageOf(Note) },
    examples: [
      { summary: 'every note' },
      { summary: 'of one silo since a time', query: { device_id: 'silo-7', from: '2026-11-14T06:00:00Z' } },
    ],
  }),
  addNote: endpoint('api', 'POST', '/notes', {
    scope: 'operate',
    summary: 'Writes a note on a device or on a facility, at a time.',
    body: body(checkNewNote, 'note'),
    answers: { 200: one(Note) },
    errors: ['device_not_found', 'device_removed'],
    examples: [
      { summary: 'on a facility', body: { facility: 'north', text: 'The auger is noisy since noon.' } },
      {
        summary: 'on a device that does not exist',
        body: { device_id: 'nobody', text: 'Hello?' },
        refusal: 'device_not_found',
      },
      { summary: 'on nothing', body: { text: 'Hello?' }, refusal: 'invalid_input' },
    ],
  }),
  removeNote: endpoint('api', 'DELETE', '/notes/{note_id}', {
    scope: 'operate',
    summary: 'Removes a note: the own one of a key, or with the scope `admin` any.',
    answers: { 200: one(Note) },
    examples: [
      { summary: 'a note' },
      { summary: 'an unknown note', parameters: { note_id: 'nt_none' }, refusal: 'note_not_found' },
    ],
  }),
};
