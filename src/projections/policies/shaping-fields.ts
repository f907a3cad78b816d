import type { AuthUrl } from './parsers/auth-url.ts';
import type { ErrorPages } from './error-page.ts';
import type { HeaderLine } from './parsers/header-lines.ts';
import type { PathRewrite } from './parsers/path-rewrite.ts';
import type { RedirectUrl } from './parsers/redirect-url.ts';

/** Those of {@link PolicyFields} that change requests and responses, or where they go. */
export interface ShapingFields extends ErrorPages {
  /** Hosts, in lower case. */
  readonly serverAlias?: readonly string[];
  readonly redirectFrom?: readonly string[];
  readonly fromToWwwRedirect?: boolean;

  readonly redirectTo?: RedirectUrl;
  readonly redirectToCode?: number;
  /** A path. */
  readonly appRoot?: string;

  /** A path. */
  readonly rewriteTarget?: string;
  readonly pathRewrite?: PathRewrite;

  /** Sorted by name, each once. */
  readonly requestSetHeaders?: readonly HeaderLine[];
  readonly responseSetHeaders?: readonly HeaderLine[];
  /** Sorted by name; one may come several times. */
  readonly requestAddHeaders?: readonly HeaderLine[];
  readonly responseAddHeaders?: readonly HeaderLine[];
  readonly requestDelHeaders?: readonly string[];
  readonly responseDelHeaders?: readonly string[];
  /** A host, perhaps with a port. */
  readonly upstreamVhost?: string;

  readonly canary?: boolean;
  readonly canaryByHeader?: string;
  readonly canaryByHeaderValue?: string;
  readonly canaryByHeaderPattern?: string;
  readonly canaryByCookie?: string;
  readonly canaryWeight?: number;
  readonly canaryWeightTotal?: number;

  /** A Service; its path is `/`. */
  readonly mirrorTarget?: AuthUrl;

  readonly useGzip?: boolean;
  readonly gzipTypes?: readonly string[];
  /** Bytes. */
  readonly gzipMinLength?: number;

  readonly cache?: boolean;

  readonly enableAccessLog?: boolean;
  /** Lines of HAProxy's configuration. */
  readonly configBackend?: readonly string[];
}
