import { errorPage } from '../parsers/error-page.ts';
import { type ErrorPage, errorStatuses } from '../error-page.ts';
import type { PolicyField, PolicyTopic } from '../policy-topic.ts';

/** What HAProxy's own errors look like. Each page is in the profile, since HAProxy reads it when it loads its configuration. */
export const errorPages: PolicyTopic = {
  name: 'errorPages',
  title: 'Error pages',
  fields: Object.fromEntries(errorStatuses.map((status) => [`httpResponse${status}`, page(status)])),
};

function page(status: number): PolicyField<ErrorPage> {
  return {
    key: `http-response-${status}`,
    parse: errorPage,
    scope: 'route',
    shape: 'value',
    values:
      'the body, at most 4096 bytes; before it, if it is no plain text, a line `Content-Type: text/html` and an empty one',
    summary: `The page that goes with status ${status} where HAProxy answers by itself.`,
    example: 'Content-Type: text/html\n\n<h1>Back in a minute</h1>',
  };
}
