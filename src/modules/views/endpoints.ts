import { type Endpoint, inPath, row } from '../../core/http/endpoint.ts';
import { jsonAnswer, NULL } from '../../core/http/endpoints/schemas.ts';
import { enter, enterAsSteward } from '../../core/http/enter.ts';
import { textParameter } from '../../core/http/query.ts';
import { replying, replyingTo } from '../../core/http/replying.ts';
import { listOf, objectOf } from '../../core/shapes.ts';
import { deleteView, listViews, putView, viewContentSchema, viewSchema } from './views.ts';

const viewsSchema = objectOf({ items: listOf(viewSchema) });

const path = '/-/{collection}/views';
const one = `${path}/{name}/{+view}`;
const tag = 'Classes';

export const viewEndpoints: readonly Endpoint[] = [
  row('GET', path, 'views', {
    tag,
    summary: 'List the saved views of a collection',
    answers: { 200: jsonAnswer('The views.', viewsSchema) },
    ...replying(
      enter,
      { class: textParameter('Only views of this class.') },
      async ({ collection }, query) => ({
        items: await listViews(collection, query.class),
      }),
    ),
  }),
  row('PUT', one, 'view.put', {
    tag,
    summary: 'Save a view of a class for all who may read it',
    answers: { 200: jsonAnswer('The view.', viewSchema) },
    ...replyingTo(
      enterAsSteward,
      {},
      { schema: viewContentSchema, example: { query: 'sort=-name&columns=name' }, limit: 16 * 1024 },
      async ({ collection }, { query }, _, call) => {
        const view = { class: inPath(call, 'name'), name: inPath(call, '*'), query };
        await putView(collection, view);
        return view;
      },
    ),
  }),
  row('DELETE', one, 'view.delete', {
    tag,
    summary: 'Delete a saved view',
    answers: { 200: jsonAnswer('It is deleted.', NULL) },
    ...replying(enterAsSteward, {}, async ({ collection }, _, call) => {
      await deleteView(collection, inPath(call, 'name'), inPath(call, '*'));
      return null;
    }),
  }),
];
