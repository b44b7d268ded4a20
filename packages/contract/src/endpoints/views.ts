import { checkPageQuery } from '../envelope.ts';
import { id } from '../input/text-schemas.ts';
import {
  checkNewView,
  checkPreferences,
  checkViewPatch,
  NewView,
  Preferences,
  UNIT_CHOICES,
  Units,
  View,
  ViewPatch,
} from '../views.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, endpointsWith } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const endpoint = endpointsWith({
  view_id: {
    schema: id(),
    description: 'the id of a saved view',
    notFound: 'view_not_found',
    example: 'vw_019a86c5f3c07b2a',
  },
});

const LOW = { name: 'Low silos north', address: '#/overview?show=low&facility=north' };

/** The settings that the operators' page stores for a person or a key: named views, and units. */
const endpoints = {
  list: endpoint('api', 'GET', '/views', {
    scope: 'read',
    summary: 'Lists the own views of the key, and those that are shared.',
    query: checkPageQuery,
    answers: { 200: pageOf(View) },
    examples: [{ summary: 'the first page' }],
  }),
  create: endpoint('api', 'POST', '/views', {
    scope: 'read',
    summary: 'Keeps a view for this key; with the scope `operate` also for all others.',
    body: body(checkNewView, 'view'),
    answers: { 200: one(View) },
    errors: ['view_limit_reached'],
    examples: [{ summary: 'for everybody', body: { ...LOW, shared: true } }],
  }),
  change: endpoint('api', 'PATCH', '/views/{view_id}', {
    scope: 'read',
    summary: 'Changes an own view, or with the scope `admin` and a key that is not limited a shared one.',
    body: body(checkViewPatch, 'view'),
    answers: { 200: one(View) },
    examples: [
      { summary: 'its name', body: { name: 'Low silos' } },
      {
        summary: 'an unknown view',
        parameters: { view_id: 'vw_none' },
        body: { shared: false },
        refusal: 'view_not_found',
      },
    ],
  }),
  remove: endpoint('api', 'DELETE', '/views/{view_id}', {
    scope: 'read',
    summary: 'Removes an own view, or with the scope `admin` and a key that is not limited a shared one.',
    answers: { 200: one(View) },
    examples: [{ summary: 'a view' }],
  }),
  preferences: endpoint('api', 'GET', '/preferences', {
    scope: 'read',
    summary: 'Shows in which units the person or key reads quantities on the operators’ page.',
    answers: { 200: one(Preferences) },
    examples: [{ summary: 'of the caller' }],
  }),
  changePreferences: endpoint('api', 'PUT', '/preferences', {
    scope: 'read',
    summary: 'Keeps the units for the operators’ page. Values of the API stay as they are.',
    body: body(checkPreferences, 'preferences'),
    answers: { 200: one(Preferences) },
    examples: [
      {
        summary: 'of the United States',
        body: { units: { mass: 'lb', temperature: 'fahrenheit', speed: 'mph' } },
      },
    ],
  }),
};

export const views = {
  description: 'Pages with their filters under a name, and what a person prefers, such as units.',
  endpoints,
  schemas: { NewView, Preferences, Units, View, ViewPatch },
  values: { UNIT_CHOICES },
} satisfies Slice;
