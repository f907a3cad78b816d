import type { HttpResourceFixture } from '../api/template-config.ts';
import { createGraph } from '../collections/create-graph.ts';
import { CodedError } from '../lib/coded-error.ts';
import { digest } from '../lib/digest.ts';
import type { HttpContent } from '../protocol/http-content.ts';
import type { WorldOptions } from '../world/build-world.ts';

/**
 * What the `http` helper reads in a test: the contents given, by URL, and a failure for every other one. Nothing is fetched.
 *
 * @throws CodedError `HAPTIC_ERR_VALIDATION_FIXTURE` naming the URL that is none
 */
export function httpFixtures(resources: readonly HttpResourceFixture[]): NonNullable<WorldOptions['http']> {
  const graph = createGraph();
  const contents = graph.source<HttpContent>('http');
  resources.forEach(({ url, content }, index) => {
    if (!URL.canParse(url))
      throw new CodedError(
        'HAPTIC_ERR_VALIDATION_FIXTURE',
        `httpResources[${index}].url is no absolute URL: ${JSON.stringify(url)}`,
      );
    contents.set(keyOf(url), { kind: 'content', text: content, digest: digest(content) });
  });
  return {
    graph,
    reads: {
      contents,
      want: ({ url }) => keyOf(url),
      absent: {
        kind: 'failed',
        reason: 'FetchFailed',
        message: 'the test has no httpResources entry for this URL',
      },
    },
  };
}

/** As the helper hands it on: canonical, without credentials and fragment. */
function keyOf(url: string): string {
  const parsed = new URL(url);
  parsed.username = '';
  parsed.password = '';
  parsed.hash = '';
  return parsed.href;
}
