import { type PublishedKind, publishedKindName } from '../../kube/published-object.ts';
import type { PublishStatus } from './publish-status.ts';
import type { WantedFile } from './wanted-files.ts';

/** A status is no place for thousands of names; a label finds all. */
const most = 200;

/** The objects of a render's other files, by what they are. */
export function companionsOf(
  files: readonly WantedFile[],
  namespace: string,
): NonNullable<PublishStatus['auxiliaryFiles']> {
  const of = (kind: PublishedKind) =>
    files
      .filter((file) => file.kind === kind)
      .slice(0, most)
      .map(({ name }) => ({ kind: publishedKindName(kind), name, namespace }));
  return {
    mapFiles: of('map'),
    sslCertificates: of('secret'),
    generalFiles: of('general'),
    crtListFiles: of('crtList'),
  };
}
