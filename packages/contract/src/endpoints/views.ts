import { checkPageQuery } from '../envelope.ts';
import { checkNewView, checkViewPatch, View } from '../views.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, endpoint } from './declaration/endpoint.ts';

const LOW = { name: 'Low silos north', address: '#/overview?show=low&facility=north' };

/** Views of the operators' page that are kept under a name. */
export const views = {
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
};
