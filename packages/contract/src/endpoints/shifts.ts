import { id } from '../input/text-schemas.ts';
import {
  checkHandoverQuery,
  checkNewHandover,
  checkNewNote,
  checkNoteQuery,
  checkShiftReportQuery,
  Handover,
  NewHandover,
  NewNote,
  Note,
  ShiftMission,
  ShiftReport,
} from '../shifts.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, endpointsWith } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const endpoint = endpointsWith({
  note_id: {
    schema: id(),
    description: 'the id of a note',
    notFound: 'note_not_found',
    example: 'nt_019a86c5f3c07b2a',
  },
  handover_id: {
    schema: id(),
    description: 'the id of a handover',
    notFound: 'handover_not_found',
    example: 'ho_019a86c5f3c07b2a',
  },
});

/** Notes, the report of a shift, and handovers to the next shift. */
const endpoints = {
  /** The newest notes come first, by the times that they are about. */
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
  report: endpoint('api', 'GET', '/shift-report', {
    scope: 'read',
    summary: 'Shows what happened since the beginning of the shift, or in another time of at most 7 days.',
    query: checkShiftReportQuery,
    answers: { 200: one(ShiftReport) },
    examples: [
      { summary: 'this shift' },
      {
        summary: 'the night shift of one facility',
        query: { facility: 'north', from: '2026-11-14T22:00:00Z', to: '2026-11-15T06:00:00Z' },
      },
      {
        summary: 'more than 7 days',
        query: { from: '2026-10-14T22:00:00Z', to: '2026-11-15T06:00:00Z' },
        refusal: 'invalid_input',
      },
    ],
  }),
  /** The newest handovers come first. */
  handovers: endpoint('api', 'GET', '/handovers', {
    scope: 'read',
    summary: 'Lists what shifts told the next ones, newest first.',
    query: checkHandoverQuery,
    answers: { 200: pageOf(Handover) },
    examples: [
      { summary: 'every handover' },
      { summary: 'the last that waits for its acknowledgement', query: { waiting: 'true', limit: '1' } },
    ],
  }),
  handOver: endpoint('api', 'POST', '/handovers', {
    scope: 'operate',
    summary: 'Tells the next shift what it has to know.',
    body: body(checkNewHandover, 'handover'),
    answers: { 200: one(Handover) },
    examples: [
      {
        summary: 'the early shift of one facility',
        body: {
          facility: 'north',
          from: '2026-11-15T00:00:00Z',
          to: '2026-11-15T08:00:00Z',
          text: 'Silo 7 is low, the truck comes at 15:00.',
        },
      },
      {
        summary: 'a shift that ends before it begins',
        body: { from: '2026-11-15T08:00:00Z', to: '2026-11-15T06:00:00Z', text: 'x' },
        refusal: 'invalid_input',
      },
    ],
  }),
  acknowledgeHandover: endpoint('api', 'POST', '/handovers/{handover_id}/acknowledge', {
    scope: 'operate',
    summary: 'The next shift has read it. Repeating it changes nothing.',
    answers: { 200: one(Handover) },
    examples: [
      { summary: 'a handover' },
      {
        summary: 'an unknown handover',
        parameters: { handover_id: 'ho_none' },
        refusal: 'handover_not_found',
      },
    ],
  }),
};

export const shifts = {
  description: 'Notes and handovers of a shift, and its report.',
  endpoints,
  schemas: { Handover, NewHandover, NewNote, Note, ShiftMission, ShiftReport },
  events: {
    'note.added': Note,
    'note.removed': Note,
    'handover.created': Handover,
    'handover.acknowledged': Handover,
  },
} satisfies Slice;
