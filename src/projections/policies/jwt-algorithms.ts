/**
 * With which signatures of tokens are checked: those of every HAProxy line. None has a shared secret: it would have to stand in the configuration, and whoever checks
 * could sign.
 */
export const jwtAlgorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512'] as const;

export type JwtAlgorithm = (typeof jwtAlgorithms)[number];
